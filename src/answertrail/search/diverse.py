"""The mode `diverse`: relevant chunks, spread over documents and periods.

Greedy xQuAD (Santos, Macdonald and Ounis 2010) over two kinds of aspect, a chunk's document and
its period, with the discount of alpha-nDCG (Clarke and others 2008): each chunk already chosen of
a document or period multiplies what a further one of it is worth by 1 - alpha.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from answertrail.errors import InputError
from answertrail.search.fusion import Fused, best
from answertrail.search.periods import Grain, strata
from answertrail.search.ranking import BOTH, Mode, Ranking, Signals, fused


@dataclass(frozen=True, slots=True)
class DiverseSettings:
    """`alpha` from 0 (as `fused`) to below 1; `pool` is how many of the fused ranking are put in a new order.

    `by` cuts time as in `timeline`; None chooses.
    """

    alpha: float = 0.5
    pool: int = 200
    by: Grain | None = None

    def __post_init__(self) -> None:
        """Raise InputError for an alpha outside [0, 1) or a pool below 1."""
        if not 0 <= self.alpha < 1:
            raise InputError(f"alpha must be at least 0 and below 1, not {self.alpha}")
        if self.pool < 1:
            raise InputError(f"the pool must hold at least 1 passage, not {self.pool}")


def diverse_mode(settings: DiverseSettings = DiverseSettings()) -> Mode:
    """Return the mode with these settings."""
    return Mode("diverse", BOTH, lambda signals: rank(signals, settings))


def rank(signals: Signals, settings: DiverseSettings) -> Ranking:
    """Order the pool by what each chunk adds; the rest follows as `fused` has it.

    A chunk of relevance r (its fused score, 0 for the lowest of the pool and 1 for the highest)
    adds r times the mean of (1 - alpha)^d and (1 - alpha)^p, d and p counting the chunks of its
    document and of its period chosen before it. What was excluded counts as chosen first. Ties go
    to the lower chunk id. The undated are a period of their own.
    """
    relevance = fused(signals, signals.allowed)
    eligible = signals.rankable
    pool = np.sort(best(relevance, eligible, settings.pool))
    scores = relevance.copy()
    if not len(pool):
        return Ranking(scores, eligible, relevance)
    # Below all of the pool, whose scores are 0 to 1.
    scores -= float(relevance[eligible].max()) + 1.0
    periods = strata(signals.facts, signals.allowed, settings.by).codes
    aspects = (signals.facts.documents, periods)
    seen = np.flatnonzero(eligible & signals.shown)
    # Counted, not multiplied up: the same chunks give the same bits in whatever order they came.
    counts = [np.bincount(codes[seen], minlength=int(codes.max()) + 1) for codes in aspects]
    scores[pool] = _gains(
        _between(relevance[pool]), [codes[pool] for codes in aspects], counts, signals.shown[pool], settings.alpha
    )
    return Ranking(scores, eligible, relevance)


def _between(values: Fused) -> Fused:
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.ones_like(values)


def _gains(
    relevance: Fused,
    aspects: list[npt.NDArray[np.intp]],
    counts: list[npt.NDArray[np.intp]],
    shown: npt.NDArray[np.bool_],
    alpha: float,
) -> Fused:
    """Return what each row of the pool added when it was chosen; 0 for the shown, which are not chosen again.

    What a row would add only falls as others are chosen, so the values fall in order of choice.
    """
    out = np.zeros(len(relevance), dtype=np.float64)
    left = ~shown
    worth = [(1.0 - alpha) ** count[codes] for codes, count in zip(aspects, counts, strict=True)]
    for _ in range(int(left.sum())):
        gain = np.where(left, relevance * (worth[0] + worth[1]) / 2, -1.0)
        place = int(np.argmax(gain))
        out[place] = gain[place]
        left[place] = False
        for at, (codes, count) in enumerate(zip(aspects, counts, strict=True)):
            count[codes[place]] += 1
            same = codes == codes[place]
            worth[at][same] = (1.0 - alpha) ** count[codes[place]]
    return out
