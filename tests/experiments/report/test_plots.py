"""Figures: values at their place, text as text, the same bytes, nothing in colour alone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from importlib import resources
from itertools import pairwise

import matplotlib as mpl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.experiments.report.data import (
    Bar,
    BarPanel,
    Bars,
    Curve,
    CurvePoint,
    FigureData,
    Forest,
    HeatCell,
    HeatMap,
    HeatRow,
    Part,
    Stacked,
    Waterfall,
    Whole,
    forest_row,
)
from answertrail.experiments.report.model import Figure
from answertrail.experiments.report.plots import DESK, PHONE, heatmap, svg
from answertrail.experiments.report.plots.canvas import BLUE, GREEN, GREY, INK, ORANGE, fitted, text_width
from answertrail.experiments.report.plots.layout import ticks
from answertrail.experiments.view.table import cell_text
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined
from tests.experiments.report.worlds import HOSTILE

BETWEEN = Interval(0.25, 0.75, 0.95, "x")
FOREST = Forest(
    (forest_row("recall", Ratio(1, 2, BETWEEN), "factual"), forest_row("ceiling", Undefined("no verdicts"), "factual"))
)
FOUR = (Part("a", 4), Part("b", 3), Part("c", 2), Part("d", 1))
EVERY: dict[str, FigureData] = {
    "forest": FOREST,
    "difference": Forest((forest_row("recall", Estimate(-0.033, Interval(-0.11, 0.04, 0.95, "x"))),), "difference"),
    "waterfall": Waterfall((Whole("factual", FOUR, 10),)),
    "stacked": Stacked((Whole("2025 Q1", FOUR, 10), Whole("2025 Q2", FOUR, 10))),
    "heatmap": HeatMap(("repeat 0", "repeat 1"), (HeatRow("q1", (HeatCell(1, 2), HeatCell(None, None, "failed"))),)),
    "curve": Curve((CurvePoint(0.5, 0.0), CurvePoint(1.0, 0.25))),
    "bars": Bars((BarPanel("cost", (Bar("factual", 0.05, "0.05"), Bar("longitudinal", None, "unknown"))),)),
}


def figure(data: FigureData, key: str = "figure-x") -> Figure:
    return Figure(key, "A title", data, "A caption", "What can be seen")


def texts(drawn: str) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(drawn).iter("text")]


@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize("data", EVERY.values(), ids=EVERY)
def test_a_figure_is_named_and_described_and_refers_to_nothing_outside(data: FigureData, width: int) -> None:
    drawn = svg(figure(data), width)
    root = ET.fromstring(drawn)
    assert root.get("role") == "img"
    named = {node.get("id"): "".join(node.itertext()) for node in root if node.tag in ("title", "desc")}
    assert [named[name] for name in root.get("aria-labelledby", "").split()] == ["A title", "What can be seen"]
    assert "http" not in drawn
    assert "<image" not in drawn
    assert root.get("width") == root.get("viewBox", "").split()[2]
    assert float(root.get("width", "0")) <= width


@pytest.mark.parametrize("data", EVERY.values(), ids=EVERY)
def test_drawing_twice_gives_the_same_bytes_and_two_figures_share_no_identifier(data: FigureData) -> None:
    assert svg(figure(data)) == svg(figure(data))
    first, second = (set(re.findall(r' id="([^"]+)"', svg(figure(data, key)))) for key in ("figure-a", "figure-b"))
    assert first
    assert not first & second


@pytest.mark.parametrize("data", EVERY.values(), ids=EVERY)
def test_every_value_of_a_figure_is_in_its_table(data: FigureData) -> None:
    cells = [cell_text(cell) for row in figure(data).table.rows for cell in row]
    for text in texts(svg(figure(data))):
        if re.fullmatch(r"\d+/\d+|failed|unknown|0\.05|\d+\.\d % \(.*\].*|undefined.*", text):
            assert text in cells


def test_a_dot_lies_where_its_value_is_and_the_undefined_one_says_why() -> None:
    drawn = svg(figure(FOREST))
    marks = {text: float(x) for x, text in re.findall(r'x="([\d.]+)" y="[\d.]+">([^<]+)</text>', drawn)}
    (dot,) = re.findall(r'<use [^>]*x="([\d.]+)"', drawn)
    assert float(dot) == pytest.approx(marks["50 %"], abs=0.01)
    assert "undefined: no verdicts" in texts(drawn)
    assert "50.0 % (1/2) [25.0, 75.0]" in texts(drawn)


def bars(drawn: str) -> list[tuple[float, float]]:
    """Return left and right end of every rectangle drawn."""
    found = []
    for path in re.findall(r'<path d="([^"]+z)\s*"', drawn):
        across = [float(x) for x in re.findall(r"[ML] ([\d.]+) ", path)]
        found.append((min(across), max(across)))
    return found


def test_each_bar_of_a_waterfall_begins_where_the_one_before_ends_and_the_last_spans_all() -> None:
    found = list(dict.fromkeys(bars(svg(figure(EVERY["waterfall"])))))
    *parts, whole = found
    assert len(parts) == 4
    for (_, end), (start, _) in pairwise(parts):
        assert start == pytest.approx(end, abs=0.01)
    assert (parts[0][0], parts[-1][1]) == pytest.approx(whole, abs=0.01)
    lengths = [end - start for start, end in parts]
    assert [length / lengths[-1] for length in lengths] == pytest.approx([4, 3, 2, 1], abs=0.01)


def test_parts_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to 10, not to 11"):
        Whole("factual", FOUR, 11)
    with pytest.raises(ValueError, match="q1: 1 cells of 2"):
        HeatMap(("a", "b"), (HeatRow("q1", (HeatCell(1, 2),)),))


def test_a_long_heat_map_says_how_many_questions_it_does_not_show() -> None:
    rows = tuple(HeatRow(f"q{number}", (HeatCell(0, 1),)) for number in range(55))
    shown = texts(svg(figure(HeatMap(("repeat 0",), rows))))
    assert "and 15 more questions, in the table of values" in shown
    assert len(figure(HeatMap(("repeat 0",), rows)).table.rows) == 55


def test_hostile_and_foreign_text_stays_text() -> None:
    row = forest_row(HOSTILE, Ratio(1, 2), "日本語 ไทย $x^2$")
    drawn = svg(figure(Forest((row,))), 2000)
    root = ET.fromstring(drawn)
    assert root.find("script") is None
    assert "\u202e" not in drawn
    assert "\x1b" not in drawn
    assert "日本語 ไทย $x^2$" in texts(drawn)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("paper", ["#ffffff", "#fdfdfc", "#16181b"])
def test_colours_stand_out_from_the_page_by_three_to_one(paper: str) -> None:
    assert min(contrast(colour, paper) for colour in (BLUE, ORANGE, GREEN, GREY)) >= 3
    assert contrast(INK, "#fdfdfc") >= 7


@given(st.text(max_size=60), st.floats(20, 400))
def test_a_line_is_cut_to_its_room(text: str, room: float) -> None:
    shown = fitted(text, room)
    assert text_width(shown) <= room or shown == "…"
    assert shown == text or shown.endswith("…")


@settings(max_examples=50)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_hold_the_values_between_them(low: float, span: float) -> None:
    marks = ticks(low, low + span)
    assert marks[0] <= low + span * 1e-6
    assert marks[-1] >= low + span * (1 - 1e-6)
    assert 2 <= len(marks) <= 8


def test_the_users_own_plot_settings_change_nothing() -> None:
    plain = svg(figure(FOREST))
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "text.usetex": False, "svg.fonttype": "path"}):
        assert svg(figure(FOREST)) == plain
        assert mpl.rcParams["font.size"] == 30


def test_letters_on_the_cells_of_a_heat_map_are_readable() -> None:
    assert all(contrast(shade, heatmap.ink_on(number)) >= 4.5 for number, shade in enumerate(heatmap.SHADES))


@pytest.mark.parametrize("theme", [0, 1])
def test_letters_on_the_page_are_readable_in_light_and_dark(theme: int) -> None:
    css = resources.files("answertrail.experiments.report").joinpath("templates/report.css").read_text()
    block = re.findall(r":root \{([^}]+)\}", css)[theme]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
    for paper in (colours["paper"], colours["panel"]):
        assert all(contrast(colours[name], paper) >= 4.5 for name in ("ink", "faint", "link", "warn"))
