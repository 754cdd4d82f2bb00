"""Reading chunks: one, the ones around it, a document's, a whole corpus's."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from answertrail.records.chunk import Chunk
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus, StoredChunk

_SELECT = """
    SELECT c.chunk_id, c.document_id, c.ordinal, c.text, c.lines, c.speakers, c.start_s, c.end_s,
           c.char_start, c.char_end, c.time_precision, c.text_hash,
           d.title, d.published_at, d.published_at_text, d.url, d.language, d.duration_s
    FROM chunks c JOIN documents d USING (corpus_id, document_id)
    WHERE c.corpus_id = %s
"""

_AROUND = """
    AND (c.document_id, c.ordinal) IN (
        SELECT m.document_id, m.ordinal + step FROM chunks m, generate_series(-%s::int, %s::int) AS step
        WHERE m.corpus_id = %s AND m.chunk_id = %s
    )
    ORDER BY c.ordinal
"""


async def get_chunk(db: Database, corpus: Corpus, chunk_id: str) -> StoredChunk | None:
    """Return a chunk by id, None when there is none."""
    found = await get_chunks(db, corpus, [chunk_id])
    return found.get(chunk_id)


async def get_chunks(db: Database, corpus: Corpus, chunk_ids: Collection[str]) -> dict[str, StoredChunk]:
    """Return the chunks of these ids that exist, by id."""
    async with db.transaction() as conn:
        rows = await _fetch(conn, _SELECT + " AND c.chunk_id = ANY (%s)", (corpus.id, list(chunk_ids)))
    return {row.chunk.id: row for row in rows}


async def chunks_of(db: Database, corpus: Corpus, document_id: str) -> tuple[StoredChunk, ...]:
    """Return a document's chunks in order; () when there is no such document or it has none."""
    async with db.transaction() as conn:
        return await _fetch(conn, _SELECT + " AND c.document_id = %s ORDER BY c.ordinal", (corpus.id, document_id))


async def neighbours(
    db: Database, corpus: Corpus, chunk_id: str, *, before: int = 1, after: int = 1
) -> tuple[StoredChunk, ...]:
    """Return a chunk with up to so many before and after it in its document, in order.

    The chunk itself is among them; () when there is none of this id.
    """
    async with db.transaction() as conn:
        return await _fetch(conn, _SELECT + _AROUND, (corpus.id, before, after, corpus.id, chunk_id))


async def chunk_table(db: Database, corpus: Corpus) -> tuple[StoredChunk, ...]:
    """Return all chunks of a corpus in bytewise order of their ids, for building indexes."""
    async with db.transaction() as conn:
        return await chunk_table_in(conn, corpus)


async def chunk_table_in(conn: Connection, corpus: Corpus) -> tuple[StoredChunk, ...]:
    """Return what `chunk_table` does, as the caller's transaction sees it."""
    return await _fetch(conn, _SELECT + " ORDER BY c.chunk_id", (corpus.id,))


async def chunk_count(db: Database, corpus: Corpus) -> int:
    """Count the chunks of a corpus."""
    async with db.transaction() as conn:
        cursor = await conn.execute("SELECT count(*) FROM chunks WHERE corpus_id = %s", (corpus.id,))
        row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


async def _fetch(conn: Connection, query: str, values: tuple[Any, ...]) -> tuple[StoredChunk, ...]:
    cursor = await conn.execute(query, values)
    return tuple(_row(row) for row in await cursor.fetchall())


def _row(row: tuple[Any, ...]) -> StoredChunk:
    return StoredChunk(
        chunk=Chunk(
            id=row[0],
            document_id=row[1],
            ordinal=row[2],
            text=row[3],
            lines=tuple(row[4]),
            speakers=tuple(row[5]),
            start_s=row[6],
            end_s=row[7],
            char_start=row[8],
            char_end=row[9],
            time_precision=row[10],
        ),
        text_hash=row[11],
        title=row[12],
        published_at=row[13],
        published_at_text=row[14],
        url=row[15],
        language=row[16],
        duration_s=row[17],
    )
