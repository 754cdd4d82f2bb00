"""Serving tables: the vectors of one corpus snapshot with an HNSW index over them (pgvector).

The vectors of all corpora of an embedder share one table, keyed by text, and an index over that
would have to be filtered down to the corpus at every step. So each snapshot that is indexed gets
a table of its own with what filters need beside each vector. It is made in one transaction: a
killed build leaves nothing, and no search ever sees half of one.

An index scan with a filter may stop before it has found k rows, and it does not say so. Callers
must look at the number of rows (`search.engines.hnsw` does).
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import psycopg
from pgvector import HalfVector, Vector
from psycopg import sql

from answertrail.errors import ServiceError
from answertrail.store.connection import Connection
from answertrail.store.embeddings import EMBEDDED_HASH, Vectors, as_array, table
from answertrail.store.rows import Corpus

Storage = Literal["halfvec", "vector"]
MOST_DIMS: dict[Storage, int] = {"halfvec": 4000, "vector": 2000}
"""How many dimensions an HNSW index of pgvector takes."""
MOST_EF = 1000

# Tests empty their database by this prefix.
_PREFIX = "embedding_hnsw"
_INLINE_BYTES = 8008
_ITERATIVE_SINCE = (0, 8)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a row must have: `published_at` in `[start, end)`, one of the documents, none of the excluded ids."""

    start: Any = None
    end: Any = None
    documents: Collection[str] | None = None
    exclude: Collection[str] = ()

    @property
    def narrow(self) -> bool:
        """Whether dates or documents leave anything out; a few excluded ids leave nearly all."""
        return self.start is not None or self.end is not None or self.documents is not None


@dataclass(frozen=True, slots=True)
class Graph:
    """How an index is built: `m` links a node (2 to 100), `ef_construction` candidates a link (4 to 1,000).

    `memory_mb` is the most the build may use before it goes on at disk speed; `workers` are the
    processes beside the first.
    """

    m: int = 16
    ef_construction: int = 64
    memory_mb: int = 2048
    workers: int = 2


async def need_iterative_scan(conn: Connection) -> None:
    """Raise ServiceError unless pgvector is 0.8 or newer: before, a filtered scan cannot go on."""
    cursor = await conn.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    row = await cursor.fetchone()
    found = tuple(int(part) for part in str(row[0]).split(".")[:2]) if row else (0, 0)
    if found < _ITERATIVE_SINCE:
        raise ServiceError(
            f"an HNSW index needs pgvector 0.8, the database has {row[0] if row else 'none'}",
            hint="ALTER EXTENSION vector UPDATE, or search with the engine exact",
        )


def new_place(corpus_id: int) -> str:
    """Return a table name that no other build has."""
    return f"{_PREFIX}_{corpus_id:d}_{secrets.token_hex(4)}"


async def make_table(conn: Connection, place: str, dims: int, storage: Storage) -> None:
    """Make an empty serving table: `chunk_id`, `document_id`, `published_at`, `embedding`."""
    size = dims * (4 if storage == "vector" else 2) + 8
    await conn.execute(
        sql.SQL(
            'CREATE TABLE {place} (chunk_id text COLLATE "C" NOT NULL, document_id text COLLATE "C" NOT NULL,'
            " published_at timestamptz, embedding {kind} STORAGE {storage} NOT NULL)"
        ).format(
            place=sql.Identifier(place),
            kind=_type(dims, storage),
            # In line a scan reads no side table, as long as a row fits a page.
            storage=sql.SQL("PLAIN" if size <= _INLINE_BYTES else "EXTERNAL"),
        )
    )


async def fill(conn: Connection, corpus: Corpus, place: str, storage: Storage) -> int:
    """Make the table `place` and copy the vectors of the corpus into it; return how many.

    In id order, so that a document's rows lie together.
    """
    await make_table(conn, place, corpus.identity.dims, storage)
    cursor = await conn.execute(
        sql.SQL(
            "INSERT INTO {place} SELECT c.chunk_id, c.document_id, d.published_at, e.embedding::{kind}"
            " FROM chunks c JOIN {vectors} e ON e.text_hash = {hash} JOIN documents d USING (corpus_id, document_id)"
            " WHERE c.corpus_id = {corpus} ORDER BY c.chunk_id"
        ).format(
            place=sql.Identifier(place),
            kind=_type(corpus.identity.dims, storage),
            vectors=table(corpus.embedder_id),
            hash=EMBEDDED_HASH,
            corpus=sql.Literal(corpus.id),
        )
    )
    return cursor.rowcount


def _type(dims: int, storage: Storage) -> sql.Composed:
    return sql.SQL("{}({})").format(sql.SQL(storage), sql.Literal(dims))


