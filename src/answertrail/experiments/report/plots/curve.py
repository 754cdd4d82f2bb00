"""Risk against coverage: what is given up for being right more often."""

from __future__ import annotations

from itertools import pairwise

from answertrail.experiments.report.data import Curve
from answertrail.experiments.report.plots.canvas import BLUE, FAINT, RULE, SIZE, Canvas
from answertrail.experiments.report.plots.layout import percent, ticks

_LEFT, _TOP, _BOTTOM = 44, 24, 44


def draw(data: Curve, width: float) -> Canvas:
    """Draw the curve as steps: between two thresholds nothing changes."""
    width = min(width, 560)
    height = min(300.0, width * 0.66)
    canvas = Canvas(width, height)
    right, floor = width - 14, height - _BOTTOM
    marks = ticks(0, max([point.risk for point in data.points], default=0) or 0.1)
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = _LEFT + share * (right - _LEFT)
        canvas.line([(x, _TOP), (x, floor)], RULE)
        canvas.text(x, floor + 12, percent(share), align="center", colour=FAINT, size=SIZE - 1)
    for mark in marks:
        y = floor - mark / marks[-1] * (floor - _TOP)
        canvas.line([(_LEFT, y), (right, y)], RULE)
        canvas.text(_LEFT - 6, y, percent(mark), align="right", colour=FAINT, size=SIZE - 1)
    canvas.text(0, 9, "risk: wrong among the answered", colour=FAINT, size=SIZE - 1)
    canvas.text(right, height - 12, "coverage: answered among all", align="right", colour=FAINT, size=SIZE - 1)
    path = [
        (_LEFT + point.coverage * (right - _LEFT), floor - point.risk / marks[-1] * (floor - _TOP))
        for point in sorted(data.points, key=lambda point: point.coverage)
    ]
    if len(path) > 1:
        steps = [path[0]]
        for (_, before), (x, y) in pairwise(path):
            steps += [(x, before), (x, y)]
        canvas.line(steps, BLUE, 2)
    for x, y in path if len(path) <= 40 else (path[0], path[-1]):
        canvas.dot(x, y, BLUE, size=5)
    return canvas
