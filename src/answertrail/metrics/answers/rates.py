"""A rate of units that were hit, with what could not be counted beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Lost, Measured, Unscored, measure
from answertrail.metrics.values import Json, Undefined

MAX_UNSCORED_SHARE = 0.2


class Counted(NamedTuple):
    """What one run gives to one rate. `reasons` say why units are unscored."""

    question_id: str
    repeat: int
    hits: int
    scored: int
    unscored: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """How headlines are made: intervals, and above which unscored share there is none."""

    intervals: Intervals = field(default_factory=Intervals)
    max_unscored_share: float = MAX_UNSCORED_SHARE

    def __post_init__(self) -> None:
        if not 0 <= self.max_unscored_share <= 1:
            raise ValueError(f"the unscored share allowed is {self.max_unscored_share}, not between 0 and 1")


@dataclass(frozen=True, slots=True)
class Rate:
    """A measure with its scored and unscored units and the runs that did not complete.

    `value` is Undefined when nothing could be scored, or when too large a share is unscored: the
    `bounds` are still given then. `errored` counts units of runs that did not complete, None where
    their number cannot be known; they are in neither count. `errors_as_misses` is what the value
    would be with the errored units counted as misses, where every unit of a run counts.
    """

    name: str
    unit: str
    value: Measured | Undefined
    hits: int
    scored: int
    unscored: int
    errored: int | None
    errored_runs: int
    bounds: tuple[float, float] | None = None
    errors_as_misses: float | None = None
    ineligible: tuple[Ineligible, ...] = ()

    def as_json(self) -> Json:
        """Return the contract's shape of a value, with the counts."""
        out = self.value.as_json()
        out |= {"unit": self.unit, "scored": self.scored, "unscored": self.unscored}
        out |= {"errored": self.errored, "errored_runs": self.errored_runs}
        if self.bounds is not None:
            out["bounds"] = list(self.bounds)
        if self.errors_as_misses is not None:
            out["errors_as_misses"] = self.errors_as_misses
        return out


def rate(
    name: str,
    unit: str,
    rows: Iterable[Counted],
    rule: Rule,
    *,
    statistic: Literal["totals", "means"] = "totals",
    if_empty: str,
    ineligible: Iterable[Ineligible] = (),
    errored: Mapping[str, int | None] = {},
    lost: Iterable[Lost] = (),
    not_judged: str | None = None,
    every_unit: bool = False,
) -> Rate:
    """Return hits / scored units, pooled ("totals") or averaged over questions ("means").

    A run all of whose units are unscored gives no observation. Undefined with `if_empty` when no
    unit is scored; and when unscored / (scored + unscored) is above the rule's share, with bounds.
    `errored` has the units of each run that did not complete, by run id; `lost` those of runs never
    made as well. `not_judged` is the reason
    to give where units are unscored because nobody judged any; `every_unit` says that all units of
    a run are in the denominator, so that those of errored runs can be taken for misses.
    """
    kept = list(rows)
    missing = _unscored(kept)
    found = measure(
        name,
        [Observation(r.question_id, r.hits, r.scored, r.repeat) for r in kept if r.scored or not r.unscored],
        statistic=statistic,
        if_empty=if_empty,
        ineligible=ineligible,
        unscored=missing,
        intervals=rule.intervals,
        lost=lost,
    )
    hit, scored, unscored = (sum(r.hits for r in kept), sum(r.scored for r in kept), sum(r.unscored for r in kept))
    units = list(errored.values())
    known = None if any(n is None for n in units) else sum(n or 0 for n in units)
    bounds = (hit / (scored + unscored), (hit + unscored) / (scored + unscored)) if unscored else None
    value: Measured | Undefined = found
    if isinstance(found.value, Undefined):
        value = Undefined(if_empty)
    elif unscored > rule.max_unscored_share * (scored + unscored):
        value = Undefined(
            not_judged
            or f"{unscored} of {scored + unscored} {unit} are unscored ({missing[0].reason}): "
            f"above the {rule.max_unscored_share:.0%} allowed"
        )
    return Rate(
        name,
        unit,
        value,
        hit,
        scored,
        unscored,
        known,
        len(units),
        bounds if statistic == "totals" else None,
        hit / (scored + known) if every_unit and statistic == "totals" and known and scored else None,
        found.ineligible,
    )


def _unscored(rows: list[Counted]) -> list[Unscored]:
    units: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        if row.unscored:
            units[(row.question_id, row.reason)] += row.unscored
    return [Unscored(name, units[(name, reason)], reason) for name, reason in sorted(units)]
