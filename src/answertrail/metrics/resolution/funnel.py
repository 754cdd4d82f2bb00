"""Where answerable questions are lost on the way from the candidate pool to the resolved node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals, Measured, measure
from answertrail.metrics.resolution.cases import Case, Status
from answertrail.metrics.resolution.measures import NO_Q, WILSON
from answertrail.metrics.values import Json, Undefined

TITLES: Mapping[str, str] = {
    "pool": "in the candidate pool",
    "list": "in the list shown",
    "top_three": "in the top three",
    "first": "ranked first",
    "resolved": "resolved to it",
}
_PASSES: Mapping[str, Callable[[Case], bool]] = {
    "pool": lambda case: case.in_pool is True,
    "list": lambda case: 1 <= case.rank <= 5,
    "top_three": lambda case: 1 <= case.rank <= 3,
    "first": lambda case: case.rank == 1,
    "resolved": lambda case: case.status == "resolved" and case.correct,
}


@dataclass(frozen=True, slots=True)
class Lost:
    """An answerable question and the first step its gold node did not pass."""

    question_id: str
    step: str
    status: Status
    rank: int

    def as_json(self) -> Json:
        """Return the four fields."""
        return {"question_id": self.question_id, "step": self.step, "status": self.status, "rank": self.rank}


@dataclass(frozen=True, slots=True)
class Funnel:
    """The share of answerable questions that pass each step, and the step each of the others was lost at."""

    steps: Mapping[str, Measured | Undefined]
    lost: tuple[Lost, ...]

    def lost_at(self, step: str) -> tuple[str, ...]:
        """Return the ids of the questions lost at a step."""
        return tuple(row.question_id for row in self.lost if row.step == step)

    def as_json(self) -> Json:
        """Return `{"steps": [{step, title, value..., lost}], "lost": [...]}`."""
        steps = [
            {"step": name, "title": TITLES[name], **value.as_json(), "lost": len(self.lost_at(name))}
            for name, value in self.steps.items()
        ]
        return {"steps": steps, "lost": [row.as_json() for row in self.lost]}


def funnel(cases: Sequence[Case], intervals: Intervals = WILSON) -> Funnel:
    """Return the five steps over the answerable questions: pool, list, top three, first, resolved.

    Each is gold nodes that pass / Q. The first is undefined unless every resolution recorded its
    pool; what it would have lost then counts as lost at the list. A question without a resolution
    is lost at the first step that is defined.

    Every step is undefined, naming the questions, when one passes a step but not the step before.
    """
    answerable = [case for case in cases if case.answerable]
    unrecorded = sum(case.in_pool is None for case in answerable if case.status != "missing")
    names = list(_PASSES)[1 if unrecorded else 0 :]
    lost: list[Lost] = []
    faults: list[str] = []
    for case in answerable:
        passed = [_PASSES[name](case) for name in names]
        if passed != sorted(passed, reverse=True):
            first = names[passed.index(False)]
            later = names[passed.index(True, passed.index(False))]
            faults.append(f"{case.question_id}: {TITLES[later]}, but not {TITLES[first]}")
        elif not all(passed):
            lost.append(Lost(case.question_id, names[passed.index(False)], case.status, case.rank))
    if faults:
        # Such as a rule that resolves to a node it did not rank first: the measures stand, a funnel would lie.
        return Funnel(dict.fromkeys(_PASSES, Undefined(f"the steps do not nest: {'; '.join(faults)}")), ())
    steps: dict[str, Measured | Undefined] = {}
    if unrecorded:
        steps["pool"] = Undefined(f"the pool was not recorded for {unrecorded} of {len(answerable)} questions")
    for name in names:
        rows = [Observation(case.question_id, int(_PASSES[name](case)), 1) for case in answerable]
        steps[name] = measure(name, rows, statistic="totals", if_empty=NO_Q, intervals=intervals)
    return Funnel(steps, tuple(lost))
