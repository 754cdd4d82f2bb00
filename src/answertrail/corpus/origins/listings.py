"""The listing stage: what an origin holds now, beside what it held before. All of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from answertrail.corpus.context import contexts_of
from answertrail.corpus.origins.base import Listed, Origin
from answertrail.corpus.origins.report import ListReport
from answertrail.corpus.reading import content_hash
from answertrail.errors import ServiceError
from answertrail.records.base import instant
from answertrail.records.chunk import Chunk
from answertrail.records.document import Document
from answertrail.records.jsonl import parse
from answertrail.store import corpora, origin_documents, origins
from answertrail.store.connection import Connection, Database
from answertrail.store.families import family_of, sources_begin
from answertrail.store.origins import OriginItem
from answertrail.store.rows import Corpus

_SHOWN = ("title", "published_at", "url", "description", "tags")
_SAME_LENGTH_S = 1.0
_FULL = 19_000
"""A channel that lists so many may have more: YouTube lists about the newest 20,000 uploads."""


def as_row(item: Listed) -> dict[str, Any]:
    """Return a listed item as JSON values; what is not known is left out."""
    row = {
        "title": item.title,
        "published_at": item.published_at,
        "published_at_source": item.published_at_source,
        "url": item.url,
        "duration_s": item.duration_s,
        "description": item.description,
        "tags": list(item.tags) or None,
        "language": item.language,
        "left_out": item.left_out,
        "meta": dict(item.meta) or None,
    }
    return {key: value for key, value in row.items() if value is not None}


def from_row(item_id: str, row: Mapping[str, Any]) -> Listed:
    """Return what `as_row` was given."""
    known = {key: value for key, value in row.items() if key not in ("tags", "meta")}
    return Listed(id=item_id, tags=tuple(row.get("tags", ())), meta=row.get("meta", {}), **known)


async def list_origin(db: Database, corpus: Corpus, origin: Origin) -> ListReport:
    """List an origin and keep what it says, in one transaction.

    Sets of ids are compared, so one item deleted and one added are both seen. A changed title,
    date, description or tag is brought into the document without fetching it; a changed length
    means other words, and the item is fetched again, as is one whose transcripts were not there or
    other ones. A feed may list its newest episodes only, and a channel its newest uploads: older
    ones that it lacks are not gone. Nor is what another listing has seen since this one began.

    Raises what `items` raises, and ServiceError for an empty listing where there were items; the
    corpus is then as it was.
    """
    began = await origins.clock(db)
    listed = [item async for item in origin.items()]
    rows = {item.id: as_row(item) for item in listed}
    async with db.transaction() as conn:
        await corpora.lock(conn, corpus)
        before = {item.id: item for item in await origins.items_in(conn, corpus, origin.key)}
        present = {item_id for item_id, item in before.items() if item.gone_at is None}
        if present and not rows:
            raise ServiceError(
                f"the listing came back empty, and there were {len(present)} items",
                where=origin.key,
                hint="nothing was changed; try again later",
            )
        spared = _beyond_the_listing(origin.key, rows, before) | await origins.listed_since(
            conn, corpus, origin.key, began
        )
        gone = tuple(sorted(present - rows.keys() - spared))
        changed, renewed = set(), set()
        for item_id in rows.keys() & before.keys():
            old = before[item_id].listing
            row = rows[item_id] = _merged(item_id, old, rows[item_id])
            fetched = before[item_id].fetched
            if fetched and (_other_length(old, row) or _others_to_read(old, row)):
                renewed.add(item_id)
                await origins.forget_fetched(conn, corpus, item_id, own=origin.key, family=family_of(origin.key))
            elif not fetched and _transcripts(old) != _transcripts(row):
                renewed.add(item_id)
                await origins.forget_withheld(conn, corpus, origin.key, item_id)
            elif any(old.get(name) != row.get(name) for name in _SHOWN):
                changed.add(item_id)
                await _update(conn, corpus, origin.key, from_row(item_id, row))
        await origins.put_listing(conn, corpus, origin.key, rows)
        await origins.mark_gone(conn, corpus, origin.key, gone)
    return ListReport(
        origin=origin.key,
        listed=len(rows),
        new=tuple(item_id for item_id in rows if item_id not in before),
        changed=tuple(item_id for item_id in rows if item_id in changed),
        renewed=tuple(item_id for item_id in rows if item_id in renewed),
        gone=gone,
        back=tuple(item_id for item_id in rows if item_id in before and item_id not in present),
        left_out={item_id: row["left_out"] for item_id, row in rows.items() if "left_out" in row},
    )


def _merged(item_id: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the new listing, filled up from the old one where it knows less: no date, or the id for a title."""
    if "published_at" in new:
        return dict(new)
    kept = {key: value for key, value in old.items() if key not in ("left_out", "meta")}
    title = {"title": kept.get("title", item_id)} if new["title"] == item_id else {}
    return {**kept, **new, **title}