async def build_index(conn: Connection, place: str, storage: Storage, rows: int, dims: int, graph: Graph) -> int:
    """Index a filled table for ids, documents, dates and nearness; return the bytes it takes with its indexes."""
    name = sql.Identifier(place)
    await conn.execute(sql.SQL("ALTER TABLE {} ADD PRIMARY KEY (chunk_id)").format(name))
    await conn.execute(sql.SQL("CREATE INDEX ON {} (document_id)").format(name))
    await conn.execute(sql.SQL("CREATE INDEX ON {} (published_at)").format(name))
    # A client that is killed must not leave the server building for an hour. Not every system can see it.
    with suppress(psycopg.Error):
        async with conn.transaction():
            await conn.execute("SET LOCAL client_connection_check_interval = '5s'")
    # Links, their level and the tuple's own overhead take about 25 bytes a link.
    needed = rows * (dims * (4 if storage == "vector" else 2) + 50 * graph.m + 200) * 1.2
    memory = max(64, min(graph.memory_mb, int(needed / 2**20) + 1))
    await conn.execute("SELECT set_config('maintenance_work_mem', %s, true)", (f"{memory}MB",))
    statement = sql.SQL(
        "CREATE INDEX {index} ON {place} USING hnsw (embedding {ops}) WITH (m = {m}, ef_construction = {ef})"
    ).format(
        index=_graph_of(place),
        place=name,
        ops=sql.SQL(f"{storage}_cosine_ops"),
        m=sql.Literal(graph.m),
        ef=sql.Literal(graph.ef_construction),
    )
    await _in_parallel(conn, statement, graph.workers)
    await conn.execute(sql.SQL("ANALYZE {}").format(name))
    cursor = await conn.execute("SELECT pg_total_relation_size(%s::regclass)", (place,))
    (size,) = await cursor.fetchone() or (0,)
    return int(size)


async def _in_parallel(conn: Connection, statement: sql.Composed, workers: int) -> None:
    """Build with workers, or without where the system has no shared memory for them (small containers)."""
    if workers:
        try:
            async with conn.transaction():
                await conn.execute("SELECT set_config('max_parallel_maintenance_workers', %s, true)", (str(workers),))
                await conn.execute(statement)
            return
        except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory, psycopg.errors.InsufficientResources) as error:
            if "shared memory" not in str(error):
                raise
    await conn.execute("SET LOCAL max_parallel_maintenance_workers = 0")
    await conn.execute(statement)


def _graph_of(place: str) -> sql.Identifier:
    return sql.Identifier(f"{place}_graph")


async def is_whole(conn: Connection, place: str) -> bool:
    """Say whether the table is there and its HNSW index is complete and in use (`indisvalid`)."""
    cursor = await conn.execute(
        "SELECT i.indisvalid AND i.indisready FROM pg_index i WHERE i.indexrelid = to_regclass(%s)",
        (f'"{place}_graph"',),
    )
    row = await cursor.fetchone()
    return row is not None and bool(row[0])


async def dims_of(conn: Connection, place: str) -> int:
    """Return the length of the vectors of a serving table that is there."""
    cursor = await conn.execute(
        "SELECT atttypmod FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'embedding'", (place,)
    )
    row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


async def storage_of(conn: Connection, place: str) -> Storage:
    """Return how the vectors of a serving table that is there are kept."""
    cursor = await conn.execute(
        "SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'embedding'",
        (place,),
    )
    row = await cursor.fetchone()
    return "vector" if row and row[0] == "vector" else "halfvec"


async def places(conn: Connection, corpus_id: int) -> list[str]:
    """Return the names of all serving tables of a corpus, used or not."""
    cursor = await conn.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND starts_with(tablename, %s)"
        " ORDER BY tablename",
        (f"{_PREFIX}_{corpus_id:d}_",),
    )
    return [name for (name,) in await cursor.fetchall()]


async def drop(conn: Connection, place: str) -> None:
    """Drop a serving table with its indexes; nothing when it is gone."""
    await conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(place)))


async def by_index(
    conn: Connection, place: str, storage: Storage, vector: Vectors, k: int, bounds: Bounds, *, ef: int, most: int
) -> list[tuple[str, float]]:
    """Return up to k pairs (chunk id, cosine) that the index finds, best first, ties by id.

    `ef` is the number of candidates kept (at most 1,000), `most` the rows looked at before the
    scan stops. There may be fewer than k although more match.
    """
    where, values = where_of(bounds)
    async with conn.pipeline():
        await conn.execute(
            "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),"
            " set_config('hnsw.max_scan_tuples', %s, true)",
            (str(min(ef, MOST_EF)), str(most)),
        )
        # Not prepared: a plan for any filter would not be the one for this filter.
        cursor = await conn.execute(
            index_statement(place, where), {"query": as_kind(vector, storage), "k": k, **values}, prepare=False
        )
    return [(chunk, float(cosine)) for chunk, cosine in await cursor.fetchall()]


