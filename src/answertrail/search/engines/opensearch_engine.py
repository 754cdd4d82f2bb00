"""Search in one OpenSearch index.

Neighbours are scored anew from their vectors (see settle.py), so that cosines do not depend on how
a version of OpenSearch writes them into its scores. A search that comes back short, or ends in a
tie, is made again over every vector, and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from answertrail.search.engines.base import (
    ANY,
    Capabilities,
    EngineHit,
    EngineHits,
    Matrix,
    UnsupportedError,
    Vector,
)
from answertrail.search.engines.hnsw import check_query
from answertrail.search.engines.opensearch_bodies import (
    HAS_VECTOR,
    MOST,
    Body,
    best_body,
    both,
    drawn_body,
    exact_query,
    filters,
    holders_body,
    hybrid_body,
    near_query,
    one_of,
    words_query,
)
from answertrail.search.engines.opensearch_http import OpenSearch, path_of
from answertrail.search.engines.server_words import distinct, terms_of, told, weight_of
from answertrail.search.engines.settle import Found, cosines_of, in_order, settled
from answertrail.search.hits import Filter

OPENSEARCH = "opensearch"
_MORE = 16
_PAGE = 1000
# The same copy of a shard answers each time: copies may break ties differently.
_ALWAYS = {"preference": "answertrail"}


class OpenSearchEngine:
    """Searches one index, by vector and by words."""

    name = OPENSEARCH
    capabilities = Capabilities(dense=True, lexical=True, filters=True, exact=False, counts=False, most=MOST)

    def __init__(self, server: OpenSearch, place: str, *, dims: int, rows: int, languages: Sequence[str]) -> None:
        self._server = server
        self.place = place
        self.dims = dims
        self._size = rows
        self._languages = languages
        self._holding: dict[str, int] = {}

    async def count(self, within: Filter = ANY) -> int:
        """Count the chunks that the filter lets through, with or without a vector."""
        return await self._count(filters(within))

    async def _count(self, query: Body) -> int:
        answer = await self._server.ask("POST", path_of(self.place, "_count"), {"query": query})
        return int(answer["count"])

    async def close(self) -> None:
        """Let go of the connections."""
        await self._server.close()

    async def _search(self, body: Body, **params: str) -> Any:
        return await self._server.ask("POST", path_of(self.place, "_search"), body, params={**_ALWAYS, **params})

    async def dense(self, vector: Vector, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) nearest chunks."""
        check_query(vector, self.dims, k)
        self._check_size(k)
        where, asked = filters(within), min(MOST, k + _MORE)
        found = await self._scored(near_query(vector, asked, where), vector, asked)
        complete = len(found) < asked
        if complete and (matching := await self._count(both(HAS_VECTOR, where))) > len(found):
            return await self._exactly(
                vector, k, where, f"the index gave {len(found)} of {min(asked, matching)} passages"
            )
        hits = settled(found, k, complete=complete)
        if hits is None:
            return await self._exactly(vector, k, where, "the last passages are equally near, and there may be more")
        return EngineHits(hits, len(found) if complete else None)

    async def _exactly(self, vector: Vector, k: int, where: Body, why: str) -> EngineHits:
        # Equal scores come in id order here, so k rows are the right ones to within rounding.
        asked = min(MOST, k + _MORE)
        found = await self._scored(exact_query(vector, where), vector, asked)
        hits = tuple(EngineHit(chunk, score) for chunk, score in in_order(found)[:k])
        return EngineHits(hits, len(found) if len(found) < asked else None, f"{why}; searched exactly")

    async def _scored(self, query: Body, vector: Vector, asked: int) -> Found:
        answer = await self._search(best_body(query, asked, ["chunk", "vector"]))
        chunks, matrix = self._vectors_in(answer)
        return list(zip(chunks, cosines_of(matrix, vector).tolist(), strict=True))

    def _vectors_in(self, answer: Any) -> tuple[list[str], Matrix]:
        sources = [hit["_source"] for hit in answer["hits"]["hits"]]
        matrix = np.array([source["vector"] for source in sources], dtype=np.float32).reshape(-1, self.dims)
        return [str(source["chunk"]) for source in sources], matrix

    async def cosines(self, vector: Vector, ids: Collection[str]) -> Mapping[str, float]:
        """Return the cosine of each of these chunks that has a vector."""
        check_query(vector, self.dims, 1)
        out: dict[str, float] = {}
        ordered = sorted(set(ids))
        for begin in range(0, len(ordered), _PAGE):
            part = ordered[begin : begin + _PAGE]
            found = await self._scored(both(HAS_VECTOR, one_of("chunk", part)), vector, len(part))
            out.update(found)
        return out

    async def sample(self, size: int) -> tuple[Sequence[str], Matrix]:
        """Return the vectors of the lowest hash of their id."""
        chunks: list[str] = []
        vectors: list[Matrix] = []
        after = None
        while len(chunks) < size:
            wanted = min(_PAGE, size - len(chunks))
            answer = await self._search(drawn_body(wanted, after, ["chunk", "vector"]))
            some, matrix = self._vectors_in(answer)
            chunks += some
            vectors.append(matrix)
            if len(some) < wanted:
                break
            after = answer["hits"]["hits"][-1]["sort"]
        whole = np.concatenate(vectors) if vectors else np.zeros((0, self.dims), dtype=np.float32)
        order = sorted(range(len(chunks)), key=chunks.__getitem__)
        return [chunks[at] for at in order], whole[order]

    async def lexical(self, query: str, k: int, within: Filter = ANY) -> EngineHits:
        """Return the min(k, matching) chunks of the highest BM25; OpenSearch breaks ties by chunk id itself."""
        self._check_size(k)
        terms = terms_of(query, self._languages)
        holding = await self._held(distinct(terms))
        weight = weight_of(terms, holding, self._size)
        tokens = [token for token, held in holding.items() if held]
        if not tokens:
            return EngineHits((), 0, weight=weight)
        body = best_body(words_query(tokens, filters(within)), k, ["chunk"], counted=True)
        # Word counts of all shards together: scores do not depend on where a chunk lies.
        answer = await self._search(body, search_type="dfs_query_then_fetch")
        found = _scores_in(answer)
        hits = tuple(EngineHit(chunk, score) for chunk, score in in_order(found))
        return EngineHits(hits, int(answer["hits"]["total"]["value"]), weight=weight)

    async def bm25(self, query: str, ids: Collection[str]) -> Mapping[str, float]:
        """Return the BM25 of each of these chunks that matches a term."""
        holding = await self._held(distinct(terms_of(query, self._languages)))
        tokens = [token for token, held in holding.items() if held]
        out: dict[str, float] = {}
        ordered = sorted(set(ids)) if tokens else []
        for begin in range(0, len(ordered), _PAGE):
            part = ordered[begin : begin + _PAGE]
            body = best_body(words_query(tokens, one_of("chunk", part)), len(part), ["chunk"])
            out.update(_scores_in(await self._search(body, search_type="dfs_query_then_fetch")))
        return out

    async def terms(self, query: str) -> Mapping[str, int]:
        """Map each term to the number of chunks that hold it in their text, title or speakers."""
        terms = terms_of(query, self._languages)
        return told(terms, await self._held(distinct(terms)))

    async def hybrid(
        self, query: str, vector: Vector, k: int, within: Filter = ANY, weights: tuple[float, float] = (0.5, 0.5)
    ) -> EngineHits:
        """Return the best by words and vectors as OpenSearch fuses them (2.10 and later), scores from 0 to 1.

        The modes do not use it: theirs rank alike over every engine. It is there for comparison.
        """
        check_query(vector, self.dims, k)
        self._check_size(k)
        tokens = distinct(terms_of(query, self._languages))
        if not tokens:
            return await self.dense(vector, k, within)
        answer = await self._search(hybrid_body(tokens, vector, k, filters(within), weights))
        return EngineHits(tuple(EngineHit(chunk, score) for chunk, score in in_order(_scores_in(answer))))

    async def _held(self, tokens: Sequence[str]) -> dict[str, int]:
        """Count the chunks that hold each token; counted once, for an index does not change."""
        if len(self._holding) > 100_000:
            self._holding.clear()
        if new := [token for token in tokens if token not in self._holding]:
            answer = await self._search(holders_body(new))
            counts = answer["aggregations"]["holding"]["buckets"]
            self._holding.update((token, int(one["doc_count"])) for token, one in zip(new, counts, strict=True))
        return {token: self._holding[token] for token in tokens}

    def _check_size(self, k: int) -> None:
        if not 1 <= k <= MOST:
            raise UnsupportedError(f"OpenSearch gives 1 to {MOST:,} passages, not {k:,}", hint="ask for fewer, or page")


def _scores_in(answer: Any) -> Found:
    return [(str(hit["_source"]["chunk"]), float(hit["_score"])) for hit in answer["hits"]["hits"]]


__all__ = ["OPENSEARCH", "OpenSearchEngine"]
