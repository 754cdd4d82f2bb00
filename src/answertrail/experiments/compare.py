"""Compare two systems on the questions both were asked; refuse when more differs than is under test."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from answertrail.errors import InputError, MismatchError
from answertrail.experiments.compare_measures import MeasureComparison, compare_measures
from answertrail.experiments.conditions import Conditions, Difference, Name, differences
from answertrail.experiments.registration import Deviation, Done, Registration, check
from answertrail.metrics.holm import holm
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.permutation import TestResult
from answertrail.metrics.values import Json

NEVER_ALLOWED: tuple[Name, ...] = ("judge", "gold")


@dataclass(frozen=True, slots=True)
class Side:
    """One system: its measures, what they were made under, how often each question was asked.

    `label` is how the caller named it. `done` is None for rankings. `flags` are doubts about its
    scores that a reader must see.
    """

    label: str
    measures: Mapping[str, Measured]
    conditions: Conditions
    repeats: Mapping[str, int]
    done: Done | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """B against A, measure by measure, with everything that was left out or allowed.

    `differing` are the conditions not known to be equal; `allowed` names those that are not under
    test and were allowed all the same. `only_first` and `only_second` are questions one side was
    never asked.
    """

    first: Side
    second: Side
    rows: tuple[MeasureComparison, ...]
    differing: tuple[Difference, ...]
    under_test: tuple[str, ...]
    allowed: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    unequal_repeats: tuple[str, ...]
    alpha: float
    registration: Registration | None
    deviations: tuple[Deviation, ...]
    common: int

    def as_json(self) -> Json:
        """Return both sides, each measure, what differs, what was left out, deviations and flags."""
        registration = self.registration
        return {
            "a": {"label": self.first.label, "conditions": self.first.conditions.as_json()},
            "b": {"label": self.second.label, "conditions": self.second.conditions.as_json()},
            "questions": self.common,
            "alpha": self.alpha,
            "measures": {row.name: row.as_json() for row in self.rows},
            "under_test": list(self.under_test),
            "differing": [
                {"condition": d.name, "a": d.first.shown, "b": d.second.shown, "how": how(self, d)}
                for d in self.differing
            ],
            "only_a": list(self.only_first),
            "only_b": list(self.only_second),
            "unequal_repeats": list(self.unequal_repeats),
            "registration": None
            if registration is None
            else {"hash": registration.hash, "deviations": [row.as_json() for row in self.deviations]},
            "flags": [f"{side.label}: {flag}" for side in (self.first, self.second) for flag in side.flags],
        }


def compare(
    first: Side,
    second: Side,
    names: Sequence[str],
    *,
    under_test: Collection[str] = ("recipe", "prompt"),
    allow_different: Collection[str] = (),
    allow_unequal_repeats: bool = False,
    registration: Registration | None = None,
    alpha: float = 0.05,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Comparison:
    """Compare `names` of both sides: differences second - first over the common questions.

    With a registration (its other systems are not missed) its measures are primary: Holm's
    correction runs over those of them that are compared, others are exploratory and get no
    adjusted p. Without one, all are one family.
    Raises MismatchError when a condition that is not under test differs, when the judges differ,
    when no question is common, and on unequal repeats, unless allowed; a condition that one side
    does not record is listed. InputError for a measure that a side does not have.
    """
    differing = differences(first.conditions, second.conditions)
    _refuse(differing, first, second, under_test, allow_different)
    common = [name for name in first.repeats if name in second.repeats]
    if not common:
        raise MismatchError("the two have no question in common", where=f"{first.label}, {second.label}")
    unequal = tuple(name for name in common if first.repeats[name] != second.repeats[name])
    if unequal and not allow_unequal_repeats:
        name = unequal[0]
        raise MismatchError(
            f"{len(unequal)} question(s) were not asked equally often, such as {name!r}: "
            f"{first.repeats[name]} and {second.repeats[name]} times",
            hint="make the missing runs, or --allow-unequal-repeats",
        )
    primary = {measure.name for measure in registration.measures} if registration else set(names)
    alpha = registration.alpha if registration else alpha
    rows = [
        replace(
            compare_measures(
                _measure(first, name).over(common), _measure(second, name).over(common), alpha=alpha,
                allow_unequal_repeats=True,
                intervals=intervals,
            ),
            name=name,  # a part, such as false_answer_rate/near_miss, knows only the name of the whole
            primary=name in primary,
        )
        for name in dict.fromkeys(names)
    ]  # fmt: skip
    done = [side.done for side in (first, second) if side.done]
    statistics = {row.name: row.statistic for row in rows}
    return Comparison(
        first,
        second,
        _adjusted(rows),
        differing,
        tuple(under_test),
        tuple(d.name for d in differing if d.name in allow_different and d.name not in under_test and not d.unknown),
        tuple(name for name in first.repeats if name not in second.repeats),
        tuple(name for name in second.repeats if name not in first.repeats),
        unequal,
        alpha,
        registration,
        tuple(check(registration, done, statistics, whole=False)) if registration else (),
        len(common),
    )


def how(comparison: Comparison, difference: Difference) -> str:
    """Return why a condition that differs did not stop the comparison."""
    if difference.unknown:
        return "not recorded on one side: cannot be checked"
    return "under test" if difference.name in comparison.under_test else "allowed by the caller"


def _refuse(
    found: Sequence[Difference], first: Side, second: Side, under_test: Collection[str], allowed: Collection[str]
) -> None:
    bad = [
        d
        for d in found
        if not d.unknown and (d.name in NEVER_ALLOWED or (d.name not in under_test and d.name not in allowed))
    ]
    judged = [d for d in found if d.name == "judge" and d.unknown and _has_judged(first) and _has_judged(second)]
    if not bad and not judged:
        return
    what = "; ".join(f"{d.name}: {d.first.shown} and {d.second.shown}" for d in [*bad, *judged])
    names = sorted({d.name for d in [*bad, *judged]})
    hint = (
        "scores of two judges cannot be compared; judge both sides by one"
        if "judge" in names
        else f"say that it is meant: --under-test {','.join(names)}, or --allow-different {names[0]}"
    )
    raise MismatchError(f"more differs than is under test: {what}", where=f"{first.label}, {second.label}", hint=hint)


def _has_judged(side: Side) -> bool:
    return side.conditions.get("judge").value is not None


def _measure(side: Side, name: str) -> Measured:
    if name not in side.measures:
        raise InputError(
            f"there is no measure {name!r}", where=side.label, hint=f"known: {', '.join(side.measures) or 'none'}"
        )
    return side.measures[name]


def _adjusted(rows: Sequence[MeasureComparison]) -> tuple[MeasureComparison, ...]:
    family = {row.name: row.test.p for row in rows if row.primary and isinstance(row.test, TestResult)}
    adjusted = holm(family)
    return tuple(replace(row, adjusted_p=adjusted.get(row.name), family=len(family)) for row in rows)