def _beyond_the_listing(
    key: str, rows: Mapping[str, Mapping[str, Any]], before: Mapping[str, OriginItem]
) -> frozenset[str]:
    """Return the items that are older than all that is listed, of a listing that may hold the newest only."""
    dates = [instant(row["published_at"]) for row in rows.values() if row.get("published_at")]
    is_feed = key.startswith("rss:")
    if not dates or not (is_feed or len(rows) >= _FULL):
        return frozenset()
    oldest = min(dates)
    known = {item_id: item.listing.get("published_at") for item_id, item in before.items()}
    return frozenset(item_id for item_id, date in known.items() if (instant(date) < oldest if date else not is_feed))


def _transcripts(listing: Mapping[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (listing.get("meta") or {}).get("transcripts") or []
    return found


def _others_to_read(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether there are other transcripts than those that were read.

    What follows a `?` may be a signature that is new with each listing, so that alone is no other
    transcript; and where none is left there is nothing to read.
    """
    after = _bare(_transcripts(new))
    return bool(after) and after != _bare(_transcripts(old))


def _bare(transcripts: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{**said, "url": said["url"].partition("?")[0]} for said in transcripts]


def _other_length(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    before, after = old.get("duration_s"), new.get("duration_s")
    return before is not None and after is not None and abs(after - before) > _SAME_LENGTH_S


def with_listing(document: Document, item: Listed) -> Document:
    """Return a document with what its listing says now; what the listing does not know stays."""
    values: dict[str, Any] = {}
    if item.title != item.id:
        values["title"] = item.title
    for name in ("published_at", "published_at_source", "url"):
        if getattr(item, name) is not None:
            values[name] = getattr(item, name)
    if item.published_at is not None:
        # Only a listing that knows dates knows these too; there they may have been taken away.
        values["description"] = item.description
        values["tags"] = list(item.tags) or None
    row = {**document.as_json(), **values}
    nullable = Document.nullable
    return parse(Document, {k: v for k, v in row.items() if v is not None or k in nullable}, where=document.id)


async def _update(conn: Connection, corpus: Corpus, key: str, item: Listed) -> None:
    kept = await origins.fetched_document(conn, corpus, item.id, own=key, family=key)
    if kept is None:
        return
    document = with_listing(parse(Document, kept[0], where=item.id), item)
    await origins.record_fetched(conn, corpus, key, item.id, document.as_json(), kept[1])
    contexts: dict[str, str] = {}
    if corpus.context:
        words = await origin_documents.chunk_words(conn, corpus, item.id)
        chunks = [
            Chunk(id=chunk_id, document_id=item.id, ordinal=place, text=text, lines=(), speakers=speakers)
            for place, (chunk_id, text, speakers) in enumerate(words)
        ]
        made = contexts_of(document, chunks, corpus.context)
        contexts = {chunk.id: context for chunk, context in zip(chunks, made, strict=True)}
    await origin_documents.update_listed(
        conn,
        corpus,
        document,
        given_by=sources_begin(key),
        content_hash=content_hash(document),
        contexts=contexts,
    )
