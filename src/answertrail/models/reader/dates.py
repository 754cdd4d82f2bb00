"""Dates a question names: "in June 2024", "autumn 2024", "early 2021", "from 2021 to 2024"."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH_NUMBER = {m: i + 1 for i, m in enumerate(_MONTHS)} | {m[:3]: i + 1 for i, m in enumerate(_MONTHS)}
_PART = {
    "spring": (3, 6),
    "summer": (6, 9),
    "autumn": (9, 12),
    "fall": (9, 12),
    "winter": (12, 15),
    "early": (1, 5),
    "mid": (5, 9),
    "late": (9, 13),
}
"""First month and the month after the last; beyond 12 runs into the next year."""

_NAMED = "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True))
_PATTERN = re.compile(
    rf"(?P<iso>\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b)"
    rf"|\b(?P<word>{_NAMED}|{'|'.join(_PART)})\b\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?,?)?[\s,-]+(?:of\s+)?(?P<year>(?:19|20)\d\d)\b"
    rf"|(?P<lone>(?<![\d$\u20ac\u00a3.,])\b(?:19|20)\d\d\b(?![\d%]|[.,]\d))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Period:
    """A half-open span of days: `start` inclusive, `end` exclusive, as ISO dates."""

    start: str
    end: str


def _month(year: int, month: int) -> str:
    return dt.date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1).isoformat()


def periods(text: str) -> tuple[Period, ...]:
    """The spans of time `text` names, in the order named; a bare year is the whole year.

    Only dates with a year count: "in June" alone says nothing of which one.
    """
    out: list[Period] = []
    for found in _PATTERN.finditer(text):
        try:
            out.append(_period(found))
        except ValueError:
            continue
    return tuple(out)


def date_texts(text: str) -> tuple[str, ...]:
    """The dates with a year as `text` spells them, in order."""
    return tuple(found.group() for found in _PATTERN.finditer(text))


def _period(found: re.Match[str]) -> Period:
    if found["iso"]:
        parts = [int(p) for p in found["iso"].split("-")]
        if len(parts) == 3:
            day = dt.date(*parts)
            return Period(day.isoformat(), (day + dt.timedelta(days=1)).isoformat())
        return Period(_month(parts[0], _checked(parts[1])), _month(parts[0], parts[1] + 1))
    if found["lone"]:
        year = int(found["lone"])
        return Period(_month(year, 1), _month(year + 1, 1))
    year, word = int(found["year"]), found["word"].casefold()
    if word in _PART:
        first, after = _PART[word]
    else:
        first = _MONTH_NUMBER[word]
        after = first + 1
    return Period(_month(year, first), _month(year, after))


def _checked(month: int) -> int:
    if not 1 <= month <= 12:
        raise ValueError(f"no month {month}")
    return month


def span(found: tuple[Period, ...]) -> Period | None:
    """From the earliest start to the latest end; None without periods."""
    if not found:
        return None
    return Period(min(p.start for p in found), max(p.end for p in found))


_SINCE = re.compile(r"\bsince\b|\bonwards?\b", re.IGNORECASE)


def span_asked(text: str, found: Sequence[Period]) -> tuple[str | None, str | None]:
    """The days a question over time asks about, open where it names no end: (start, end exclusive).

    Two times are its ends. One alone is where it stops ("by the end of 2024"), or where it begins
    ("since 2019"): how something changed is not asked of one time.
    """
    whole = span(tuple(found))
    if whole is None:
        return None, None
    if len(found) > 1:
        return whole.start, whole.end
    return (whole.start, None) if _SINCE.search(text) else (None, whole.end)


def slices(start: str, end: str, count: int) -> tuple[Period, ...]:
    """`count` equal periods from `start` to `end` (ISO dates, end exclusive); fewer for a short span."""
    a, b = dt.date.fromisoformat(start), dt.date.fromisoformat(end)
    days = (b - a).days
    if days <= 0 or count <= 0:
        return ()
    count = min(count, days)
    edges = [a + dt.timedelta(days=round(days * i / count)) for i in range(count + 1)]
    return tuple(Period(x.isoformat(), y.isoformat()) for x, y in pairwise(edges))
