"""Items of channels and feeds: listed, fetched, withheld. States are derived from these rows, never kept."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from answertrail.records.base import instant
from answertrail.store.connection import Connection, Database
from answertrail.store.families import sources_begin
from answertrail.store.rows import Corpus
from answertrail.store.texts import check_storable

State = Literal["pending", "fetched", "skipped", "failed", "gone"]
STATES: tuple[State, ...] = ("pending", "fetched", "skipped", "failed", "gone")

_ITEMS = """
    SELECT i.item_id, i.listing, i.gone_at, f.item_id IS NOT NULL, d.document_id IS NOT NULL,
           w.state, w.kind, w.reason, w.retry_at, coalesce(w.attempts, 0), coalesce(w.wish, '')
    FROM origin_items i
    LEFT JOIN fetched_items f USING (corpus_id, origin, item_id)
    LEFT JOIN withheld_items w USING (corpus_id, origin, item_id)
    LEFT JOIN documents d ON d.corpus_id = i.corpus_id AND d.document_id = i.item_id
        AND starts_with(d.source, %(source)s)
    WHERE i.corpus_id = %(corpus)s AND i.origin = %(origin)s
"""


@dataclass(frozen=True, slots=True)
class OriginItem:
    """One item with all that is known of it.

    `fetched` and `has_document` may differ: a document can be deleted after it was fetched, and a
    document of this id that a file or another family of origins gave is not the item's.
    `kind`, `reason`, `retry_at` and `attempts` are of the last time it gave no words, if ever;
    `wish` is what was asked for then, in the words of `record_withheld`.
    """

    id: str
    listing: Mapping[str, Any]
    gone_at: datetime | None
    fetched: bool
    has_document: bool
    withheld: Literal["skipped", "failed"] | None
    kind: str | None
    reason: str | None
    retry_at: datetime | None
    attempts: int
    wish: str = ""

    def state(self, now: datetime) -> State:
        """Return its state; `pending` is what the next run takes, also when a wait is over.

        `fetched` is every item that has its document; `item_states` tells how far that has come.
        """
        if self.gone_at is not None:
            return "gone"
        if self.fetched and self.has_document:
            return "fetched"
        if self.listing.get("left_out"):
            return "skipped"
        if self.withheld is None or self.fetched or (self.retry_at is not None and self.retry_at <= now):
            return "pending"
        return self.withheld

    @property
    def why(self) -> str | None:
        """The reason why it has no words, None when there is none."""
        left_out = self.listing.get("left_out")
        return str(left_out) if left_out else self.reason


async def origins_of(db: Database, corpus: Corpus) -> tuple[str, ...]:
    """Return the keys of all origins of a corpus, in bytewise order."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT DISTINCT origin FROM origin_items WHERE corpus_id = %s ORDER BY origin", (corpus.id,)
        )
        return tuple([origin for (origin,) in await cursor.fetchall()])


async def items(db: Database, corpus: Corpus, origin: str) -> tuple[OriginItem, ...]:
    """Return all items of an origin, newest first, those without a date last; () when it was never listed."""
    async with db.transaction() as conn:
        return await items_in(conn, corpus, origin)


async def items_in(conn: Connection, corpus: Corpus, origin: str) -> tuple[OriginItem, ...]:
    """Return what `items` does, as the caller's transaction sees it."""
    cursor = await conn.execute(_ITEMS, _of(corpus, origin))
    found = [OriginItem(*row) for row in await cursor.fetchall()]
    return tuple(sorted(found, key=_newest_first))


async def item(db: Database, corpus: Corpus, origin: str, item_id: str) -> OriginItem | None:
    """Return one item, None when it was never listed."""
    async with db.transaction() as conn:
        cursor = await conn.execute(_ITEMS + " AND i.item_id = %(item)s", {**_of(corpus, origin), "item": item_id})
        row = await cursor.fetchone()
    return OriginItem(*row) if row else None


def _of(corpus: Corpus, origin: str) -> dict[str, Any]:
    return {"corpus": corpus.id, "origin": origin, "source": sources_begin(origin)}


def _newest_first(found: OriginItem) -> tuple[float, str]:
    text = found.listing.get("published_at")
    try:
        return (-instant(text).timestamp() if isinstance(text, str) else 0.0, found.id)
    except ValueError:
        return (0.0, found.id)


async def clock(db: Database) -> datetime:
    """Return the database's time, by which `listed_since` tells what came first."""
    async with db.transaction() as conn:
        row = await (await conn.execute("SELECT clock_timestamp()")).fetchone()
    assert row is not None
    now: datetime = row[0]
    return now


