"""Exact bounds of a rate, with questions as the independent trials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answertrail.metrics.clusters import Observation
from answertrail.metrics.proportions import clopper_pearson, rule_of_three
from answertrail.metrics.values import Interval, Json, Undefined


@dataclass(frozen=True, slots=True)
class ExactBound:
    """`events` among `questions`, Clopper and Pearson's interval, and which repeats make an event.

    `never` is the one-sided rule of three, given when no question had the event.
    """

    rule: str
    events: int
    questions: int
    interval: Interval
    never: Interval | None

    def as_json(self) -> Json:
        """Return rule, counts and bounds."""
        out: Json = {
            "rule": self.rule,
            "events": self.events,
            "questions": self.questions,
            "interval": self.interval.as_json(),
        }
        if self.never is not None:
            out["never_seen"] = self.never.as_json()
        return out


def exact_bound(
    observations: Iterable[Observation], *, event: str, every: bool = False, level: float = 0.95
) -> ExactBound | Undefined:
    """Bound the share of questions with an event, each question one trial.

    Repeats of a question are not independent, so they make one trial: the question has the event
    when any of its repeats has it, or with `every` when all of them have. With one run a question
    the two agree with the rate itself; with more, `any` reads an error rate at its worst and
    `every` a success rate at its worst. Undefined without a question. `event` names it in `rule`.
    """
    seen: dict[str, list[bool]] = {}
    for row in observations:
        if row.denominator:
            seen.setdefault(row.question_id, []).append(row.numerator > 0)
    decide = all if every else any
    events = sum(decide(flags) for flags in seen.values())
    interval = clopper_pearson(events, len(seen), level)
    if isinstance(interval, Undefined):
        return Undefined("no question to count")
    once = all(len(flags) == 1 for flags in seen.values())
    which = "its run" if once else ("every run of it" if every else "any run of it")
    never = rule_of_three(len(seen), level) if events == 0 else None
    return ExactBound(
        f"a question counts when {which} {event}",
        events,
        len(seen),
        interval,
        never if isinstance(never, Interval) else None,
    )
