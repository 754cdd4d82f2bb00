"""The periods of a corpus, and what a run looked at of each.

A period counts as looked at when a passage of it was shown, when a timeline search came to it, or
when a dated search went into it: into one period alone, or into few and brought all that matched.
An undated search says nothing of any one period.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, pairwise
from typing import Any

from answertrail.records.base import instant
from answertrail.records.run import CoveragePeriod, RunChunk, SearchRecord
from answertrail.search.coverage import Coverage

FEW = 4
"""A dated search over more periods than this says little of any one of them."""
MOST_PERIODS = 48
"""More than these are told with neighbours in one state joined."""
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
        """Return the coverage a model is shown: each period with what a run looked at of it.

        Of very many, neighbours of which as much is known are one row with their sums.
        """
        told = [look.period.as_json() | {"shown": look.shown, "looked_at": look.looked_at} for look in looks]
        if len(told) > MOST_PERIODS:
            states = groupby(told, key=lambda row: (row["from"] is None, row["looked_at"], row["shown"] > 0))
            told = [joined(list(rows), ("documents", "shown")) for _, rows in states]
        return {"by": self.grain, "periods": told}


@dataclass(frozen=True, slots=True)
class Look:
    """A period, how many of its passages a run was shown, and whether the run looked at it."""

    period: CorpusPeriod
    shown: int
    looked_at: bool


def joined(rows: Sequence[dict[str, Any]], summed: Sequence[str]) -> dict[str, Any]:
    """Return neighbouring periods as one row, named `first..last`; `summed` are the keys that are added up."""
    if len(rows) == 1:
        return rows[0]
    label = f"{rows[0]['period'].split('..')[0]}..{rows[-1]['period'].split('..')[-1]}"
    sums = {key: sum(row[key] for row in rows) for key in summed}
    return rows[0] | {"period": label, "to": rows[-1]["to"]} | sums


class _Places:
    """Where a time falls in a calendar, found by halving: its dated periods are in order and apart."""

    def __init__(self, periods: Sequence[CorpusPeriod]) -> None:
        ends = [(p.start, p.end) for p in periods if p.start is not None and p.end is not None]
        self._starts = [start for start, _ in ends]
        self._ends = [end for _, end in ends]
        self._undated = next((place for place, period in enumerate(periods) if period.start is None), None)

    def of(self, moment: datetime | None) -> int | None:
        """Return the place of the period that holds a moment, None for undated; None where there is none."""
        if moment is None:
            return self._undated
        place = bisect_right(self._starts, moment) - 1
        return place if place >= 0 and moment < self._ends[place] else None

    def meeting(self, start: datetime | None, end: datetime | None) -> range:
        """Return the places of the dated periods that share time with `[start, end)`, open where None."""
        first, last = start or _FIRST, end or _LAST
        return range(bisect_right(self._ends, first), bisect_left(self._starts, last)) if first < last else range(0)


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
    complete: Collection[str] = (),
) -> tuple[Look, ...]:
    """Return what a run looked at, one value a period of the calendar.

    `chunks` are those it was shown; `timelines` maps the id of a timeline search to its coverage
    as JSON; `complete` are the ids of the searches of which k cut nothing off that matched.
    """
    places = _Places(calendar.periods)
    shown = [0] * len(calendar.periods)
    for chunk in chunks:
        place = places.of(instant(chunk.published_at) if chunk.published_at else None)
        if place is not None:
            shown[place] += 1
    into = _looked_into(calendar, places, searches, timelines, complete)
    return tuple(
        Look(period, count, bool(count) or place in into)
        for place, (period, count) in enumerate(zip(calendar.periods, shown, strict=True))
    )


def _looked_into(
    calendar: Calendar,
    places: _Places,
    searches: Sequence[SearchRecord],
    timelines: Mapping[str, Mapping[str, Any]],
    complete: Collection[str],
) -> set[int]:
    out: set[int] = set()
    for search in searches:
        if search.search_id in timelines:
            for told in timelines[search.search_id]["periods"]:
                out.update(_came_to(calendar, places, told))
        elif search.mode != AROUND_MODE and (search.from_ or search.to):
            start = instant(search.from_) if search.from_ else None
            end = instant(search.to) if search.to else None
            met = places.meeting(start, end)
            # The few best of several periods may all be of one: the others then were not looked at.
            # Those it brought or held back a passage of count as shown.
            if len(met) == 1 or (len(met) <= FEW and search.search_id in complete):
                out.update(met)
    return out


def _came_to(calendar: Calendar, places: _Places, told: Mapping[str, Any]) -> Iterable[int]:
    """Return the periods a timeline search came to, by what it told of one of its own periods.

    Its periods may be longer than ours: the best passages of a year say nothing of a quarter of
    it, unless they were all there was.
    """
    if told["state"] not in {"found", "shown before", "nothing above the floor"}:
        return ()
    if told["from"] is None or told["to"] is None:
        undated = places.of(None)
        return () if undated is None else (undated,)
    start, end = instant(told["from"]), instant(told["to"])
    met = places.meeting(start, end)
    if told["hits"] + told["held_back"] >= told["matching"]:
        return met
    ours = ((place, calendar.periods[place]) for place in met)
    return [place for place, p in ours if p.start and p.end and p.start <= start and end <= p.end]


def answer_coverage(told: Iterable[Look], cited: Iterable[RunChunk]) -> list[CoveragePeriod]:
    """Return the coverage an answer carries: every dated period with documents.

    `searched` says whether the run looked at it; `evidence` are the ids of `cited` that were
    published in it, in the order given, each once. Searched and without evidence: nothing of it
    is cited.
    """
    listed = list(told)
    places, evidence = _Places([look.period for look in listed]), [list[str]() for _ in listed]
    for chunk in {chunk.id: chunk for chunk in cited}.values():
        place = places.of(instant(chunk.published_at)) if chunk.published_at else None
        if place is not None:
            evidence[place].append(chunk.id)
    out = []
    for look, ids in zip(listed, evidence, strict=True):
        if look.period.start is None or look.period.end is None:
            continue
        body = {"from": _day(look.period.start), "to": _day(look.period.end)}
        out.append(CoveragePeriod.model_validate(body | {"searched": look.looked_at, "evidence": ids}))
    return out


def calendar_from_json(body: Mapping[str, Any]) -> Calendar:
    """Read what `Calendar.as_json` wrote; raises KeyError, TypeError, ValueError or OverflowError for anything else."""
    periods = [
        CorpusPeriod(
            str(period["period"]),
            instant(period["from"]) if period["from"] is not None else None,
            instant(period["to"]) if period["to"] is not None else None,
            int(period["documents"]),
        )
        for period in body["periods"]
    ]
    if any((period.start is None) != (period.end is None) for period in periods):
        raise ValueError("a period has one end")
    ends = [(p.start, p.end) for p in periods if p.start is not None and p.end is not None]
    backwards = any(start >= end for start, end in ends) or any(one[1] > other[0] for one, other in pairwise(ends))
    if backwards or len(periods) - len(ends) > 1 or any(period.start is None for period in periods[:-1]):
        raise ValueError("the periods are not in order")
    return Calendar(str(body["by"]), tuple(periods))


def _day(moment: datetime | None) -> str | None:
    return None if moment is None else moment.date().isoformat()
