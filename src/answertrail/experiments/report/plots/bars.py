"""Lengths by tier, each quantity on its own scale."""

from __future__ import annotations

from answertrail.experiments.report.data import Bars
from answertrail.experiments.report.plots.canvas import BLUE, RULE, Canvas
from answertrail.experiments.report.plots.layout import BAR, rows_for

_HEADING, _GAP = 24, 8


def draw(data: Bars, width: float) -> Canvas:
    """Draw a panel a quantity; what is unknown has no bar and says so."""
    bars = [bar for panel in data.panels for bar in panel.bars]
    layout = rows_for(width, (bar.label for bar in bars), (bar.text for bar in bars))
    height = sum(_HEADING + layout.height * len(panel.bars) + _GAP for panel in data.panels)
    canvas = Canvas(width, height)
    top = 0.0
    for panel in data.panels:
        canvas.text(0, top + _HEADING / 2, panel.title, bold=True, room=width)
        top += _HEADING
        longest = max((bar.value for bar in panel.bars if bar.value is not None), default=0) or 1
        canvas.line([(layout.left, top), (layout.left, top + layout.height * len(panel.bars))], RULE)
        for bar in panel.bars:
            middle = layout.write(canvas, top, bar.label, bar.text)
            if bar.value:
                canvas.bar(layout.left, middle - BAR / 2, bar.value / longest * (layout.right - layout.left), BAR, BLUE)
            top += layout.height
        top += _GAP
    return canvas
