"""The exact engine: all vectors in one matrix, all words in one BM25 index, both in memory.

It is the reference for the other engines, and what they use for words where they hold none.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from answertrail.search.dense import cosines
from answertrail.search.engines.base import ANY, Capabilities, EngineHit, EngineHits, Matrix, Vector
from answertrail.search.engines.catalogue import Catalogue, Mask, Places
from answertrail.search.engines.hnsw import check_query
from answertrail.search.fusion import best
from answertrail.search.hits import Filter
from answertrail.search.lexical import LexicalIndex

EXACT = "exact"


class ExactVectors:
    """Every cosine is computed. `matrix` has a row a chunk in id order, NaN where there is no vector."""

    name = EXACT
    capabilities = Capabilities(dense=True, lexical=False, filters=True, exact=True)

    def __init__(self, catalogue: Catalogue, matrix: Matrix) -> None:
        if matrix.shape[0] != len(catalogue):
            raise ValueError(f"{matrix.shape[0]} vectors for {len(catalogue)} chunks")
        self._catalogue = catalogue
        self._matrix = matrix
        # One search asks for the best, for its periods and for single chunks: the same cosines.
        self._last: tuple[bytes, npt.NDArray[np.float32]] | None = None
        self.dims = int(matrix.shape[1])

    async def dense(self, vector: Vector, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) nearest chunks."""
        check_query(vector, self.dims, k)
        return await asyncio.to_thread(self._dense, vector, k, within)

    def _dense(self, vector: Vector, k: int, within: Filter) -> EngineHits:
        scores = self._scores(vector)
        return _hits(self._catalogue, scores, rows_within(self._catalogue, within) & ~np.isnan(scores), k)

    def _scores(self, vector: Vector) -> npt.NDArray[np.float32]:
        key, last = vector.tobytes(), self._last
        if last is None or last[0] != key:
            self._last = last = (key, cosines(self._matrix, vector))
        return last[1]

    async def cosines(self, vector: Vector, ids: Collection[str]) -> Mapping[str, float]:
        """Return the cosine of each of these chunks that has a vector."""
        check_query(vector, self.dims, 1)
        places = self._catalogue.places(ids)
        places = places[self._catalogue.has_vector[places]]
        scores = await asyncio.to_thread(self._scores, vector)
        return {self._catalogue.ids[place]: float(scores[place]) for place in places.tolist()}

    async def sample(self, size: int) -> tuple[Sequence[str], Matrix]:
        """Return the vectors of the lowest hash of their id."""
        places = sampled(self._catalogue, size)
        return [self._catalogue.ids[place] for place in places], self._matrix[places].astype(np.float32)

    async def count(self, within: Filter = ANY) -> int:
        """Count the chunks that the filter lets through."""
        return int(rows_within(self._catalogue, within).sum())

    async def close(self) -> None:
        """Nothing to let go of."""


class LocalWords:
    """BM25 of every chunk, computed here. `lexical` has a row a chunk in id order."""

    name = EXACT
    capabilities = Capabilities(dense=False, lexical=True, filters=True, exact=True)

    def __init__(self, catalogue: Catalogue, lexical: LexicalIndex) -> None:
        if lexical.rows != len(catalogue):
            raise ValueError(f"words of {lexical.rows} rows for {len(catalogue)} chunks")
        self._catalogue = catalogue
        self._lexical = lexical
        # One search asks for the best, for its periods and for single chunks: the same scores.
        self._last: tuple[str, npt.NDArray[np.float32], Places, float] | None = None

    async def lexical(self, query: str, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) chunks of the highest BM25."""
        return await asyncio.to_thread(self._best, query, k, within)

    def _best(self, query: str, k: int, within: Filter) -> EngineHits:
        scores, places, weight = self._scores(query)
        catalogue = self._catalogue
        kept = catalogue.allowed_documents(within)[catalogue.document_of[places]]
        kept &= ~np.isin(places, catalogue.places(within.exclude))
        places = places[kept]
        chosen = places[best(scores[places], np.ones(len(places), dtype=np.bool_), k)]
        hits = tuple(EngineHit(catalogue.ids[place], float(scores[place])) for place in chosen.tolist())
        return EngineHits(hits, len(places), weight=weight)

    def _scores(self, query: str) -> tuple[npt.NDArray[np.float32], Places, float]:
        """Return BM25 of every row, the rows above 0, and what a point of it is worth."""
        last = self._last
        if last is not None and last[0] == query:
            return last[1:]
        scores, weight = self._lexical.scores(query)
        places = np.flatnonzero(scores > 0)
        self._last = (query, scores, places, weight)
        return scores, places, weight

    async def bm25(self, query: str, ids: Collection[str]) -> Mapping[str, float]:
        """Return the BM25 of each of these chunks that matches a term."""
        scores, _, _ = await asyncio.to_thread(self._scores, query)
        places = self._catalogue.places(ids)
        return {self._catalogue.ids[place]: float(scores[place]) for place in places.tolist() if scores[place] > 0}

    async def document_votes(self, query: str) -> Mapping[str, float] | None:
        """Return what `LexicalIndex.document_votes` does, by document."""
        votes = await asyncio.to_thread(self._lexical.document_votes, query)
        if votes is None:
            return None
        numbers, rows = np.unique(self._catalogue.document_of, return_index=True)
        documents = self._catalogue.documents
        of_documents = zip(numbers.tolist(), votes[rows].tolist(), strict=True)
        return {documents[number]: vote for number, vote in of_documents if vote}

    async def terms(self, query: str) -> Mapping[str, int]:
        """Map each term to the number of chunks whose text holds it."""
        return self._lexical.terms(query)

    async def count(self, within: Filter = ANY) -> int:
        """Count the chunks that the filter lets through."""
        return int(rows_within(self._catalogue, within).sum())

    async def close(self) -> None:
        """Nothing to let go of."""


def rows_within(catalogue: Catalogue, within: Filter) -> Mask:
    """Return the mask of the chunks that the filter lets through."""
    out = np.ones(len(catalogue), dtype=np.bool_)
    if within.start is not None or within.end is not None or within.documents is not None:
        out &= catalogue.allowed_documents(within)[catalogue.document_of]
    out[catalogue.places(within.exclude)] = False
    return out


def sampled(catalogue: Catalogue, size: int) -> Places:
    """Return the places of the chunks with a vector of the lowest MD5 of their id, at most `size`, in id order."""
    places = np.flatnonzero(catalogue.has_vector)
    if len(places) > size:
        hashes = [hashlib.md5(catalogue.ids[at].encode(), usedforsecurity=False).hexdigest() for at in places.tolist()]
        places = places[np.argsort(np.array(hashes), kind="stable")[:size]]
    return np.sort(places)


def _hits(catalogue: Catalogue, scores: npt.NDArray[np.float32], eligible: Mask, k: int) -> EngineHits:
    chosen = best(scores, eligible, k)
    hits = tuple(EngineHit(catalogue.ids[place], float(scores[place])) for place in chosen.tolist())
    return EngineHits(hits, int(eligible.sum()))


__all__ = ["EXACT", "ExactVectors", "LocalWords", "rows_within", "sampled"]
