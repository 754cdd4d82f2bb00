"""Vectors: one table per embedder, keyed by the hash of what was embedded, so equal text is embedded once.

That is a chunk's text, below its context where the corpus embeds one.

Up to 2,000 dimensions are kept as 4-byte floats (`vector`), more as 2-byte floats (`halfvec`,
about three decimal digits), which is as far as pgvector's indexes go with each.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from pgvector import HalfVector, Vector
from psycopg import sql

from answertrail.errors import InputError
from answertrail.records.embedder import EmbedderIdentity
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus

Vectors = npt.NDArray[np.float32]

_VECTOR_LIMIT = 2000
# A row must fit a page of 8 kB to be stored in line; larger ones go to a side table.
_INLINE_BYTES = 8008
_COPY_HEADER = 19
_COPY_TRAILER = b"\xff\xff"


async def register(db: Database, identity: EmbedderIdentity) -> int:
    """Return the id of an embedder, registered with its own table when new."""
    async with db.transaction() as conn:
        await conn.execute("LOCK TABLE embedders IN SHARE ROW EXCLUSIVE MODE")
        cursor = await conn.execute(
            "SELECT id FROM embedders WHERE (name, revision, dims) = (%s, %s, %s)",
            (identity.name, identity.revision, identity.dims),
        )
        row = await cursor.fetchone()
        if row is not None:
            return int(row[0])
        cursor = await conn.execute(
            "INSERT INTO embedders (name, revision, dims) VALUES (%s, %s, %s) RETURNING id",
            (identity.name, identity.revision, identity.dims),
        )
        row = await cursor.fetchone()
        assert row is not None
        await _make_table(conn, int(row[0]), identity.dims)
        return int(row[0])


EMBEDDED_HASH = sql.SQL("coalesce(c.embedded_hash, c.text_hash)")
"""The key of the vector of a chunk `c`."""
_EMBEDDED_TEXT = sql.SQL("concat_ws(E'\\n', c.context, c.text)")
_LACKING = sql.SQL(
    """
    FROM chunks c
    WHERE c.corpus_id = %(corpus)s
      AND NOT EXISTS (SELECT FROM {table} e WHERE e.text_hash = {hash})
      AND NOT EXISTS (SELECT FROM unembeddable u
                      WHERE u.embedder_id = %(embedder)s AND u.text_hash = {hash})
    """
)


def lacking(corpus: Corpus) -> sql.Composed:
    """Return the FROM and WHERE of the chunks `c` that still lack a vector; takes `corpus` and `embedder`."""
    return _LACKING.format(table=table(corpus.embedder_id), hash=EMBEDDED_HASH)


async def pending(db: Database, corpus: Corpus, limit: int, *, after: str = "") -> list[tuple[str, str]]:
    """Return up to `limit` pairs (hash, text to embed) of the corpus that still lack a vector.

    The text is a chunk's, below its context where it has one. In order of the hash, beyond the hash
    `after`, each text once; texts marked unembeddable are left out. [] with no `after` means that
    the corpus is complete.
    """
    query = sql.SQL(
        "SELECT DISTINCT ON ({hash}) {hash}, {text} {lacking} AND {hash} > %(after)s ORDER BY {hash} LIMIT %(limit)s"
    ).format(hash=EMBEDDED_HASH, text=_EMBEDDED_TEXT, lacking=lacking(corpus))
    values = {"corpus": corpus.id, "embedder": corpus.embedder_id, "limit": limit, "after": after}
    async with db.transaction() as conn:
        cursor = await conn.execute(query, values)
        return [(text_hash, text) for text_hash, text in await cursor.fetchall()]


async def still_pending(db: Database, corpus: Corpus, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return those of the pairs (hash, text) whose hash has no vector by now and is not known to have none."""
    query = sql.SQL(
        """
        SELECT hash FROM unnest(%(hashes)s::text[]) AS hash
        WHERE NOT EXISTS (SELECT FROM {table} e WHERE e.text_hash = hash COLLATE "C")
          AND NOT EXISTS (SELECT FROM unembeddable u
                          WHERE u.embedder_id = %(embedder)s AND u.text_hash = hash COLLATE "C")
        """
    ).format(table=table(corpus.embedder_id))
    async with db.transaction() as conn:
        cursor = await conn.execute(
            query, {"hashes": [text_hash for text_hash, _ in pairs], "embedder": corpus.embedder_id}
        )
        lacking = {text_hash for (text_hash,) in await cursor.fetchall()}
    return [pair for pair in pairs if pair[0] in lacking]


