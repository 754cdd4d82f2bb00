"""Claims: which worker has which item in hand. They expire, so a worker that dies blocks nothing.

A claim is a promise not to do an item twice at once, not a lock: what a stage writes must be
right even when a claim ran out under a slow worker, and every stage here writes one item in one
transaction that puts it in place of what was there.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Sequence
from datetime import timedelta

from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus

DEFAULT_LEASE = timedelta(minutes=10)
"""Longer than any one item takes; a worker that was killed is waited for this long at most."""


def worker_name() -> str:
    """Return a name for this process that no other has: host, process id and a random part."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


async def claim(
    db: Database, corpus: Corpus, stage: str, items: Sequence[str], worker: str, lease: timedelta = DEFAULT_LEASE
) -> list[str]:
    """Take the items that nobody has in hand and return them, in the order given; the rest is somebody's.

    What this worker has already is taken anew. Times are the database's, so clocks need not agree.
    """
    if not items:
        return []
    async with db.transaction() as conn:
        cursor = await conn.execute(
            """
            INSERT INTO claims (corpus_id, stage, item, worker, until)
            SELECT %(corpus)s, %(stage)s, item, %(worker)s, clock_timestamp() + %(lease)s
            FROM unnest(%(items)s::text[]) AS item ORDER BY item COLLATE "C"
            ON CONFLICT (corpus_id, stage, item) DO UPDATE
            SET worker = excluded.worker, until = excluded.until
            WHERE claims.until < clock_timestamp() OR claims.worker = excluded.worker
            RETURNING item
            """,
            {"corpus": corpus.id, "stage": stage, "items": sorted(set(items)), "worker": worker, "lease": lease},
        )
        mine = {item for (item,) in await cursor.fetchall()}
    return [item for item in dict.fromkeys(items) if item in mine]


async def release(conn: Connection, corpus: Corpus, stage: str, items: Sequence[str], worker: str) -> None:
    """Give items back, in the transaction that writes what became of them."""
    await conn.execute(
        "DELETE FROM claims WHERE corpus_id = %s AND stage = %s AND item = ANY(%s) AND worker = %s",
        (corpus.id, stage, list(items), worker),
    )


async def held_by_others(db: Database, corpus: Corpus, stage: str, worker: str) -> dict[str, float]:
    """Map each item that another worker has in hand to the seconds its claim still runs."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT item, extract(epoch FROM until - clock_timestamp())::float8 FROM claims"
            " WHERE corpus_id = %s AND stage = %s AND worker <> %s AND until >= clock_timestamp() ORDER BY item",
            (corpus.id, stage, worker),
        )
        return {item: float(seconds) for item, seconds in await cursor.fetchall()}
