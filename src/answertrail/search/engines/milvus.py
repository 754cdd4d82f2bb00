"""Filling Milvus with a corpus: a collection a snapshot, an alias a corpus.

A load makes a new collection, counts what it holds and only then is done; the alias is moved by
`publish`, the old collection dropped by `sweep`. So whatever fails, the alias points at what it
pointed at before, and starting again is always right.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Collection, Mapping
from typing import Any

from answertrail.errors import InputError, ServiceError
from answertrail.search.engines.base import (
    Built,
    EngineDownError,
    IndexBuildError,
    NoIndexError,
    Progress,
    Source,
    StaleIndexError,
)
from answertrail.search.engines.milvus_client import Milvus, MilvusSettings
from answertrail.search.engines.milvus_engine import MILVUS, MilvusEngine
from answertrail.search.engines.milvus_rows import HAS_VECTOR, Rows, record_of, schema_of
from answertrail.search.engines.server_names import alias_of, new_place, read_place
from answertrail.search.lexical import K1, B

_SETTLING_S = 6.0
"""Servers let a Bounded read miss what was written in the last 5 seconds."""

_BATCH_BYTES = 4_000_000
_HINT = "`answertrail corpus index CORPUS --engine milvus` makes it"


class MilvusKind:
    """Makes, opens and drops collections."""

    name = MILVUS

    def __init__(self, settings: MilvusSettings) -> None:
        self.settings = settings

    async def build(self, source: Source, progress: Progress | None = None) -> Built:
        """Load a new collection, index it and count it.

        Raises IndexBuildError when the count is not that of the source or Milvus fails on the way;
        the collection is then dropped.
        """
        milvus = await asyncio.to_thread(Milvus, self.settings)
        place, began = new_place(self.settings.prefix, source), time.perf_counter()
        try:
            try:
                cut = await self._fill(milvus, place, source, progress or (lambda *_: None))
                rows, vectors = await milvus.run(lambda: _checked(milvus, place, source))
            except BaseException:
                # A server that is gone keeps it until the next sweep.
                with contextlib.suppress(ServiceError):
                    await milvus.run(lambda: _dropped(milvus, place))
                raise
        except EngineDownError as error:
            raise IndexBuildError(
                f"loading was not completed: {error.message}", where=error.where, hint=error.hint
            ) from error
        finally:
            await milvus.run(milvus.close)
        facts: dict[str, Any] = {"server": milvus.version, "bm25": milvus.has_bm25, "words_cut": cut}
        if milvus.has_bm25:
            facts["bm25_parameters"] = [K1, B]
        return Built(place, rows, vectors, time.perf_counter() - began, None, {**self.settings.as_json(), **facts})

    async def _fill(self, milvus: Milvus, place: str, source: Source, told: Progress) -> int:
        words, one = milvus.has_bm25, self.settings
        schema = await milvus.run(lambda: schema_of(milvus, source.dims, words=words))
        await milvus.run(lambda: milvus.call("create_collection", place, schema=schema, consistency_level="Bounded"))
        size = max(16, min(1000, _BATCH_BYTES // (4 * source.dims + 2048)))
        done = cut = 0
        last = time.monotonic()
        async for batch in source.batches(size):
            made = [record_of(row, source.dims, words=words) for row in batch]
            cut += sum(short for _, short in made)
            records = [record for record, _ in made]
            # The client repeats a call that the server could not take; a batch that came twice
            # after all is found when the rows are counted.
            await milvus.run(lambda records=records: milvus.call("insert", place, records))  # type: ignore[misc]
            last = time.monotonic()
            done += len(batch)
            told("loading", done, source.rows)
        told("indexing", 0, source.rows)
        await milvus.run(lambda: milvus.call("flush", place, timeout=one.patience))
        params = _indexes(milvus, one, words=words)
        await milvus.run(lambda: milvus.call("create_index", place, params, timeout=one.patience))
        await milvus.run(lambda: milvus.call("load_collection", place, timeout=one.patience))
        if not milvus.lite:
            await asyncio.sleep(max(0.0, last + _SETTLING_S - time.monotonic()))
        told("indexing", source.rows, source.rows)
        return cut

    async def publish(self, source: Source, built: Built) -> None:
        """Point the alias of the corpus at the collection, in one step."""
        milvus = await asyncio.to_thread(Milvus, self.settings)
        try:
            await milvus.run(lambda: _aliased(milvus, alias_of(self.settings.prefix, source.corpus_id), built.place))
        finally:
            await milvus.run(milvus.close)

    async def sweep(self, corpus_id: int, keep: Collection[str]) -> list[str]:
        """Drop the corpus's collections but those named."""
        milvus = await asyncio.to_thread(Milvus, self.settings)
        alias = alias_of(self.settings.prefix, corpus_id)
        try:
            return await milvus.run(lambda: _swept(milvus, alias, keep))
        finally:
            await milvus.run(milvus.close)

    async def open(self, place: str, dims: int) -> MilvusEngine:
        """Open a collection that holds what its name says."""
        milvus = await asyncio.to_thread(Milvus, self.settings)
        try:
            return await milvus.run(lambda: _opened(milvus, place, dims, self.settings.patience))
        except BaseException:
            await milvus.run(milvus.close)
            raise