async def pending_count(db: Database, corpus: Corpus) -> int:
    """Count the distinct texts of the corpus that still lack a vector."""
    async with db.transaction() as conn:
        return await pending_count_in(conn, corpus)


async def pending_count_in(conn: Connection, corpus: Corpus) -> int:
    """Count what `pending_count` does, as the caller's transaction sees it."""
    query = sql.SQL("SELECT count(DISTINCT {hash}) {lacking}").format(hash=EMBEDDED_HASH, lacking=lacking(corpus))
    cursor = await conn.execute(query, {"corpus": corpus.id, "embedder": corpus.embedder_id})
    row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


async def save(conn: Connection, embedder_id: int, hashes: Sequence[str], vectors: Vectors) -> None:
    """Keep one vector per text hash; hashes that have one already keep it.

    Raises InputError, and saves nothing, for a wrong shape and for a row of zeros, NaN or
    infinity: such a row has no direction, mark its text `unembeddable` instead.
    """
    cursor = await conn.execute("SELECT dims FROM embedders WHERE id = %s", (embedder_id,))
    row = await cursor.fetchone()
    if row is None:
        raise InputError("no such embedder", where=str(embedder_id))
    _check(hashes, vectors, int(row[0]))
    kind = _kind(int(row[0]))
    statement = sql.SQL("INSERT INTO {} (text_hash, embedding) VALUES (%s, %s) ON CONFLICT DO NOTHING")
    await conn.cursor().executemany(
        statement.format(table(embedder_id)),
        # Sorted, so that two processes that save the same texts cannot block each other.
        [(hashes[at], kind(vectors[at])) for at in sorted(range(len(hashes)), key=hashes.__getitem__)],
    )


async def mark_unembeddable(conn: Connection, embedder_id: int, rows: Sequence[tuple[str, str]]) -> None:
    """Record pairs (text hash, reason) of texts the embedder has no vector for."""
    await conn.cursor().executemany(
        "INSERT INTO unembeddable (embedder_id, text_hash, reason) VALUES (%s, %s, %s)"
        " ON CONFLICT (embedder_id, text_hash) DO UPDATE SET reason = excluded.reason",
        sorted((embedder_id, text_hash, reason) for text_hash, reason in rows),
    )


async def matrix(db: Database, corpus: Corpus) -> tuple[list[str], Vectors]:
    """Return the ids of the chunks that have a vector, and their vectors, one row each.

    In bytewise order of the ids. An empty corpus gives [] and an array of shape (0, dims).
    """
    async with db.reading() as conn:
        return await matrix_in(conn, corpus)


async def matrix_in(conn: Connection, corpus: Corpus) -> tuple[list[str], Vectors]:
    """Return what `matrix` does. The caller's transaction must be one of `db.reading()`."""
    dims = corpus.identity.dims
    number = np.dtype(">f4") if _is_vector(dims) else np.dtype(">f2")
    source = sql.SQL(
        "FROM chunks c JOIN {table} e ON e.text_hash = {hash} WHERE c.corpus_id = {corpus} ORDER BY c.chunk_id"
    ).format(table=table(corpus.embedder_id), hash=EMBEDDED_HASH, corpus=sql.Literal(corpus.id))
    cursor = await conn.execute(sql.SQL("SELECT c.chunk_id {}").format(source))
    ids = [chunk_id for (chunk_id,) in await cursor.fetchall()]
    raw = bytearray()
    copy = sql.SQL("COPY (SELECT e.embedding {}) TO STDOUT (FORMAT binary)").format(source)
    async with conn.cursor().copy(copy) as stream:
        async for block in stream:
            raw += block
    # All rows have one field of one length, so the stream is an array of records.
    record = np.dtype(
        [("fields", ">i2"), ("bytes", ">i4"), ("dims", ">i2"), ("unused", ">i2"), ("vector", number, (dims,))]
    )
    expected = _COPY_HEADER + len(ids) * record.itemsize
    if len(raw) != expected + len(_COPY_TRAILER) or raw[expected:] != _COPY_TRAILER:
        raise RuntimeError(f"unexpected COPY stream: {len(raw)} bytes for {len(ids)} vectors")
    rows = np.frombuffer(raw, dtype=record, count=len(ids), offset=_COPY_HEADER)
    return ids, rows["vector"].astype(np.float32)


