"""Calendar periods (UTC) of a corpus: month, quarter or year, so that there are about 8 to 16."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import numpy as np
import numpy.typing as npt

from answertrail.search.ranking import Facts, Mask

Grain = Literal["month", "quarter", "year"]
GRAINS: tuple[Grain, ...] = ("month", "quarter", "year")
UNDATED = "undated"
FEWEST, MOST = 8, 16
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open stretch of time, `[start, end)`; both None for the undated."""

    label: str
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Strata:
    """Periods in date order, the undated last, and each row's place among them (-1 for a row outside).

    Neighbouring periods without any document are one, `2020-01..2020-09`. The undated have a
    period whenever there are any, also when date bounds keep them from being searched.
    """

    grain: Grain
    periods: tuple[Period, ...]
    codes: npt.NDArray[np.intp]


def grain_for(published: npt.NDArray[np.float64]) -> Grain:
    """Choose the grain by which the number of periods that hold a document is nearest to 8 to 16.

    Nearest by ratio. Of grains that give as many, the coarsest, so that quarterly calls go by
    quarter, and the finest below 8. Counting only periods with documents, one misdated document
    changes nothing. `month` when nothing is dated.
    """
    months = _months(published[~np.isnan(published)])
    if not len(months):
        return "month"

    held, _ = _distinct(months)

    def rank(grain: Grain) -> tuple[float, int]:
        count = len(np.unique(held // _MONTHS[grain]))
        return _off(count), _MONTHS[grain] if count < FEWEST else -_MONTHS[grain]

    return min(GRAINS, key=rank)


def strata(facts: Facts, allowed: Mask, grain: Grain | None = None) -> Strata:
    """Cut the allowed rows into periods, from the first to the last that has a document or was asked for."""
    inside = allowed & ~np.isnan(facts.published)
    by = grain or grain_for(facts.published[inside])
    size = _MONTHS[by]
    held, which = _distinct(_months(facts.published[inside]) // size)
    edges: list[int] = held.tolist()
    # A bound that was asked for shows the periods beyond the first or last document as empty.
    for bound, shift in ((facts.start, 0.0), (facts.end, -1e-6)):
        if bound is not None:
            edges.append(int(_months(np.array([bound + shift]))[0]) // size)
    periods: list[Period] = []
    code_of: list[int] = []
    at = min(edges, default=0)
    for number in held.tolist():
        if number > at:
            periods.append(_period(by, at, number))
        code_of.append(len(periods))
        periods.append(_period(by, number, number + 1))
        at = number + 1
    codes = np.full(len(allowed), -1, dtype=np.intp)
    codes[inside] = np.array(code_of, dtype=np.intp)[which]
    if edges and max(edges) >= at:
        periods.append(_period(by, at, max(edges) + 1))
    undated = (allowed | facts.undated_out) & np.isnan(facts.published)
    if undated.any():
        codes[undated] = len(periods)
        periods.append(Period(UNDATED, None, None))
    return Strata(by, tuple(periods), codes)


def _months(published: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return months since January 1970."""
    seconds = np.floor(published).astype(np.int64).astype("datetime64[s]")
    return seconds.astype("datetime64[M]").astype(np.int64)


def _distinct(numbers: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Return the distinct numbers in order and the place of each among them, in one pass and without sorting."""
    if not len(numbers):
        return numbers, np.zeros(0, dtype=np.intp)
    low = int(numbers.min())
    present = np.bincount(numbers - low) > 0
    place: npt.NDArray[np.intp] = np.cumsum(present) - 1
    return np.flatnonzero(present) + low, place[numbers - low]


def _off(count: int) -> float:
    return max(0.0, math.log(FEWEST / count), math.log(count / MOST))


def _period(grain: Grain, first: int, end: int) -> Period:
    label = _label(grain, first) if end == first + 1 else f"{_label(grain, first)}..{_label(grain, end - 1)}"
    size = _MONTHS[grain]
    return Period(label, _begin(first * size), _begin(end * size))


def _label(grain: Grain, number: int) -> str:
    month = number * _MONTHS[grain]
    year, rest = 1970 + month // 12, month % 12
    if grain == "year":
        return f"{year:04}"
    return f"{year:04}-{rest + 1:02}" if grain == "month" else f"{year:04}-Q{rest // 3 + 1}"


def _begin(month: int) -> datetime:
    year = 1970 + month // 12
    # The calendar of Python ends with the year 9999.
    return datetime(year, month % 12 + 1, 1, tzinfo=UTC) if year <= 9999 else datetime.max.replace(tzinfo=UTC)
