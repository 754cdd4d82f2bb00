"""Data frames hold numbers, parts and reasons apart, so that nothing undefined is averaged as 0."""

from __future__ import annotations

import pytest

from answertrail.experiments.view.frames import frames
from answertrail.experiments.view.table import table
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined

pd = pytest.importorskip("pandas", reason="pandas is an extra")


def test_a_rate_is_split_into_value_parts_and_interval() -> None:
    between = Interval(0.7, 0.97, 0.95, "cluster-percentile", 100, 1)
    shown = table(
        "t", "T", ["measure", "value"], [["recall", Ratio(3, 4, between)], ["ceiling", Undefined("no verdict")]]
    )
    frame = frames([shown])["t"]
    assert list(frame.columns) == [
        "measure", "value", "value numerator", "value denominator", "value low", "value high", "value undefined",
    ]  # fmt: skip
    assert frame.loc[0, "value"] == 0.75
    assert (frame.loc[0, "value low"], frame.loc[0, "value high"]) == (0.7, 0.97)
    assert pd.isna(frame.loc[1, "value"])
    assert frame.loc[1, "value undefined"] == "no verdict"
    assert frame["value"].mean() == 0.75


def test_plain_cells_stay_as_they_are_and_nothing_is_na() -> None:
    frame = frames([table("t", "T", ["a", ""], [["x", None], ["y", Estimate(-0.5)]])])["t"]
    assert list(frame.columns) == ["a", "value"]
    assert pd.isna(frame.loc[0, "value"])
    assert frame.loc[1, "value"] == -0.5
