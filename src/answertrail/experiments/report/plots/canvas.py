"""A sheet to draw on in pixels, written as SVG that goes into a page.

matplotlib draws; what it writes is then made fit for a page: text stays text, the colours of ink,
rules and paper follow the page (light, dark, print), no identifier can clash with another
figure's, and a title and a description are there for who does not see it.
"""

from __future__ import annotations

import html
import io
import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.figure import Figure as Sheet
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from answertrail.plain_text import one_line

INK, FAINT, RULE, PAPER = "#1c1e21", "#5b6168", "#d4d7db", "#fdfdfc"
# Of Okabe and Ito's palette those with a contrast of 3 to 1 and more on white and on the dark page.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#767676"
_FOLLOWS_PAGE = {INK: "ink", FAINT: "faint", RULE: "rule", PAPER: "paper"}
SIZE = 12

_SETTINGS: Any = {  # matplotlib types its settings by a list of all their names.
    "svg.fonttype": "none",
    "svg.hashsalt": "answertrail",
    "svg.id": None,
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": SIZE,
    "hatch.linewidth": 1.2,
    "path.simplify": False,
}


@contextmanager
def drawing() -> Iterator[None]:
    """Draw by these settings alone, whatever the user's own say, and put theirs back."""
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        # Of letters that the font which measures lacks; the reader's own fonts show them.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support", category=UserWarning)
        yield


class Canvas:
    """Draw in pixels from the top left. Text is cleaned of control characters and direction marks."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.sheet = Sheet(figsize=(width / 72, height / 72), dpi=72)
        self.axes = self.sheet.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.axis("off")
        self.sheet.patch.set_visible(False)
        self._layer = 0.0

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        align: Literal["left", "center", "right"] = "left",
        colour: str = INK,
        size: float = SIZE,
        bold: bool = False,
        room: float | None = None,
    ) -> None:
        """Write one line centred on `y`, cut with an ellipsis to `room` pixels."""
        shown = one_line(text)
        if room is not None:
            shown = fitted(shown, room, size)
        # The base line is set by hand: a page with another font keeps it.
        self.axes.text(
            x,
            y + size * 0.36,
            shown,
            ha=align,
            va="baseline",
            color=colour,
            fontsize=size,
            fontweight="bold" if bold else "normal",
            zorder=self._above(),
        )

    def bar(self, x: float, y: float, width: float, height: float, colour: str, *, hatch: str = "") -> None:
        """Draw a bar from its top left corner, outlined so that a pale one has an edge."""
        if hatch:
            self._box(x, y, width, height, facecolor=colour, edgecolor=PAPER, hatch=hatch, linewidth=0)
            self._box(x, y, width, height, fill=False, edgecolor=INK, linewidth=0.8)
        else:
            self._box(x, y, width, height, facecolor=colour, edgecolor=INK, linewidth=0.8)

    def line(
        self, points: Sequence[tuple[float, float]], colour: str, width: float = 1.0, *, dashed: bool = False
    ) -> None:
        """Draw a line through the points."""
        self._plot(points, color=colour, linewidth=width, linestyle=(0, (4, 3)) if dashed else "-")

    def dot(self, x: float, y: float, colour: str, size: float = 8) -> None:
        """Draw a round mark."""
        edge = {"markerfacecolor": colour, "markeredgecolor": INK, "markeredgewidth": 0.8}
        self._plot([(x, y)], marker="o", markersize=size, linestyle="none", **edge)

    def _box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        self.axes.add_artist(Rectangle((x, y), width, height, clip_on=False, zorder=self._above(), **style))

    def _plot(self, points: Sequence[tuple[float, float]], **style: Any) -> None:
        across, down = [x for x, _ in points], [y for _, y in points]
        self.axes.add_artist(Line2D(across, down, clip_on=False, solid_capstyle="butt", zorder=self._above(), **style))

    def _above(self) -> float:
        """Each thing lies on top of what was drawn before."""
        self._layer += 1
        return self._layer

    def svg(self, name: str, title: str, description: str) -> str:
        """Return the drawing as an `svg` element; `name` is the prefix of every identifier in it."""
        stream = io.StringIO()
        self.sheet.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
        return _for_a_page(stream.getvalue(), name, one_line(title), one_line(description), self.width, self.height)


def fitted(text: str, room: float, size: float = SIZE) -> str:
    """Return the text, cut with an ellipsis where it is likely to be wider than `room` pixels."""
    if text_width(text, size) <= room:
        return text
    used, kept = text_width("…", size), []
    for sign in text:
        used += text_width(sign, size)
        if used > room:
            break
        kept.append(sign)
    return "".join(kept).rstrip() + "…"


def text_width(text: str, size: float = SIZE) -> float:
    """Return about how wide a line is: 0.6 of its size a letter, 1 for East Asian letters, 0 for marks."""
    return size * sum(
        0.0 if unicodedata.combining(sign) else 1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.6
        for sign in text
    )


def _for_a_page(text: str, name: str, title: str, description: str, width: float, height: float) -> str:
    body = text[text.index(">", text.index("<svg")) + 1 : text.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>|<!--.*?-->", "", body, flags=re.DOTALL)
    body = body.replace("xlink:href=", "href=")
    body = re.sub(r" font-family: [^;\"]*;", "", body)
    body = re.sub(r' transform="rotate\(-?0 [^"]*"', "", body)
    # Every shape and every text is a group with an id; only what is referred to needs one.
    kept = {first or second for first, second in re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', body)}
    body = re.sub(r' id="([^"]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in kept else "", body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", body)
    if "<g " not in body:
        body = re.sub(r"</?g>", "", body)
    for colour, role in _FOLLOWS_PAGE.items():
        body = body.replace(f": {colour}", f": var(--{role}, {colour})")
    body = re.sub(r" ?\n\s*", "\n", body).strip()
    head = (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'font-family="system-ui, sans-serif" aria-labelledby="{name}-title {name}-desc">'
    )
    title = f'<title id="{name}-title">{html.escape(title)}</title>'
    description = f'<desc id="{name}-desc">{html.escape(description)}</desc>'
    return f"{head}{title}{description}\n{body}\n</svg>"
