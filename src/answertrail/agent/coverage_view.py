"""The coverage of an answer as a reader is shown it, the same in the terminal and in Markdown."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Literal

from answertrail.agent.coverage import MOST_PERIODS
from answertrail.records.base import instant
from answertrail.records.run import Answer, CoveragePeriod, RunChunk

State = Literal["evidence", "no evidence", "not searched", "not known"]
"""`no evidence`: searched, but no passage of it is cited, in the answer or in its dated table."""


@dataclass(frozen=True, slots=True)
class Covered:
    """One period: how it is called, its state, the ids that are its evidence, and the passages of it that were shown.

    `periods` is how many it stands for where neighbours are joined.
    """

    label: str
    state: State
    evidence: tuple[str, ...]
    shown: int = 0
    periods: int = 1


def covered(answer: Answer, chunks: Iterable[RunChunk] = ()) -> list[Covered]:
    """Return the periods of an answer's coverage, as they stand; empty where it carries none.

    `chunks` are the passages its run was shown.
    """
    dates = sorted(instant(chunk.published_at) for chunk in chunks if chunk.published_at)
    return [Covered(_label(p), _state(p), tuple(p.evidence or ()), _within(p, dates)) for p in answer.coverage or []]


def in_few_rows(periods: Sequence[Covered]) -> list[Covered]:
    """Return the periods; of very many, neighbours in one state without evidence as one."""
    if len(periods) <= MOST_PERIODS:
        return list(periods)
    out: list[Covered] = []
    for state, group in groupby(periods, key=lambda p: (p.state, p.shown > 0)):
        alike = list(group)
        if state[0] == "evidence" or len(alike) == 1:
            out += alike
            continue
        label = f"{alike[0].label.partition(' to ')[0]} to {alike[-1].label.rpartition(' to ')[2]}"
        out.append(Covered(label, state[0], (), sum(p.shown for p in alike), len(alike)))
    return out


def summary(periods: Sequence[Covered]) -> str:
    """Return the counts in one line."""
    searched = sum(p.state in {"evidence", "no evidence"} for p in periods)
    found = sum(p.state == "evidence" for p in periods)
    return (
        f"{len(periods)} periods have documents: {searched} searched, {found} with evidence, "
        f"{sum(p.state == 'no evidence' for p in periods)} without"
    )


def _state(period: CoveragePeriod) -> State:
    if period.evidence:
        return "evidence"
    if period.searched is None or (period.searched and period.evidence is None):
        return "not known"
    return "no evidence" if period.searched else "not searched"


def _within(period: CoveragePeriod, dates: Sequence[datetime]) -> int:
    """Return how many of the dates lie in a period; `dates` in order."""
    return max(0, bisect_left(dates, instant(period.to)) - bisect_left(dates, instant(period.from_)))


def _label(period: CoveragePeriod) -> str:
    """Return `2025`, `2025-Q1` or `2025-01` for a calendar period, else its first and last day."""
    start, end = instant(period.from_), instant(period.to)
    months = 12 * (end.year - start.year) + end.month - start.month
    if _first(start) and _first(end):
        if months == 12 and start.month == 1:
            return f"{start:%Y}"
        if months == 3 and start.month % 3 == 1:
            return f"{start:%Y}-Q{start.month // 3 + 1}"
        if months == 1:
            return f"{start:%Y-%m}"
    return f"{start:%Y-%m-%d} to {end - timedelta(microseconds=1):%Y-%m-%d}" if start < end else period.from_


def _first(moment: datetime) -> bool:
    return moment.day == 1 and moment.timetz().replace(tzinfo=None) == datetime.min.time()
