"""The dated table of a question over time: what is quoted, by the day it was said, and where nothing was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .compose import Statement
from .evidence import Pool

UNDATED = "undated"


@dataclass(frozen=True)
class Row:
    """One row: a passage with the chunks it is cut from, or a time in which nothing was found (empty stance)."""

    when: str
    stance: str = ""
    citations: tuple[str, ...] = ()


@dataclass(frozen=True)
class LookedAt:
    """A period as the loop reports it: its name, its days (end exclusive; None when undated), passages shown."""

    period: str
    start: str | None
    end: str | None
    shown: int


def rows(statements: Sequence[Statement], pool: Pool, periods: Sequence[LookedAt]) -> tuple[Row, ...]:
    """The passages by day, and a row for each period that was looked at and showed nothing.

    Without any passage every period looked at has nothing. Empty when there is neither.
    """
    dates = {hit.id: hit.date for hit in pool.hits}
    told = tuple(Row(dates.get(s.citations[0]) or UNDATED, s.text, s.citations) for s in statements if s.citations)
    empty = (Row(p.period) for p in periods if not told or (p.shown == 0 and not _within(told, p)))
    return (*told, *empty)


def _within(told: Sequence[Row], period: LookedAt) -> bool:
    if period.start is None or period.end is None:
        return any(row.when == UNDATED for row in told)
    return any(period.start <= row.when < period.end for row in told)


def looked_at(coverage: Mapping[str, object]) -> tuple[LookedAt, ...]:
    """The periods of the coverage of `mark_ready` that were looked at; malformed ones are left out."""
    found = coverage.get("periods")
    out = []
    for raw in found if isinstance(found, list) else []:
        if isinstance(raw, dict) and raw.get("looked_at") is True and isinstance(raw.get("period"), str):
            start, end, shown = raw.get("from"), raw.get("to"), raw.get("shown")
            out.append(
                LookedAt(
                    raw["period"],
                    start[:10] if isinstance(start, str) else None,
                    end[:10] if isinstance(end, str) else None,
                    shown if isinstance(shown, int) else 0,
                )
            )
    return tuple(out)
