"""Questions by repeats or modes: every cell says what it counts, its colour only helps the eye."""

from __future__ import annotations

from answertrail.experiments.report.data import HeatCell, HeatMap
from answertrail.experiments.report.plots.canvas import FAINT, GREY, INK, PAPER, SIZE, Canvas, text_width
from answertrail.experiments.report.plots.layout import NARROW

SHOWN = 40
_ROW, _HEAD, _FOOT = 22, 28, 24
_FLAG, _SMALL = 5, SIZE - 2
# From nothing found to all found, one hue; the letters on it are black or white by contrast.
SHADES = ("#fbe6d8", "#dcebf5", "#b3d4ea", "#7db6da", "#3f93c6", "#0072b2")
_BLACK, _WHITE = "#111111", "#ffffff"


def draw(data: HeatMap, width: float) -> Canvas:
    """Draw the first 40 questions and say how many more there are."""
    rows = data.rows[:SHOWN]
    more = len(data.rows) - len(rows)
    canvas = Canvas(width, _HEAD + _ROW * len(rows) + (_FOOT if more else 4))
    longest = max((text_width(row.label) for row in rows), default=0)
    left = min(longest + 10, width * (0.38 if width < NARROW else 0.34))
    column = min((width - left) / max(len(data.columns), 1), 130)
    for number, name in enumerate(data.columns):
        middle = left + (number + 0.5) * column
        canvas.text(middle, 12, name, align="center", colour=FAINT, room=column - 4, size=SIZE - 1)
    for place, row in enumerate(rows):
        top = _HEAD + place * _ROW
        canvas.text(0, top + _ROW / 2, row.label, room=left - 8)
        for number, cell in enumerate(row.cells):
            _cell(canvas, cell, left + number * column, top, column)
    if more:
        canvas.text(0, canvas.height - _FOOT / 2, f"and {more} more questions, in the table of values", colour=FAINT)
    return canvas


def ink_on(shade: int) -> str:
    """Return the colour of letters on a shade."""
    return _WHITE if shade == len(SHADES) - 1 else _BLACK


def _cell(canvas: Canvas, cell: HeatCell, left: float, top: float, width: float) -> None:
    share = cell.share
    if share is None:
        canvas.bar(left + 1, top + 1, width - 2, _ROW - 2, PAPER)
        canvas.bar(left + 1, top + 1, _FLAG, _ROW - 2, GREY)
        middle = left + (width + _FLAG) / 2
        canvas.text(middle, top + _ROW / 2, cell.text, align="center", colour=INK, size=_SMALL, room=width - _FLAG - 4)
        return
    shade = 0 if share <= 0 else max(1, min(5, round(share * 5)))
    canvas.bar(left + 1, top + 1, width - 2, _ROW - 2, SHADES[shade])
    canvas.text(
        left + width / 2, top + _ROW / 2, cell.text, align="center", colour=ink_on(shade), size=SIZE - 1, room=width
    )
