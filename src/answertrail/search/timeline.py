"""The mode `timeline`: the best of every period in turn, so that no period crowds out another.

Every chunk has an exact fused score, so each period is searched exactly. Scores are those of the
whole corpus, whatever the filter: a floor means the same in a narrow window as in a wide one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from answertrail.errors import InputError
from answertrail.search.coverage import Coverage, PeriodCoverage
from answertrail.search.fusion import Fused
from answertrail.search.periods import GRAINS, UNDATED, Grain, strata
from answertrail.search.ranking import BOTH, Mask, Mode, Periods, Ranking, Signals, fused

FLOOR = 3.0
"""In standard deviations above the mean of the corpus, as `fused` scores are."""
OF_THE_BEST = 0.5
"""The default floor is never above this part of the best score: in a small corpus none reaches three deviations."""


@dataclass(frozen=True, slots=True)
class TimelineSettings:
    """How time is cut and what a period may give.

    `by` None chooses month, quarter or year (see `periods.grain_for`). `per_period` is the most
    chunks of one period in one result, None for as many as k needs. `floor` is the lowest fused
    score that counts as found; None is 3, or half the best score of the corpus where that is lower.
    """

    by: Grain | None = None
    per_period: int | None = None
    floor: float | None = None

    def __post_init__(self) -> None:
        """Raise InputError for an unknown grain, a `per_period` below 1, a floor that is no number."""
        if self.by is not None and self.by not in GRAINS:
            raise InputError(f"no period {self.by!r}", hint=f"known: {', '.join(GRAINS)}")
        if self.per_period is not None and self.per_period < 1:
            raise InputError(f"at least 1 passage per period, not {self.per_period}")
        if self.floor is not None and not np.isfinite(self.floor):
            raise InputError(f"the floor must be a number, not {self.floor}")


def timeline_mode(settings: TimelineSettings = TimelineSettings()) -> Mode:
    """Return the mode with these settings."""
    return Mode("timeline", BOTH, lambda signals: rank(signals, settings))


def rank(signals: Signals, settings: TimelineSettings) -> Ranking:
    """Rank in rounds: first the best of every period, then the second of every period, and so on.

    Within a round by fused score; ties of it by chunk id. Excluded chunks keep their place, so
    that the next page goes on where this one stopped; `per_period` counts the others alone.
    """
    # A passage is found or not by what it says itself: the rest of a short document would move it across the floor.
    relevance = fused(signals, np.ones_like(signals.allowed), short=False)
    known = ~np.isnan(signals.dense) | (signals.lexical > 0)
    floor = settings.floor
    if floor is None:
        floor = min(FLOOR, OF_THE_BEST * float(relevance[known].max())) if known.any() else FLOOR
    above = signals.rankable & (relevance >= floor)
    cut = strata(signals.facts, signals.allowed, settings.by)
    eligible = above
    if settings.per_period is not None:
        waiting = above & ~signals.shown
        eligible = above & (signals.shown | (_rounds(relevance, cut.codes, waiting) < settings.per_period))
    spread = float(np.ptp(relevance[above])) + 1.0 if above.any() else 1.0
    scores = relevance - spread * _rounds(relevance, cut.codes, above)
    return Ranking(scores, eligible, relevance, Periods(cut, floor, above))


def _rounds(scores: Fused, codes: npt.NDArray[np.intp], rows: Mask) -> npt.NDArray[np.intp]:
    """Return each chosen row's place within its period, 0 for the best; 0 for the other rows."""
    places = np.flatnonzero(rows)
    # Last key first: by period, then by score, then, as the rows are in that order, by chunk id.
    order = places[np.lexsort((places, -scores[places], codes[places]))]
    out = np.zeros(len(codes), dtype=np.intp)
    if len(order):
        period = codes[order]
        first = np.r_[True, period[1:] != period[:-1]]
        place = np.arange(len(order))
        out[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return out


def coverage(signals: Signals, ranking: Ranking, chosen: npt.NDArray[np.intp]) -> Coverage | None:
    """Say of every period what was searched and found; None for a ranking without periods."""
    if ranking.periods is None or ranking.relevance is None:
        return None
    told, facts = ranking.periods, signals.facts
    codes, periods = told.strata.codes, told.strata.periods
    inside = codes >= 0

    def count(rows: Mask) -> list[int]:
        counted: list[int] = np.bincount(codes[rows], minlength=len(periods)).tolist()
        return counted

    # All chunks of a document have its date, so it lies in one period.
    period_of = np.full(int(facts.documents.max(initial=-1)) + 1, -1, dtype=np.intp)
    period_of[facts.documents[inside]] = codes[inside]
    documents = np.bincount(period_of[period_of >= 0], minlength=len(periods)).tolist()
    best = np.full(len(periods), np.nan)
    rankable = signals.rankable
    np.fmax.at(best, codes[rankable], ranking.relevance[rankable])
    chunks, matching, held_back = count(inside), count(told.above), count(told.above & signals.shown)
    hits = np.bincount(codes[chosen], minlength=len(periods)).tolist()
    kept_out = bool(facts.undated_out.any())
    return Coverage(
        told.strata.grain,
        told.floor,
        tuple(
            PeriodCoverage(
                label=period.label,
                start=period.start,
                end=period.end,
                searched=period.label != UNDATED or not kept_out,
                documents=documents[at],
                chunks=chunks[at],
                matching=matching[at],
                held_back=held_back[at],
                hits=hits[at],
                best=None if np.isnan(best[at]) else float(best[at]),
            )
            for at, period in enumerate(periods)
        ),
    )
