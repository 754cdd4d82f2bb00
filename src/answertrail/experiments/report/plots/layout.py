"""Rows of a figure: label, bar and value side by side on a desk, one above the other on a phone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from answertrail.experiments.report.plots.canvas import FAINT, RULE, SIZE, Canvas, text_width

NARROW = 500
BAR = 16


@dataclass(frozen=True, slots=True)
class Rows:
    """Where label, bar and value of each row go in a width, for these labels and values."""

    width: float
    left: float
    right: float
    stacked: bool
    two_lines: bool

    @property
    def height(self) -> float:
        """Height of a row."""
        if not self.stacked:
            return 30
        return 60 if self.two_lines else 44

    def write(self, canvas: Canvas, top: float, label: str, value: str) -> float:
        """Write label and value of the row beginning at `top`; return the middle of its bar."""
        if not self.stacked:
            middle = top + self.height / 2
            canvas.text(self.left - 10, middle, label, align="right", room=self.left - 10)
            self._value(canvas, middle, value)
            return middle
        if self.two_lines:
            canvas.text(0, top + 9, label, room=self.width)
            canvas.text(0, top + 25, value, colour=FAINT, room=self.width)
            return top + 44
        canvas.text(0, top + 9, label, room=self.width - text_width(value) - 8)
        canvas.text(self.width, top + 9, value, align="right", colour=FAINT)
        return top + 28

    def _value(self, canvas: Canvas, middle: float, value: str) -> None:
        room = self.width - self.right - 10
        lines = _wrapped(value, room) if text_width(value) > room else [value]
        for number, line in enumerate(lines):
            canvas.text(self.right + 10, middle + (number - (len(lines) - 1) / 2) * (SIZE + 2), line, room=room)


def _wrapped(text: str, room: float) -> list[str]:
    """Return the text in two lines, the second cut where it is too long."""
    words = text.split(" ")
    fits = [number for number in range(1, len(words)) if text_width(" ".join(words[:number])) <= room]
    return [" ".join(words[: fits[-1]]), " ".join(words[fits[-1] :])] if fits else [text]


def rows_for(width: float, labels: Iterable[str], values: Iterable[str]) -> Rows:
    """Return the layout: on a wide sheet the columns are as wide as their text, within bounds."""
    label = max((text_width(text) for text in labels), default=0)
    value = max((text_width(text) for text in values), default=0)
    if width < NARROW:
        return Rows(width, 1, width - 1, True, label + value + 16 > width)
    left = min(max(label, 60), width * 0.30) + 12
    return Rows(width, left, width - min(max(value, 40), width * 0.36) - 20, False, False)


def share_axis(canvas: Canvas, left: float, right: float, top: float, bottom: float) -> None:
    """Draw rules at the quarters of 0 to 100 %, named below."""
    for share in (0, 0.25, 0.5, 0.75, 1):
        at = left + share * (right - left)
        canvas.line([(at, top), (at, bottom)], RULE)
        axis_name(canvas, at, bottom, percent(share))


def axis_name(canvas: Canvas, at: float, bottom: float, text: str) -> None:
    """Write the name of a mark below it, inside the sheet where the mark is at its edge."""
    half = text_width(text, SIZE - 1) / 2
    at = min(max(at, half), canvas.width - half)
    canvas.text(at, bottom + 12, text, align="center", colour=FAINT, size=SIZE - 1)


def percent(share: float) -> str:
    """Return a share as per cent, as the tables write it."""
    return f"{share * 100:.3g} %"


def nice_step(span: float, steps: int = 4) -> float:
    """Return 1, 2 or 5 times a power of ten, so that about `steps` of them make up `span`."""
    if span <= 0:
        return 1.0
    raw = span / steps
    power = 10.0 ** floor(log10(raw))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)


def ticks(low: float, high: float) -> tuple[float, ...]:
    """Return nice values from at or below `low` to at or above `high`."""
    step = nice_step(high - low)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return tuple(step * number for number in range(first, last + 1))
