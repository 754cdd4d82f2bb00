"""Gates for CI: a measure must reach a threshold, or stay under one. What cannot be measured fails.

A gate is written `MEASURE=THRESHOLD[:value|lower|upper]`: `recall=0.8:lower` compares the lower end
of the interval. Without the ending the value itself is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

from answertrail.errors import InputError
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Measured, measure
from answertrail.metrics.resampling import SAME
from answertrail.metrics.trajectory.definitions import INFORMATIONAL
from answertrail.metrics.values import Estimate, Interval, Json, Ratio, Undefined

Gateable = Measured | Ratio | Estimate | Undefined
Direction = Literal["under", "over"]
End = Literal["value", "lower", "upper"]


@dataclass(frozen=True, slots=True)
class Gate:
    """`direction` "under" fails below the threshold, "over" above it; equality passes both.

    Raises InputError for a measure that is informational: no gate can be set on those.
    """

    measure: str
    threshold: float
    end: End = "value"
    direction: Direction = "under"

    def __post_init__(self) -> None:
        if why := INFORMATIONAL.get(plain_name(self.measure)):
            raise InputError(f"{self.measure} informs and takes no gate (ADR 0019): {why}", where=self.text)

    @property
    def text(self) -> str:
        """The gate as it is written on the command line."""
        ending = "" if self.end == "value" else f":{self.end}"
        return f"--fail-{self.direction} {self.measure}={self.threshold:g}{ending}"


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """Whether a gate passed, the number that was compared (None when there was none), and why."""

    gate: Gate
    passed: bool
    value: float | None
    reason: str

    def as_json(self) -> Json:
        """Return gate, measure, passed, value and reason."""
        return {
            "gate": self.gate.text,
            "measure": self.gate.measure,
            "passed": self.passed,
            "value": self.value,
            "reason": self.reason,
        }


def parse_gate(text: str, direction: Direction = "under") -> Gate:
    """Read `MEASURE=THRESHOLD[:value|lower|upper]`.

    Raises InputError for another form, a threshold that is no finite number, and as `Gate`.
    """
    name, equals, rest = text.rpartition("=")
    number, colon, end = rest.partition(":")
    name, ends = name.strip(), get_args(End)
    wanted = f"write MEASURE=NUMBER or MEASURE=NUMBER:{'|'.join(ends)}, such as recall=0.8:lower"
    where = f"--fail-{direction} {text}"
    if not (name and equals) or (colon and end not in ends):
        raise InputError("not a gate", where=where, hint=wanted)
    try:
        threshold = float(number)
    except ValueError:
        raise InputError(f"{number!r} is not a number", where=where, hint=wanted) from None
    if not isfinite(threshold):
        raise InputError(f"{number} is not a threshold", where=where, hint=wanted)
    chosen: End = "lower" if end == "lower" else "upper" if end == "upper" else "value"
    return Gate(name, threshold, chosen, direction)


def plain_name(name: str) -> str:
    """Return a measure's name without what stands before it (`dense/`) and its cutoff (`@10`)."""
    return name.rpartition("/")[2].partition("@")[0]


def check_gates(
    measures: Mapping[str, Gateable], gates: Iterable[Gate], *, no_result: str | None = None
) -> list[GateOutcome]:
    """Hold each gate against the measure it names, in the order given.

    A measure that is undefined, has no interval where an end is compared, or has unscored or lost
    units fails as "unmeasurable"; such units are forgiven when the gate passes with all of them
    counted against it, and not where their number is unknown. `no_result` says why the runs are no
    result at all: every gate fails then. Raises InputError for a measure that is not among
    `measures`.
    """
    return [_check(measures, gate, no_result) for gate in gates]


