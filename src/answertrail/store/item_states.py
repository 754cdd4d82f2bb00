"""The state of every item of a channel or feed, from listing to vectors: derived from its rows, never kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from answertrail.store import reached
from answertrail.store.connection import Connection, Database
from answertrail.store.origins import OriginItem, items_in
from answertrail.store.reached import Reached
from answertrail.store.rows import Corpus

ItemState = Literal["pending", "fetched", "chunked", "cleaned", "embedded", "skipped", "failed", "gone"]
"""`OriginItem.state`, which says what fetching is to do; where that is `fetched`, how far the document has come."""


@dataclass(frozen=True, slots=True)
class StatedItem:
    """An item in its state.

    `reason` is why it was skipped or failed, `kind` its kind where fetching found it, `retry_at` when
    it is looked at again (None: never, unless it is listed otherwise). In any other state all three are None.
    """

    item: OriginItem
    state: ItemState
    kind: str | None = None
    reason: str | None = None
    retry_at: datetime | None = None


async def stated(db: Database, corpus: Corpus, origin: str, now: datetime) -> tuple[StatedItem, ...]:
    """Return all items of an origin in their states, in the order of `origins.items`; () when it was never listed."""
    async with db.reading() as conn:
        return await stated_in(conn, corpus, origin, now)


async def stated_in(conn: Connection, corpus: Corpus, origin: str, now: datetime) -> tuple[StatedItem, ...]:
    """Return what `stated` does, as the caller sees it in a transaction of `db.reading()`."""
    found = await items_in(conn, corpus, origin)
    far = await reached.of_items_in(conn, corpus, origin)
    return tuple(_stated(item, far.get(item.id), now) for item in found)


def _stated(item: OriginItem, far: Reached | None, now: datetime) -> StatedItem:
    state = item.state(now)
    if state == "fetched" and far is not None:
        return StatedItem(item, far)
    if state not in ("skipped", "failed"):
        return StatedItem(item, state)
    if item.listing.get("left_out"):
        # Found by listing, whatever fetching found before; no time brings it back.
        return StatedItem(item, state, reason=item.why)
    return StatedItem(item, state, item.kind, item.reason, item.retry_at)
