"""Cutting time: the grain, the labels, empty stretches, the undated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.search.periods import grain_for, strata
from answertrail.search.ranking import Facts


def at(*days: str | None) -> np.ndarray:
    return np.array(
        [np.nan if d is None else datetime.fromisoformat(d).replace(tzinfo=UTC).timestamp() for d in days], dtype=float
    )


def seconds(day: str | None) -> float | None:
    return None if day is None else datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def cut(published, grain=None, *, start=None, end=None, allowed=None):
    alone = np.full(len(published), -1)
    facts = Facts(
        published,
        np.arange(len(published)),
        alone,
        alone,
        alone,
        seconds(start),
        seconds(end),
        np.zeros(len(published), bool),
    )
    allowed = np.ones(len(published), bool) if allowed is None else np.array(allowed, bool)
    if start or end:
        low, high = seconds(start) or -np.inf, seconds(end) or np.inf
        facts.undated_out[:] = np.isnan(published) & allowed
        allowed &= (published >= low) & (published < high)
    return strata(facts, allowed, grain)


def labels(found):
    return [period.label for period in found.periods]


def monthly(count: int, first: int = 2020 * 12) -> np.ndarray:
    return at(*(f"{(first + n) // 12:04}-{(first + n) % 12 + 1:02}-15" for n in range(count)))


@pytest.mark.parametrize(
    ("months", "grain"),
    [(1, "month"), (8, "month"), (16, "month"), (18, "month"), (24, "quarter"), (3, "month"), (48, "quarter"),
     (60, "quarter"), (96, "year"), (192, "year"), (600, "year")],
)  # fmt: skip
def test_the_grain_gives_about_8_to_16_periods(months, grain):
    # 18 months are 18 or 6: 18 is 1.13 times too many, 6 is 1.33 times too few. 60 are 20 or 5.
    assert grain_for(monthly(months)) == grain


def test_of_two_that_fit_the_coarser_is_taken_so_that_quarterly_calls_go_by_quarter():
    calls = at(*(f"{year}-{month:02}-03" for year in range(2020, 2024) for month in (1, 4, 7, 10)))
    assert grain_for(calls) == "quarter"


def test_one_misdated_document_does_not_change_the_grain():
    assert grain_for(np.concatenate([monthly(12), at("1970-01-01")])) == "month"


def test_periods_are_labelled_and_half_open_in_utc():
    found = cut(at("2024-03-31T23:59:59", "2024-04-01", "2024-12-31"), "quarter")
    assert labels(found) == ["2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4"]
    assert found.codes.tolist() == [0, 1, 3]
    assert (found.periods[1].start, found.periods[1].end) == (
        datetime(2024, 4, 1, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC)
    )  # fmt: skip
    assert labels(cut(at("2024-03-31", "2025-01-01"), "year")) == ["2024", "2025"]
    assert labels(cut(at("1969-12-31", "1970-01-01"), "month")) == ["1969-12", "1970-01"]


def test_a_stretch_without_documents_is_one_period_and_never_missing():
    found = cut(at("1970-01-01", "2024-02-10", "2024-03-10"), "month")
    assert labels(found) == ["1970-01", "1970-02..2024-01", "2024-02", "2024-03"]
    assert found.codes.tolist() == [0, 2, 3]
    ends = [(period.start, period.end) for period in found.periods]
    assert all(one[1] == two[0] for one, two in pairwise(ends))


def test_bounds_show_what_was_asked_for_beyond_the_documents():
    published = at("2024-03-10", "2024-05-10", "2025-01-01")
    assert labels(cut(published, "month", start="2024-01-01", end="2024-08-01")) == [
        "2024-01..2024-02", "2024-03", "2024-04", "2024-05", "2024-06..2024-07",
    ]  # fmt: skip
    assert labels(cut(published, "month", start="2030-01-01", end="2030-03-01")) == ["2030-01..2030-02"]
    assert labels(cut(published, "year", start="0001-01-01", end="9999-12-31"))[-1] == "2026..9999"


def test_the_undated_come_last_and_stay_listed_when_a_bound_leaves_them_out():
    published = at(None, "2024-03-10", None)
    assert labels(cut(published, "month")) == ["2024-03", "undated"]
    assert cut(published, "month").codes.tolist() == [1, 0, 1]
    assert labels(cut(published, "month", start="2024-03-01")) == ["2024-03", "undated"]
    assert labels(cut(at(None, None))) == ["undated"]
    assert labels(cut(at())) == []


def test_rows_outside_the_filter_are_in_no_period():
    assert cut(at("2024-03-10", "2024-04-10"), "month", allowed=[False, True]).codes.tolist() == [-1, 0]


@given(st.lists(st.none() | st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), max_size=30), st.data())
def test_each_document_lies_in_the_one_period_that_holds_its_date(days, data):
    published = np.array([np.nan if d is None else d.replace(tzinfo=UTC).timestamp() for d in days], dtype=float)
    grain = data.draw(st.sampled_from([None, "month", "quarter", "year"]))
    found = cut(published, grain)
    assert len(set(labels(found))) == len(found.periods)
    for day, code in zip(days, found.codes.tolist(), strict=True):
        period = found.periods[code]
        if day is None:
            assert period.label == "undated"
        else:
            # A millionth of a second may be lost where dates are kept as seconds.
            moment = day.replace(tzinfo=UTC)
            assert period.start - timedelta(milliseconds=1) <= moment < period.end + timedelta(milliseconds=1)
