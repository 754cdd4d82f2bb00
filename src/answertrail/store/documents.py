"""Documents and their chunks: written as one, read as whole documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from answertrail.errors import InputError
from answertrail.records.base import instant
from answertrail.records.chunk import Chunk, embedded_text, text_hash
from answertrail.records.document import Document
from answertrail.records.jsonl import parse
from answertrail.store import corpora, sources
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus, StoredDocument
from answertrail.store.texts import check_storable

Change = Literal["added", "changed", "unchanged"]

COLUMNS = (
    "document_id, title, published_at, published_at_text, url, language, captions,"
    " duration_s, kind, type, description, tags, aliases, links, meta, record, body, source,"
    " content_hash, chunks_hash"
)
_SEGMENTS = "COPY segments (corpus_id, document_id, ordinal, start_s, end_s, text, raw_text, speaker) FROM STDIN"
_CHUNKS = (
    "COPY chunks (corpus_id, chunk_id, document_id, ordinal, start_s, end_s, char_start, char_end,"
    " text, lines, speakers, text_hash, time_precision, context, embedded_hash) FROM STDIN"
)


async def replace(
    conn: Connection,
    corpus: Corpus,
    document: Document,
    chunks: Sequence[Chunk],
    *,
    content_hash: str,
    source: str,
    fingerprint: str | None = None,
    notes: Sequence[Any] = (),
    contexts: Sequence[str] = (),
) -> Change:
    """Put a document and its chunks in place of what was there under its id.

    Runs in the caller's transaction: all of it is kept or none. `source` is recorded as `ok`
    with its fingerprint and notes (JSON values). `contexts`, one a chunk, are embedded with the
    texts; they must follow from the document, its chunks and the corpus's own setting. The corpus
    revision grows only for "added" and "changed"; "unchanged" means that content hash, metadata
    and chunks are what they were.

    Raises InputError for a chunk of another document, two chunks of one id, and text that
    Postgres cannot hold.
    """
    record = head(document)
    _check(document, chunks)
    chunks_hash = _hash_of(chunks)
    await corpora.lock(conn, corpus)
    cursor = await conn.execute(
        "SELECT content_hash = %s AND chunks_hash = %s AND record = %s::jsonb, source FROM documents"
        " WHERE corpus_id = %s AND document_id = %s",
        (content_hash, chunks_hash, record, corpus.id, document.id),
    )
    found = await cursor.fetchone()
    change: Change = "added" if found is None else "unchanged" if found[0] else "changed"
    if change != "unchanged":
        await conn.execute("DELETE FROM documents WHERE corpus_id = %s AND document_id = %s", (corpus.id, document.id))
        await _insert(conn, corpus, document, record, source, content_hash, chunks_hash)
        await copy_body(conn, corpus, document, chunks, contexts or [""] * len(chunks))
        await corpora.bump_revision(conn, corpus)
    elif found is not None and found[1] != source:
        await conn.execute(
            "UPDATE documents SET source = %s WHERE corpus_id = %s AND document_id = %s",
            (source, corpus.id, document.id),
        )
    await sources.record_ok(conn, corpus, source, document_id=document.id, fingerprint=fingerprint, notes=notes)
    return change


async def delete(conn: Connection, corpus: Corpus, document_id: str, *, source: str | None = None) -> bool:
    """Delete a document with its chunks and the rows of its sources; return whether it was there.

    With `source` it is deleted only while it comes from that source: another worker may have found it elsewhere.
    """
    await corpora.lock(conn, corpus)
    cursor = await conn.execute(
        "DELETE FROM documents WHERE corpus_id = %s AND document_id = %s AND source = coalesce(%s, source)",
        (corpus.id, document_id, source),
    )
    if cursor.rowcount == 0:
        return False
    await conn.execute("DELETE FROM source_items WHERE corpus_id = %s AND document_id = %s", (corpus.id, document_id))
    await corpora.bump_revision(conn, corpus)
    return True


async def get_document(db: Database, corpus: Corpus, document_id: str, *, raw: bool = False) -> StoredDocument | None:
    """Return a document as it was ingested, None when there is none of this id.

    Lines that were cleaned (see `store.cleaning`) come as cleaned, with `raw` as captioned.
    """
    async with db.reading() as conn:
        return await get_document_in(conn, corpus, document_id, raw=raw)


async def get_document_in(
    conn: Connection, corpus: Corpus, document_id: str, *, raw: bool = False
) -> StoredDocument | None:
    """Return what `get_document` does, as the caller sees it in a transaction of `db.reading()`."""
    cursor = await conn.execute(
        "SELECT record, body, published_at, source, content_hash, ingested_at FROM documents"
        " WHERE corpus_id = %s AND document_id = %s",
        (corpus.id, document_id),
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    record, body, published_at, source, content_hash, ingested_at = row
    if body is not None:
        record["text"] = body
    else:
        record["segments"] = await _segments(conn, corpus, document_id, raw=raw)
    return StoredDocument(
        document=parse(Document, record, where=document_id),
        published_at=published_at,
        source=source,
        content_hash=content_hash,
        ingested_at=ingested_at,
    )


async def document_ids(db: Database, corpus: Corpus) -> list[str]:
    """Return the ids of all documents in bytewise order."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT document_id FROM documents WHERE corpus_id = %s ORDER BY document_id", (corpus.id,)
        )
        return [document_id for (document_id,) in await cursor.fetchall()]