async def vectors_of(db: Database, corpus: Corpus, ids: Collection[str]) -> dict[str, Vectors]:
    """Return the vector, (dims,), of each of these chunks that has one."""
    statement = sql.SQL(
        "SELECT c.chunk_id, e.embedding FROM chunks c JOIN {table} e ON e.text_hash = {hash}"
        " WHERE c.corpus_id = %s AND c.chunk_id = ANY (%s)"
    ).format(table=table(corpus.embedder_id), hash=EMBEDDED_HASH)
    async with db.transaction() as conn:
        cursor = await conn.execute(statement, (corpus.id, sorted(ids)), binary=True)
        return {chunk: as_array(vector) for chunk, vector in await cursor.fetchall()}


def as_array(stored: Any) -> Vectors:
    """Return a stored vector as numbers: pgvector gives an array of the one type, an object of the other."""
    return np.asarray(stored.to_numpy() if hasattr(stored, "to_numpy") else stored, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class DenseRanking:
    """Pairs (chunk id, cosine from -1 to 1), best first, and how many chunks could be ranked."""

    hits: tuple[tuple[str, float], ...]
    matching: int


async def dense_sql(
    db: Database,
    corpus: Corpus,
    query: Vectors,
    k: int,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
    documents: Collection[str] | None = None,
    exclude: Collection[str] = (),
) -> DenseRanking:
    """Rank exactly, in the database: the fallback when the matrix does not fit in memory.

    `start` and `end` bound `published_at`, half-open; with a bound set, undated documents do
    not match. Ties break by chunk id. There are exactly min(k, matching) hits. Raises
    InputError for a query vector without direction or of another length.
    """
    dims = corpus.identity.dims
    _check(["query"], query.reshape(1, -1), dims)
    kind = _kind(dims)
    statement = sql.SQL(
        """
        SELECT c.chunk_id, 1 - (e.embedding <=> %(query)s) AS cosine, count(*) OVER () AS matching
        FROM chunks c
        JOIN {table} e ON e.text_hash = {hash}
        JOIN documents d USING (corpus_id, document_id)
        WHERE c.corpus_id = %(corpus)s
          AND (%(start)s::timestamptz IS NULL OR d.published_at >= %(start)s)
          AND (%(end)s::timestamptz IS NULL OR d.published_at < %(end)s)
          AND (%(documents)s::text[] IS NULL OR c.document_id = ANY (%(documents)s))
          AND c.chunk_id <> ALL (%(exclude)s::text[])
        -- An expression that no vector index answers, so the scan stays exact.
        ORDER BY 1 - (e.embedding <=> %(query)s) DESC, c.chunk_id
        LIMIT %(k)s
        """
    ).format(table=table(corpus.embedder_id), hash=EMBEDDED_HASH)
    async with db.transaction() as conn:
        cursor = await conn.execute(
            statement,
            {
                "query": kind(query.reshape(-1)),
                "corpus": corpus.id,
                "start": start,
                "end": end,
                "documents": None if documents is None else sorted(documents),
                "exclude": sorted(exclude),
                "k": max(k, 1),
            },
        )
        rows = await cursor.fetchall()
    hits = tuple((chunk_id, float(cosine)) for chunk_id, cosine, _ in rows[:k])
    return DenseRanking(hits, int(rows[0][2]) if rows else 0)


def table(embedder_id: int) -> sql.Identifier:
    """Name the table of an embedder's vectors: `text_hash`, `embedding`."""
    return sql.Identifier(f"embedding_{embedder_id:d}")


def _kind(dims: int) -> type[Vector] | type[HalfVector]:
    return Vector if _is_vector(dims) else HalfVector


def _is_vector(dims: int) -> bool:
    return dims <= _VECTOR_LIMIT


async def _make_table(conn: Connection, embedder_id: int, dims: int) -> None:
    name = "vector" if _is_vector(dims) else "halfvec"
    size = dims * (4 if _is_vector(dims) else 2) + 8
    # In line a scan reads no side table, which is several times faster; floats do not compress.
    storage = "PLAIN" if size <= _INLINE_BYTES else "EXTERNAL"
    await conn.execute(
        sql.SQL(
            'CREATE TABLE {} (text_hash text COLLATE "C" PRIMARY KEY, embedding {}({}) STORAGE {} NOT NULL)'
        ).format(table(embedder_id), sql.SQL(name), sql.Literal(dims), sql.SQL(storage))
    )


def _check(hashes: Sequence[str], vectors: Vectors, dims: int) -> None:
    if vectors.shape != (len(hashes), dims):
        raise InputError(f"expected {len(hashes)} vectors of {dims} dimensions, got an array of shape {vectors.shape}")
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if bad.size:
        raise InputError(
            "a vector of zeros, NaN or infinity has no direction and cannot be kept",
            where=hashes[int(bad[0])],
            hint="mark the text unembeddable",
        )
