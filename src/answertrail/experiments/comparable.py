"""Whether two systems can be compared, and on which runs: decided before anything is scored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from answertrail.errors import MismatchError
from answertrail.experiments.conditions import Difference, Name, differences
from answertrail.experiments.side import Side

NEVER_ALLOWED: tuple[Name, ...] = ("judge", "gold")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may differ between two sides: conditions under test, and what the caller lets pass."""

    under_test: Collection[str] = ("recipe", "prompt")
    different: Collection[str] = ()
    unequal_repeats: bool = False
    invalid: bool = False


@dataclass(frozen=True, slots=True)
class Common:
    """What two sides share: the repeats of each question that are on record on both, matched by number.

    `only_first` and `only_second` are questions one side was never asked, `unequal` those with
    repeats on one side only, which are left out.
    """

    repeats: Mapping[str, frozenset[int]]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    unequal: tuple[str, ...]


def check_sides(first: Side, second: Side, allowed: Allowed = Allowed()) -> tuple[tuple[Difference, ...], Common]:
    """Return what differs and what is common; neither side needs measures.

    Raises MismatchError when a condition that is not under test differs, when gold or judge does,
    when a side is no result, when nothing is common, and on unequal repeats; what `allowed` names
    passes, gold and judge never do. A condition that one side does not record is returned only.
    """
    found = differences(first.conditions, second.conditions)
    _refuse_conditions(found, first, second, allowed)
    for side in (first, second):
        if side.invalid and not allowed.invalid:
            raise MismatchError(side.invalid, where=side.label, hint="ask those again, or --allow-invalid")
    return found, _common(first, second, allowed)


def _refuse_conditions(found: Collection[Difference], first: Side, second: Side, allowed: Allowed) -> None:
    passes = {*allowed.under_test, *allowed.different}
    bad = [d for d in found if not d.unknown and (d.name in NEVER_ALLOWED or d.name not in passes)]
    if not bad:
        return
    what = "; ".join(f"{d.name}: {d.first.shown} and {d.second.shown}" for d in bad)
    names = sorted({d.name for d in bad})
    hint = f"say that it is meant: --under-test {','.join(names)}, or --allow-different {names[0]}"
    if "gold" in names:
        hint = "score both sides with one question file"
    if "judge" in names:
        hint = "scores of two judges cannot be compared; judge both sides by one"
    raise MismatchError(f"more differs than is under test: {what}", where=f"{first.label}, {second.label}", hint=hint)


def _common(first: Side, second: Side, allowed: Allowed) -> Common:
    both = [name for name in first.asked if name in second.asked]
    if not both:
        raise MismatchError("the two have no question in common", where=f"{first.label}, {second.label}")
    unequal = tuple(name for name in both if first.asked[name] != second.asked[name])
    if unequal and not allowed.unequal_repeats:
        name = unequal[0]
        raise MismatchError(
            f"{len(unequal)} question(s) were not asked equally often, such as {name!r}: "
            f"{_times(first.asked[name], second.asked[name])}",
            where=f"{first.label}, {second.label}",
            hint="make the missing runs, or --allow-unequal-repeats to leave those without a partner out",
        )
    repeats = {name: shared for name in both if (shared := first.asked[name] & second.asked[name])}
    if not repeats:
        raise MismatchError("the two have no repeat of a question in common", where=f"{first.label}, {second.label}")
    return Common(
        repeats,
        tuple(name for name in first.asked if name not in second.asked),
        tuple(name for name in second.asked if name not in first.asked),
        unequal,
    )


def _times(first: frozenset[int], second: frozenset[int]) -> str:
    if len(first) != len(second):
        return f"{len(first)} and {len(second)} times"
    return " and ".join(f"repeats {', '.join(map(str, sorted(side)))}" for side in (first, second))
