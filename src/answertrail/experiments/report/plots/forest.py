"""Values with their intervals below one another."""

from __future__ import annotations

from itertools import groupby

from answertrail.experiments.report.data import Forest, ForestRow
from answertrail.experiments.report.plots.canvas import BLUE, INK, RULE, Canvas
from answertrail.experiments.report.plots.layout import Rows, axis_name, percent, rows_for, ticks

_HEADING, _FOOT = 26, 24


def draw(data: Forest, width: float) -> Canvas:
    """Draw each value as a dot on its interval; an undefined one has neither and says why."""
    groups = [(name, list(rows)) for name, rows in groupby(data.rows, key=lambda row: row.group)]
    layout = rows_for(width, (row.label for row in data.rows), (row.text for row in data.rows))
    headings = sum(1 for name, _ in groups if name)
    bottom = headings * _HEADING + len(data.rows) * layout.height + 4
    canvas = Canvas(width, bottom + _FOOT)
    marks = _marks(data)
    _axis(canvas, data, layout, marks, bottom)
    top = 0.0
    for name, rows in groups:
        if name:
            canvas.text(0, top + _HEADING / 2, name, bold=True, room=width)
            top += _HEADING
        for row in rows:
            middle = layout.write(canvas, top, row.label, row.text)
            _interval(canvas, row, layout, marks, middle)
            top += layout.height
    return canvas


def _marks(data: Forest) -> tuple[float, ...]:
    if data.scale == "share":
        return (0.0, 0.25, 0.5, 0.75, 1.0)
    numbers = [number for row in data.rows for number in (row.value, row.low, row.high) if number is not None]
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    if data.scale == "difference":
        far = max(-low, high) or 0.1
        low, high = -far, far
    return ticks(low, high if high > low else low + 1)


def _at(layout: Rows, marks: tuple[float, ...], value: float) -> float:
    # A dot is 8 wide; at the very edge of a phone it would be cut.
    left, right = (layout.left + 5, layout.right - 5) if layout.stacked else (layout.left, layout.right)
    within = min(max(value, marks[0]), marks[-1])
    return left + (within - marks[0]) / (marks[-1] - marks[0]) * (right - left)


def _axis(canvas: Canvas, data: Forest, layout: Rows, marks: tuple[float, ...], bottom: float) -> None:
    for mark in marks:
        at = _at(layout, marks, mark)
        zero = data.scale == "difference" and abs(mark) < 1e-12
        canvas.line([(at, 0), (at, bottom)], INK if zero else RULE, 1.2 if zero else 1)
        axis_name(canvas, at, bottom, _named(data, mark))


def _named(data: Forest, mark: float) -> str:
    if data.scale == "share":
        return percent(mark)
    if data.scale == "difference":
        return "0" if abs(mark) < 1e-12 else f"{mark * 100:+.3g}".replace("-", "−")
    return f"{mark:g}"


def _interval(canvas: Canvas, row: ForestRow, layout: Rows, marks: tuple[float, ...], middle: float) -> None:
    if row.low is not None and row.high is not None:
        ends = (_at(layout, marks, row.low), _at(layout, marks, row.high))
        canvas.line([(ends[0], middle), (ends[1], middle)], INK, 2)
        for end in ends:
            canvas.line([(end, middle - 5), (end, middle + 5)], INK, 2)
    if row.value is not None:
        canvas.dot(_at(layout, marks, row.value), middle, BLUE)
