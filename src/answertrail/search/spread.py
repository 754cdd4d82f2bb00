"""The mode `spread`: the fused ranking, spread over documents and within them.

A question about change is answered in many documents, and a passage's neighbours say much the same.
So each passage chosen of a document takes a part from what a further one of it is worth, and none
is given beside one that was chosen or shown. It is a gentler `diverse`, that knows no periods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from answertrail.errors import InputError
from answertrail.search.fusion import Fused, best
from answertrail.search.ranking import BOTH, Facts, Mask, Mode, Ranking, Signals, fused


@dataclass(frozen=True, slots=True)
class SpreadSettings:
    """`keep` is what is left of a passage's score for each of its document before it, above 0 to 1.

    `pool` is how many of the fused ranking are put in a new order.
    """

    keep: float = 0.8
    pool: int = 400

    def __post_init__(self) -> None:
        """Raise InputError for a `keep` outside (0, 1] or a pool below 1."""
        if not 0 < self.keep <= 1:
            raise InputError(f"what is kept must be above 0 and at most 1, not {self.keep}")
        if self.pool < 1:
            raise InputError(f"the pool must hold at least 1 passage, not {self.pool}")


def spread_mode(settings: SpreadSettings = SpreadSettings()) -> Mode:
    """Return the mode with these settings."""
    return Mode("spread", BOTH, lambda signals: rank(signals, settings))


def rank(signals: Signals, settings: SpreadSettings) -> Ranking:
    """Order the pool by score x keep^d, d counting the passages of its document chosen before it.

    A score below the mean of the corpus is left as it is: less of it would be more. A passage beside
    a chosen one waits until the pool is used up; then it, and what lies beyond the pool, follows as
    `fused` has it. What was excluded counts as chosen first. Ties go to the lower chunk id.
    """
    relevance = fused(signals, signals.allowed)
    eligible = signals.rankable
    pool = np.sort(best(relevance, eligible, settings.pool))
    if not len(pool):
        return Ranking(relevance.copy(), eligible, relevance)
    seen = np.flatnonzero(eligible & signals.shown)
    worth, chosen = _choose(relevance, pool, seen, signals.facts, settings.keep)
    # Below all that was chosen.
    scores = relevance - (float(relevance[eligible].max()) - min(0.0, float(relevance[pool].min())) + 1.0)
    scores[pool[chosen]] = worth[chosen]
    return Ranking(scores, eligible, relevance)


def _choose(
    relevance: Fused, pool: npt.NDArray[np.intp], seen: npt.NDArray[np.intp], facts: Facts, keep: float
) -> tuple[Fused, Mask]:
    """Return what each row of the pool was worth when it was chosen, and which were."""
    values, documents = relevance[pool], facts.documents[pool]
    place_of = np.full(len(relevance), -1, dtype=np.intp)
    place_of[pool] = np.arange(len(pool))
    left = np.ones(len(pool), dtype=np.bool_)
    # Counted, not multiplied up: the same passages give the same bits in whatever order they came.
    counts = np.bincount(facts.documents[seen], minlength=int(facts.documents.max()) + 1)
    left[place_of[seen][place_of[seen] >= 0]] = False
    for row in seen.tolist():
        _close(left, place_of, facts, row)
    worth, chosen = np.zeros(len(pool), dtype=np.float64), np.zeros(len(pool), dtype=np.bool_)
    now = np.where(values > 0, values * keep ** counts[documents], values)
    while left.any():
        place = int(np.argmax(np.where(left, now, -np.inf)))
        worth[place], chosen[place], left[place] = now[place], True, False
        counts[documents[place]] += 1
        same = documents == documents[place]
        now[same] = np.where(values[same] > 0, values[same] * keep ** counts[documents[place]], values[same])
        _close(left, place_of, facts, int(pool[place]))
    return worth, chosen


def _close(left: Mask, place_of: npt.NDArray[np.intp], facts: Facts, row: int) -> None:
    """Leave out the rows beside a row."""
    for beside in (facts.before[row], facts.after[row]):
        if beside >= 0 and place_of[beside] >= 0:
            left[place_of[beside]] = False
