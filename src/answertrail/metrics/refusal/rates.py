"""False answers, over-refusals, correct refusals, failures: four rates, none of which hides another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from answertrail.metrics.answers.rates import MAX_UNSCORED_SHARE
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.refusal.cases import Case
from answertrail.metrics.refusal.exact import ExactBound, exact_bound
from answertrail.metrics.values import Json, Undefined

UNKNOWN = "the run does not say whether it answered or declined"
NOT_COMPLETED = "no run of it completed"


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate over runs with its bootstrap over questions, and the exact bound over questions."""

    measured: Measured
    exact: ExactBound | Undefined

    @property
    def value(self) -> Measured | Undefined:
        """The rate; Undefined when the outcome of more than a fifth of the completed runs is unknown."""
        return scored_enough(self.measured)

    def as_json(self) -> Json:
        """Return the contract's shape of the value, with `exact` beside it; unknown outcomes bound it."""
        out = {**self.value.as_json(), "exact": self.exact.as_json()}
        if self.measured.bounds is not None:
            out["bounds"] = list(self.measured.bounds)
        return out


def scored_enough(found: Measured) -> Measured | Undefined:
    """Return a measure of runs, or Undefined when more than a fifth of its runs are unscored."""
    missing = sum(row.units for row in found.unscored)
    total = len(found.observations) + missing
    if missing > MAX_UNSCORED_SHARE * total:
        reason = found.unscored[0].reason
        return Undefined(
            f"{missing} of {total} runs are unscored ({reason}): above the {MAX_UNSCORED_SHARE:.0%} allowed"
        )
    return found


def false_answer_rate(cases: Iterable[Case], intervals: Intervals) -> Rate:
    """Runs that answered, wholly or in part / completed runs, of unanswerable questions.

    A partial answer to a question the corpus cannot answer is a false answer. Empty case:
    undefined. Runs of unknown outcome are unscored, runs that did not complete in neither count.
    """
    rows = [case for case in cases if not case.answerable]
    return _rate(
        "false_answer_rate", rows, lambda case: case.gave_an_answer, "answered", "unanswerable", intervals=intervals
    )


def correct_refusal_rate(cases: Iterable[Case], intervals: Intervals) -> Rate:
    """Runs that declined / completed runs, of unanswerable questions; 1 - `false_answer_rate`.

    Its exact bound counts a question only when every run of it declined. Empty case, unknown and
    failed runs as `false_answer_rate`.
    """
    rows = [case for case in cases if not case.answerable]
    return _rate("correct_refusal_rate", rows, _declined, "declined", "unanswerable", every=True, intervals=intervals)


def over_refusal_rate(cases: Iterable[Case], intervals: Intervals) -> Rate:
    """Runs that declined / completed runs, of answerable questions. A partial answer is no refusal.

    Empty case: undefined. Unknown and failed runs as `false_answer_rate`.
    """
    rows = [case for case in cases if case.answerable]
    return _rate("over_refusal_rate", rows, _declined, "declined", "answerable", intervals=intervals)


def failure_rate(cases: Iterable[Case], intervals: Intervals) -> Rate:
    """Runs that did not complete / all runs, of all questions. Empty case: undefined."""
    rows = [Observation(case.question_id, int(case.said == "failed"), 1, case.repeat) for case in cases]
    measured = measure("failure_rate", rows, statistic="totals", if_empty="no run", intervals=intervals)
    return Rate(measured, exact_bound(rows, event="did not complete", level=intervals.level))


def _declined(case: Case) -> bool:
    return case.said == "declined"


def _nothing(cases: Sequence[Case], which: str) -> str:
    if not cases:
        return f"no run of such an {which} question"
    return f"no completed run of an {which} question says whether it answered"


def _rate(
    name: str,
    cases: Sequence[Case],
    happened: Callable[[Case], bool],
    event: str,
    which: str,
    *,
    every: bool = False,
    intervals: Intervals,
) -> Rate:
    rows = [Observation(case.question_id, int(happened(case)), 1, case.repeat) for case in cases if case.outcome_known]
    completed = {case.question_id for case in cases if case.said != "failed"}
    never = sorted({case.question_id for case in cases} - completed)
    unknown = [Unscored(case.question_id, 1, UNKNOWN) for case in cases if case.said == "unknown"]
    measured = measure(
        name,
        rows,
        statistic="totals",
        if_empty=_nothing(cases, which),
        ineligible=[Ineligible(question_id, NOT_COMPLETED) for question_id in never],
        unscored=unknown,
        intervals=intervals,
    )
    return Rate(measured, exact_bound(rows, event=event, every=every, level=intervals.level))
