"""Cells show parts and intervals, and text of a corpus stays text."""

from __future__ import annotations

import pytest

from answertrail.experiments.view.markdown import markdown
from answertrail.experiments.view.table import ReportTable, cell_text, table
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals, Unscored, measure
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined

BETWEEN = Interval(0.701, 0.97, 0.95, "cluster-percentile", 10_000, 1)


def test_a_rate_shows_its_parts_and_interval() -> None:
    assert cell_text(Ratio(135, 159, BETWEEN)) == "84.9 % (135/159) [70.1, 97.0]"
    assert cell_text(Ratio(0, 0, if_empty="no nugget")) == "undefined: no nugget"
    assert cell_text(Estimate(-0.033, Interval(-0.11, 0.04, 0.95, "x"))) == "-0.033 [-0.110, 0.040]"
    assert cell_text(None) == "–"


def test_a_measure_says_how_many_units_it_could_not_count() -> None:
    rows = [Observation("a", 1, 2), Observation("b", 1, 1)]
    unscored = [Unscored("a", 1, "no verdict")]
    whole = measure("recall", rows, statistic="totals", unscored=unscored, intervals=Intervals("none"))
    assert cell_text(whole) == "66.7 % (2/3); 1 unscored"
    mean = measure("mean_recall", rows, statistic="means", intervals=Intervals("none"))
    assert cell_text(mean) == "0.750 (2 questions)"


def test_markdown_keeps_hostile_text_in_its_cell() -> None:
    shown = markdown(table("x", "T", ["a"], [["one | two <script>\nthree"]], ["*note*"]))
    assert "| one \\| two \\<script> three |" in shown
    assert "- \\*note\\*" in shown


def test_a_row_of_the_wrong_width_is_refused() -> None:
    with pytest.raises(ValueError, match="row 0 has 1 cells of 2"):
        ReportTable("x", "T", ("a", "b"), ((Undefined("no"),),))
