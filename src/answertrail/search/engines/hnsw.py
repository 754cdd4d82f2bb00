"""Approximate search in Postgres: a serving table with pgvector's HNSW index, and its guards.

Left alone, such an index may return 2 rows of 10 under a filter and say nothing. Here a search
that comes back short, asks for more than the index can keep in sight, or ends in a tie that may
go on is made again exactly, and says so (`EngineHits.fallback`).
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import psycopg

from answertrail.errors import InputError, MismatchError
from answertrail.search.engines.base import (
    ANY,
    Built,
    Capabilities,
    EngineHit,
    EngineHits,
    IndexBuildError,
    Matrix,
    NoIndexError,
    Progress,
    Source,
    StaleIndexError,
    UnsupportedError,
    Vector,
)
from answertrail.search.engines.limits import check_whole
from answertrail.search.hits import Filter
from answertrail.store import corpora, nearest
from answertrail.store.connection import Connection, Database, first_line
from answertrail.store.nearest import MOST_DIMS, MOST_EF, Bounds, Graph, Storage
from answertrail.store.rows import Corpus

HNSW = "hnsw"
_SHORT = "searched exactly, since the index gave fewer passages than were asked for"
_TIED = "searched exactly, since the last passages are equally near and there may be more of them"
_TOO_MANY = f"searched exactly, since the index keeps no more than {MOST_EF:,} passages in sight"


@dataclass(frozen=True, slots=True)
class HnswSettings:
    """`ef_search` candidates are kept in a search, more where k needs it (up to 1,000).

    A filtered scan stops after `max_scan_tuples` rows. Where a filter lets no more than
    `exact_below` rows through, they are all looked at, which is quicker than finding them in the
    graph. `storage` halfvec takes half the room of
    vector and rounds a cosine in its fourth decimal.
    """

    ef_search: int = 100
    max_scan_tuples: int = 20_000
    exact_below: int = 5_000
    storage: Storage = "halfvec"
    graph: Graph = field(default_factory=Graph)

    def __post_init__(self) -> None:
        """Raise InputError for what pgvector would not take."""
        limits: dict[str, tuple[object, int, int]] = {
            "ef_search": (self.ef_search, 1, MOST_EF),
            "max_scan_tuples": (self.max_scan_tuples, 1, 2**31 - 1),
            "exact_below": (self.exact_below, 0, 2**31 - 1),
            "m": (self.graph.m, 2, 100),
            "ef_construction": (self.graph.ef_construction, 4, 1000),
            "memory_mb": (self.graph.memory_mb, 64, 2**20),
            "workers": (self.graph.workers, 0, 64),
        }
        check_whole(limits)
        if self.storage not in MOST_DIMS:
            raise InputError(f"no storage {self.storage!r}", hint=f"known: {', '.join(MOST_DIMS)}")
        if self.graph.ef_construction < 2 * self.graph.m:
            raise InputError(f"ef_construction must be at least twice m, {2 * self.graph.m}")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> HnswSettings:
        """Read what `as_json` gave, or a part of it. Raises InputError for an unknown name or a bad value."""
        names, links = {field.name for field in fields(cls)} - {"graph"}, {field.name for field in fields(Graph)}
        if unknown := sorted(values.keys() - names - links):
            raise InputError(f"hnsw has no setting {unknown[0]!r}", hint=f"known: {', '.join(sorted(names | links))}")
        graph = Graph(**{name: value for name, value in values.items() if name in links})
        return cls(**{name: value for name, value in values.items() if name in names}, graph=graph)

    def as_json(self) -> dict[str, Any]:
        """Return plain values, all in one object."""
        own = {name: value for name, value in asdict(self).items() if name != "graph"}
        return {**own, **asdict(self.graph)}


class HnswEngine:
    """Searches one serving table. It never changes, so equal searches give equal rows."""

    name = HNSW
    capabilities = Capabilities(dense=True, lexical=False, filters=True, exact=False, counts=False)

    def __init__(self, db: Database, place: str, dims: int, storage: Storage, settings: HnswSettings) -> None:
        self._db = db
        self._storage: Storage = storage
        self._settings = settings
        self.place = place
        self.dims = dims

    async def dense(self, vector: Vector, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) nearest that the index finds, or the true ones (see the module)."""
        check_query(vector, self.dims, k)
        bounds = _bounds(within)
        # One more than asked for shows a tie at the end; excluded rows take up candidates as well.
        seen = k + 1 + len(within.exclude)
        if seen > MOST_EF:
            return await self.exactly(vector, k, within, _TOO_MANY)
        async with self._reading() as conn:
            if bounds.narrow and await nearest.at_most(conn, self.place, self._settings.exact_below, bounds):
                rows = await nearest.exactly(conn, self.place, self._storage, vector, k, bounds)
                return _hits(rows, k)
            found = await nearest.by_index(
                conn,
                self.place,
                self._storage,
                vector,
                k + 1,
                bounds,
                ef=max(self._settings.ef_search, seen),
                most=self._settings.max_scan_tuples,
            )
        if len(found) < k:
            return await self.exactly(vector, k, within, _SHORT)
        if len(found) > k and found[k - 1][1] == found[k][1]:
            return await self.exactly(vector, k, within, _TIED)
        return _hits(found[:k], k)

    async def exactly(self, vector: Vector, k: int, within: Filter = ANY, why: str | None = None) -> EngineHits:
        """Return the true nearest by looking at every row; `why` is kept as the fallback's reason."""
        check_query(vector, self.dims, k)
        async with self._reading() as conn:
            found = await nearest.exactly(conn, self.place, self._storage, vector, k, _bounds(within))
        return _hits(found, k, why)

    async def cosines(self, vector: Vector, ids: Collection[str]) -> Mapping[str, float]:
        """Return the cosine of each of these chunks that has a vector."""
        check_query(vector, self.dims, 1)
        if not ids:
            return {}
        async with self._reading() as conn:
            return await nearest.cosines(conn, self.place, self._storage, vector, sorted(ids))

    async def sample(self, size: int) -> tuple[Sequence[str], Matrix]:
        """Return the vectors of the lowest hash of their id."""
        async with self._reading() as conn:
            return await nearest.sample(conn, self.place, size, self.dims)

    async def count(self, within: Filter = ANY) -> int:
        """Count the chunks with a vector that the filter lets through."""
        async with self._reading() as conn:
            return await nearest.count(conn, self.place, _bounds(within))

    async def close(self) -> None:
        """Nothing to let go of: the database is the caller's."""

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[Connection]:
        """Yield a connection; StaleIndexError when the table was dropped after it was opened."""
        try:
            async with self._db.transaction() as conn:
                yield conn
        except psycopg.errors.UndefinedTable:
            raise StaleIndexError(
                "the index was replaced or dropped after it was opened",
                where=self.place,
                hint="open the corpus again",
            ) from None


