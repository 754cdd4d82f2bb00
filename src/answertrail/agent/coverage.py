"""The periods of a corpus, and what a run looked at of each.

A period counts as looked at when a passage of it was shown, when a timeline search came to it, or
when a dated search over few periods went into it. An undated search says nothing of any one period.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from answertrail.records.base import instant
from answertrail.records.run import CoveragePeriod, RunChunk, SearchRecord
from answertrail.search.coverage import Coverage

FEW = 4
"""A dated search over more periods than this says little of any one of them."""
AROUND_MODE = "read_around"
"""The mode a run records for `read_around`; its `query` is an id, which asks for nothing."""
_LAST = datetime.max.replace(tzinfo=UTC)
_FIRST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CorpusPeriod:
    """A period `[start, end)` that has documents; both ends None for the undated ones."""

    label: str
    start: datetime | None
    end: datetime | None
    documents: int

    def holds(self, moment: datetime | None) -> bool:
        """Whether something published then belongs here; None is undated."""
        if self.start is None or self.end is None or moment is None:
            return self.start is None and moment is None
        return self.start <= moment < self.end

    def meets(self, start: datetime | None, end: datetime | None) -> bool:
        """Whether it shares time with `[start, end)`, open where None; the undated share none."""
        if self.start is None or self.end is None:
            return False
        return self.start < (end or _LAST) and (start or _FIRST) < self.end

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"period": self.label, "from": _day(self.start), "to": _day(self.end), "documents": self.documents}


@dataclass(frozen=True, slots=True)
class Calendar:
    """The periods of a corpus that have documents, in date order, the undated last."""

    grain: str
    periods: tuple[CorpusPeriod, ...]

    @property
    def dated(self) -> tuple[CorpusPeriod, ...]:
        """The periods with dates; a development needs two."""
        return tuple(period for period in self.periods if period.start is not None)

    def as_json(self) -> dict[str, Any]:
        """Return plain values, as a run keeps them."""
        return {"by": self.grain, "periods": [period.as_json() for period in self.periods]}

    def looks_as_json(self, looks: Iterable[Look]) -> dict[str, Any]:
        """Return the coverage a model is shown: each period with what a run looked at of it."""
        told = [look.period.as_json() | {"shown": look.shown, "looked_at": look.looked_at} for look in looks]
        return {"by": self.grain, "periods": told}


@dataclass(frozen=True, slots=True)
class Look:
    """A period, how many of its passages a run was shown, and whether the run looked at it."""

    period: CorpusPeriod
    shown: int
    looked_at: bool


def calendar_of(told: Coverage | None) -> Calendar:
    """Return the periods of a corpus by what any undated timeline search tells of them; none without one."""
    if told is None:
        return Calendar("month", ())
    periods = [CorpusPeriod(p.label, p.start, p.end, p.documents) for p in told.periods if p.documents]
    return Calendar(told.grain, tuple(periods))


def looks(
    calendar: Calendar,
    chunks: Iterable[RunChunk],
    searches: Sequence[SearchRecord],
    timelines: Mapping[str, Mapping[str, Any]],
) -> tuple[Look, ...]:
    """Return what a run looked at, one value a period of the calendar.

    `chunks` are those it was shown; `timelines` maps the id of a timeline search to its coverage
    as JSON.
    """
    published = [instant(chunk.published_at) if chunk.published_at else None for chunk in chunks]
    into = _looked_into(calendar, searches, timelines)
    out = []
    for period in calendar.periods:
        shown = sum(period.holds(moment) for moment in published)
        out.append(Look(period, shown, bool(shown) or period in into))
    return tuple(out)


def _looked_into(
    calendar: Calendar, searches: Sequence[SearchRecord], timelines: Mapping[str, Mapping[str, Any]]
) -> set[CorpusPeriod]:
    out: set[CorpusPeriod] = set()
    for search in searches:
        if search.search_id in timelines:
            for told in timelines[search.search_id]["periods"]:
                out |= {period for period in calendar.periods if _came_to(period, told)}
        elif search.mode != AROUND_MODE and (search.from_ or search.to):
            start = instant(search.from_) if search.from_ else None
            end = instant(search.to) if search.to else None
            met = [period for period in calendar.periods if period.meets(start, end)]
            out |= set(met) if len(met) <= FEW else set()
    return out


def _came_to(period: CorpusPeriod, told: Mapping[str, Any]) -> bool:
    """Whether a timeline search, by what it told of one of its own periods, came to this period.

    Its periods may be longer than ours: the best passages of a year say nothing of a quarter of
    it, unless they were all there was.
    """
    if told["state"] not in {"found", "shown before", "nothing above the floor"}:
        return False
    if told["from"] is None or told["to"] is None:
        return period.start is None
    start, end = instant(told["from"]), instant(told["to"])
    if not period.meets(start, end):
        return False
    assert period.start is not None
    assert period.end is not None
    all_of_it = told["hits"] + told["held_back"] >= told["matching"]
    return all_of_it or (period.start <= start and end <= period.end)


def answer_coverage(told: Iterable[Look], cited: Iterable[RunChunk]) -> list[CoveragePeriod]:
    """Return the coverage an answer carries: every dated period with documents.

    `searched` says whether the run looked at it; `evidence` are the ids of `cited` that were
    published in it, in the order given, each once. Searched and without evidence: nothing of it
    is cited.
    """
    chunks = list({chunk.id: chunk for chunk in cited}.values())
    dates = [instant(chunk.published_at) if chunk.published_at else None for chunk in chunks]
    out = []
    for look in told:
        if look.period.start is None or look.period.end is None:
            continue
        evidence = [
            chunk.id for chunk, date in zip(chunks, dates, strict=True) if date is not None and look.period.holds(date)
        ]
        body = {"from": _day(look.period.start), "to": _day(look.period.end)}
        out.append(CoveragePeriod.model_validate(body | {"searched": look.looked_at, "evidence": evidence}))
    return out


def calendar_from_json(body: Mapping[str, Any]) -> Calendar:
    """Read what `Calendar.as_json` wrote; raises KeyError, TypeError or ValueError for anything else."""
    periods = [
        CorpusPeriod(
            str(period["period"]),
            instant(period["from"]) if period["from"] is not None else None,
            instant(period["to"]) if period["to"] is not None else None,
            int(period["documents"]),
        )
        for period in body["periods"]
    ]
    return Calendar(str(body["by"]), tuple(periods))


def _day(moment: datetime | None) -> str | None:
    return None if moment is None else moment.date().isoformat()
