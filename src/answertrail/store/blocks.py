"""Services that refuse us, as the rows of the items at which batches stopped tell."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from answertrail.store.connection import Database
from answertrail.store.rows import Corpus


@dataclass(frozen=True, slots=True)
class Block:
    """A refusal met while `origin` was fetched, which holds `until` an instant."""

    origin: str
    reason: str
    until: datetime


async def blocks(db: Database, corpus: Corpus, now: datetime, *, since: datetime | None = None) -> tuple[Block, ...]:
    """Return the refusals that hold `now`, the longest first; with `since`, those met after it by the database's time.

    () when no service refuses us.
    """
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT origin, reason, retry_at FROM withheld_items WHERE corpus_id = %s AND kind = 'blocked'"
            " AND retry_at > %s AND (%s::timestamptz IS NULL OR seen_at > %s) ORDER BY retry_at DESC, origin, item_id",
            (corpus.id, now, since, since),
        )
        return tuple([Block(*row) for row in await cursor.fetchall()])
