"""What is said of the chunks that a ranked universe returns: their scores, and the periods they lie in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from answertrail.search.coverage import Coverage
from answertrail.search.engines.catalogue import Catalogue, Places
from answertrail.search.engines.universe import Universe
from answertrail.search.hits import ChunkRow, Hit, hit_of
from answertrail.search.ranking import Mode, Ranking, Signals
from answertrail.search.timeline import coverage


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk to be returned, with what a `Hit` says of its scores."""

    chunk_id: str
    score: float
    dense: float | None = None
    lexical: float | None = None
    relevance: float | None = None

    def hit(self, row: ChunkRow) -> Hit:
        """Return the hit, given the chunk's text."""
        return hit_of(row, self.score, dense=self.dense, lexical=self.lexical, relevance=self.relevance)


def scored(chunk_id: str, place: int, ranking: Ranking, own: Signals, mode: Mode) -> Scored:
    """Return what is said of a row; cosine and BM25 are those of the query, whatever was searched as one with it."""
    dense = float(own.dense[place])
    relevance = np.nan if ranking.relevance is None else float(ranking.relevance[place])
    return Scored(
        chunk_id,
        float(ranking.scores[place]),
        None if np.isnan(dense) else dense,
        float(own.lexical[place]) if "lexical" in mode.needs else None,
        None if np.isnan(relevance) else float(relevance),
    )


def coverage_of(catalogue: Catalogue, rows: Universe, ranking: Ranking, places: Places) -> Coverage | None:
    """Return what is told of each period, with the chunks of the corpus and not those of the universe."""
    if ranking.periods is None:
        return None
    kept = replace(ranking.periods, above=ranking.periods.above & rows.returnable)
    told = coverage(rows.signals, replace(ranking, periods=kept), places)
    assert told is not None
    codes, numbers = ranking.periods.strata.codes, rows.signals.facts.documents
    period_of = np.full(len(catalogue.documents), -1, dtype=np.intp)
    period_of[numbers[codes >= 0]] = codes[codes >= 0]
    inside = period_of >= 0
    chunks = np.bincount(period_of[inside], catalogue.chunks_of[inside], minlength=len(told.periods))
    return replace(
        told, periods=tuple(replace(period, chunks=int(chunks[at])) for at, period in enumerate(told.periods))
    )
