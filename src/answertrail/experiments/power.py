"""Planning a comparison: which difference a gold set can show, and how many questions one needs.

Two systems asked the same questions. A plan is one of four answers: {paired, binary} outcomes x
{difference shown by so many questions, questions needed for a difference}.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal

from answertrail.errors import InputError
from answertrail.metrics.measured import Measured
from answertrail.metrics.power import (
    binary_detectable_difference,
    binary_questions_needed,
    detectable_difference,
    pilot_spread,
    questions_needed,
)
from answertrail.metrics.values import Json, Undefined

MOST = 10**9
FEW = 20  # below so many questions a standard deviation is known to no better than a third


@dataclass(frozen=True, slots=True)
class Design:
    """What is known before the comparison.

    `spread` is the standard deviation of the per-question differences; with `binary` outcomes
    (right or wrong) `discordant` is the share of questions only one system gets right, or
    `baseline` the first system's share right, from which the discordant share follows as if the
    two failed independently. `source` says where the figure comes from, `pilot` of how many
    questions a pilot was. Raises InputError.
    """

    spread: float | None = None
    discordant: float | None = None
    baseline: float | None = None
    power: float = 0.8
    alpha: float = 0.05
    source: str = "given"
    pilot: int | None = None

    def __post_init__(self) -> None:
        _between("--power", self.power, 0, 1)
        _between("--alpha", self.alpha, 1e-9, 1)
        if self.alpha >= self.power:
            raise InputError(f"{self.power:g} is not above --alpha {self.alpha:g}", where="--power")
        if self.spread is None and self.discordant is None and self.baseline is None:
            raise InputError(
                "nothing says how much the two systems differ from question to question",
                hint="give a pilot (--pilot-a, --pilot-b, --questions, --measure), --spread, or --binary",
            )
        if self.spread is not None and not (isfinite(self.spread) and 0 < self.spread <= 1):
            raise InputError(
                f"{self.spread:g} is not above 0 and at most 1: the shares of two systems differ by at most 1",
                where="--spread",
            )
        if self.discordant is not None and not 0 < self.discordant <= 1:
            raise InputError(f"{self.discordant:g} is not above 0 and at most 1", where="--discordant")
        if self.baseline is not None:
            _between("--baseline", self.baseline, 0, 1)

    @property
    def kind(self) -> Literal["paired", "binary"]:
        """Which test the plan is for."""
        return "paired" if self.spread is not None else "binary"

    def differing(self, difference: float) -> float:
        """Return the discordant share at this difference. Raises InputError when no two systems have it."""
        share = self.discordant
        if share is None and self.baseline is not None:
            second = self.baseline + difference
            share = self.baseline * (1 - second) + second * (1 - self.baseline)
        if share is None:
            raise ValueError("not a binary design")
        return share

    def fault(self, difference: float) -> str | None:
        """Say why no two systems can differ by this much, or None."""
        if self.baseline is not None and self.baseline + difference > 1:
            return f"{percent(self.baseline)} right and {percent(difference)} more is above 100 %"
        if self.kind == "binary":
            share = self.differing(difference)
            if difference > share:
                return f"{percent(difference)} needs at least as many differing questions, not {percent(share)}"
            if self.baseline is not None and (share + difference) / 2 > 1 - self.baseline + 1e-12:
                return f"{percent(share)} differing questions leave no room above {percent(self.baseline)} right"
            if self.baseline is not None and (share - difference) / 2 > self.baseline + 1e-12:
                return f"{percent(share)} differing questions are more than {percent(self.baseline)} right allow"
        return None


@dataclass(frozen=True, slots=True)
class Plan:
    """A design with a number of questions and a difference; `asked` says which of them was computed."""

    design: Design
    asked: Literal["difference", "questions"]
    questions: int | Undefined
    difference: float | Undefined

    @property
    def sentence(self) -> str:
        """The plan in words."""
        chance, risk = percent(self.design.power), percent(self.design.alpha)
        rest = f"with a chance of {chance}, when a test at {risk} (two-sided) decides"
        if self.asked == "questions":
            if isinstance(self.questions, Undefined) or isinstance(self.difference, Undefined):
                return f"No number of questions shows this difference: {_reason(self.questions)}."
            return f"To find a difference of {_points(self.difference)} {rest}, ask {self.questions:,} questions."
        if isinstance(self.difference, Undefined) or isinstance(self.questions, Undefined):
            return f"{_count(self.questions)} cannot show any difference: {_reason(self.difference)}."
        return (
            f"{_count(self.questions)} show a difference of {_points(self.difference)} or more {rest}. "
            "A smaller one will more often be missed: not finding it does not show that the systems are equal."
        )

    def as_json(self) -> Json:
        """Return design, result and sentence."""
        return {
            "test": "paired t-test of per-question differences" if self.design.kind == "paired" else "McNemar",
            "spread": self.design.spread,
            "discordant": self.design.discordant,
            "baseline": self.design.baseline,
            "source": self.design.source,
            "power": self.design.power,
            "alpha": self.design.alpha,
            "asked": self.asked,
            "questions": self.questions.as_json() if isinstance(self.questions, Undefined) else self.questions,
            "difference": self.difference.as_json() if isinstance(self.difference, Undefined) else self.difference,
            "sentence": self.sentence,
        }


def shown_by(questions: int, design: Design) -> Plan:
    """Return the smallest difference that `questions` show.

    Undefined when not even the largest possible difference would show. Raises InputError for fewer
    than 2 questions.
    """
    if not 2 <= questions <= MOST:
        raise InputError(f"{questions} question(s): a comparison needs at least 2", where="--questions-n")
    return Plan(design, "difference", questions, _shown(questions, design))


def needed_for(difference: float, design: Design) -> Plan:
    """Return the number of questions a difference needs. Raises InputError unless 0 < difference < 1."""
    _between("--difference", difference, 0, 1)
    if fault := design.fault(difference):
        raise InputError(fault, where="--difference")
    return Plan(design, "questions", _needed(difference, design), difference)


def from_pilot(first: Measured, second: Measured, *, power: float = 0.8, alpha: float = 0.05) -> tuple[Design, int]:
    """Return the design that a pilot's per-question differences give, and its number of common questions.

    For pooled measures the spread is that of what each question adds to the difference. Raises
    InputError when the two are not the same measure or have no spread.
    """
    if (first.name, first.statistic) != (second.name, second.statistic):
        raise InputError(f"the pilots measure different things: {first.name} and {second.name}")
    try:
        spread = pilot_spread(first.observations, second.observations, first.statistic)
    except ValueError as error:
        raise InputError(f"{first.name}: {error}") from None
    if isinstance(spread, Undefined):
        raise InputError(
            f"{first.name}: {spread.reason}",
            hint="a pilot needs some questions that the two systems answer differently; or give --spread",
        )
    ids = [{row.question_id for row in side.observations if row.denominator} for side in (first, second)]
    common = len(ids[0] & ids[1])
    repeats = max(row.repeat for row in first.observations) + 1
    source = f"a pilot of {common} questions, {first.name}" + (f", {repeats} repeats each" if repeats > 1 else "")
    return Design(spread=spread, power=power, alpha=alpha, source=source, pilot=common), common


def nearby(plan: Plan) -> tuple[Plan, ...]:
    """Return the plan among its neighbours: half, twice and four times as many questions, or as much difference."""
    if plan.asked == "difference" and not isinstance(plan.questions, Undefined):
        counts = [round(plan.questions * factor) for factor in (0.5, 1, 2, 4)]
        return tuple(replace(plan, questions=n, difference=_shown(n, plan.design)) for n in counts if 2 <= n <= MOST)
    if plan.asked == "questions" and not isinstance(plan.difference, Undefined):
        sizes = [plan.difference * factor for factor in (0.5, 1, 2, 4)]
        return tuple(
            replace(plan, questions=_needed(size, plan.design), difference=size)
            for size in sizes
            if size < 1 and not plan.design.fault(size)
        )
    return (plan,)


def _needed(difference: float, design: Design) -> int | Undefined:
    try:
        if design.spread is not None:
            return questions_needed(difference, design.spread, alpha=design.alpha, power=design.power)
        return binary_questions_needed(difference, design.differing(difference), alpha=design.alpha, power=design.power)
    except OverflowError:
        return Undefined("more questions than can be counted")


def _shown(questions: int, design: Design) -> float | Undefined:
    if design.spread is not None:
        found = detectable_difference(questions, design.spread, alpha=design.alpha, power=design.power)
    elif design.discordant is not None:
        found = binary_detectable_difference(questions, design.discordant, alpha=design.alpha, power=design.power)
    else:
        found = _shown_above(questions, design)
    if isinstance(found, Undefined):
        return found
    if found > 1:
        return Undefined("not even a difference of 100 points would show")
    return Undefined(reason) if (reason := design.fault(found)) else found


def _shown_above(questions: int, design: Design) -> float | Undefined:
    """Find the smallest difference above a baseline by bisection: more of it needs fewer questions."""
    low, high = 0.0, 1 - (design.baseline or 0.0)
    enough = _needed(high, design)
    if isinstance(enough, Undefined) or enough > questions:
        return Undefined(f"so few would not even show a rise by the {percent(high)} that are left")
    while high - low > 1e-9:
        middle = (low + high) / 2
        needed = _needed(middle, design)
        low, high = (middle, high) if isinstance(needed, Undefined) or needed > questions else (low, middle)
    return high


def _between(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise InputError(f"{value:g} is not between {low:g} and {high:g}", where=name)


def percent(share: float) -> str:
    """Return a share as it is written: 82.5 %."""
    return f"{share * 100:.4g} %"


def _points(difference: float) -> str:
    return f"{difference * 100:.3g} points"


def _count(questions: int | Undefined) -> str:
    return f"{questions:,} questions" if isinstance(questions, int) else "So few questions"


def _reason(value: object) -> str:
    return value.reason if isinstance(value, Undefined) else ""
