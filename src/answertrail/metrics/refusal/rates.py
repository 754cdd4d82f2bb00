"""False answers, over-refusals, correct refusals, failures: four rates, none of which hides another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from answertrail.metrics.answers.lost import LostRuns, lost_units
from answertrail.metrics.answers.rates import MAX_UNSCORED_SHARE
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Lost, Measured, Unscored, measure
from answertrail.metrics.refusal.cases import UNKNOWN, Case
from answertrail.metrics.refusal.exact import ExactBounds, exact_bounds
from answertrail.metrics.values import Json, Undefined

NOT_COMPLETED = "no run of it completed"
NEVER_MADE = "never made"


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate over runs with its interval, and exact bounds on two shares of questions.

    The interval is Clopper and Pearson's where each question has one run, else a bootstrap over questions.
    """

    measured: Measured
    exact: ExactBounds | Undefined
    max_unscored_share: float = MAX_UNSCORED_SHARE

    @property
    def value(self) -> Measured | Undefined:
        """The rate; Undefined when the outcome of too large a share of the completed runs is unknown."""
        return scored_enough(self.measured, self.max_unscored_share)

    def as_json(self) -> Json:
        """Return the contract's shape of the value, with `exact` beside it; unknown outcomes bound it."""
        out = {**self.value.as_json(), "exact": self.exact.as_json()}
        if self.measured.bounds is not None:
            out["bounds"] = list(self.measured.bounds)
        return out


def scored_enough(found: Measured, max_unscored_share: float = MAX_UNSCORED_SHARE) -> Measured | Undefined:
    """Return a measure of runs, or Undefined when more than this share of its runs are unscored."""
    missing = sum(row.units for row in found.unscored)
    total = len(found.observations) + missing
    if missing > max_unscored_share * total:
        reason = found.unscored[0].reason
        return Undefined(
            f"{missing} of {total} runs are unscored ({reason}): above the {max_unscored_share:.0%} allowed"
        )
    return found


def false_answer_rate(
    cases: Iterable[Case],
    intervals: Intervals,
    lost: Iterable[LostRuns] = (),
    max_unscored_share: float = MAX_UNSCORED_SHARE,
) -> Rate:
    """Runs that answered, wholly or in part / completed runs, of unanswerable questions.

    A partial answer to a question the corpus cannot answer is a false answer. Empty case:
    undefined. Runs of unknown outcome are unscored; runs that did not complete or were never made
    are `lost`: in neither count, and a gate takes them at their worst.
    """
    return _rate(
        "false_answer_rate",
        [case for case in cases if not case.answerable],
        lost,
        lambda case: case.gave_an_answer,
        "unanswerable",
        intervals,
        max_unscored_share,
    )


def correct_refusal_rate(
    cases: Iterable[Case],
    intervals: Intervals,
    lost: Iterable[LostRuns] = (),
    max_unscored_share: float = MAX_UNSCORED_SHARE,
) -> Rate:
    """Runs that declined / completed runs, of unanswerable questions; 1 - `false_answer_rate`.

    Empty case, unknown and lost runs as `false_answer_rate`.
    """
    return _rate(
        "correct_refusal_rate",
        [case for case in cases if not case.answerable],
        lost,
        _declined,
        "unanswerable",
        intervals,
        max_unscored_share,
    )


def over_refusal_rate(
    cases: Iterable[Case],
    intervals: Intervals,
    lost: Iterable[LostRuns] = (),
    max_unscored_share: float = MAX_UNSCORED_SHARE,
) -> Rate:
    """Runs that declined / completed runs, of answerable questions. A partial answer is no refusal.

    Empty case: undefined. Unknown and lost runs as `false_answer_rate`.
    """
    return _rate(
        "over_refusal_rate",
        [case for case in cases if case.answerable],
        lost,
        _declined,
        "answerable",
        intervals,
        max_unscored_share,
    )


def failure_rate(cases: Sequence[Case], intervals: Intervals, lost: Iterable[LostRuns] = ()) -> Rate:
    """Runs that did not complete / all runs, of all questions. Empty case: undefined. Never made: lost."""
    rows = [Observation(case.question_id, int(case.said == "failed"), 1, case.repeat) for case in cases]
    never: Counter[str] = Counter()
    for gone in lost:
        never[gone.question_id] += gone.runs
    never -= Counter(case.question_id for case in cases if case.said == "failed")
    measured = measure(
        "failure_rate",
        rows,
        statistic="totals",
        if_empty="no run",
        lost=[Lost(name, runs, NEVER_MADE) for name, runs in never.items()],
        intervals=_of_trials(rows, intervals),
    )
    return Rate(measured, exact_bounds(rows, level=intervals.level))


def _declined(case: Case) -> bool:
    return case.said == "declined"


def _nothing(cases: Sequence[Case], which: str) -> str:
    if not cases:
        return f"no run of such an {which} question"
    return f"no completed run of an {which} question says whether it answered"


def _rate(
    name: str,
    cases: Sequence[Case],
    lost: Iterable[LostRuns],
    happened: Callable[[Case], bool],
    which: str,
    intervals: Intervals,
    max_unscored_share: float,
) -> Rate:
    rows = [Observation(case.question_id, int(happened(case)), 1, case.repeat) for case in cases if case.outcome_known]
    completed = {case.question_id for case in cases if case.said != "failed"}
    never = sorted({case.question_id for case in cases} - completed)
    measured = measure(
        name,
        rows,
        statistic="totals",
        if_empty=_nothing(cases, which),
        ineligible=[Ineligible(question_id, NOT_COMPLETED) for question_id in never],
        unscored=[Unscored(case.question_id, 1, UNKNOWN) for case in cases if case.said == "unknown"],
        lost=lost_units(tuple(lost), lambda _: 1),
        intervals=_of_trials(rows, intervals),
    )
    return Rate(measured, exact_bounds(rows, level=intervals.level), max_unscored_share)


def _of_trials(rows: Sequence[Observation], intervals: Intervals) -> Intervals:
    """With one run a question these are independent trials, and their interval can be exact."""
    single = len({row.question_id for row in rows}) == len(rows)
    if single and intervals.method in ("percentile", "bca"):
        return Intervals("clopper-pearson", intervals.level, intervals.resamples)
    return intervals
