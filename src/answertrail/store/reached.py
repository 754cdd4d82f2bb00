"""How far each document has come on its way to being searched by meaning: a query over its rows, never kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from psycopg import sql

from answertrail.store import embeddings
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus

Reached = Literal["fetched", "chunked", "cleaned", "embedded"]
"""The furthest that the rows of a document show.

`fetched`: its words are here and no chunk of them. `chunked`: it has chunks. `cleaned`: it has chunks,
and a model has been over its captions as they are now. `embedded`: every chunk has a vector of the
corpus's embedder, or is known to have none. A document whose words are cleaned after they were embedded is
`cleaned` again until its new words have their vectors; one whose captions are never cleaned goes from
`chunked` to `embedded`.
"""
REACHED: tuple[Reached, ...] = ("fetched", "chunked", "cleaned", "embedded")


@dataclass(frozen=True, slots=True)
class Progress:
    """A document and how far it has come."""

    id: str
    title: str
    reached: Reached


# What lacks a vector is gathered once, also where the database has no statistics yet, as after a first large
# ingest: as a subquery it was then gathered once for each document.
_PROGRESS = sql.SQL(
    """
    WITH lacking AS MATERIALIZED (SELECT DISTINCT c.document_id {lacking} {chunks})
    SELECT d.document_id, d.title, CASE
        WHEN NOT EXISTS (SELECT FROM chunks h WHERE h.corpus_id = d.corpus_id AND h.document_id = d.document_id)
            THEN 'fetched'
        WHEN l.document_id IS NULL THEN 'embedded'
        WHEN k.document_id IS NOT NULL THEN 'cleaned'
        ELSE 'chunked' END AS reached
    FROM documents d
    LEFT JOIN lacking l ON l.document_id = d.document_id
    LEFT JOIN cleanings k ON k.corpus_id = d.corpus_id AND k.document_id = d.document_id
        AND k.raw_hash = d.content_hash
    WHERE d.corpus_id = %(corpus)s {documents}
    """
)
_ITEMS = "(SELECT item_id FROM origin_items WHERE corpus_id = %(corpus)s AND origin = %(origin)s)"
_OF_NO_ORIGIN = sql.SQL(
    """
    AND NOT EXISTS (SELECT FROM origin_items i WHERE i.corpus_id = d.corpus_id AND i.item_id = d.document_id
                    AND d.source = i.origin || '#' || i.item_id)
    """
)
_NOTHING = sql.SQL("")


async def counts(db: Database, corpus: Corpus) -> dict[Reached, int]:
    """Count the documents as `counts_in`."""
    async with db.transaction() as conn:
        return await counts_in(conn, corpus)


async def counts_in(conn: Connection, corpus: Corpus) -> dict[Reached, int]:
    """Count the documents by how far they have come; all four keys are there and add up to the documents."""
    query = sql.SQL("SELECT reached, count(*) FROM ({}) p GROUP BY 1").format(_progress(corpus))
    cursor = await conn.execute(query, {"corpus": corpus.id, "embedder": corpus.embedder_id})
    found: dict[Reached, int] = dict(await cursor.fetchall())
    return {reached: int(found.get(reached, 0)) for reached in REACHED}


async def of_items_in(conn: Connection, corpus: Corpus, origin: str) -> dict[str, Reached]:
    """Map the items of an origin that have a document to how far it has come, in the caller's transaction."""
    chunks, listed = (sql.SQL(f"AND {row}.document_id IN {_ITEMS}") for row in ("c", "d"))
    query = _progress(corpus, chunks=chunks, documents=listed)
    return {found.id: found.reached for found in await _read(conn, corpus, query, origin)}


async def of_no_origin_in(conn: Connection, corpus: Corpus) -> Sequence[Progress]:
    """Return the documents that no channel or feed gave, in bytewise order of their ids."""
    query = sql.SQL("{} ORDER BY d.document_id").format(_progress(corpus, documents=_OF_NO_ORIGIN))
    return await _read(conn, corpus, query)


def _progress(corpus: Corpus, *, chunks: sql.SQL = _NOTHING, documents: sql.SQL = _NOTHING) -> sql.Composed:
    return _PROGRESS.format(lacking=embeddings.lacking(corpus), chunks=chunks, documents=documents)


async def _read(conn: Connection, corpus: Corpus, query: sql.Composed, origin: str = "") -> list[Progress]:
    cursor = await conn.execute(query, {"corpus": corpus.id, "embedder": corpus.embedder_id, "origin": origin})
    return [Progress(*row) for row in await cursor.fetchall()]
