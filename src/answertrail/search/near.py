"""The mode `near`: a passage counts for more where its neighbours answer as well.

What a window of speech is about is often said just before or after it. So a part of the fused
scores of the chunk before and the chunk after is added to its own, as sentence retrieval does
with the surrounding sentences (Fernandez, Losada and Azzopardi 2011).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from answertrail.errors import InputError
from answertrail.search.ranking import BOTH, Mode, Ranking, Signals, fused


@dataclass(frozen=True, slots=True)
class NearSettings:
    """`weight` is the part of each neighbour's score that is added, 0 (as `fused`) to 1."""

    weight: float = 0.2

    def __post_init__(self) -> None:
        """Raise InputError for a weight outside [0, 1]."""
        if not 0 <= self.weight <= 1:
            raise InputError(f"the weight must be from 0 to 1, not {self.weight}")


def near_mode(settings: NearSettings = NearSettings()) -> Mode:
    """Return the mode with these settings."""
    return Mode("near", BOTH, lambda signals: rank(signals, settings))


def rank(signals: Signals, settings: NearSettings) -> Ranking:
    """Rank by fused score + weight x (that of the chunk before + that of the chunk after).

    Neighbours are those of the document, also across missing windows; a missing one adds 0, the
    mean of the corpus. Excluded chunks count as neighbours. Ties go to the lower chunk id.
    """
    alone = fused(signals, signals.allowed)
    # One more place for rows without a neighbour, which are marked -1.
    padded = np.append(alone, 0.0)
    scores = alone + settings.weight * (padded[signals.facts.before] + padded[signals.facts.after])
    return Ranking(scores, signals.rankable, alone)
