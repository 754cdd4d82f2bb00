"""The time a row of a dated table stands for: a day, month, quarter, year, a run of them, or `undated`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from answertrail.search.periods import UNDATED

FORMS = "YYYY-MM-DD, YYYY-MM, YYYY-Qn, YYYY, two of these joined by '..', or 'undated'"
_ONE = re.compile(r"(\d{4})(?:-Q([1-4])|-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open stretch of time in UTC, `[start, end)`."""

    start: datetime
    end: datetime

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies inside."""
        return self.start <= moment < self.end

    def meets(self, start: datetime, end: datetime) -> bool:
        """Whether it shares time with `[start, end)`."""
        return self.start < end and start < self.end


def span_of(when: str) -> Span | None:
    """Return the time meant, both ends of `A..B` included; None for `undated`.

    Raises ValueError, saying the forms, for anything else and for a range that runs backwards.
    """
    if when == UNDATED:
        return None
    first, dots, last = when.partition("..")
    start, end = _one(first)
    if dots:
        end = _one(last)[1]
    if start >= end:
        raise ValueError(f"{when[:40]!r} runs backwards")
    return Span(start, end)


def check_when(when: str) -> str:
    """Return the text without white space around it; raise ValueError when it names no time."""
    span_of(when.strip())
    return when.strip()


def _one(text: str) -> tuple[datetime, datetime]:
    found = _ONE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is no time; write {FORMS}")
    year, quarter, month, day = (int(part) if part else None for part in found.groups())
    assert year is not None
    try:
        if day:
            start = datetime(year, month or 1, day, tzinfo=UTC)
            return start, min(start, _LAST - timedelta(days=1)) + timedelta(days=1)
        if day == 0 or month == 0:
            raise ValueError
        size = 3 if quarter else 1 if month else 12
        first = 3 * quarter - 2 if quarter else month or 1
        months = 12 * year + first - 1 + size
        ends = _LAST if months >= 120_000 else datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
        return datetime(year, first, 1, tzinfo=UTC), ends
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not in the calendar; write {FORMS}") from None
