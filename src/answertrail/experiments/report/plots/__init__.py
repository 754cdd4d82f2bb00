"""Figures drawn: one module a kind, each in any width."""

from __future__ import annotations

from answertrail.experiments.report.data import Bars, Curve, Forest, HeatMap, Stacked, Waterfall
from answertrail.experiments.report.model import Figure
from answertrail.experiments.report.plots import bars, curve, forest, heatmap, stacked, waterfall
from answertrail.experiments.report.plots.canvas import Canvas, drawing

DESK, PHONE = 760, 340


def svg(figure: Figure, width: int = DESK) -> str:
    """Return a figure as an `svg` element of this width, with its title and what can be seen in it.

    The same figure gives the same text. Widths below 500 put labels above their bars.
    """
    with drawing():
        return _drawn(figure, width).svg(f"{figure.key}-{width}", figure.title, figure.alt)


def _drawn(figure: Figure, width: int) -> Canvas:
    match figure.data:
        case Forest():
            return forest.draw(figure.data, width)
        case Waterfall():
            return waterfall.draw(figure.data, width)
        case Stacked():
            return stacked.draw(figure.data, width)
        case HeatMap():
            return heatmap.draw(figure.data, width)
        case Curve():
            return curve.draw(figure.data, width)
        case Bars():
            return bars.draw(figure.data, width)
