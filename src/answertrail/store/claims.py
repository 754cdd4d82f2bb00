"""Claims: which worker has which item in hand. A worker that dies blocks nothing.

A claim is a promise not to do an item twice at once, not a lock: what a stage writes must be
right even when a claim ran out under a slow worker, and every stage here writes one item in one
transaction that puts it in place of what was there.

A claim ends in one of three ways: it is released, its time runs out, or its worker dies. The last
is seen at once where the worker holds the session lock of `working`, which Postgres lets go with
the connection; without it (a pooler between, for one) there is the time.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import psycopg
from psycopg import AsyncConnection

from answertrail.store.connection import Connection, Database, translated
from answertrail.store.rows import Corpus

DEFAULT_LEASE = timedelta(minutes=10)
"""So long a worker may be out of touch; one at slow work renews its claim meanwhile (`holding`)."""

# Any number that nothing else in the database uses for an advisory lock of two numbers.
_SPACE = 0x616E77

_LIVES = """
    EXISTS (
        SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
          AND l.classid = %(space)s::int::oid AND l.objid = hashtext({worker})::oid
    )
"""
_TAKE = f"""
    INSERT INTO claims (corpus_id, stage, item, worker, until, watched)
    SELECT %(corpus)s, %(stage)s, item, %(worker)s, clock_timestamp() + %(lease)s,
           {_LIVES.format(worker="%(worker)s::text")}
    FROM unnest(%(items)s::text[]) AS item ORDER BY item COLLATE "C"
    ON CONFLICT (corpus_id, stage, item) DO UPDATE
    SET worker = excluded.worker, until = excluded.until, watched = excluded.watched
    WHERE claims.worker = excluded.worker OR claims.until < clock_timestamp()
          OR claims.watched AND NOT {_LIVES.format(worker="claims.worker")}
    RETURNING item
"""  # noqa: S608 - constants
# A row that another has locked is being taken or swept: it is not waited for.
_SWEEP = f"""
    DELETE FROM claims WHERE (corpus_id, stage, item) IN (
        SELECT corpus_id, stage, item FROM claims
        WHERE until < clock_timestamp() OR watched AND NOT {_LIVES.format(worker="claims.worker")}
        FOR UPDATE SKIP LOCKED
    )
"""  # noqa: S608 - constants
# Rows are locked in the order in which they are taken, so that two workers never wait for each other.
_END = """
    DELETE FROM claims WHERE (corpus_id, stage, item) IN (
        SELECT corpus_id, stage, item FROM claims WHERE worker = %(worker)s
        ORDER BY corpus_id, stage, item FOR UPDATE
    )
"""
_HELD = f"""
    SELECT item, extract(epoch FROM until - clock_timestamp())::float8 FROM claims
    WHERE corpus_id = %(corpus)s AND stage = %(stage)s AND worker <> %(worker)s
      AND until >= clock_timestamp() AND (NOT watched OR {_LIVES.format(worker="claims.worker")})
    ORDER BY item
"""  # noqa: S608 - constants

# Rows are locked in the order in which they are taken, so that two workers never wait for each other.
_RENEW = f"""
    WITH mine AS (
        SELECT item FROM claims
        WHERE corpus_id = %(corpus)s AND stage = %(stage)s AND item = ANY(%(items)s) AND worker = %(worker)s
        ORDER BY item COLLATE "C" FOR UPDATE
    )
    UPDATE claims SET until = clock_timestamp() + %(lease)s, watched = {_LIVES.format(worker="%(worker)s::text")}
    FROM mine WHERE corpus_id = %(corpus)s AND stage = %(stage)s AND claims.item = mine.item
    RETURNING claims.item
"""  # noqa: S608 - constants

# A claim need not outlive a crash of the server, which no worker does; so nothing waits for the disk.
_UNSYNCED = "SET LOCAL synchronous_commit TO off"


def worker_name() -> str:
    """Return a name for a worker that no other has: host, process id and a random part."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


@asynccontextmanager
async def working(db: Database) -> AsyncIterator[str]:
    """Yield the name of a new worker; its claims end with it, also when the process is killed."""
    name = worker_name()
    with translated(db.where):
        connection = await AsyncConnection.connect(
            str(db.pool.conninfo), autocommit=True, connect_timeout=10, keepalives_idle=60, application_name=name[:63]
        )
    try:
        with translated(db.where):
            await connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (_SPACE, name))
            # What dead workers held and nobody came to since: their item was done, or is gone.
            await connection.execute(_SWEEP, {"space": _SPACE})
        yield name
    finally:
        with suppress(psycopg.Error):  # the server is gone, and the lock with it
            await connection.execute(_END, {"worker": name})
        await connection.close()


async def claim(
    db: Database, corpus: Corpus, stage: str, items: Sequence[str], worker: str, lease: timedelta | None = None
) -> list[str]:
    """Take the items that nobody has in hand and return them, in the order given; the rest is somebody's.

    What this worker has already is taken anew. A `lease` of None is `DEFAULT_LEASE`; times are the
    database's, so clocks need not agree.
    """
    return await _until(_TAKE, db, corpus, stage, items, worker, lease)


async def renew(
    db: Database, corpus: Corpus, stage: str, items: Sequence[str], worker: str, lease: timedelta | None = None
) -> list[str]:
    """Let the claims of these items run on, and return those that are still this worker's, in the order given.

    Unlike `claim` it takes nothing: an item that is free by now may have been done by another.
    """
    return await _until(_RENEW, db, corpus, stage, items, worker, lease)


async def _until(
    query: str, db: Database, corpus: Corpus, stage: str, items: Sequence[str], worker: str, lease: timedelta | None
) -> list[str]:
    if not items:
        return []
    values = {**_values(corpus, stage, worker), "items": sorted(set(items)), "lease": lease or DEFAULT_LEASE}
    async with db.transaction() as conn:
        await conn.execute(_UNSYNCED)
        cursor = await conn.execute(query, values)
        mine = {item for (item,) in await cursor.fetchall()}
    return [item for item in dict.fromkeys(items) if item in mine]


async def give_back(db: Database, corpus: Corpus, stage: str, items: Sequence[str], worker: str) -> None:
    """Give items back in a transaction of its own, after what became of them was written."""
    async with db.transaction() as conn:
        await conn.execute(_UNSYNCED)
        await release(conn, corpus, stage, items, worker)


async def release(conn: Connection, corpus: Corpus, stage: str, items: Sequence[str], worker: str) -> None:
    """Give items back, in the transaction that writes what became of them."""
    await conn.execute(
        "DELETE FROM claims WHERE corpus_id = %s AND stage = %s AND item = ANY(%s) AND worker = %s",
        (corpus.id, stage, list(items), worker),
    )


async def held_by_others(db: Database, corpus: Corpus, stage: str, worker: str) -> dict[str, float]:
    """Map each item that another living worker has in hand to the seconds its claim still runs."""
    async with db.transaction() as conn:
        cursor = await conn.execute(_HELD, _values(corpus, stage, worker))
        return {item: float(seconds) for item, seconds in await cursor.fetchall()}


def _values(corpus: Corpus, stage: str, worker: str) -> dict[str, object]:
    return {"corpus": corpus.id, "stage": stage, "worker": worker, "space": _SPACE}
