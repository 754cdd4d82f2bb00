"""Exact bounds on shares of questions, each question one independent trial."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answertrail.metrics.clusters import Observation
from answertrail.metrics.proportions import clopper_pearson, rule_of_three
from answertrail.metrics.values import Interval, Json, Undefined

ENOUGH = 30
"""Questions from which the rule of three says something."""


@dataclass(frozen=True, slots=True)
class Share:
    """`events` among all questions, with Clopper and Pearson's interval."""

    events: int
    interval: Interval

    def as_json(self) -> Json:
        """Return count and bounds."""
        return {"events": self.events, "interval": self.interval.as_json()}


@dataclass(frozen=True, slots=True)
class ExactBounds:
    """How many questions had the event in any of their runs, and how many in every one.

    Neither bounds the rate over runs unless each question has one run. `never` is the one-sided
    rule of three on questions with any such run, given when no run had the event and there are 30
    questions; below that it is an approximation far above the exact bound beside it.
    """

    questions: int
    any_run: Share
    every_run: Share
    never: Interval | None

    def as_json(self) -> Json:
        """Return counts and bounds."""
        out: Json = {
            "questions": self.questions,
            "any_run": self.any_run.as_json(),
            "every_run": self.every_run.as_json(),
        }
        if self.never is not None:
            out["never_seen"] = self.never.as_json()
        return out


def exact_bounds(observations: Iterable[Observation], *, level: float = 0.95) -> ExactBounds | Undefined:
    """Bound the shares of questions with an event in any run, and in every run; Undefined without a question.

    Repeats of a question are not independent, so a question is one trial. With one run a question
    both shares are the rate itself; with more the rate lies between the two.
    """
    seen: dict[str, list[bool]] = {}
    for row in observations:
        if row.denominator:
            seen.setdefault(row.question_id, []).append(row.numerator > 0)
    some, every = (_share([decide(flags) for flags in seen.values()], level) for decide in (any, all))
    if isinstance(some, Undefined) or isinstance(every, Undefined):
        return Undefined("no question to count")
    never = rule_of_three(len(seen), level) if some.events == 0 and len(seen) >= ENOUGH else None
    return ExactBounds(len(seen), some, every, never if isinstance(never, Interval) else None)


def _share(flags: list[bool], level: float) -> Share | Undefined:
    interval = clopper_pearson(sum(flags), len(flags), level)
    return interval if isinstance(interval, Undefined) else Share(sum(flags), interval)
