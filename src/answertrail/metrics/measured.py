"""One measure of one system: its value, its interval, and the observations behind it.

Every measure of ours is one of two statistics of per-question counts. Kept together with the
counts, a measure can be sliced, compared with another system's and gated, all by one rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from answertrail.metrics.bootstrap import Bootstrapped, mean_of_ratios, ratio_of_totals
from answertrail.metrics.clusters import Observation, clusters_of, total
from answertrail.metrics.paired import Statistic
from answertrail.metrics.proportions import clopper_pearson, wilson_interval
from answertrail.metrics.resampling import RESAMPLES
from answertrail.metrics.values import Interval, Json, Ratio, Undefined

IntervalMethod = Literal["percentile", "bca", "wilson", "clopper-pearson", "none"]


class Ineligible(NamedTuple):
    """A question a measure cannot be taken of, and why. It is in no denominator."""

    question_id: str
    reason: str


class Unscored(NamedTuple):
    """Units of a question that should have been counted and have no verdict: neither hit nor miss."""

    question_id: str
    units: int
    reason: str


class Lost(NamedTuple):
    """Units of a run that did not complete, was never made, or does not record what the measure needs.

    `units` is None where nobody can know how many they are.
    """

    question_id: str
    units: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Intervals:
    """How intervals are made. `wilson` and `clopper-pearson` need one 0-or-1 observation a question."""

    method: IntervalMethod = "percentile"
    level: float = 0.95
    resamples: int = RESAMPLES


@dataclass(frozen=True, slots=True)
class Measured:
    """A named measure over questions.

    `statistic` is "totals" (sum of numerators / sum of denominators) or "means" (mean over
    questions of numerator / denominator, repeats pooled). `unscored` units are in neither count;
    `bounds` says how far they could move the value. `lost` units are in neither count nor in the
    bounds. `worst` is the least one unit can count: 0 for a share, below 0 for a score. `share` is
    whether a numerator is part of its denominator: what is none has neither exact interval nor
    bounds.
    """

    name: str
    statistic: Statistic
    observations: tuple[Observation, ...]
    ratio: Ratio
    ineligible: tuple[Ineligible, ...] = ()
    unscored: tuple[Unscored, ...] = ()
    intervals: Intervals = Intervals()
    worst: float = 0.0
    lost: tuple[Lost, ...] = ()
    share: bool = True

    @property
    def value(self) -> float | Undefined:
        """The value, or why there is none."""
        return self.ratio.value

    @property
    def interval(self) -> Interval | Undefined | None:
        """The interval; None when none was asked for, Undefined when there can be none."""
        return self.ratio.interval

    @property
    def questions(self) -> int:
        """How many questions were observed."""
        return len({row.question_id for row in self.observations})

    @property
    def lost_units(self) -> int | None:
        """How many units are lost; None when it cannot be known."""
        units = [row.units for row in self.lost]
        return None if None in units else sum(number or 0 for number in units)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The value if all unscored units were misses, and if all were hits; None without any.

        Of totals only: a question all of whose units are unscored has no share in a mean of ratios.
        """
        extra = sum(row.units for row in self.unscored)
        if not extra or not self.share or self.statistic != "totals":
            return None
        whole = self.ratio.denominator + extra
        return (self.ratio.numerator + self.worst * extra) / whole, (self.ratio.numerator + extra) / whole

    def over(self, question_ids: Iterable[str]) -> Measured:
        """Return the same measure over some of the questions, with an interval of its own."""
        wanted = set(question_ids)
        return measure(
            self.name,
            (row for row in self.observations if row.question_id in wanted),
            statistic=self.statistic,
            if_empty=self.ratio.if_empty,
            ineligible=(row for row in self.ineligible if row.question_id in wanted),
            unscored=(row for row in self.unscored if row.question_id in wanted),
            intervals=self.intervals,
            worst=self.worst,
            lost=(row for row in self.lost if row.question_id in wanted),
            share=self.share,
        )

    def as_json(self) -> Json:
        """Return the contract's shape of a value; also, where there are any, unscored units, bounds, lost units.

        `lost` is null where their number cannot be known.
        """
        out = self.ratio.as_json()
        if self.unscored:
            out["unscored"] = sum(row.units for row in self.unscored)
            if self.bounds is not None:
                out["bounds"] = list(self.bounds)
        if self.lost:
            out["lost"] = self.lost_units
        return out


