"""Our engines and their peers behind one small interface, for benchmarks/scale.py.

Each is filled with the same rows and asked the same questions. A peer that is not installed is
left out and named. Peers run in this process and hold their rows in memory; HNSW in Postgres pays
for a round trip and for what makes it durable.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from answertrail.search.engines.base import EngineRow
from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.exact import ExactVectors
from answertrail.search.engines.hnsw import HnswEngine, HnswSettings
from answertrail.search.hits import Filter
from answertrail.store import nearest
from answertrail.store.connection import Database
from benchmarks.scale_data import Rows

M, EF_CONSTRUCTION, EF_SEARCH = 16, 64, 100
"""Of every HNSW graph here, ours and the peers'."""
MEMORY_MB = 4096
"""The most a build in Postgres may take (`memory-mb`): enough for the whole graph at every size here."""
Window = tuple[datetime, datetime]


class Engine(Protocol):
    """`built` is the seconds it took to fill, `size` the bytes it takes where it can be said."""

    @property
    def name(self) -> str: ...
    @property
    def built(self) -> float: ...
    @property
    def size(self) -> int | None: ...
    @property
    def note(self) -> str: ...

    @abstractmethod
    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        """Return the rows of the k nearest, in the window where one is given."""

    async def close(self) -> None:
        """Let go of it."""


class NumpyExact:
    """The baseline of all ratios: one product and a partial sort."""

    name, note = "numpy exact", ""

    def __init__(self, rows: Rows) -> None:
        self._rows, self.built, self.size = rows, 0.0, rows.matrix.nbytes

    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        return await asyncio.to_thread(self._search, vector, k, window)

    def _search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        first, last = _range(self._rows, window)
        scores = self._rows.matrix[first:last] @ vector
        best = np.argpartition(scores, len(scores) - k)[-k:]
        return [first + int(at) for at in best[np.argsort(-scores[best])]]

    async def close(self) -> None: ...


class OurExact:
    """The exact engine, guards, filters and ties included."""

    name, note = "answertrail exact", ""

    def __init__(self, rows: Rows, catalogue: Catalogue) -> None:
        began = time.perf_counter()
        self._engine = ExactVectors(catalogue, rows.matrix)
        self._catalogue = catalogue
        self.built, self.size = time.perf_counter() - began, rows.matrix.nbytes

    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        found = await self._engine.dense(vector, k, _filter(window))
        return [int(self._catalogue.place(hit.chunk_id) or 0) for hit in found.hits]

    async def close(self) -> None: ...


class OurHnsw:
    """HNSW in Postgres, guards included; `exact` asks the same table for the true nearest."""

    name = "answertrail hnsw"

    def __init__(self, engine: HnswEngine, catalogue: Catalogue, *, exact: bool) -> None:
        self._engine, self._catalogue, self._exact = engine, catalogue, exact
        self.built: float = 0.0
        self.size: int | None = None
        self.note, self.fallbacks = "", 0
        if exact:
            self.name = "answertrail exact in SQL"

    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        ask = self._engine.exactly if self._exact else self._engine.dense
        found = await ask(vector, k, _filter(window))
        self.fallbacks += found.fallback is not None
        if self.fallbacks:
            self.note = f"{self.fallbacks} searches fell back"
        return [int(self._catalogue.place(hit.chunk_id) or 0) for hit in found.hits]

    async def close(self) -> None: ...


async def our_hnsw(db: Database, rows: Rows, catalogue: Catalogue) -> tuple[OurHnsw, OurHnsw]:
    """Fill a serving table; return the engine over its index, and over no index."""
    place, dims = nearest.new_place(0), rows.matrix.shape[1]
    began = time.perf_counter()
    async with db.transaction() as conn:
        await nearest.make_table(conn, place, dims, "halfvec")
        async with conn.cursor().copy(f"COPY {place} FROM STDIN (FORMAT binary)") as copy:
            await copy.write(b"PGCOPY\n\xff\r\n\0" + b"\0" * 8)
            for begin in range(0, rows.size, 20_000):
                await copy.write(_binary(rows, begin, min(rows.size, begin + 20_000)))
            await copy.write(b"\xff\xff")
        graph = nearest.Graph(m=M, ef_construction=EF_CONSTRUCTION, memory_mb=MEMORY_MB)
        size = await nearest.build_index(conn, place, "halfvec", rows.size, dims, graph)
    built = time.perf_counter() - began
    engine = HnswEngine(db, place, dims, "halfvec", HnswSettings(ef_search=EF_SEARCH, graph=graph))
    pair = tuple(OurHnsw(engine, catalogue, exact=exact) for exact in (False, True))
    pair[0].built, pair[0].size = built, size
    pair[1].note = "the same table, its index not used"
    return pair[0], pair[1]


