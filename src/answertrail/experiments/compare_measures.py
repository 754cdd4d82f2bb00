"""One measure of two systems: difference, test, and what the questions could have shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from answertrail.errors import MismatchError
from answertrail.metrics.clusters import clusters_of
from answertrail.metrics.measured import Intervals, Measured
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
    """second - first of one measure, both over the common questions.

    `better`, `same` and `worse` count questions by the second's ratio against the first's.
    `detectable` is the smallest difference that so many questions show with a
    chance of 80 % at alpha. `adjusted_p` is Holm's over `family` tests; None for what is no part
    of it. `unscored` are the units without a verdict on each side.
    """

    name: str
    statistic: Statistic
    first: Ratio
    second: Ratio
    difference: Estimate | Undefined
    test: TestResult | Undefined
    detectable: float | Undefined
    questions: int
    better: int
    same: int
    worse: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    ineligible: tuple[str, ...]
    unequal: tuple[str, ...]
    unscored: tuple[int, int]
    primary: bool = True
    adjusted_p: float | None = None
    family: int = 1

    def as_json(self) -> Json:
        """Return values, difference, test, counts and what was left out."""
        test = self.test if isinstance(self.test, TestResult) else None
        return {
            "statistic": self.statistic,
            "primary": self.primary,
            "a": self.first.as_json(),
            "b": self.second.as_json(),
            "difference": self.difference.as_json(),
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
    first: Measured,
    second: Measured,
    *,
    alpha: float = 0.05,
    allow_unequal_repeats: bool = False,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> MeasureComparison:
    """Compare one measure of two systems on the questions both have it for.

    The interval of the difference is a paired cluster bootstrap, the p-value a sign flip over
    questions of the same statistic, with as many permutations as resamples. Questions without a
    denominator on a side are listed. Where runs without a denominator leave a question with unequal
    repeats, the interval stands and there is no p-value. Raises MismatchError for two names or two
    statistics, and on unequal repeats unless allowed.
    """
    if (first.name, first.statistic) != (second.name, second.statistic):
        raise MismatchError(f"{first.name} ({first.statistic}) against {second.name} ({second.statistic})")
    method: Literal["percentile", "bca"] = "bca" if intervals.method == "bca" else "percentile"
    a, b = first.observations, second.observations
    try:
        found = paired_difference(
            a, b, statistic=first.statistic, level=intervals.level, resamples=intervals.resamples, method=method,
            allow_unequal_repeats=allow_unequal_repeats,
        )  # fmt: skip
    except ValueError as error:
        raise MismatchError(f"{first.name}: {error}") from None
    unequal = found.unequal_repeats
    no_test = Undefined(f"{len(unequal)} question(s) have unequal repeats: the two are not exchangeable")
    test = no_test if unequal else sign_flip(a, b, statistic=first.statistic, permutations=intervals.resamples)
    paired = ({row.question_id for row in a} & {row.question_id for row in b}) - set(found.ineligible)
    better, same, worse = _by_question(first, second)
    return MeasureComparison(
        first.name,
        first.statistic,
        replace(first, intervals=intervals).over(paired).ratio,
        replace(second, intervals=intervals).over(paired).ratio,
        found.difference,
        test,
        no_test if unequal else _detectable(first, second, alpha),
        found.questions,
        better,
        same,
        worse,
        found.only_first,
        found.only_second,
        found.ineligible,
        unequal,
        (sum(row.units for row in first.unscored), sum(row.units for row in second.unscored)),
    )


def _by_question(first: Measured, second: Measured) -> tuple[int, int, int]:
    a, b = clusters_of(first.observations), clusters_of(second.observations)
    ratios = {name: x / y for name, x, y in zip(a.ids, a.numerators, a.denominators, strict=True) if y}
    changes = [
        x / y - ratios[name]
        for name, x, y in zip(b.ids, b.numerators, b.denominators, strict=True)
        if y and name in ratios
    ]
    up, down = sum(change > SAME for change in changes), sum(change < -SAME for change in changes)
    better, worse = (down, up) if first.name.rpartition("/")[2] in LOWER_IS_BETTER else (up, down)
    return better, len(changes) - up - down, worse


def _detectable(first: Measured, second: Measured, alpha: float) -> float | Undefined:
    sd = pilot_spread(first.observations, second.observations, first.statistic)
    if isinstance(sd, Undefined):
        return sd
    a, b = clusters_of(first.observations), clusters_of(second.observations)
    common = len((set(a.ids) - set(a.empty)) & (set(b.ids) - set(b.empty)))
    return detectable_difference(common, sd, alpha=alpha) if alpha < 0.8 else Undefined(f"alpha {alpha:g}")
