"""Amounts on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class Finite(click.FloatRange):
    """A number in a range; NaN passes click's own, since it compares with nothing."""

    what = "a number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, refusing what is not finite."""
        amount: float = super().convert(value, param, ctx)
        if not math.isfinite(amount):
            self.fail(f"{value} is not {self.what}", param, ctx)
        return amount


class Money(Finite):
    """An amount of money."""

    what = "an amount of money"