def _binary(rows: Rows, begin: int, end: int) -> bytes:
    """Return rows in the format of COPY: chunk id, document id, date, vector of 2-byte floats."""
    dims = rows.matrix.shape[1]
    record = np.dtype(
        [("fields", ">i2"), ("n1", ">i4"), ("chunk", "S13"), ("n2", ">i4"), ("document", "S7"), ("n3", ">i4"),
         ("date", ">i8"), ("n4", ">i4"), ("dims", ">i2"), ("unused", ">i2"), ("vector", ">f2", (dims,))]
    )  # fmt: skip
    out = np.zeros(end - begin, dtype=record)
    out["fields"], out["n1"], out["n2"], out["n3"], out["n4"] = 4, 13, 7, 8, 4 + 2 * dims
    out["chunk"] = [rows.chunk(row) for row in range(begin, end)]
    out["document"] = [rows.document(row) for row in range(begin, end)]
    epoch = datetime(2000, 1, 1, tzinfo=UTC)
    out["date"] = [round((rows.date(row) - epoch).total_seconds() * 1e6) for row in range(begin, end)]
    out["dims"], out["vector"] = dims, rows.matrix[begin:end]
    return out.tobytes()


class Faiss:
    """faiss, flat or HNSW; its filter is a range of rows."""

    note = ""

    def __init__(self, rows: Rows, *, graph: bool) -> None:
        import faiss

        self._faiss, self._rows = faiss, rows
        self.name = f"faiss {'HNSW' if graph else 'flat'}"
        dims = rows.matrix.shape[1]
        began = time.perf_counter()
        self._graph = graph
        if graph:
            self._index = faiss.IndexHNSWFlat(dims, M, faiss.METRIC_INNER_PRODUCT)
            self._index.hnsw.efConstruction = EF_CONSTRUCTION
        else:
            self._index = faiss.IndexFlatIP(dims)
        self._index.add(rows.matrix)
        self.built = time.perf_counter() - began
        self.size = rows.matrix.nbytes + (rows.size * M * 2 * 4 if graph else 0)

    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        return await asyncio.to_thread(self._search, vector, k, window)

    def _search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        chosen = None if window is None else self._faiss.IDSelectorRange(*_range(self._rows, window))
        if self._graph:
            asked = self._faiss.SearchParametersHNSW(efSearch=max(EF_SEARCH, k), sel=chosen)
        else:
            asked = self._faiss.SearchParameters(sel=chosen)
        return [int(row) for row in self._index.search(vector[None], k, params=asked)[1][0] if row >= 0]

    async def close(self) -> None: ...


class Hnswlib:
    """hnswlib; its filter is a function called for each row it meets."""

    name, note = "hnswlib", ""

    def __init__(self, rows: Rows) -> None:
        import hnswlib

        self._rows = rows
        began = time.perf_counter()
        self._index = hnswlib.Index(space="ip", dim=rows.matrix.shape[1])
        self._index.init_index(max_elements=rows.size, M=M, ef_construction=EF_CONSTRUCTION)
        self._index.add_items(rows.matrix, num_threads=2)
        self._index.set_ef(EF_SEARCH)
        self._index.set_num_threads(1)
        self.built = time.perf_counter() - began
        self.size = rows.matrix.nbytes + rows.size * M * 2 * 4

    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        return await asyncio.to_thread(self._search, vector, k, window)

    def _search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        first, last = _range(self._rows, window)
        chosen = None if window is None else (lambda row: first <= row < last)
        try:
            return [int(row) for row in self._index.knn_query(vector[None], k=k, filter=chosen)[0][0]]
        except RuntimeError:  # It raises when it finds fewer than k.
            return []

    async def close(self) -> None: ...


