"""One bar a period, cut into the same parts everywhere."""

from __future__ import annotations

from answertrail.experiments.report.data import Stacked, Whole
from answertrail.experiments.report.plots.canvas import INK, Canvas, text_width
from answertrail.experiments.report.plots.layout import BAR, rows_for, share_axis
from answertrail.experiments.report.plots.waterfall import STYLES

_FOOT, _KEY = 24, 22


def draw(data: Stacked, width: float) -> Canvas:
    """Draw a key, then a bar a whole; the first part's count is written beside it."""
    names = [part.label for part in data.wholes[0].parts] if data.wholes else []
    layout = rows_for(width, (whole.label for whole in data.wholes), map(_value, data.wholes))
    places, head = _key_places(names, width)
    bottom = head + layout.height * len(data.wholes)
    canvas = Canvas(width, bottom + _FOOT)
    for number, (name, (x, y)) in enumerate(zip(names, places, strict=True)):
        colour, hatch = STYLES[number % len(STYLES)]
        canvas.bar(x + 1, y - 6, 18, 12, colour, hatch=hatch)
        canvas.text(x + 26, y, name, colour=INK)
    share_axis(canvas, layout.left, layout.right, head, bottom)
    top = head
    for whole in data.wholes:
        middle = layout.write(canvas, top, whole.label, _value(whole))
        start = layout.left
        for number, part in enumerate(whole.parts):
            length = part.count / whole.total * (layout.right - layout.left) if whole.total else 0.0
            if part.count:
                colour, hatch = STYLES[number % len(STYLES)]
                canvas.bar(start, middle - BAR / 2, length, BAR, colour, hatch=hatch)
            start += length
        top += layout.height
    return canvas


def _value(whole: Whole) -> str:
    return f"{whole.parts[0].count:g} of {whole.total:g}" if whole.parts else ""


def _key_places(names: list[str], width: float) -> tuple[list[tuple[float, float]], float]:
    places: list[tuple[float, float]] = []
    x, y = 0.0, 9.0
    for name in names:
        need = 26 + text_width(name) + 20
        if places and x + need > width:
            x, y = 0.0, y + _KEY
        places.append((x, y))
        x += need
    return places, y + 16