async def put_listing(conn: Connection, corpus: Corpus, origin: str, listings: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep what was listed, by id; an item that was gone is there again.

    Raises InputError for text that Postgres cannot hold.
    """
    rows = [
        (corpus.id, origin, item_id, check_storable(listing, where=item_id)) for item_id, listing in listings.items()
    ]
    async with conn.cursor() as cursor:
        await cursor.executemany(
            """
            INSERT INTO origin_items (corpus_id, origin, item_id, listing) VALUES (%s, %s, %s, %s::jsonb)
            ON CONFLICT (corpus_id, origin, item_id) DO UPDATE
            SET listing = excluded.listing, listed_at = now(), gone_at = NULL
            """,
            rows,
        )


async def listed_since(conn: Connection, corpus: Corpus, origin: str, began: datetime) -> frozenset[str]:
    """Return the items that another listing, which ended after `began` (the database's time), has seen."""
    cursor = await conn.execute(
        "SELECT item_id FROM origin_items WHERE corpus_id = %s AND origin = %s AND listed_at > %s",
        (corpus.id, origin, began),
    )
    return frozenset([item_id for (item_id,) in await cursor.fetchall()])


async def mark_gone(conn: Connection, corpus: Corpus, origin: str, item_ids: Collection[str]) -> None:
    """Remember since when items are not listed any more; what they gave stays."""
    await conn.execute(
        "UPDATE origin_items SET gone_at = now() WHERE corpus_id = %s AND origin = %s AND item_id = ANY (%s)"
        " AND gone_at IS NULL",
        (corpus.id, origin, list(item_ids)),
    )


async def record_fetched(
    conn: Connection, corpus: Corpus, origin: str, item_id: str, document: Mapping[str, Any], notes: Sequence[str]
) -> None:
    """Keep what was fetched, as fetched; why it gave no words before is forgotten."""
    await conn.execute(
        """
        INSERT INTO fetched_items (corpus_id, origin, item_id, document, notes) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (corpus_id, origin, item_id) DO UPDATE
        SET document = excluded.document, notes = excluded.notes, fetched_at = now()
        """,
        (corpus.id, origin, item_id, check_storable(document, where=item_id), json.dumps(list(notes))),
    )
    await forget_withheld(conn, corpus, origin, item_id)


async def record_withheld(
    conn: Connection,
    corpus: Corpus,
    origin: str,
    item_id: str,
    *,
    state: Literal["skipped", "failed"],
    kind: str,
    reason: str,
    retry_at: datetime | None,
    wish: str = "",
) -> None:
    """Keep why an item gave no words; the same reason again is one attempt more.

    `wish` says what was asked for (the languages), so that another wish is known to be another.
    """
    await conn.execute(
        """
        INSERT INTO withheld_items (corpus_id, origin, item_id, state, kind, reason, retry_at, wish)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (corpus_id, origin, item_id) DO UPDATE
        SET state = excluded.state, kind = excluded.kind, reason = excluded.reason, retry_at = excluded.retry_at,
            attempts = CASE WHEN withheld_items.kind = excluded.kind
                             AND withheld_items.wish IS NOT DISTINCT FROM excluded.wish
                            THEN withheld_items.attempts + 1 ELSE 1 END,
            wish = excluded.wish, seen_at = now()
        """,
        (corpus.id, origin, item_id, state, kind, reason.replace("\0", "\ufffd"), retry_at, wish),
    )


async def fetched_document(
    conn: Connection, corpus: Corpus, item_id: str, *, own: str, family: str
) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """Return document and notes of an item fetched before, by `own` or an origin whose key begins with `family`."""
    cursor = await conn.execute(
        "SELECT document, notes FROM fetched_items WHERE corpus_id = %s AND item_id = %s"
        " AND (origin = %s OR starts_with(origin, %s)) ORDER BY origin <> %s, fetched_at DESC LIMIT 1",
        (corpus.id, item_id, own, family, own),
    )
    row = await cursor.fetchone()
    return (dict(row[0]), tuple(row[1])) if row else None


async def fetched_languages(db: Database, corpus: Corpus, origin: str) -> dict[str, int]:
    """Count the items that an origin gave by the language of their words; those that state none are left out."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT document->>'language', count(*) FROM fetched_items WHERE corpus_id = %s AND origin = %s"
            " AND document->>'language' IS NOT NULL GROUP BY 1 ORDER BY 1",
            (corpus.id, origin),
        )
        return {str(language): int(count) for language, count in await cursor.fetchall()}


async def forget_fetched(conn: Connection, corpus: Corpus, item_id: str, *, own: str, family: str) -> None:
    """Drop what was fetched of an item, so that it is fetched anew; its document stays until then."""
    await conn.execute(
        "DELETE FROM fetched_items WHERE corpus_id = %s AND item_id = %s AND (origin = %s OR starts_with(origin, %s))",
        (corpus.id, item_id, own, family),
    )


async def forget_withheld(conn: Connection, corpus: Corpus, origin: str, item_id: str) -> None:
    """Drop why an item gave no words, so that it is due at once."""
    await conn.execute(
        "DELETE FROM withheld_items WHERE corpus_id = %s AND origin = %s AND item_id = %s", (corpus.id, origin, item_id)
    )