class HnswKind:
    """Makes, opens and drops serving tables in the corpus's own database."""

    name = HNSW

    def __init__(self, db: Database, corpus: Corpus, settings: HnswSettings = HnswSettings()) -> None:
        self._db = db
        self._corpus = corpus
        self._settings = settings

    async def build(self, source: Source, progress: Progress | None = None) -> Built:
        """Copy the vectors into a table of their own and index them, all in one transaction.

        Raises UnsupportedError for vectors too long to index, IndexBuildError when the corpus
        changed meanwhile, the count is wrong, or the database could not; nothing is then left.
        """
        storage, graph = self._settings.storage, self._settings.graph
        if source.dims > MOST_DIMS[storage]:
            raise UnsupportedError(
                f"an HNSW index of {storage} takes {MOST_DIMS[storage]} dimensions, these have {source.dims}",
                hint="use storage halfvec (up to 4,000), an embedder with fewer, or the engine exact",
            )
        told = progress or (lambda *_: None)
        place, began = nearest.new_place(source.corpus_id), time.perf_counter()
        try:
            async with self._db.transaction() as conn:
                await conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                await nearest.need_iterative_scan(conn)
                if await corpora.snapshot_in(conn, self._corpus) != source.snapshot:
                    raise IndexBuildError("the corpus changed while it was indexed", hint="index it again")
                told("copying", 0, source.vectors)
                rows = await nearest.fill(conn, self._corpus, place, storage)
                if rows != source.vectors:
                    raise IndexBuildError(
                        f"{rows} vectors were copied, the corpus has {source.vectors}", hint="index it again"
                    )
                told("indexing", 0, rows)
                size = await nearest.build_index(conn, place, storage, rows, source.dims, graph)
                told("indexing", rows, rows)
        except psycopg.Error as error:
            raise IndexBuildError(f"the index could not be built: {first_line(error)}", where=self._db.where) from error
        seconds = time.perf_counter() - began
        return Built(place, source.rows, rows, seconds, size, self._settings.as_json())

    async def publish(self, source: Source, built: Built) -> None:
        """Nothing to do: the record of the index names the table."""

    async def sweep(self, corpus_id: int, keep: Collection[str]) -> list[str]:
        """Drop the corpus's serving tables but those named; a table still being read waits for its reader."""
        async with self._db.transaction() as conn:
            gone = [place for place in await nearest.places(conn, corpus_id) if place not in keep]
            for place in gone:
                await nearest.drop(conn, place)
        return gone

    async def open(self, place: str, dims: int) -> HnswEngine:
        """Open a serving table whose index is complete."""
        async with self._db.transaction() as conn:
            await nearest.need_iterative_scan(conn)
            if not await nearest.is_whole(conn, place):
                raise NoIndexError(
                    "the HNSW index of the corpus is gone or was never finished",
                    where=place,
                    hint="`answertrail corpus index CORPUS --engine hnsw` makes it",
                )
            held = await nearest.dims_of(conn, place)
            storage = await nearest.storage_of(conn, place)
        if held != dims:
            raise StaleIndexError(
                f"the index holds vectors of {held} dimensions, the embedder makes {dims}",
                where=place,
                hint="`answertrail corpus index CORPUS --engine hnsw` makes a new one",
            )
        return HnswEngine(self._db, place, dims, storage, self._settings)


def check_query(vector: Vector, dims: int, k: int) -> None:
    """Raise MismatchError for another length, InputError for a vector without direction or k below 1."""
    if k < 1:
        raise InputError(f"k must be at least 1, not {k}")
    if vector.shape != (dims,):
        raise MismatchError(f"the query vector has the shape {vector.shape}, the index holds {dims} dimensions")
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0:
        raise InputError("a query vector of zeros, NaN or infinity has no direction")


def _hits(found: Sequence[tuple[str, float]], k: int, why: str | None = None) -> EngineHits:
    hits = tuple(EngineHit(chunk, cosine) for chunk, cosine in found)
    return EngineHits(hits, len(hits) if len(hits) < k else None, why)


def _bounds(within: Filter) -> Bounds:
    return Bounds(within.start, within.end, within.documents, within.exclude)


__all__ = ["HNSW", "HnswEngine", "HnswKind", "HnswSettings", "check_query"]