class Lance:
    """lancedb, a vector store in files; `graph` indexes by its IVF_HNSW_SQ."""

    note = ""

    def __init__(self, rows: Rows, *, graph: bool) -> None:
        import lancedb
        import pyarrow

        self._folder = tempfile.TemporaryDirectory(prefix="scale-lance-")
        self.name = f"lancedb {'IVF_HNSW_SQ' if graph else 'flat'}"
        dims = rows.matrix.shape[1]
        began = time.perf_counter()

        def batches() -> Any:
            for begin in range(0, rows.size, 20_000):
                end = min(rows.size, begin + 20_000)
                flat = pyarrow.array(rows.matrix[begin:end].reshape(-1))
                yield pyarrow.RecordBatch.from_arrays(
                    [
                        pyarrow.array(np.arange(begin, end, dtype=np.int64)),
                        pyarrow.array(rows.days[begin:end]),
                        pyarrow.FixedSizeListArray.from_arrays(flat, dims),
                    ],
                    names=["row", "day", "vector"],
                )

        schema = pyarrow.schema(
            [("row", pyarrow.int64()), ("day", pyarrow.float64()), ("vector", pyarrow.list_(pyarrow.float32(), dims))]
        )
        self._table = lancedb.connect(self._folder.name).create_table("rows", batches(), schema=schema)
        self._table.create_scalar_index("day")
        if graph:
            self._table.create_index(
                metric="cosine", index_type="IVF_HNSW_SQ", m=M, ef_construction=EF_CONSTRUCTION, num_partitions=1
            )
        self.built = time.perf_counter() - began
        self.size = sum(path.stat().st_size for path in Path(self._folder.name).rglob("*") if path.is_file())

    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        return await asyncio.to_thread(self._search, vector, k, window)

    def _search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        asked = self._table.search(vector).distance_type("cosine").limit(k).select(["row", "_distance"])
        if window is not None:
            low, high = (_day(bound) for bound in window)
            asked = asked.where(f"day >= {low} AND day < {high}", prefilter=True)
        return [int(found["row"]) for found in asked.ef(max(EF_SEARCH, k)).to_list()]

    async def close(self) -> None:
        self._folder.cleanup()


class OurMilvus:
    """Milvus's file-based engine, guards included; its vectors are in this process's files."""

    name = "answertrail milvus (file)"
    note = ""

    def __init__(self, rows: Rows, catalogue: Catalogue) -> None:
        from answertrail.search.engines.milvus import MilvusKind
        from answertrail.search.engines.milvus_client import MilvusSettings

        self._folder = tempfile.TemporaryDirectory(prefix="scale-milvus-")
        self._catalogue = catalogue
        uri = str(Path(self._folder.name) / "rows.db")
        kind = MilvusKind(MilvusSettings(uri, m=M, ef_construction=EF_CONSTRUCTION, ef=EF_SEARCH))
        made = asyncio.run(kind.build(_Given(rows)))
        self.built = made.seconds
        self._engine = asyncio.run(kind.open(made.place, rows.matrix.shape[1]))
        self.size = sum(path.stat().st_size for path in Path(self._folder.name).rglob("*") if path.is_file())

    async def search(self, vector: Any, k: int, window: Window | None) -> Sequence[int]:
        found = await self._engine.dense(vector, k, _filter(window))
        return [int(self._catalogue.place(hit.chunk_id) or 0) for hit in found.hits]

    async def close(self) -> None:
        await self._engine.close()
        self._folder.cleanup()


class _Given:
    """Rows as an engine is filled with them; the one word of each is the same."""

    corpus_id, snapshot = 1, "scale"

    def __init__(self, rows: Rows) -> None:
        self._rows, self.rows, self.vectors, self.dims = rows, rows.size, rows.size, rows.matrix.shape[1]

    async def batches(self, size: int = 1000) -> AsyncIterator[Sequence[EngineRow]]:
        rows = self._rows
        for begin in range(0, rows.size, size):
            yield [
                EngineRow(rows.chunk(at), rows.document(at), rows.date(at), "talk", "", "en", rows.matrix[at])
                for at in range(begin, min(begin + size, rows.size))
            ]


IN_PROCESS: Mapping[str, Callable[[Rows], Engine]] = {
    "numpy exact": NumpyExact,
    "answertrail exact": lambda rows: OurExact(rows, catalogue_of(rows)),
    "answertrail milvus (file)": lambda rows: OurMilvus(rows, catalogue_of(rows)),
    "faiss flat": lambda rows: Faiss(rows, graph=False),
    "faiss HNSW": lambda rows: Faiss(rows, graph=True),
    "hnswlib": Hnswlib,
    "lancedb flat": lambda rows: Lance(rows, graph=False),
    "lancedb IVF_HNSW_SQ": lambda rows: Lance(rows, graph=True),
}
"""Everything but what needs a database, by the name it has in the table."""
IN_SQL = ("answertrail hnsw", "answertrail exact in SQL")
"""Two ways to ask one table, so they are filled once."""


def catalogue_of(rows: Rows) -> Catalogue:
    """Return what the engines are told of the rows."""
    return Catalogue.of(
        (rows.chunk(row), rows.document(row), rows.date(row).timestamp(), True, "", True) for row in range(rows.size)
    )


def _filter(window: Window | None) -> Filter:
    return Filter() if window is None else Filter(*window)


def _day(bound: datetime) -> float:
    from benchmarks.scale_data import START

    return (bound - START).total_seconds() / 86_400


def _range(rows: Rows, window: Window | None) -> tuple[int, int]:
    """Return the first row in the window and the first after it; rows are in order of date."""
    if window is None:
        return 0, rows.size
    low, high = (int(np.searchsorted(rows.days, _day(bound), side="left")) for bound in window)
    return low, high