def _indexes(milvus: Milvus, settings: MilvusSettings, *, words: bool) -> Any:
    out = milvus.client.prepare_index_params()
    graph = {"M": settings.m, "efConstruction": settings.ef_construction} if settings.index == "HNSW" else {}

    def told(params: Mapping[str, Any]) -> dict[str, Any]:
        # The client sends each by its name, as servers read them; the file-based engine reads them under one.
        return {"params": dict(params)} if milvus.lite else dict(params)

    # Of vectors of length 1 the inner product is the cosine, and a zero vector has one.
    out.add_index(field_name="vector", index_type=settings.index, metric_type="IP", params=told(graph))
    if words:
        bm25 = {"bm25_k1": K1, "bm25_b": B}
        out.add_index(field_name="bm25", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params=told(bm25))
    return out


def _checked(milvus: Milvus, place: str, source: Source) -> tuple[int, int]:
    """Return how many rows and vectors there are, when those are the source's and each is there once."""
    rows, vectors = _counted(milvus, place, source.dims)
    if (rows, vectors) != (source.rows, source.vectors):
        raise IndexBuildError(
            f"Milvus holds {rows:,} chunks, {vectors:,} with a vector; "
            f"the corpus has {source.rows:,} and {source.vectors:,}",
            where=place,
            hint="nothing was changed; index it again",
        )
    distinct = Rows(milvus, place, source.dims, vectors).distinct(rows)
    if distinct != rows:
        raise IndexBuildError(
            f"of {rows:,} rows in Milvus {rows - distinct:,} came twice, and as many are missing",
            where=place,
            hint="nothing was changed; index it again",
        )
    return rows, vectors


def _counted(milvus: Milvus, place: str, dims: int) -> tuple[int, int]:
    rows = Rows(milvus, place, dims, 0)
    return rows.count("", "Strong"), rows.count(HAS_VECTOR, "Strong")


def _aliased(milvus: Milvus, alias: str, place: str) -> None:
    if milvus.call("has_collection", alias):
        milvus.call("alter_alias", place, alias)
    else:
        milvus.call("create_alias", place, alias)


def _swept(milvus: Milvus, alias: str, keep: Collection[str]) -> list[str]:
    gone: list[str] = []
    for name in milvus.call("list_collections"):
        place = read_place(name)
        if place is None or place.alias != alias or name in keep:
            continue
        _dropped(milvus, name)
        gone.append(name)
    return sorted(gone)


def _dropped(milvus: Milvus, place: str) -> None:
    """Drop a collection, its aliases first: some versions refuse to drop what an alias names."""
    if milvus.call("has_collection", place):
        for alias in milvus.call("list_aliases", place)["aliases"]:
            milvus.call("drop_alias", alias)
        milvus.call("drop_collection", place)


def _opened(milvus: Milvus, place: str, dims: int, patience: float) -> MilvusEngine:
    named = read_place(place)
    if named is None:
        raise InputError("this is not the name of a collection made here", where=place, hint=_HINT)
    if not milvus.call("has_collection", place):
        raise NoIndexError("the corpus's collection is not in Milvus", where=place, hint=_HINT)
    fields = {field["name"]: field for field in milvus.call("describe_collection", place)["fields"]}
    held = int(fields["vector"]["params"]["dim"])
    if held != dims:
        raise StaleIndexError(
            f"the collection holds vectors of {held} dimensions, the embedder makes {dims}", where=place, hint=_HINT
        )
    milvus.call("load_collection", place, timeout=patience)
    rows, vectors = _counted(milvus, place, dims)
    if (rows, vectors) != (named.rows, named.vectors):
        raise NoIndexError(
            f"the collection holds {rows:,} of {named.rows:,} chunks and {vectors:,} of {named.vectors:,} vectors",
            where=place,
            hint=f"loading was never finished, or rows were taken out; {_HINT}",
        )
    index = milvus.call("describe_index", place, "vector")
    languages = Rows(milvus, place, dims, vectors).languages() if "bm25" in fields else []
    return MilvusEngine(
        milvus, place, dims=dims, rows=rows, vectors=vectors, exact=index["index_type"] == "FLAT", languages=languages
    )


__all__ = ["MILVUS", "MilvusEngine", "MilvusKind", "MilvusSettings"]
