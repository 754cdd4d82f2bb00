"""What a measure returns: a number with its parts and interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Integral
from typing import Any, SupportsFloat

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Undefined:
    """No value, and why. It is printed and counted; it never becomes 0, 1 or NaN."""

    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError("an undefined value needs a reason")

    def as_json(self) -> Json:
        """Return the contract's shape of an undefined value."""
        return {"undefined": self.reason}


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval with what is needed to compute it again.

    `method` names the formula; `resamples` and `seed` are None unless it was resampled. The
    generator is always numpy's PCG64. Raises ValueError on NaN, infinity, low > high, a level
    outside (0, 1).
    """

    low: float
    high: float
    level: float
    method: str
    resamples: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", float(finite(self.low, "low")))
        object.__setattr__(self, "high", float(finite(self.high, "high")))
        checked_level(self.level)
        if self.low > self.high:
            raise ValueError(f"an interval from {self.low} to {self.high}")

    def clipped(self, low: float, high: float) -> Interval:
        """Return the interval with both ends moved into [low, high]."""
        return Interval(
            min(max(self.low, low), high),
            min(max(self.high, low), high),
            self.level,
            self.method,
            self.resamples,
            self.seed,
        )

    def as_json(self) -> Json:
        """Return the contract's shape of an interval."""
        return {
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
            "resamples": self.resamples,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True)
class Ratio:
    """numerator / denominator, undefined with `if_empty` as its reason when the denominator is 0.

    The interval is None when none was asked for and Undefined when there can be none. Raises
    ValueError on NaN, infinity, a negative denominator, or a numerator over nothing.
    """

    numerator: float
    denominator: float
    interval: Interval | Undefined | None = None
    if_empty: str = "the denominator is 0"

    def __post_init__(self) -> None:
        object.__setattr__(self, "numerator", finite(self.numerator, "numerator"))
        object.__setattr__(self, "denominator", finite(self.denominator, "denominator"))
        if self.denominator < 0:
            raise ValueError(f"denominator {self.denominator} is negative")
        if self.denominator == 0 and self.numerator != 0:
            raise ValueError(f"numerator {self.numerator} over a denominator of 0")

    @property
    def value(self) -> float | Undefined:
        """The quotient, or why there is none."""
        if self.denominator == 0:
            return Undefined(self.if_empty)
        return self.numerator / self.denominator

    def as_json(self) -> Json:
        """Return the contract's shape of a value."""
        value = self.value
        if isinstance(value, Undefined):
            return value.as_json()
        return {
            "value": value,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "interval": None if self.interval is None else self.interval.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that is not one quotient of counts: a difference, a kappa, a corrected rate."""

    value: float
    interval: Interval | Undefined | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(finite(self.value, "value")))

    def clipped(self, low: float, high: float) -> Estimate:
        """Return the estimate with value and interval moved into [low, high]."""
        interval = self.interval.clipped(low, high) if isinstance(self.interval, Interval) else self.interval
        return Estimate(min(max(self.value, low), high), interval)

    def as_json(self) -> Json:
        """Return the contract's shape of a value; numerator and denominator are null."""
        return {
            "value": self.value,
            "numerator": None,
            "denominator": None,
            "interval": None if self.interval is None else self.interval.as_json(),
        }


def finite(value: SupportsFloat, name: str) -> float:
    """Return `value` as a plain int or float. Raises ValueError, naming it, on NaN or infinity."""
    if type(value) is float or type(value) is int:  # asking for a base class costs ten times as much
        number: float = value
    elif isinstance(value, Integral):
        return int(value)
    else:
        number = float(value)
    if not isfinite(number):
        raise ValueError(f"{name} is {number}; a measure takes and returns finite numbers only")
    return number


def checked_level(level: float) -> float:
    """Return a confidence level. Raises ValueError unless 0 < level < 1."""
    if not 0 < level < 1:
        raise ValueError(f"level {level} is not between 0 and 1")
    return level
