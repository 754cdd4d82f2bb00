"""Search over any engine, with the modes and the results of `CorpusIndex`.

A mode of one signal (`dense`, `lexical`) takes the engine's rows as they come. The others rank a
pool, the best by each signal, with scores standardised by a sample (see universe.py); so their
order can differ from the exact one, and `matching` of `timeline` counts the pool alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from answertrail.errors import InputError, MismatchError, ServiceError
from answertrail.models.embedding.base import Embedder
from answertrail.search.alike import candidates, lent
from answertrail.search.around import Surroundings
from answertrail.search.coverage import Coverage
from answertrail.search.engines.base import (
    ANY,
    DenseEngine,
    Engine,
    HoldsDocuments,
    LexicalEngine,
    NoIndexError,
    StaleIndexError,
    Vector,
)
from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.pool import Pool, rankable
from answertrail.search.engines.ranker import Groups, Ranker
from answertrail.search.engines.rows import Rows
from answertrail.search.engines.scored import Scored, coverage_of, scored
from answertrail.search.engines.universe import Universe
from answertrail.search.fusion import best
from answertrail.search.hits import ChunkRow, Filter, SearchResult
from answertrail.search.like import telling_words
from answertrail.search.modes import mode_named
from answertrail.search.query_vectors import QueryVectors
from answertrail.search.ranking import Mode, Ranking
from answertrail.search.rerank import rerank
from answertrail.search.unread import unread_warnings
from answertrail.search.wordings import Wordings

POOL = 200
"""Candidates by each signal, at least; twice k and the excluded where that is more."""
_PER_PERIOD = 3


class Engines(NamedTuple):
    """What a corpus is searched with; `note` says why it is not what it was opened with."""

    engine: DenseEngine
    words: LexicalEngine
    documents: HoldsDocuments | None = None
    note: str | None = None


Again = Callable[[DenseEngine], Awaitable[Engines | None]]
"""Given the engine that failed, opens what took its place, None where nothing did."""


class EngineIndex:
    """One snapshot of a corpus over an engine for its vectors and one for its words (often the same).

    `some_rows` are a few hundred chunks, for whoever wants to know what the corpus is like.
    `documents` are the votes of whole documents where `words` keeps none. `again` opens engines
    anew for a search that these did not answer.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        engine: DenseEngine,
        words: LexicalEngine,
        rows: Rows,
        embedder: Embedder,
        some_rows: Sequence[ChunkRow] = (),
        documents: HoldsDocuments | None = None,
        again: Again | None = None,
    ) -> None:
        if engine.dims != embedder.identity.dims:
            raise MismatchError(
                f"the engine {engine.name} holds vectors of {engine.dims} dimensions, the embedder "
                f"{embedder.identity.key} makes {embedder.identity.dims}",
                hint="index the corpus again, or use the embedder it was made with",
            )
        self.catalogue = catalogue
        self.embedder = embedder
        self.engine = engine
        self.some_rows = some_rows
        self._words = words
        self._documents = documents
        self._again = again
        self._renewing = asyncio.Lock()
        self._left: list[Engine] = []
        self._note: str | None = None
        self._rows = rows
        self._ranker = Ranker(catalogue, engine)
        self._queries = QueryVectors(embedder)

    async def search(
        self,
        query: str,
        *,
        mode: str | Mode,
        k: int,
        within: Filter | None = None,
        also: Sequence[str] = (),
        wordings: Wordings = Wordings(),  # noqa: B008 - frozen
    ) -> SearchResult:
        """Return min(k, matching) hits; ties are broken by chunk id. See `CorpusIndex.search`.

        Where the index was replaced or dropped meanwhile it is searched with what took its place, as
        long as the corpus is the same. A mode of one signal refuses a k above what the engine answers;
        the others return what they have, and `fallback` says how many are missing.

        Raises UnsupportedError for more than the engine answers, EngineDownError when it is
        down, StaleIndexError when a text is no longer what it was.
        """
        while True:
            before = self.engine
            try:
                return await self._search((query, *also), wordings, mode, k, within or ANY)
            except (ServiceError, NoIndexError, StaleIndexError):
                if not await self._renewed(before):
                    raise

    async def _renewed(self, before: DenseEngine) -> bool:
        """Take the engines that are there now instead of these; say whether there are others."""
        async with self._renewing:
            # Another search may have done it, while this one was under way.
            if self.engine is before and self._again is not None:
                found = await self._again(self.engine)
                if found is not None:
                    self._left += [self.engine, self._words]
                    self.engine, self._words, self._documents, self._note = found
                    self._ranker = Ranker(self.catalogue, self.engine)
            return self.engine is not before

    async def _search(
        self, asked: Sequence[str], wordings: Wordings, mode: str | Mode, k: int, within: Filter
    ) -> SearchResult:
        chosen = mode_named(mode) if isinstance(mode, str) else mode
        if not asked[0].strip():
            raise InputError("the query is empty")
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        pools = {}
        for text in dict.fromkeys((*asked, *wordings.reworded, *wordings.like)):
            vector = await self._embedded(text) if "dense" in chosen.needs else None
            pools[text] = Pool(self.catalogue, self.engine, self._words, chosen, text, vector, self._documents)
        if chosen.name in chosen.needs and len(pools) == 1:
            return await self._one_signal(pools[asked[0]], chosen, k, within)
        own = list(dict.fromkeys(asked))
        reworded = [text for text in dict.fromkeys(wordings.reworded) if text not in own]
        groups = Groups(*([pools[text] for text in texts] for texts in (own, reworded, wordings.like)))
        return await self._ranked(groups, chosen, k, within)

    async def telling_words(self, row: ChunkRow) -> str:
        """Return the words by which a chunk finds others like it, see `like.telling_words`."""
        return telling_words(row.text, row.language, await self._words.terms(row.text))

    async def around(self, chunk_id: str, before: int = 1, after: int = 1) -> Surroundings:
        """Return a chunk with its neighbours in document order. Raises NotFoundError for an unknown id."""
        return await self._rows.around(chunk_id, before, after)

    async def cited(self, ids: Collection[str]) -> Mapping[str, ChunkRow]:
        """Return those of the ids that are chunks of the snapshot."""
        return await self._rows.rows([chunk for chunk in ids if chunk in self.catalogue])

    async def close(self) -> None:
        """Let go of the engines."""
        for engine in (*self._left, self.engine, self._words):
            await engine.close()

    async def _one_signal(self, pool: Pool, mode: Mode, k: int, within: Filter) -> SearchResult:
        found = await pool.ask(mode.name, k, within)
        matching, held_back = await pool.matching(mode.name, within, found)
        found_rows = [
            Scored(
                hit.chunk_id,
                hit.score,
                dense=hit.score if mode.name == "dense" else None,
                lexical=hit.score if mode.name == "lexical" else None,
            )
            for hit in found.hits
        ]
        return await self._result(Groups([pool], [], []), mode, within, found_rows, matching, held_back)

    async def _ranked(self, groups: Groups, mode: Mode, k: int, within: Filter) -> SearchResult:
        pools = groups.pools
        kind = mode.name.partition("+")[0]
        stratified = kind == "timeline"
        # A timeline's scores are those of the whole corpus, whatever the filter, and so are the
        # scales by which several wordings are joined.
        everywhere = stratified or len(pools) > 1
        shown = [self.catalogue.ids[at] for at in self.catalogue.places(within.exclude).tolist()]
        size = max(POOL, mode.pool, 2 * (k + len(shown)))
        # Excluded chunks keep their place in the ranking, so they are candidates as well.
        everyone = replace(within, exclude=frozenset())
        for pool in pools:
            await pool.add_best(size, everyone)
            if everywhere and everyone != ANY:
                await pool.add_best(size, ANY)
            if shown and pool.cut_at(size) is not None:
                # What was shown may be all that the engine gives, so the next ones are asked for as well.
                await pool.add_best(size, within)
            await pool.add(shown)
            await pool.ask_documents()
            if kind == "near":
                await pool.add(self.catalogue.neighbours(pool.chunks))
        rows, own, ranking = await self._ranker.rank(groups, mode, within, everywhere)
        if ranking.periods is not None:
            periods = ranking.periods.strata.periods
            each = max(_PER_PERIOD, -(-2 * k // max(1, len(periods))))
            for pool in pools:
                await pool.add_of_periods(each, within, periods)
            rows, own, ranking = await self._ranker.rank(groups, mode, within, everywhere)
        ranked = 0 if stratified else await rankable(pools, within)
        ranking = await self._lent(mode, ranking, rows, ranked)
        texts = await self._texts(mode, ranking, rows)
        ranking = await rerank(mode, groups.own[0].query, ranking, texts, rows.signals.shown)
        eligible = ranking.eligible & ~rows.signals.shown
        places = best(ranking.scores, eligible, k)
        held_back = int((ranking.eligible & rows.signals.shown).sum())
        matching = int(eligible.sum()) if stratified else ranked - held_back
        found = [
            scored(self.catalogue.ids[int(rows.places[place])], int(place), ranking, own, mode) for place in places
        ]
        told = coverage_of(self.catalogue, rows, ranking, places)
        cut = next((most for pool in pools if (most := pool.cut_at(size)) is not None), None)
        note = None
        if cut is not None and len(found) < min(k, matching):
            note = (
                f"{len(found):,} of the {min(k, matching):,} passages asked for, since the engine "
                f"{self.engine.name} gives no more than {cut:,} by each signal; ask for fewer and page on"
            )
        return await self._result(groups, mode, within, found, matching, held_back, told, note)

    async def _lent(self, mode: Mode, ranking: Ranking, rows: Universe, ranked: int) -> Ranking:
        """Let the first rows lend each other their scores, by the vectors that the corpus keeps of them."""
        pool = candidates(mode, ranking, ranked)
        ids = [self.catalogue.ids[rows.places[at]] for at in pool.tolist()]
        found = await self._rows.vectors(ids) if len(ids) > 1 else {}
        vectors = np.full((len(pool), self.embedder.identity.dims), np.nan, dtype=np.float32)
        for at, chunk in enumerate(ids):
            if chunk in found:
                vectors[at] = found[chunk]
        return lent(ranking, pool, vectors)

    async def _texts(self, mode: Mode, ranking: Ranking, rows: Universe) -> Sequence[ChunkRow]:
        """Return what a reranker reads, by row of the universe; nothing without one."""
        if mode.reranker is None:
            return ()
        pool = best(ranking.scores, ranking.eligible, mode.pool).tolist()
        ids = [self.catalogue.ids[rows.places[at]] for at in pool]
        found = await self._rows.rows(ids)
        texts: list[ChunkRow] = [found[ids[0]]] * len(rows.signals.dense) if ids else []
        for at, chunk in zip(pool, ids, strict=True):
            texts[at] = found[chunk]
        return texts

    async def _result(
        self,
        groups: Groups,
        mode: Mode,
        within: Filter,
        found: Sequence[Scored],
        matching: int,
        held_back: int,
        told: Coverage | None = None,
        note: str | None = None,
    ) -> SearchResult:
        rows = await self._rows.rows([one.chunk_id for one in found])
        terms: dict[str, int] = {}
        for pool in (*groups.own, *groups.reworded):
            terms.update(await self._words.terms(pool.query))
        asked = [pool.query for pool in groups.own]
        reasons = (self._note, *(pool.fallback for pool in groups.pools), note)
        return SearchResult(
            query=asked[0],
            mode=mode.name,
            hits=tuple(one.hit(rows[one.chunk_id]) for one in found),
            matching=matching,
            held_back=held_back,
            chunks_in_corpus=len(self.catalogue),
            terms=terms,
            undated_left_out=int(self.catalogue.undated_left_out(within).sum()),
            coverage=told,
            engine=self.engine.name,
            fallback="; ".join(dict.fromkeys(why for why in reasons if why)) or None,
            warnings=unread_warnings(self.embedder.identity.name, asked) if "dense" in mode.needs else (),
        )

    async def _embedded(self, query: str) -> Vector | None:
        """Return the query's vector, None when the embedder has nothing for it."""
        known = await self._queries.of(query)
        return known if np.isfinite(known).all() else None
