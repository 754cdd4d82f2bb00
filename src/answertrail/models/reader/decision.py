"""Whether there is enough to answer: a small logistic rule over the signals."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .calibration import BIAS, COEFFICIENTS, LEANING, THRESHOLD
from .signals import Signals


@dataclass(frozen=True)
class Verdict:
    """`support` is the rule's estimate that the corpus answers the question, 0 to 1."""

    support: float
    answer: bool


def judge(signals: Signals, trajectory: bool) -> Verdict:
    """Answer when the support reaches the threshold (for trajectories a lower one)."""
    total = BIAS + sum(c * v for c, v in zip(COEFFICIENTS, signals.values(), strict=True))
    support = 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))
    return Verdict(support, support >= (LEANING if trajectory else THRESHOLD))
