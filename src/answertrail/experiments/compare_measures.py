"""One measure of two systems: difference, test, and what the questions could have shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from answertrail.errors import MismatchError
from answertrail.experiments.compare_bounds import Bounds, difference_bounds
from answertrail.metrics.clusters import clusters_of
from answertrail.metrics.measured import Intervals, Measured, measure
from answertrail.metrics.paired import Statistic, paired_difference
from answertrail.metrics.permutation import TestResult, sign_flip
from answertrail.metrics.power import detectable_difference, pilot_spread
from answertrail.metrics.resampling import SAME
from answertrail.metrics.values import Estimate, Json, Ratio, Undefined

LOWER_IS_BETTER = frozenset(
    {"false_answer_rate", "over_refusal_rate", "failure_rate", "stated_without_evidence", "wrong",
     "unanswerable_resolved", "latency_p50_ms", "latency_p95_ms"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """second - first of one measure, both over the runs that both have it for, matched by question and repeat.

    `better`, `same` and `worse` count questions by the second's ratio against the first's.
    `detectable` is the smallest difference that so many questions show with a chance of 80 % at
    alpha. `adjusted_p` is Holm's over `family` tests; None for what is no part of it and for what
    has no p. `unequal` are questions of which a repeat was left out since one side has no figure for
    it. `unscored` are the units without a verdict on each side; `bounds` say how far these and the
    units of failed runs could move the difference. `statistic` is None where neither side has a value.
    """

    name: str
    statistic: Statistic | None
    first: Ratio
    second: Ratio
    difference: Estimate | Undefined
    test: TestResult | Undefined
    detectable: float | Undefined
    questions: int = 0
    better: int = 0
    same: int = 0
    worse: int = 0
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    ineligible: tuple[str, ...] = ()
    unequal: tuple[str, ...] = ()
    unscored: tuple[int, int] = (0, 0)
    bounds: Bounds | Undefined | None = None
    primary: bool = True
    adjusted_p: float | None = None
    family: int = 1

    @property
    def undecided(self) -> bool:
        """Whether what is missing could take a difference to 0 that the interval sets apart from it."""
        interval = self.difference.interval if isinstance(self.difference, Estimate) else None
        if interval is None or isinstance(interval, Undefined) or interval.low <= 0 <= interval.high:
            return False
        return isinstance(self.bounds, Undefined) or (self.bounds is not None and self.bounds[0] <= 0 <= self.bounds[1])

    def as_json(self) -> Json:
        """Return values, difference, test, counts and what was left out."""
        test = self.test if isinstance(self.test, TestResult) else None
        return {
            "statistic": self.statistic,
            "primary": self.primary,
            "a": self.first.as_json(),
            "b": self.second.as_json(),
            "difference": self.difference.as_json(),
            "bounds": self.bounds.as_json() if isinstance(self.bounds, Undefined) else self.bounds,
            "p": test.p if test else self.test.as_json() if isinstance(self.test, Undefined) else None,
            "p_adjusted": self.adjusted_p,
            "p_smallest": test.smallest if test else None,
            "test": test.method if test else None,
            "family": self.family,
            "detectable": self.detectable.as_json() if isinstance(self.detectable, Undefined) else self.detectable,
            "questions": self.questions,
            "better": self.better,
            "same": self.same,
            "worse": self.worse,
            "only_a": list(self.only_first),
            "only_b": list(self.only_second),
            "ineligible": list(self.ineligible),
            "unequal_repeats": list(self.unequal),
            "unscored": list(self.unscored),
        }


def compare_measures(
    first: Measured | Undefined,
    second: Measured | Undefined,
    *,
    name: str | None = None,
    alpha: float = 0.05,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> MeasureComparison:
    """Compare one measure of two systems on the (question, repeat) pairs both have it for.

    The interval of the difference is a paired cluster bootstrap, the p-value a sign flip over
    questions of the same statistic, with as many permutations as resamples. Pairs that one side has
    no figure for are left out on both, so no question weighs more on one side for a run that
    failed. A measure that is undefined on a side gives a row with the reason. Raises MismatchError
    for two names or two statistics.
    """
    if isinstance(first, Undefined) or isinstance(second, Undefined):
        return _undefined(first, second, name or _name(first) or _name(second) or "", intervals)
    if (first.name, first.statistic) != (second.name, second.statistic):
        raise MismatchError(f"{first.name} ({first.statistic}) against {second.name} ({second.statistic})")
    method: Literal["percentile", "bca"] = "bca" if intervals.method == "bca" else "percentile"
    ids = [{row.question_id for row in side.observations} for side in (first, second)]
    a, b, unequal = paired_by_repeat(first, second)
    x, y = a.observations, b.observations
    found = paired_difference(
        x, y, statistic=first.statistic, level=intervals.level, resamples=intervals.resamples, method=method
    )
    used = {row.question_id for row in x} - set(found.ineligible)
    better, same, worse = _by_question(a, b, name or first.name)
    return MeasureComparison(
        name or first.name,
        first.statistic,
        replace(a, intervals=intervals).over(used).ratio,
        replace(b, intervals=intervals).over(used).ratio,
        found.difference,
        sign_flip(x, y, statistic=first.statistic, permutations=intervals.resamples),
        _detectable(a, b, alpha),
        found.questions,
        better,
        same,
        worse,
        tuple(sorted(ids[0] - ids[1])),
        tuple(sorted(ids[1] - ids[0])),
        found.ineligible,
        unequal,
        (_units(first), _units(second)),
        _around(difference_bounds(first, second), found.difference),
    )


def paired_by_repeat(first: Measured, second: Measured) -> tuple[Measured, Measured, tuple[str, ...]]:
    """Return both measures over the (question, repeat) pairs both have, and the questions that lost a repeat."""
    keys = [{(row.question_id, row.repeat) for row in side.observations} for side in (first, second)]
    both = keys[0] & keys[1]
    ids = {question for question, _ in keys[0]} & {question for question, _ in keys[1]}
    unequal = {question for question, _ in keys[0] ^ keys[1]} & ids
    a, b = (over_runs(side, lambda key: key in both) for side in (first, second))
    return a, b, tuple(sorted(unequal))


def over_runs(found: Measured, kept: Callable[[tuple[str, int]], bool]) -> Measured:
    """Return the measure over the observations whose (question, repeat) is kept, what is missing unchanged."""
    rows = [row for row in found.observations if kept((row.question_id, row.repeat))]
    if len(rows) == len(found.observations):
        return found
    return measure(
        found.name, rows, statistic=found.statistic, if_empty=found.ratio.if_empty, ineligible=found.ineligible,
        unscored=found.unscored, intervals=found.intervals, worst=found.worst, lost=found.lost, share=found.share,
    )  # fmt: skip


def _around(bounds: Bounds | Undefined | None, difference: Estimate | Undefined) -> Bounds | Undefined | None:
    """Bounds are over more runs than the difference: let them hold it."""
    if not isinstance(bounds, tuple) or isinstance(difference, Undefined):
        return bounds
    return min(bounds[0], difference.value), max(bounds[1], difference.value)


def _name(side: Measured | Undefined) -> str | None:
    return side.name if isinstance(side, Measured) else None


def _undefined(
    first: Measured | Undefined, second: Measured | Undefined, name: str, intervals: Intervals
) -> MeasureComparison:
    """The row of a measure that a side does not have: the other side's value, and why there is no difference."""
    reasons = [
        f"{label}: {side.reason}" for label, side in (("A", first), ("B", second)) if isinstance(side, Undefined)
    ]
    why = Undefined("; ".join(reasons))
    known = [side for side in (first, second) if isinstance(side, Measured)]
    a, b = _alone(first, intervals), _alone(second, intervals)
    units = (_units(first), _units(second))
    return MeasureComparison(name, known[0].statistic if known else None, a, b, why, why, why, unscored=units)


