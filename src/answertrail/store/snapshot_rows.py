"""All rows of a corpus as a search engine is filled with them, from one state of the database.

The caller's transaction must be one of `db.reading()`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import numpy as np
from psycopg import sql

from answertrail.store.connection import Connection
from answertrail.store.embeddings import EMBEDDED_HASH, Vectors, table
from answertrail.store.rows import Corpus

Held = tuple[str, str, float | None, bool, str, bool]
"""Chunk id, document id, date (seconds since 1970, UTC), has a vector, hash of its text, has times."""
Full = tuple[str, str, datetime | None, str, str, tuple[str, ...], str | None, Vectors | None]
"""Chunk id, document id, date, text, title, speakers, language, vector of shape (dims,)."""

_FROM = sql.SQL(
    "FROM chunks c JOIN documents d USING (corpus_id, document_id)"
    " LEFT JOIN {vectors} e ON e.text_hash = {hash} WHERE c.corpus_id = {corpus}"
)


def _from(corpus: Corpus) -> sql.Composed:
    return _FROM.format(vectors=table(corpus.embedder_id), hash=EMBEDDED_HASH, corpus=sql.Literal(corpus.id))


async def held_in(conn: Connection, corpus: Corpus) -> list[Held]:
    """Return what is known of every chunk without reading texts and vectors, in bytewise order of the ids."""
    cursor = await conn.execute(
        sql.SQL(
            "SELECT c.chunk_id, c.document_id, extract(epoch FROM d.published_at)::float8,"
            " e.text_hash IS NOT NULL, c.text_hash, c.start_s IS NOT NULL {} ORDER BY c.chunk_id"
        ).format(_from(corpus))
    )
    return [(row[0], row[1], row[2], row[3], row[4], row[5]) for row in await cursor.fetchall()]


async def counts_in(conn: Connection, corpus: Corpus) -> tuple[int, int]:
    """Count the chunks, and those that have a vector."""
    cursor = await conn.execute(sql.SQL("SELECT count(*), count(e.text_hash) {}").format(_from(corpus)))
    chunks, vectors = await cursor.fetchone() or (0, 0)
    return int(chunks), int(vectors)


async def full_in(conn: Connection, corpus: Corpus, size: int) -> AsyncIterator[list[Full]]:
    """Yield every chunk with its text and vector, `size` at a time, in bytewise order of the ids."""
    statement = sql.SQL(
        "SELECT c.chunk_id, c.document_id, d.published_at, c.text, d.title, c.speakers, d.language,"
        " e.embedding::vector {} ORDER BY c.chunk_id"
    ).format(_from(corpus))
    async with conn.cursor(name="snapshot_rows", binary=True) as cursor:
        await cursor.execute(statement)
        while rows := await cursor.fetchmany(size):
            yield [(*row[:5], tuple(row[5]), row[6], as_array(row[7])) for row in rows]


def as_array(value: Any) -> Vectors | None:
    """Return a vector as the driver gives it as an array."""
    if value is None:
        return None
    return np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value, dtype=np.float32)