def _check(measures: Mapping[str, Gateable], gate: Gate, no_result: str | None) -> GateOutcome:
    if gate.measure not in measures:
        known = ", ".join(name for name in measures if plain_name(name) not in INFORMATIONAL)
        raise InputError(f"there is no measure {gate.measure!r}", where=gate.text, hint=f"known: {known or 'none'}")
    found = measures[gate.measure]
    now = found if isinstance(found, Undefined) else found.value
    if no_result is not None:
        return GateOutcome(gate, False, None if isinstance(now, Undefined) else now, f"unmeasurable: {no_result}")
    if isinstance(now, Undefined) or not isinstance(found, Measured) or not (found.unscored or found.lost):
        return _compare(found, gate, "")
    worst = _all_against(found, gate.direction)
    if worst is not None:
        counts = (sum(row.units for row in found.unscored), "unscored"), (found.lost_units, "lost")
        missing = " and ".join(f"{number} {what}" for number, what in counts if number)
        outcome = _compare(worst, gate, f", with {missing} counted against it")
        if outcome.passed:
            return outcome
    return GateOutcome(gate, False, now, f"unmeasurable: {_missing(found)}")


def _missing(found: Measured) -> str:
    """Say how many units are unscored and lost, and why the first of them are lost."""
    said = [f"{sum(row.units for row in found.unscored)} unit(s) unscored"] if found.unscored else []
    if found.lost:
        number = "an unknown number of" if found.lost_units is None else str(found.lost_units)
        reasons = Counter(row.reason for row in found.lost)
        why = ", ".join(f"{reason} ({count} question(s))" for reason, count in sorted(reasons.items()))
        said.append(f"{number} unit(s) lost: {why}")
    return " and ".join(said)


def _all_against(found: Measured, direction: Direction) -> Measured | None:
    """The measure with every unscored and lost unit counted against the gate.

    None where nothing says how far they could move it: their number is unknown, or no unit has a
    greatest value.
    """
    if found.lost_units is None or not (found.share or found.worst):
        return None
    if any(not found.worst * row.denominator <= row.numerator <= row.denominator for row in found.observations):
        return None
    free = 1 + max((row.repeat for row in found.observations), default=0)
    added = [
        Observation(name, units * (1 if direction == "over" else found.worst), units, free + number)
        for number, (name, units) in enumerate(_absent(found))
    ]
    return measure(
        found.name,
        [*found.observations, *added],
        statistic=found.statistic,
        intervals=found.intervals,
        worst=found.worst,
        share=found.share,
    )


def _absent(found: Measured) -> list[tuple[str, int]]:
    rows = [(row.question_id, row.units) for row in found.unscored]
    return rows + [(row.question_id, row.units) for row in found.lost if row.units is not None]


def _compare(found: Gateable, gate: Gate, condition: str) -> GateOutcome:
    value = _compared(found, gate.end)
    if isinstance(value, Undefined):
        return GateOutcome(gate, False, None, f"unmeasurable: {value.reason}")
    slack = SAME * max(1.0, abs(gate.threshold))  # sums of quotients differ from a decimal by rounding
    under = gate.direction == "under"
    passed = value >= gate.threshold - slack if under else value <= gate.threshold + slack
    said = {
        (True, True): "reaches",
        (True, False): "falls short of",
        (False, True): "stays within",
        (False, False): "is over",
    }[under, passed]
    what = "the value" if gate.end == "value" else f"the {gate.end} end{_level(found)}"
    return GateOutcome(gate, passed, value, f"{what} {value:.4g} {said} {gate.threshold:g}{condition}")


def _compared(found: Gateable, end: End) -> float | Undefined:
    if isinstance(found, Undefined):
        return found
    value = found.value
    if end == "value" or isinstance(value, Undefined):
        return value
    if found.interval is None:
        return Undefined("it has no interval to compare an end of")
    if isinstance(found.interval, Undefined):
        return Undefined(f"it has no interval: {found.interval.reason}")
    return found.interval.low if end == "lower" else found.interval.high


def _level(found: Gateable) -> str:
    interval = None if isinstance(found, Undefined) else found.interval
    return f" of the {interval.level:.0%} interval" if isinstance(interval, Interval) else ""


def named(prefix: str, measures: Mapping[str, Gateable]) -> dict[str, Gateable]:
    """Return the measures under `PREFIX/NAME`, for results of several modes or tiers."""
    return {f"{prefix}/{name}": value for name, value in measures.items()}


__all__ = ["Gate", "GateOutcome", "Gateable", "check_gates", "named", "parse_gate", "plain_name"]
