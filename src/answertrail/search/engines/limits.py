"""What numbers an engine's settings may be; they also come from the command line, as whatever was written there."""

from __future__ import annotations

from collections.abc import Mapping

from answertrail.errors import InputError


def check_whole(limits: Mapping[str, tuple[object, int, int]]) -> None:
    """Raise InputError unless each value is a whole number from the lowest to the highest given with it."""
    for name, (value, low, high) in limits.items():
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise InputError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
