"""Compare two systems on the runs both made; refuse when more differs than is under test."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from answertrail.errors import InputError
from answertrail.experiments.comparable import Allowed, check_sides
from answertrail.experiments.compare_measures import MeasureComparison, compare_measures, over_runs
from answertrail.experiments.conditions import Difference
from answertrail.experiments.registration import Deviation, Registration, check
from answertrail.experiments.side import Side
from answertrail.experiments.trajectory import definitions
from answertrail.metrics.holm import holm
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.permutation import TestResult
from answertrail.metrics.values import Json, Undefined


@dataclass(frozen=True, slots=True)
class Comparison:
    """B against A, measure by measure, with everything that was left out or allowed.

    `differing` are the conditions not known to be equal; `allowed` names those that are not under
    test and were allowed all the same. `only_first` and `only_second` are questions one side was
    never asked, `unequal_repeats` those with repeats on one side only. `failed` are the common
    (question, repeat) pairs that ended without a result on either side.
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
    failed: tuple[tuple[str, int], ...]
    alpha: float
    registration: Registration | None
    deviations: tuple[Deviation, ...]
    common: int

    @property
    def flags(self) -> tuple[str, ...]:
        """What a reader must doubt: of the sides, and differences that what is missing could undo."""
        found = []
        for side in (self.first, self.second):
            found += [f"{side.label}: {side.invalid}; allowed by the caller"] if side.invalid else []
            found += [f"{side.label}: {flag}" for flag in side.flags]
        found += [
            f"{row.name}: the interval leaves 0 out, but the units without a verdict or lost with failed runs could "
            "make it 0"
            for row in self.rows
            if row.undecided
        ]
        return tuple(found)

    @property
    def definitions(self) -> dict[str, str]:
        """The definitions that go beside these measures wherever they are shown."""
        return definitions({part.removeprefix("mean_") for row in self.rows for part in row.name.split("/")})

    def as_json(self) -> Json:
        """Return both sides, each measure, what differs, what was left out, deviations and flags."""
        registration = self.registration
        return {
            "a": {"label": self.first.label, "conditions": self.first.conditions.as_json()},
            "b": {"label": self.second.label, "conditions": self.second.conditions.as_json()},
            "questions": self.common,
            "alpha": self.alpha,
            "measures": {row.name: row.as_json() for row in self.rows},
            "definitions": self.definitions,
            "under_test": list(self.under_test),
            "differing": [
                {"condition": d.name, "a": d.first.shown, "b": d.second.shown, "how": how(self, d)}
                for d in self.differing
            ],
            "only_a": list(self.only_first),
            "only_b": list(self.only_second),
            "unequal_repeats": list(self.unequal_repeats),
            "failed": [{"question_id": name, "repeat": repeat} for name, repeat in self.failed],
            "registration": None
            if registration is None
            else {"hash": registration.hash, "deviations": [row.as_json() for row in self.deviations]},
            "flags": list(self.flags),
        }


def compare(
    first: Side,
    second: Side,
    names: Sequence[str],
    *,
    under_test: Collection[str] = ("recipe", "prompt"),
    allow_different: Collection[str] = (),
    allow_unequal_repeats: bool = False,
    allow_invalid: bool = False,
    registration: Registration | None = None,
    alpha: float = 0.05,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Comparison:
    """Compare `names` of both sides: differences second - first over the runs on record on both.

    Runs are matched by question and repeat. A repeat that one side never made is a reason to
    refuse, or with `allow_unequal_repeats` left out on both sides. One that failed on a side is
    left out of both sides of what it has no figure for, listed, and counted in the bounds.

    With a registration (its other systems are not missed) its measures are primary, and Holm's
    family is all it registered: its measures, once for each system after the first. Others are
    exploratory and get no adjusted p. Without one, all `names` are one family. A test that is
    undefined counts as one with p = 1. Raises as `check_sides`, and InputError for a measure that
    neither side knows.
    """
    allowed = Allowed(under_test, allow_different, allow_unequal_repeats, allow_invalid)
    differing, common = check_sides(first, second, allowed)
    first, second = _told_apart(first, second)
    primary = {measure.name for measure in registration.measures} if registration else set(names)
    alpha = registration.alpha if registration else alpha
    rows = []
    for name in dict.fromkeys(names):
        if name not in first.measures and name not in second.measures:
            raise _unknown(name, first, second)
        a, b = (_over(side, name, common.repeats) for side in (first, second))
        row = compare_measures(a, b, name=name, alpha=alpha, intervals=intervals)
        rows.append(replace(row, primary=name in primary))
    done = [side.done for side in (first, second) if side.done]
    statistics = {row.name: row.statistic or "" for row in rows}
    failed = {(q, n) for q, n in (*first.failed, *second.failed) if n in common.repeats.get(q, ())}
    return Comparison(
        first,
        second,
        _adjusted(rows, family_size(registration, len(rows))),
        differing,
        tuple(under_test),
        tuple(d.name for d in differing if d.name in allow_different and d.name not in under_test and not d.unknown),
        common.only_first,
        common.only_second,
        common.unequal,
        tuple(sorted(failed)),
        alpha,
        registration,
        tuple(check(registration, done, statistics, whole=False)) if registration else (),
        len(common.repeats),
    )


def how(comparison: Comparison, difference: Difference) -> str:
    """Return why a condition that differs did not stop the comparison."""
    if difference.unknown:
        return "not recorded on one side: cannot be checked"
    return "under test" if difference.name in comparison.under_test else "allowed by the caller"


def family_size(registration: Registration | None, asked: int) -> int:
    """Return how many tests are one family: all that were registered, without a registration all asked for."""
    if registration is None:
        return asked
    return len(registration.measures) * max(1, len(registration.systems) - 1)


def _told_apart(first: Side, second: Side) -> tuple[Side, Side]:
    if first.label != second.label:
        return first, second
    return replace(first, label=f"{first.label} (A)"), replace(second, label=f"{second.label} (B)")


def _unknown(name: str, first: Side, second: Side) -> InputError:
    known = ", ".join(dict.fromkeys((*first.measures, *second.measures))) or "none"
    return InputError(f"there is no measure {name!r}", where=f"{first.label}, {second.label}", hint=f"known: {known}")


def _over(side: Side, name: str, repeats: Mapping[str, Collection[int]]) -> Measured | Undefined:
    """The measure over the common questions, without the runs of repeats the other side never made."""
    found = side.measure(name)
    if isinstance(found, Undefined):
        return found
    return over_runs(found.over(repeats), lambda key: key[1] in repeats[key[0]])


def _adjusted(rows: Sequence[MeasureComparison], family: int) -> tuple[MeasureComparison, ...]:
    found = {row.name: row.test.p for row in rows if row.primary and isinstance(row.test, TestResult)}
    adjusted = holm(found, tests=max(family, len(found)))
    return tuple(replace(row, adjusted_p=adjusted.get(row.name), family=family) for row in rows)