def _alone(side: Measured | Undefined, intervals: Intervals) -> Ratio:
    if isinstance(side, Undefined):
        return Ratio(0, 0, None, side.reason)
    return replace(side, intervals=intervals).over({row.question_id for row in side.observations}).ratio


def _units(side: Measured | Undefined) -> int:
    return 0 if isinstance(side, Undefined) else sum(row.units for row in side.unscored)


def _by_question(first: Measured, second: Measured, name: str) -> tuple[int, int, int]:
    a, b = clusters_of(first.observations), clusters_of(second.observations)
    ratios = {question: x / y for question, x, y in zip(a.ids, a.numerators, a.denominators, strict=True) if y}
    changes = [
        x / y - ratios[question]
        for question, x, y in zip(b.ids, b.numerators, b.denominators, strict=True)
        if y and question in ratios
    ]
    up, down = sum(change > SAME for change in changes), sum(change < -SAME for change in changes)
    lower = not LOWER_IS_BETTER.isdisjoint((*name.split("/"), first.name.rpartition("/")[2]))
    better, worse = (down, up) if lower else (up, down)
    return better, len(changes) - up - down, worse


def _detectable(first: Measured, second: Measured, alpha: float) -> float | Undefined:
    sd = pilot_spread(first.observations, second.observations, first.statistic)
    if isinstance(sd, Undefined):
        return sd
    a, b = clusters_of(first.observations), clusters_of(second.observations)
    common = len((set(a.ids) - set(a.empty)) & (set(b.ids) - set(b.empty)))
    return detectable_difference(common, sd, alpha=alpha) if alpha < 0.8 else Undefined(f"alpha {alpha:g}")
