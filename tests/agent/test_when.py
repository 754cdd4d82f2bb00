"""The times a row of a dated table can stand for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.agent.when import check_when, span_of


@pytest.mark.parametrize(
    ("when", "start", "end"),
    [
        ("2025-06-20", "2025-06-20", "2025-06-21"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("2024-12", "2024-12-01", "2025-01-01"),
        ("2025-Q1", "2025-01-01", "2025-04-01"),
        ("2025-Q4", "2025-10-01", "2026-01-01"),
        ("2025", "2025-01-01", "2026-01-01"),
        ("2025-04..2025-09", "2025-04-01", "2025-10-01"),
        ("2024-12-31..2025-Q1", "2024-12-31", "2025-04-01"),
        ("2025..2025", "2025-01-01", "2026-01-01"),
    ],
)
def test_a_time_is_read_with_both_ends_of_a_range_in_it(when, start, end):
    span = span_of(when)
    assert (span.start.date().isoformat(), span.end.date().isoformat()) == (start, end)
    assert span.holds(span.start)
    assert span.holds(span.end - timedelta(seconds=1))
    assert not span.holds(span.end)


def test_undated_is_no_time():
    assert span_of("undated") is None


@pytest.mark.parametrize(
    "when",
    ["", " ", "now", "2025-13", "2025-00", "2025-02-30", "2025-01-00", "0000", "2025-Q0", "2025-Q5", "25", "2025-1",
     "2025/01", "2025..", "..2025", "2025..2024", "2025..undated", "2025-01..2025-02..2025-03", "２０２５",
     "2025-06-20T10:00", "x" * 5000],
)  # fmt: skip
def test_what_is_no_time_is_refused_in_a_short_sentence(when):
    with pytest.raises(ValueError) as caught:
        check_when(when)
    assert len(str(caught.value)) < 200


def test_the_end_of_the_calendar_is_its_last_moment():
    last = datetime(9999, 12, 31, 12, tzinfo=UTC)
    assert all(span_of(when).holds(last) for when in ("9999", "9999-12", "9999-Q4", "9999-12-31"))


@given(st.dates(date(1, 1, 1), date(9998, 12, 31)))
def test_a_day_lies_in_its_month_quarter_and_year(day):
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    year, quarter = f"{day.year:04}", (day.month + 2) // 3
    for when in (day.isoformat(), f"{year}-{day.month:02}", f"{year}-Q{quarter}", year):
        assert span_of(when).holds(noon)
        assert not span_of(when).meets(span_of(when).end, datetime.max.replace(tzinfo=UTC))
