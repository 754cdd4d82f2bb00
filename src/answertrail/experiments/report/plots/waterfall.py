"""Parts that add up: each bar begins where the one before it ends."""

from __future__ import annotations

from answertrail.experiments.report.data import Waterfall, Whole
from answertrail.experiments.report.plots.canvas import BLUE, FAINT, GREEN, GREY, ORANGE, RULE, Canvas
from answertrail.experiments.report.plots.layout import BAR, rows_for, share_axis

_HEADING, _GAP, _FOOT = 26, 12, 24
STYLES = ((BLUE, ""), (GREEN, "//"), (ORANGE, "\\\\"), (GREY, "xx"))


def draw(data: Waterfall, width: float) -> Canvas:
    """Draw one panel a whole: its parts from left to right, then all of it."""
    labels = [*(part.label for whole in data.wholes for part in whole.parts), "all"]
    values = [_value(part.count, whole) for whole in data.wholes for part in whole.parts]
    layout = rows_for(width, labels, values)
    heights = [_HEADING + layout.height * (len(whole.parts) + 1) + _GAP for whole in data.wholes]
    bottom = sum(heights)
    canvas = Canvas(width, bottom + _FOOT)
    share_axis(canvas, layout.left, layout.right, _HEADING, bottom)
    top = 0.0
    for whole, height in zip(data.wholes, heights, strict=True):
        canvas.text(0, top + _HEADING / 2, whole.label, bold=True, room=width)
        scale = (layout.right - layout.left) / whole.total if whole.total else 0.0
        row, start = top + _HEADING, layout.left
        for number, part in enumerate(whole.parts):
            middle = layout.write(canvas, row, part.label, _value(part.count, whole))
            colour, hatch = STYLES[number % len(STYLES)]
            end = start + part.count * scale
            if part.count:
                canvas.bar(start, middle - BAR / 2, end - start, BAR, colour, hatch=hatch)
            if not layout.stacked:  # There it would run through the label below.
                canvas.line([(end, middle - BAR / 2), (end, middle + layout.height - BAR / 2)], FAINT, dashed=True)
            row, start = row + layout.height, end
        middle = layout.write(canvas, row, "all", f"{whole.total:g}")
        if whole.total:
            canvas.bar(layout.left, middle - BAR / 2, layout.right - layout.left, BAR, RULE)
        top += height
    return canvas


def _value(count: float, whole: Whole) -> str:
    return f"{count:g} ({count / whole.total:.1%})".replace("%", " %") if whole.total else f"{count:g}"
