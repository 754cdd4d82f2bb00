"""Amounts on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class Money(click.FloatRange):
    """An amount above zero; NaN passes a range, since it compares with nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the amount, refusing what is not finite."""
        amount: float = super().convert(value, param, ctx)
        if not math.isfinite(amount):
            self.fail(f"{value} is not an amount of money", param, ctx)
        return amount