async def document_sources(db: Database, corpus: Corpus) -> dict[str, str]:
    """Map each document id to the source that gave it last, in bytewise order of the ids."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT document_id, source FROM documents WHERE corpus_id = %s ORDER BY document_id", (corpus.id,)
        )
        return dict(await cursor.fetchall())


async def _segments(conn: Connection, corpus: Corpus, document_id: str, *, raw: bool) -> list[dict[str, Any]]:
    cursor = await conn.execute(
        "SELECT start_s, end_s, CASE WHEN %s THEN coalesce(raw_text, text) ELSE text END, speaker"
        " FROM segments WHERE corpus_id = %s AND document_id = %s ORDER BY ordinal",
        (raw, corpus.id, document_id),
    )
    names = ("start_s", "end_s", "text", "speaker")
    return [
        {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for row in await cursor.fetchall()
    ]


async def _insert(
    conn: Connection,
    corpus: Corpus,
    document: Document,
    record: str,
    source: str,
    content_hash: str,
    chunks_hash: str,
) -> None:
    values = (corpus.id, *columns_of(document, record, source, content_hash, chunks_hash))
    places = ", ".join(["%s"] * len(values))
    await conn.execute(f"INSERT INTO documents (corpus_id, {COLUMNS}) VALUES ({places})", values)  # noqa: S608 - constants


def columns_of(
    document: Document, record: str, source: str, content_hash: str, chunks_hash: str
) -> tuple[str | float | datetime | list[str] | None, ...]:
    """Return what is kept of a document, in the order of `COLUMNS`; `record` is its `head`."""
    return (
        document.id,
        document.title,
        instant(document.published_at) if document.published_at else None,
        document.published_at,
        document.url,
        document.language,
        document.captions,
        document.duration_s,
        document.kind,
        document.type,
        document.description,
        document.tags,
        document.aliases,
        document.links,
        None if document.meta is None else json.dumps(document.meta),
        record,
        document.text,
        source,
        content_hash,
        chunks_hash,
    )


async def copy_body(
    conn: Connection,
    corpus: Corpus,
    document: Document,
    chunks: Sequence[Chunk],
    contexts: Sequence[str],
    raw: Mapping[int, str] | None = None,
) -> None:
    """Write the segments and chunks of a document that has none; `raw` are texts as captioned, by segment."""
    cursor = conn.cursor()
    async with cursor.copy(_SEGMENTS) as copy:
        for ordinal, part in enumerate(document.segments or ()):
            was = (raw or {}).get(ordinal)
            row = (corpus.id, document.id, ordinal, part.start_s, part.end_s, part.text, was, part.speaker)
            await copy.write_row(row)
    async with cursor.copy(_CHUNKS) as copy:
        for chunk, context in zip(chunks, contexts, strict=True):
            await copy.write_row(
                (
                    corpus.id,
                    chunk.id,
                    chunk.document_id,
                    chunk.ordinal,
                    chunk.start_s,
                    chunk.end_s,
                    chunk.char_start,
                    chunk.char_end,
                    chunk.text,
                    list(chunk.lines),
                    list(chunk.speakers),
                    chunk.text_hash,
                    chunk.time_precision,
                    context or None,
                    text_hash(embedded_text(context, chunk.text)) if context else None,
                )
            )


def head(document: Document) -> str:
    """Return the document without its body as JSON text; InputError for what Postgres cannot hold."""
    full = document.as_json()
    check_storable(full, where=document.id)
    full.pop("segments", None)
    full.pop("text", None)
    return json.dumps(full, ensure_ascii=False)


def _check(document: Document, chunks: Sequence[Chunk]) -> None:
    seen: set[str] = set()
    for ordinal, chunk in enumerate(chunks):
        if chunk.document_id != document.id:
            raise InputError(f"the chunk belongs to {chunk.document_id}, not to {document.id}", where=chunk.id)
        if chunk.id in seen:
            raise InputError("two chunks of the document have this id", where=chunk.id)
        if chunk.ordinal != ordinal:
            raise InputError(f"expected ordinal {ordinal}, got {chunk.ordinal}", where=chunk.id)
        seen.add(chunk.id)


def _hash_of(chunks: Sequence[Chunk]) -> str:
    parts = [
        [
            chunk.id,
            chunk.text_hash,
            chunk.start_s,
            chunk.end_s,
            chunk.char_start,
            chunk.char_end,
            chunk.lines,
            chunk.speakers,
            chunk.time_precision,
        ]
        for chunk in chunks
    ]
    return "sha256:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()
