"""One interface over whatever holds the vectors and the words of one corpus snapshot.

An engine answers two questions: which chunks are nearest to a vector (`DenseEngine`), and which
match words best (`LexicalEngine`). One class may do both. Modes, fusion, periods and the texts
shown are not its business: `EngineIndex` (index.py) makes those from its answers, and the
database stays the truth for texts and dates.

`EngineKind` is how an engine is filled: load all rows under a new name, count them, publish that
name, drop the old one. So a search never meets a half-filled engine.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from answertrail.errors import InputError, MismatchError, NotFoundError, ServiceError
from answertrail.search.hits import Filter

Vector = npt.NDArray[np.float32]
"""One vector, (dims,), of length 1."""
Matrix = npt.NDArray[np.float32]
"""Vectors as rows, (rows, dims), each of length 1."""


ANY = Filter()
"""The filter that lets every chunk through."""


class UnsupportedError(InputError):
    """The engine cannot do what was asked: a mode, a number of rows, a signal it does not hold."""


class NoIndexError(NotFoundError):
    """The corpus was never indexed with this engine, or what the record names is gone."""


class StaleIndexError(MismatchError):
    """The index is of an older state of the corpus, or of another embedder."""


class IndexBuildError(ServiceError):
    """Loading was not completed or the count is wrong; what was there before is still in use."""


class EngineDownError(ServiceError):
    """The engine does not answer."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do.

    `filters` says that dates, documents and excluded ids are applied inside the engine, before
    the k best are cut off, so that min(k, matching) rows come back. `exact` says that dense rows
    are the true nearest ones. `counts` says that `EngineHits.matching` is always given.
    `most` is the largest k it answers, None for any.
    """

    dense: bool
    lexical: bool
    filters: bool
    exact: bool
    counts: bool = True
    most: int | None = None


@dataclass(frozen=True, slots=True)
class EngineHit:
    """A chunk and its score: cosine (-1 to 1) of a dense search, BM25 (above 0) of a lexical one."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class EngineHits:
    """The best chunks, best first; equal scores in chunk id order.

    There are exactly min(k, matching) hits, where `matching` counts the chunks that the filter
    lets through (without the excluded) and that can be ranked: with a vector, or with a matched
    term. It is None where the engine cannot count; fewer than k hits then are all there are.

    `fallback` says why the engine answered by another way than its own, None when it did not.
    `weight`, of a lexical search, is what a point of its BM25 is worth beside a cosine
    (`fusion.lexical_weight`, as `LexicalIndex.scores` has it). Where it is None it is taken from
    `terms`, and words count for nothing in fused scores when the engine cannot say those either.
    """

    hits: tuple[EngineHit, ...]
    matching: int | None = None
    fallback: str | None = None
    weight: float | None = None


class Engine(Protocol):
    """What both kinds of engine have. It is opened on one snapshot and stays on it."""

    @property
    def name(self) -> str:
        """What the command line calls it: `exact`, `hnsw`, ..."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    async def count(self, within: Filter = ANY) -> int:
        """Count the chunks it holds that the filter lets through, the excluded left out.

        An engine that holds only vectors has no row for a chunk without one.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and files; closing twice is harmless."""
        ...


class DenseEngine(Engine, Protocol):
    """Holds the vectors."""

    @property
    def dims(self) -> int:
        """The length of a vector."""
        ...

    async def dense(self, vector: Vector, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) chunks of the highest cosine, see `EngineHits`.

        `vector` is a unit vector of `dims`. Raises MismatchError for another length, InputError
        for one without direction or k below 1, UnsupportedError for k above `capabilities.most`,
        EngineDownError when the engine does not answer.
        """
        ...

    async def cosines(self, vector: Vector, ids: Collection[str]) -> Mapping[str, float]:
        """Return the cosine of each of these chunks; those without a vector are left out."""
        ...

    async def sample(self, size: int) -> tuple[Sequence[str], Matrix]:
        """Return chunks drawn without regard to what they say, always the same ones, and their vectors.

        All that have a vector when there are no more than `size`; () and (0, dims) when none has.
        A good way: the `size` lowest of a hash of the chunk id.
        """
        ...


class LexicalEngine(Engine, Protocol):
    """Holds the words, as its own BM25 has them."""

    async def lexical(self, query: str, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) chunks of the highest BM25, all above 0, see `EngineHits`.

        No hits for a query without a term that the corpus knows.
        """
        ...

    async def bm25(self, query: str, ids: Collection[str]) -> Mapping[str, float]:
        """Return the BM25 score of each of these chunks; those that match no term are left out."""
        ...

    async def terms(self, query: str) -> Mapping[str, int]:
        """Map each term of the query to the number of chunks that hold it; {} where the engine cannot say."""
        ...


@runtime_checkable
class HoldsDocuments(Protocol):
    """Of a LexicalEngine that has indexed whole documents as well."""

    async def document_votes(self, query: str) -> Mapping[str, float] | None:
        """Map document ids to the weighted BM25 of the whole document; those that match no term are left out.

        None where there is but one document, or none is kept.
        """
        ...


@dataclass(frozen=True, slots=True)
class EngineRow:
    """A chunk as an engine is given it.

    `context` are the further words it is found by (see `said_before`). `vector` is None where
    the text has none. `language` None counts as English.
    """

    id: str
    document_id: str
    published_at: datetime | None
    text: str
    context: str
    language: str | None
    vector: Vector | None


class Source(Protocol):
    """The snapshot an engine is filled from. It does not change while it is read."""

    @property
    def corpus_id(self) -> int:
        """The number of the corpus, safe in any engine's names."""
        ...

    @property
    def snapshot(self) -> str:
        """The hash of what can be retrieved."""
        ...

    @property
    def dims(self) -> int:
        """The length of a vector."""
        ...

    @property
    def rows(self) -> int:
        """How many chunks there are."""
        ...

    @property
    def vectors(self) -> int:
        """How many of them have a vector."""
        ...

    def batches(self, size: int = 1000) -> AsyncIterator[Sequence[EngineRow]]:
        """Yield all rows in chunk id order, at most `size` at a time."""
        ...


@dataclass(frozen=True, slots=True)
class Built:
    """An engine that was filled, counted and found complete, but that nobody uses yet.

    `place` is the name of its table or collection. `seconds` is the time of loading and indexing,
    `bytes` what it takes, None where the engine does not say. `settings` are those it was built
    with, as plain JSON values.
    """

    place: str
    rows: int
    vectors: int
    seconds: float
    bytes: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many are done, and of how many."""


class EngineKind(Protocol):
    """How one kind of engine is filled, opened and dropped."""

    @property
    def name(self) -> str:
        """What the command line calls it."""
        ...

    async def build(self, source: Source, progress: Progress | None = None) -> Built:
        """Fill a new place of its own and count what it holds.

        Raises IndexBuildError when the count is not that of the source; the place is then gone.
        A killed build leaves at most a place that no record names; `sweep` removes it.
        """
        ...

    async def publish(self, source: Source, built: Built) -> None:
        """Point the engine's alias of this corpus at the place, in one step; nothing where there is no alias."""
        ...

    async def sweep(self, corpus_id: int, keep: Collection[str]) -> list[str]:
        """Drop all places of this corpus but those named, and return the names of the dropped."""
        ...

    async def open(self, place: str, dims: int) -> DenseEngine:
        """Open a place for searching; it is a LexicalEngine as well where `capabilities.lexical` says so.

        Raises NoIndexError when it is not there or not whole, StaleIndexError for other dims.
        """
        ...
