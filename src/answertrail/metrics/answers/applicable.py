"""Where a rate of an answer's parts does not apply, and how a run's share of it is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from answertrail.metrics.answers.asked import AskedRun
from answertrail.metrics.answers.rates import Counted
from answertrail.metrics.measured import Ineligible
from answertrail.metrics.values import Json


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A completed run that a rate cannot be taken of, and why. It is never 1.0 and never 0."""

    measure: str
    question_id: str
    run_id: str
    reason: str

    def as_json(self) -> Json:
        """Return plain values."""
        return {
            "measure": self.measure,
            "question_id": self.question_id,
            "run_id": self.run_id,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Parts:
    """The counted runs of a rate, and those it does not apply to."""

    rows: tuple[Counted, ...]
    not_applicable: tuple[NotApplicable, ...]

    def ineligible(self) -> list[Ineligible]:
        """List the questions none of whose runs is counted, with the commonest reason."""
        counted = {row.question_id for row in self.rows}
        reasons: dict[str, Counter[str]] = {}
        for item in self.not_applicable:
            if item.question_id not in counted:
                reasons.setdefault(item.question_id, Counter())[item.reason] += 1
        return [Ineligible(name, min(found, key=lambda r: (-found[r], r))) for name, found in sorted(reasons.items())]


def parts(measure: str, found: Sequence[tuple[AskedRun, Counted | str]]) -> Parts:
    """Part the runs that are counted from those that come with a reason instead."""
    rows = tuple(item for _, item in found if isinstance(item, Counted))
    absent = tuple(
        NotApplicable(measure, row.question.question_id, row.run_id, item)
        for row, item in found
        if isinstance(item, str)
    )
    return Parts(rows, absent)