def index_statement(place: str, where: sql.Composable) -> sql.Composed:
    """Return the search that the planner may answer by the index, or by a filter's own index and a sort."""
    return sql.SQL(
        # Relaxed order finds more for the same work; the outer query puts the rows in true order.
        "WITH nearest AS MATERIALIZED (SELECT chunk_id, embedding <=> %(query)s AS distance FROM {place} {where}"
        " ORDER BY embedding <=> %(query)s LIMIT %(k)s)"
        " SELECT chunk_id, 1 - distance FROM nearest ORDER BY distance, chunk_id"
    ).format(place=sql.Identifier(place), where=where)


async def exactly(
    conn: Connection, place: str, storage: Storage, vector: Vectors, k: int, bounds: Bounds
) -> list[tuple[str, float]]:
    """Return the min(k, matching) true nearest as pairs (chunk id, cosine), best first, ties by id."""
    where, values = where_of(bounds)
    cursor = await conn.execute(
        exact_statement(place, where), {"query": as_kind(vector, storage), "k": k, **values}, prepare=False
    )
    return [(chunk, float(cosine)) for chunk, cosine in await cursor.fetchall()]


def exact_statement(place: str, where: sql.Composable) -> sql.Composed:
    """Return the exact search: ordered by an expression that no vector index answers."""
    return sql.SQL(
        "SELECT chunk_id, 1 - (embedding <=> %(query)s) AS cosine FROM {place} {where}"
        " ORDER BY 1 - (embedding <=> %(query)s) DESC, chunk_id LIMIT %(k)s"
    ).format(place=sql.Identifier(place), where=where)


async def cosines(
    conn: Connection, place: str, storage: Storage, vector: Vectors, ids: Sequence[str]
) -> dict[str, float]:
    """Return the cosine of each of these chunks that has a vector."""
    statement = sql.SQL("SELECT chunk_id, 1 - (embedding <=> %s) FROM {} WHERE chunk_id = ANY (%s)")
    cursor = await conn.execute(
        statement.format(sql.Identifier(place)), (as_kind(vector, storage), list(ids)), prepare=False
    )
    return {chunk: float(cosine) for chunk, cosine in await cursor.fetchall()}


async def sample(conn: Connection, place: str, size: int, dims: int) -> tuple[list[str], Vectors]:
    """Return the rows of the lowest hash of their id: no rule of the content, and always the same ones."""
    statement = sql.SQL(
        "SELECT chunk_id, embedding::vector FROM {0} WHERE chunk_id IN"
        " (SELECT chunk_id FROM {0} ORDER BY md5(chunk_id), chunk_id LIMIT %s) ORDER BY chunk_id"
    ).format(sql.Identifier(place))
    cursor = await conn.execute(statement, (size,), binary=True)
    rows = await cursor.fetchall()
    vectors = np.zeros((len(rows), dims), dtype=np.float32)
    for at, (_, vector) in enumerate(rows):
        vectors[at] = as_array(vector)
    return [chunk for chunk, _ in rows], vectors


async def at_most(conn: Connection, place: str, most: int, bounds: Bounds) -> bool:
    """Say whether no more than `most` rows are within the bounds, without counting further."""
    where, values = where_of(bounds)
    statement = sql.SQL("SELECT count(*) FROM (SELECT FROM {} {} LIMIT %(most)s) AS seen").format(
        sql.Identifier(place), where
    )
    cursor = await conn.execute(statement, {**values, "most": most + 1}, prepare=False)
    (rows,) = await cursor.fetchone() or (0,)
    return int(rows) <= most


async def count(conn: Connection, place: str, bounds: Bounds) -> int:
    """Count the rows within the bounds."""
    where, values = where_of(bounds)
    statement = sql.SQL("SELECT count(*) FROM {} {}").format(sql.Identifier(place), where)
    cursor = await conn.execute(statement, values)
    (rows,) = await cursor.fetchone() or (0,)
    return int(rows)


def where_of(bounds: Bounds) -> tuple[sql.Composable, dict[str, Any]]:
    """Return the WHERE of the bounds that are set, and its values."""
    parts: list[sql.SQL] = []
    values: dict[str, Any] = {}
    if bounds.start is not None:
        parts.append(sql.SQL("published_at >= %(start)s"))
        values["start"] = bounds.start
    if bounds.end is not None:
        parts.append(sql.SQL("published_at < %(end)s"))
        values["end"] = bounds.end
    if bounds.documents is not None:
        parts.append(sql.SQL("document_id = ANY (%(documents)s)"))
        values["documents"] = sorted(bounds.documents)
    if bounds.exclude:
        parts.append(sql.SQL("chunk_id <> ALL (%(exclude)s)"))
        values["exclude"] = sorted(bounds.exclude)
    return (sql.SQL("WHERE ") + sql.SQL(" AND ").join(parts) if parts else sql.SQL("")), values


def as_kind(vector: npt.NDArray[np.float32], storage: Storage) -> Vector | HalfVector:
    """Return a vector as a value of the table's type."""
    return Vector(vector) if storage == "vector" else HalfVector(vector)
