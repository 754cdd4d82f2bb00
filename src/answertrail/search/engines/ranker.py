"""Ranking the candidates of a search: a universe for each wording, joined, in the order of a mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from answertrail.search.engines.base import DenseEngine
from answertrail.search.engines.catalogue import Catalogue, Places
from answertrail.search.engines.pool import Pool
from answertrail.search.engines.universe import SAMPLE, Universe, universe
from answertrail.search.hits import Filter
from answertrail.search.ranking import Mode, Ranking, Signals
from answertrail.search.wordings import blended, combined


class Groups(NamedTuple):
    """The candidates of one search: of the query and its translations, of its rewordings, of passages found."""

    own: Sequence[Pool]
    reworded: Sequence[Pool]
    like: Sequence[Pool]

    @property
    def pools(self) -> list[Pool]:
        """All of them."""
        return [*self.own, *self.reworded, *self.like]


class Ranker:
    """Ranks over the vectors of one engine, a sample of which it draws once."""

    def __init__(self, catalogue: Catalogue, engine: DenseEngine) -> None:
        self._catalogue = catalogue
        self._engine = engine
        self._sample: tuple[Places, npt.NDArray[np.float32]] | None = None

    async def rank(
        self, groups: Groups, mode: Mode, within: Filter, everywhere: bool
    ) -> tuple[Universe, Signals, Ranking]:
        """Return the universe with the signals of all wordings, the signals of the query alone, and the ranking."""
        places, vectors = await self._drawn()
        chunks = set().union(*(pool.chunks for pool in groups.pools))
        if len(mode.needs) > 1:
            chunks.update(self._catalogue.rest_of_short(chunks))
        universes: dict[str, Universe] = {}
        for pool in groups.pools:
            await pool.add(chunks)
            unknown = np.full(len(places), np.nan, dtype=np.float32)
            cosines = unknown if pool.vector is None else vectors @ pool.vector
            found = pool.candidates(chunks)
            universes[pool.query] = universe(self._catalogue, found, (places, cosines), within, everywhere=everywhere)
        own, reworded, like = ([universes[pool.query].signals for pool in group] for group in groups)
        alone = combined(own)
        rows = replace(universes[groups.own[0].query], signals=blended(alone, reworded, like))
        ranking = mode.rank(rows.signals)
        return rows, alone, replace(ranking, eligible=ranking.eligible & rows.returnable)

    async def _drawn(self) -> tuple[Places, npt.NDArray[np.float32]]:
        if self._sample is None:
            ids, vectors = await self._engine.sample(SAMPLE)
            places = [self._catalogue.place(chunk) for chunk in ids]
            known = [at for at, place in enumerate(places) if place is not None]
            self._sample = (np.array([places[at] for at in known], dtype=np.intp), vectors[known])
        return self._sample
