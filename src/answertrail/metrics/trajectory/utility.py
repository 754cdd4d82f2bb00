"""Passage utility: what each retrieved passage was worth to the answer, by a judge. Opt-in; no judge ships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Protocol

from answertrail.metrics.values import Json, Undefined, finite


@dataclass(frozen=True, slots=True)
class Utility:
    """A judge's word on one passage: its worth from 0 (none) to 1, why, and what asking cost.

    `value` is Undefined where the judge gave no usable verdict; it is never 0 then. `cost_usd` None
    is unknown, not free. Raises ValueError for a value outside [0, 1] or a negative cost.
    """

    value: float | Undefined
    reason: str
    cost_usd: float | None

    def __post_init__(self) -> None:
        if not isinstance(self.value, Undefined) and not 0 <= finite(self.value, "utility") <= 1:
            raise ValueError(f"utility {self.value} is not between 0 and 1")
        if self.cost_usd is not None and finite(self.cost_usd, "cost") < 0:
            raise ValueError(f"cost {self.cost_usd} is negative")

    def as_json(self) -> Json:
        """Return value, reason and cost."""
        value = self.value.as_json() if isinstance(self.value, Undefined) else self.value
        return {"value": value, "reason": self.reason, "cost_usd": self.cost_usd}


class UtilityJudge(Protocol):
    """Says how much a passage bears on the question and contributed to the answer."""

    @property
    def name(self) -> str:
        """The judge's identity; it is part of what a utility means."""
        ...

    async def utility(self, passage: str, question: str, answer: str) -> Utility:
        """Judge one passage. What fails is an Undefined value with the reason, not an exception."""
        ...


@dataclass(frozen=True, slots=True)
class PassageUtility:
    """The utilities of one run's passages by chunk id, in the order retrieved."""

    run_id: str
    judge: str
    passages: tuple[tuple[str, Utility], ...]

    @property
    def mean(self) -> float | Undefined:
        """The mean over passages with a verdict."""
        known = [row.value for _, row in self.passages if not isinstance(row.value, Undefined)]
        return fsum(known) / len(known) if known else Undefined("no passage has a verdict")

    @property
    def cost_usd(self) -> float | None:
        """What it cost; None as soon as one price is unknown."""
        return total_cost([row for _, row in self.passages])

    def as_json(self) -> Json:
        """Return judge, mean, cost and each passage."""
        mean = self.mean
        return {
            "run_id": self.run_id,
            "judge": self.judge,
            "mean": mean.as_json() if isinstance(mean, Undefined) else mean,
            "cost_usd": self.cost_usd,
            "passages": [{"chunk_id": name, **row.as_json()} for name, row in self.passages],
        }


def total_cost(rows: Sequence[Utility]) -> float | None:
    """Return the sum of the costs; None as soon as one is unknown."""
    known = [row.cost_usd for row in rows if row.cost_usd is not None]
    return fsum(known) if len(known) == len(rows) else None
