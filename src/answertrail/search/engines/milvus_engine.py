"""Search in one Milvus collection, with guards.

Left alone, an HNSW search may come back with fewer rows than match, and its ties fall as they
please. Here its candidates are scored anew (`settle`), a few more than asked for; where they do
not settle the result, the search is widened, and at last every matching row is looked at. The
result then says so (`EngineHits.fallback`).

A collection never changes once it is published, so its rows are read at consistency `Bounded`:
all that was written 5 seconds ago is seen, and a load waits that long before it is done. `Strong`
would see the same rows 200 to 600 ms later (docs/distributed.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from answertrail.search.engines.base import ANY, Capabilities, EngineHits, Matrix, UnsupportedError, Vector
from answertrail.search.engines.hnsw import check_query
from answertrail.search.engines.milvus_client import Milvus
from answertrail.search.engines.milvus_filter import any_of, expression, quoted
from answertrail.search.engines.milvus_rows import BOUNDED, HAS_VECTOR, MOST, Rows, matrix_of
from answertrail.search.engines.server_words import distinct, dressed, terms_of, told, weight_of
from answertrail.search.engines.settle import Found, cosines_of, in_order, level, settled
from answertrail.search.hits import Filter
from answertrail.search.lexical import K1

MILVUS = "milvus"
_MORE = 16
"""Rows asked for beyond k, so that a tie at the end is seen whole."""

_MOST_EF = 32_768
_ONE_LIST = 1000
_ANSWER_BYTES = 32_000_000
"""Of vectors in one answer; servers refuse answers of 100 MB and more."""


class MilvusEngine:
    """Searches one collection, by vector and, where `languages` are given, by words as well."""

    name = MILVUS

    def __init__(
        self,
        milvus: Milvus,
        place: str,
        *,
        dims: int,
        rows: int,
        vectors: int,
        exact: bool,
        languages: Sequence[str] = (),
    ) -> None:
        self._milvus = milvus
        self.place = place
        self.dims = dims
        self._rows = Rows(milvus, place, dims, vectors)
        self._size = rows
        self._languages = languages
        self._holding: dict[str, int] = {}
        self.capabilities = Capabilities(
            dense=True, lexical=bool(languages), filters=True, exact=exact, counts=False, most=MOST
        )

    async def count(self, within: Filter = ANY) -> int:
        """Count the chunks that the filter lets through, with or without a vector."""
        if _lets_none(within):
            return 0
        where = expression(within)
        return await self._milvus.run(lambda: self._rows.count(where))

    async def close(self) -> None:
        """Let go of the connection."""
        await self._milvus.run(self._milvus.close)

    async def dense(self, vector: Vector, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) nearest chunks."""
        check_query(vector, self.dims, k)
        self._check_size(k)
        if _lets_none(within):
            return EngineHits((), 0)
        return await self._milvus.run(lambda: self._dense(vector, k, within))

    def _dense(self, vector: Vector, k: int, within: Filter) -> EngineHits:
        exactly = expression(within, HAS_VECTOR)
        # A graph loses its way where many rows are left out one by one. So pages are taken off the
        # front of one list, as long as that is not too long, and are looked for widely after that.
        room = min(MOST, _ANSWER_BYTES // (4 * self.dims))
        drop: frozenset[str] = frozenset()
        if not self.capabilities.exact and k + len(within.exclude) + _MORE <= min(_ONE_LIST, room):
            drop, within = within.exclude, replace(within, exclude=frozenset())
        where = expression(within, HAS_VECTOR)
        asked, why = k + len(drop) + _MORE, ""
        if asked > room:
            return self._exactly(vector, k, exactly, f"{k} passages are more than an answer of Milvus holds")
        ef = self._ef(asked, within, where)
        while True:
            found = self._nearest(vector, asked, where, min(ef, _MOST_EF))
            complete = len(found) < asked
            if complete and (matching := self._rows.count(where)) > len(found):
                why = f"the index gave {len(found)} of {min(asked, matching)} passages"
                if self.capabilities.exact or ef >= _MOST_EF:
                    return self._exactly(vector, k, exactly, why)
                ef = _MOST_EF
                continue
            left = [one for one in found if one[0] not in drop]
            hits = settled(left, k, complete=complete)
            if hits is not None:
                fallback = f"{why}; searched more widely" if why else None
                return EngineHits(hits, len(left) if complete else None, fallback)
            if asked == room:
                return self._exactly(vector, k, exactly, "the last passages are equally near, and there may be more")
            asked = min(room, 2 * asked)
            ef = max(ef, 2 * asked)

    def _ef(self, asked: int, within: Filter, where: str) -> int:
        """Return how many candidates to keep: where one row in n passes the filter, n times as many."""
        if within.exclude:
            return _MOST_EF
        ef = max(self._milvus.settings.ef, 2 * asked)
        if self.capabilities.exact or (within.start is None and within.end is None and within.documents is None):
            return ef
        matching = max(1, self._rows.count(where))
        return min(_MOST_EF, max(ef, 2 * asked * self._size // matching))

    def _nearest(self, vector: Vector, asked: int, where: str, ef: int) -> Found:
        answer = self._milvus.call(
            "search",
            self.place,
            data=[vector.astype(np.float32)],
            anns_field="vector",
            filter=where,
            limit=asked,
            output_fields=["vector"],
            search_params={"metric_type": "IP", "params": {} if self.capabilities.exact else {"ef": ef}},
            consistency_level=BOUNDED,
        )[0]
        scores = cosines_of(matrix_of([hit["entity"] for hit in answer], self.dims), vector)
        return [(str(hit["id"]), float(score)) for hit, score in zip(answer, scores, strict=True)]

    def _exactly(self, vector: Vector, k: int, where: str, why: str) -> EngineHits:
        best: Found = []
        matching = 0
        for window in self._rows.windows(["vector"], where):
            scores = cosines_of(matrix_of(window, self.dims), vector)
            matching += len(window)
            best = in_order([*best, *((str(r["id"]), float(s)) for r, s in zip(window, scores, strict=True))])[:k]
        return EngineHits(settled(best, k, complete=True) or (), matching, f"{why}; searched exactly")

    async def cosines(self, vector: Vector, ids: Collection[str]) -> Mapping[str, float]:
        """Return the cosine of each of these chunks that has a vector."""
        check_query(vector, self.dims, 1)
        known, matrix = await self._milvus.run(lambda: self._rows.vectors(sorted(ids)))
        return dict(zip(known, cosines_of(matrix, vector).tolist(), strict=True))

    async def sample(self, size: int) -> tuple[Sequence[str], Matrix]:
        """Return the vectors of the lowest hash of their id."""
        return await self._milvus.run(lambda: self._sample(size))

    def _sample(self, size: int) -> tuple[Sequence[str], Matrix]:
        lowest: list[tuple[int, str]] = []
        for window in self._rows.windows(["draw"]):
            lowest += ((int(row["draw"]), str(row["id"])) for row in window)
            if len(lowest) >= size:
                break
        return self._rows.vectors([chunk for _, chunk in sorted(lowest)[:size]])

    async def lexical(self, query: str, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) chunks of the highest BM25."""
        self._check_words()
        self._check_size(k)
        return await self._milvus.run(lambda: self._lexical(query, k, within))

    def _lexical(self, query: str, k: int, within: Filter) -> EngineHits:
        terms = terms_of(query, self._languages)
        holding = self._held(distinct(terms))
        weight = weight_of(terms, holding, self._size)
        tokens = [token for token, held in holding.items() if held]
        if not tokens or _lets_none(within):
            return EngineHits((), 0, weight=weight)
        where, asked = expression(within), min(MOST, k + _MORE)
        while True:
            found = level(self._matching(tokens, asked, where))
            complete = len(found) < asked
            last = found[min(k, len(found)) - 1][1] if found else 0.0
            hits = settled(found, k, complete=complete or asked == MOST, rounding=1e-5 * last)
            if hits is not None:
                unsure = not complete and settled(found, k, complete=False, rounding=1e-5 * last) is None
                why = (
                    f"the last passages match equally well, and there may be more than {MOST:,} such"
                    if unsure
                    else None
                )
                return EngineHits(hits, len(found) if complete else self._holders(tokens, where), why, weight)
            asked = min(MOST, 2 * asked)

    def _matching(self, tokens: Sequence[str], asked: int, where: str) -> Found:
        answer = self._milvus.call(
            "search",
            self.place,
            data=[" ".join(map(dressed, tokens))],
            anns_field="bm25",
            filter=where,
            limit=asked,
            output_fields=["id"],
            search_params={"metric_type": "BM25", "params": {}},
            consistency_level=BOUNDED,
        )[0]
        # The file-based engine gives BM25 below zero, servers above; both with the factor k1 + 1,
        # which orders nothing and which the built-in BM25 leaves out.
        return [(str(hit["id"]), abs(float(hit["distance"])) / (K1 + 1)) for hit in answer]

    async def bm25(self, query: str, ids: Collection[str]) -> Mapping[str, float]:
        """Return the BM25 of each of these chunks that matches a term."""
        self._check_words()
        return await self._milvus.run(lambda: self._bm25(query, sorted(set(ids))))

    def _bm25(self, query: str, ids: Sequence[str]) -> Mapping[str, float]:
        holding = self._held(distinct(terms_of(query, self._languages)))
        tokens = [token for token, held in holding.items() if held]
        out: dict[str, float] = {}
        for begin in range(0, len(ids) if tokens else 0, 1000):
            part = ids[begin : begin + 1000]
            out.update(self._matching(tokens, len(part), any_of("id", part)))
        return out

    async def terms(self, query: str) -> Mapping[str, int]:
        """Map each term to the number of chunks that hold it in their text, title or speakers."""
        self._check_words()
        terms = terms_of(query, self._languages)
        return told(terms, await self._milvus.run(lambda: self._held(distinct(terms))))

    def _held(self, tokens: Sequence[str]) -> dict[str, int]:
        """Count the chunks that hold each token; counted once, for a collection does not change."""
        if len(self._holding) > 100_000:
            self._holding.clear()
        for token in tokens:
            if token not in self._holding:
                self._holding[token] = self._holders([token])
        return {token: self._holding[token] for token in tokens}

    def _holders(self, tokens: Sequence[str], where: str = "") -> int:
        """Count the chunks that hold any of the tokens and that the filter lets through."""
        if self._milvus.lite:
            # It has no index for TEXT_MATCH and reads every text, fifty times as slow as this.
            found = len(self._matching(tokens, MOST, where))
            if found < MOST:
                return found
        either = f"TEXT_MATCH(words, {quoted(' '.join(map(dressed, tokens)))})"
        return self._rows.count(f"{either} and {where}" if where else either)

    def _check_size(self, k: int) -> None:
        if not 1 <= k <= MOST:
            raise UnsupportedError(f"Milvus gives 1 to {MOST:,} passages, not {k:,}", hint="ask for fewer, or page")

    def _check_words(self) -> None:
        if not self._languages:
            raise UnsupportedError(
                f"this Milvus ({self._milvus.version}) makes no BM25 of texts",
                hint="servers from 2.5 on do; words are searched without it as well, by the built-in BM25",
            )


def _lets_none(within: Filter) -> bool:
    return within.documents is not None and not within.documents


__all__ = ["MILVUS", "MilvusEngine"]