def measure(
    name: str,
    observations: Iterable[Observation],
    *,
    statistic: Statistic,
    if_empty: str = "no question has a denominator",
    ineligible: Iterable[Ineligible] = (),
    unscored: Iterable[Unscored] = (),
    intervals: Intervals = Intervals(),
    worst: float = 0.0,
    lost: Iterable[Lost] = (),
    share: bool = True,
) -> Measured:
    """Return a measure of these observations, its interval by resampling questions.

    Where all questions agree on 0 or on 1 a bootstrap has nothing to vary; the interval is then
    Clopper and Pearson's with the questions as trials, and is named so. Only a share is a number of
    trials: not a score whose `worst` is below 0, and not, with `share` False, a quotient that may
    pass 1 or a mean of amounts. Undefined, with `if_empty` as the reason, when no question has a
    denominator. Raises ValueError as `clusters_of`.
    """
    rows = tuple(observations)
    ratio = _ratio(rows, statistic, intervals, shares=share and worst == 0)
    kept = Ratio(ratio.numerator, ratio.denominator, ratio.interval, if_empty)
    lists = tuple(ineligible), tuple(unscored)
    return Measured(name, statistic, rows, kept, *lists, intervals, worst, tuple(lost), share)


def _ratio(rows: tuple[Observation, ...], statistic: Statistic, intervals: Intervals, *, shares: bool) -> Ratio:
    if intervals.method in ("none", "wilson", "clopper-pearson"):
        plain = _plain(rows, statistic)
        return Ratio(plain.numerator, plain.denominator, _exact(rows, plain, intervals, shares=shares))
    rate = ratio_of_totals if statistic == "totals" else mean_of_ratios
    method: Literal["percentile", "bca"] = "bca" if intervals.method == "bca" else "percentile"
    drawn = rate(rows, level=intervals.level, resamples=intervals.resamples, method=method)
    interval = _or_exact(rows, drawn, intervals) if shares else drawn.ratio.interval
    return Ratio(drawn.ratio.numerator, drawn.ratio.denominator, interval)


def _plain(rows: tuple[Observation, ...], statistic: Statistic) -> Ratio:
    """The value without an interval: no generator, no resamples."""
    clusters = clusters_of(rows)
    if statistic == "totals":
        return Ratio(*clusters.totals())
    empty = clusters.empty
    ratios = (clusters.keep(set(clusters.ids) - set(empty)) if empty else clusters).ratios
    return Ratio(total(ratios), len(ratios))


def _exact(
    rows: tuple[Observation, ...], plain: Ratio, intervals: Intervals, *, shares: bool
) -> Interval | Undefined | None:
    if intervals.method == "none":
        return None
    if not shares:
        return Undefined(f"{intervals.method} is for shares, and this is none")
    trials = [row for row in rows if row.denominator]  # a row over nothing is no trial
    single = {row.question_id for row in trials}
    if len(single) != len(trials) or any(row.denominator != 1 or row.numerator not in (0, 1) for row in trials):
        return Undefined(f"{intervals.method} needs one observation a question that is 0 or 1")
    rate = wilson_interval if intervals.method == "wilson" else clopper_pearson
    return rate(int(plain.numerator), int(plain.denominator), intervals.level)


def _or_exact(rows: tuple[Observation, ...], drawn: Bootstrapped, intervals: Intervals) -> Interval | Undefined | None:
    interval = drawn.ratio.interval
    value = drawn.ratio.value
    if isinstance(interval, Interval) or isinstance(value, Undefined) or value not in (0, 1):
        return interval
    trials = len({row.question_id for row in rows if row.denominator})
    exact = clopper_pearson(trials if value == 1 else 0, trials, intervals.level)
    if isinstance(exact, Undefined):
        return exact
    return Interval(exact.low, exact.high, exact.level, "clopper-pearson over questions")
