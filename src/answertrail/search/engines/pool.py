"""The candidates of one search: what the engines were asked, and what they said of which chunks."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from answertrail.search.engines.base import DenseEngine, EngineHits, HoldsDocuments, LexicalEngine, Vector
from answertrail.search.engines.catalogue import Catalogue, Places
from answertrail.search.engines.universe import Candidates
from answertrail.search.fusion import idf, lexical_weight
from answertrail.search.hits import Filter
from answertrail.search.periods import UNDATED, Period
from answertrail.search.ranking import Mode

_AT_ONCE = 4


class Pool:
    """Cosines and BM25 scores by chunk id, growing as the engines are asked.

    `vector` is None for a query the embedder has nothing for. `documents` are the votes of whole
    documents where `words` does not keep them. `fallbacks` are the reasons the
    engines gave for answering by another way than their own.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        engine: DenseEngine,
        words: LexicalEngine,
        mode: Mode,
        query: str,
        vector: Vector | None,
        documents: HoldsDocuments | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._engine = engine
        self._words = words
        self._mode = mode
        self.query = query
        self.vector = vector
        self.dense: dict[str, float] = {}
        self.lexical: dict[str, float] = {}
        self.weight = 0.0
        self._of_documents = documents or (words if isinstance(words, HoldsDocuments) else None)
        self._documents: Mapping[str, float] | None = None
        self._asked_documents = False
        self._fallbacks: set[str] = set()

    @property
    def fallback(self) -> str | None:
        """The reasons in one text, each once."""
        return "; ".join(sorted(self._fallbacks)) or None

    @property
    def chunks(self) -> set[str]:
        """All chunks found so far."""
        return self.dense.keys() | self.lexical.keys()

    def candidates(self, chunks: Collection[str]) -> Candidates:
        """Return what is known of these chunks."""
        return Candidates.of(self._catalogue, chunks, self.dense, self.lexical, self.weight, self._documents)

    async def ask(self, signal: str, k: int, within: Filter) -> EngineHits:
        """Ask for the best by one signal."""
        if signal == "dense":
            # Asked for no more than there are, an engine has no reason to look for the rest.
            counted, _ = self._by_vector(within)
            if self.vector is None or not counted:
                return EngineHits((), 0)
            found = await self._engine.dense(self.vector, min(k, counted), within)
        else:
            found = await self._words.lexical(self.query, k, within)
            self.weight = await self._weight() if found.weight is None else found.weight
        if found.fallback:
            self._fallbacks.add(found.fallback)
        return found

    async def _weight(self) -> float:
        """Return what a point of BM25 is worth by how many chunks hold each term."""
        rows = len(self._catalogue)
        held = (await self._words.terms(self.query)).values()
        return lexical_weight((idf(rows, n), n / max(rows, 1)) for n in held)

    async def ask_documents(self) -> None:
        """Ask for the votes of whole documents, once, where somebody keeps them and the mode fuses."""
        if not self._asked_documents and len(self._mode.needs) > 1 and self._of_documents is not None:
            self._documents = await self._of_documents.document_votes(self.query)
        self._asked_documents = True

    async def add_best(self, size: int, within: Filter) -> None:
        """Add the best by each signal the mode needs, with both scores of each."""
        new: set[str] = set()
        for signal in sorted(self._mode.needs):
            most = self._most(signal)
            found = await self.ask(signal, size if most is None else min(size, most), within)
            into = self.dense if signal == "dense" else self.lexical
            into.update((hit.chunk_id, hit.score) for hit in found.hits)
            new.update(hit.chunk_id for hit in found.hits)
        await self.add(new)

    def _most(self, signal: str) -> int | None:
        return (self._engine if signal == "dense" else self._words).capabilities.most

    def cut_at(self, size: int) -> int | None:
        """Return the most an engine answers where that is less than `size`, None where all answer as many."""
        known = [most for signal in self._mode.needs if (most := self._most(signal)) is not None]
        return min(known) if known and min(known) < size else None

    async def add(self, ids: Collection[str]) -> None:
        """Add these chunks with their scores."""
        if self.vector is not None and (lacking := [chunk for chunk in ids if chunk not in self.dense]):
            self.dense.update(await self._engine.cosines(self.vector, lacking))
        if self.by_words and (lacking := [chunk for chunk in ids if chunk not in self.lexical]):
            self.lexical.update(await self._words.bm25(self.query, lacking))

    async def add_of_periods(self, size: int, within: Filter, periods: Iterable[Period]) -> None:
        """Add the best of each period."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(cut: Filter) -> None:
            async with gate:
                await self.add_best(size, cut)

        cuts = [self._cut(within, period) for period in periods]
        await asyncio.gather(*(one(cut) for cut in cuts if cut is not None))

    def _cut(self, within: Filter, period: Period) -> Filter | None:
        """Return the filter cut to a period; None where it lets no chunk through."""
        if period.start is None or period.end is None or period.label == UNDATED:
            allowed = self._catalogue.allowed_documents(within) & np.isnan(self._catalogue.published)
            names = frozenset(self._catalogue.documents[at] for at in np.flatnonzero(allowed).tolist())
            return replace(within, documents=names) if names else None
        start = period.start if within.start is None else max(within.start, period.start)
        end = period.end if within.end is None else min(within.end, period.end)
        cut = replace(within, start=start, end=end)
        return cut if self._catalogue.allowed_documents(cut).any() else None

    @property
    def by_vector(self) -> bool:
        """Whether the mode looks at vectors."""
        return "dense" in self._mode.needs

    @property
    def by_words(self) -> bool:
        """Whether the mode looks at words."""
        return "lexical" in self._mode.needs

    def with_vector(self, within: Filter) -> int:
        """Count the chunks within the filter that have a vector, excluded ones among them."""
        return int(self._catalogue.vectors_of[self._catalogue.allowed_documents(within)].sum())

    def _by_vector(self, within: Filter) -> tuple[int, int]:
        """Count the chunks with a vector that match, and the excluded ones that would; none without a query vector."""
        if self.vector is None:
            return 0, 0
        held_back = int(self._catalogue.has_vector[self._excluded(within)].sum())
        return self.with_vector(within) - held_back, held_back

    def _excluded(self, within: Filter) -> Places:
        """Return the places of the excluded chunks that the filter would let through."""
        excluded = self._catalogue.places(within.exclude)
        return excluded[self._catalogue.allowed_documents(within)[self._catalogue.document_of[excluded]]]

    async def by_words_alone(self, within: Filter) -> set[str]:
        """Return the chunks within the filter that have no vector and match a term, excluded ones among them."""
        catalogue = self._catalogue
        without = np.flatnonzero(~catalogue.has_vector)
        without = without[catalogue.allowed_documents(within)[catalogue.document_of[without]]]
        ids = [catalogue.ids[at] for at in without.tolist()]
        return set(await self._words.bm25(self.query, ids)) if ids else set()

    async def matching(self, signal: str, within: Filter, found: EngineHits) -> tuple[int, int]:
        """Return how many chunks match in a search by one signal, and how many excluded ones would have."""
        if signal == "dense":
            return self._by_vector(within)
        ids = [self._catalogue.ids[at] for at in self._excluded(within).tolist()]
        held_back = len(await self._words.bm25(self.query, ids)) if ids else 0
        return len(found.hits) if found.matching is None else found.matching, held_back


async def rankable(pools: Sequence[Pool], within: Filter) -> int:
    """Count the chunks within the filter that the mode can rank by any wording, excluded ones among them.

    At least so many, where several wordings are searched by words alone or an engine cannot count.
    """
    one = pools[0]
    if one.by_vector and any(pool.vector is not None for pool in pools):
        alone = set().union(*[await pool.by_words_alone(within) for pool in pools]) if one.by_words else ()
        return one.with_vector(within) + len(alone)
    if not one.by_words:
        return 0
    counts = []
    for pool in pools:
        found = await pool.ask("lexical", 1, replace(within, exclude=frozenset()))
        counts.append(len(pool.lexical) if found.matching is None else found.matching)
    return max(counts)
