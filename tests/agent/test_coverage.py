"""What a run looked at of each period of a corpus, counted by hand."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.agent.coverage import (
    Calendar,
    CorpusPeriod,
    answer_coverage,
    calendar_from_json,
    calendar_of,
    looks,
)
from answertrail.agent.guards import periods_to_look_at
from answertrail.records.run import RunChunk, SearchRecord
from answertrail.search.hits import Filter
from tests.agent.seasons import seasons
from tests.agent.world import open_corpus


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


QUARTERS = Calendar(
    "quarter",
    (
        CorpusPeriod("2025-Q1", day("2025-01-01"), day("2025-04-01"), 3),
        CorpusPeriod("2025-Q2", day("2025-04-01"), day("2025-07-01"), 1),
        CorpusPeriod("2025-Q4", day("2025-10-01"), day("2026-01-01"), 2),
        CorpusPeriod("2026-Q1", day("2026-01-01"), day("2026-04-01"), 2),
        CorpusPeriod("2026-Q2", day("2026-04-01"), day("2026-07-01"), 2),
        CorpusPeriod("undated", None, None, 1),
    ),
)


def chunk(name: str, published: str | None) -> RunChunk:
    return RunChunk(id=name, document_id=name[:2], published_at=published, text="x")


def did(search_id: str = "s1", mode: str = "fused", **dates: str) -> SearchRecord:
    body = {"search_id": search_id, "query": "kiln", "mode": mode, "returned": [], **dates}
    return SearchRecord.model_validate(body)


def period(label: str, start: str | None, end: str | None, state: str, *, matching=0, hits=0, held_back=0):
    return {"period": label, "from": start, "to": end, "state": state, "matching": matching, "hits": hits,
            "held_back": held_back}  # fmt: skip


def looked(*searches, chunks=(), timelines=None, complete=()):
    return [look.looked_at for look in looks(QUARTERS, chunks, searches, timelines or {}, complete)]


NONE = [False] * 6


def test_a_search_without_dates_says_nothing_of_any_period():
    assert looked(did()) == NONE


def test_a_period_is_looked_at_when_a_passage_of_it_was_shown():
    told = looks(QUARTERS, [chunk("a", "2025-03-31T23:59:59Z"), chunk("b", "2025-04-01"), chunk("c", "2025-04-02"),
                            chunk("d", None), chunk("e", "2025-08-01")], [], {})  # fmt: skip
    assert [(look.shown, look.looked_at) for look in told] == [
        (1, True), (2, True), (0, False), (0, False), (0, False), (1, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"from": "2025-02-01", "to": "2025-02-02"}, [True, False, False, False, False, False]),
        ({"from": "2025-03-01", "to": "2025-04-01"}, [True, False, False, False, False, False]),
        ({"from": "2025-03-01", "to": "2025-04-02"}, [True, True, False, False, False, False]),
        ({"to": "2026-02-01"}, [True, True, True, True, False, False]),
        ({"to": "2026-05-01"}, NONE),
        ({"from": "2026-01-01"}, [False, False, False, True, True, False]),
        ({"from": "2025-07-01", "to": "2025-10-01"}, NONE),
    ],
)
def test_a_dated_search_that_brought_all_that_matched_looks_into_at_most_four_periods(dates, expected):
    assert looked(did(**dates), complete={"s1"}) == expected


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"from": "2025-02-01", "to": "2025-02-02"}, [True, False, False, False, False, False]),
        ({"from": "2025-03-01", "to": "2025-04-02"}, NONE),
        ({"to": "2026-02-01"}, NONE),
        ({"from": "2025-07-01", "to": "2026-01-01"}, [False, False, True, False, False, False]),
    ],
)
def test_a_dated_search_cut_off_by_k_looks_into_one_period_alone(dates, expected):
    assert looked(did(**dates), complete={"s2"}) == expected


def test_of_several_periods_a_search_cut_off_by_k_looks_at_those_it_brought_a_passage_of():
    brought = [chunk("a1", "2025-02-01"), chunk("b1", "2025-12-31T23:59:59Z")]
    assert looked(did(to="2026-02-01"), chunks=brought) == [True, False, True, False, False, False]


def test_reading_around_looks_at_no_period_but_by_what_it_shows():
    assert looked(did(mode="read_around")) == NONE


def test_a_timeline_search_looks_at_what_it_came_to():
    told = {
        "periods": [
            period("2025-Q1", "2025-01-01", "2025-04-01", "found", matching=9, hits=1),
            period("2025-Q2", "2025-04-01", "2025-07-01", "nothing above the floor"),
            period("2025-Q3", "2025-07-01", "2025-10-01", "no documents"),
            period("2025-Q4", "2025-10-01", "2026-01-01", "not reached", matching=2),
            period("2026-Q1", "2026-01-01", "2026-04-01", "shown before", matching=2, held_back=2),
            period("undated", None, None, "not searched"),
        ]
    }
    assert looked(did(mode="timeline"), timelines={"s1": told}) == [True, True, False, True, False, False]


def test_the_best_of_a_year_says_nothing_of_its_quarters_unless_it_was_all_there_was():
    some = {"periods": [period("2025", "2025-01-01", "2026-01-01", "found", matching=5, hits=2, held_back=2)]}
    every = {"periods": [period("2025", "2025-01-01", "2026-01-01", "found", matching=4, hits=2, held_back=2)]}
    assert looked(did(mode="timeline"), timelines={"s1": some}) == NONE
    assert looked(did(mode="timeline"), timelines={"s1": every}) == [True, True, True, False, False, False]


def test_a_timeline_by_month_looks_into_the_quarter():
    told = {"periods": [period("2025-05", "2025-05-01", "2025-06-01", "found", matching=5, hits=1),
                        period("undated", None, None, "found", matching=5, hits=1)]}  # fmt: skip
    assert looked(did(mode="timeline"), timelines={"s1": told}) == [False, True, False, False, False, True]


def calendar(corpus, query):
    return calendar_of(asyncio.run(corpus.search(query, mode="timeline", k=1, within=Filter())).coverage)


def test_the_calendar_of_a_corpus_is_its_periods_with_documents():
    found = calendar(seasons(), "anything at all")
    assert [(p.label, p.documents) for p in found.periods] == [
        ("2023-02", 1), ("2023-05", 1), ("2023-08", 1), ("2024-02", 1), ("2024-11", 1), ("undated", 1),
    ]  # fmt: skip
    assert [p.label for p in found.dated] == ["2023-02", "2023-05", "2023-08", "2024-02", "2024-11"]
    assert calendar_from_json(found.as_json()) == found
    assert found == calendar(seasons(), "electric kiln")


def test_an_empty_corpus_and_one_without_dates_have_no_dated_period():
    assert calendar(open_corpus({}), "kiln").periods == ()
    undated = calendar(open_corpus(dates={}), "kiln")
    assert [p.label for p in undated.periods] == ["undated"]
    assert undated.dated == ()


def test_coverage_tells_evidence_nothing_and_never_searched_apart_and_leaves_the_undated_out():
    chunks = [chunk("b1", "2025-04-03"), chunk("a1", "2025-01-01"), chunk("u1", None)]
    told = looks(QUARTERS, [*chunks, chunk("d1", "2026-01-01")], [], {})
    covered = [p.as_json() for p in answer_coverage(told, [*chunks, chunks[0]])]
    assert covered == [
        {"from": "2025-01-01", "to": "2025-04-01", "searched": True, "evidence": ["a1"]},
        {"from": "2025-04-01", "to": "2025-07-01", "searched": True, "evidence": ["b1"]},
        {"from": "2025-10-01", "to": "2026-01-01", "searched": False, "evidence": []},
        {"from": "2026-01-01", "to": "2026-04-01", "searched": True, "evidence": []},
        {"from": "2026-04-01", "to": "2026-07-01", "searched": False, "evidence": []},
    ]


def test_the_hint_names_the_periods_and_is_none_when_all_were_looked_at_or_there_is_but_one():
    told = looks(QUARTERS, [chunk("a1", "2025-01-01")], [did(**{"from": "2026-01-01"})], {}, ["s1"])
    assert periods_to_look_at(told) == ("2 of 5 periods were never looked at, with 3 documents: 2025-Q2, 2025-Q4.")
    assert periods_to_look_at([look for look in told if look.looked_at]) is None
    assert periods_to_look_at([look for look in told if look.period.label in {"2025-Q2", "undated"}]) is None
    assert periods_to_look_at(()) is None


YEARS = Calendar(
    "year",
    tuple(CorpusPeriod(str(year), day(f"{year}-01-01"), day(f"{year + 1}-01-01"), 2) for year in range(1400, 2000)),
)


def test_of_very_many_periods_neighbours_of_which_as_much_is_known_are_told_as_one():
    shown = [chunk("a", "1500-06-01"), chunk("b", "1501-06-01"), chunk("c", "1501-07-01")]
    dated = did(**{"from": "1502-01-01", "to": "1503-01-01"})
    told = YEARS.looks_as_json(looks(YEARS, shown, [dated], {}))["periods"]
    assert [(p["period"], p["from"], p["to"], p["documents"], p["shown"], p["looked_at"]) for p in told] == [
        ("1400..1499", "1400-01-01", "1500-01-01", 200, 0, False),
        ("1500..1501", "1500-01-01", "1502-01-01", 4, 3, True),
        ("1502", "1502-01-01", "1503-01-01", 2, 0, True),
        ("1503..1999", "1503-01-01", "2000-01-01", 994, 0, False),
    ]
    few = Calendar("year", YEARS.periods[:48])
    assert len(few.looks_as_json(looks(few, [], [], {}))["periods"]) == 48


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), max_size=8),
    st.one_of(st.none(), st.integers(-3, 60)),
    st.one_of(st.none(), st.integers(-3, 60)),
    st.lists(st.one_of(st.none(), st.integers(-3, 60)), max_size=8),
)
def test_what_falls_where_is_as_by_looking_at_every_period_in_turn(gaps, first, last, moments):
    zero, at, periods = day("2025-01-01"), 0, []
    for gap, length in gaps:
        start, at = zero + timedelta(days=at + gap), at + gap + length
        periods.append(CorpusPeriod(str(at), start, zero + timedelta(days=at), 1))
    calendar = Calendar("month", (*periods, CorpusPeriod("undated", None, None, 1)))
    dates = [None if m is None else zero + timedelta(days=m) for m in moments]
    chunks = [chunk(f"c{n}", date and date.date().isoformat()) for n, date in enumerate(dates)]
    bounds = {"from": first, "to": last}
    window = {key: (zero + timedelta(days=d)).date().isoformat() for key, d in bounds.items() if d is not None}
    searches = [did(**window)] if window else []
    told = looks(calendar, chunks, searches, {}, ["s1"])
    start = None if first is None else zero + timedelta(days=first)
    end = None if last is None else zero + timedelta(days=last)
    met = [p for p in periods if p.meets(start, end) and (start is None or end is None or start < end)]
    into = met if window and len(met) <= 4 else []
    for look in told:
        inside = [d for d in dates if (d is None) == (look.period.start is None)]
        if look.period.start is not None:
            inside = [d for d in inside if look.period.start <= d < look.period.end]
        assert (look.shown, look.looked_at) == (len(inside), bool(inside) or look.period in into)


@pytest.mark.parametrize(
    "periods",
    [
        [("a", "2025-02-01", "2025-03-01"), ("b", "2025-01-01", "2025-02-01")],
        [("a", "2025-01-01", "2025-03-01"), ("b", "2025-02-01", "2025-04-01")],
        [("a", "2025-01-01", "2025-01-01")],
        [("a", "2025-01-01", None)],
        [("a", None, None), ("b", None, None)],
        [("a", None, None), ("b", "2025-01-01", "2025-02-01")],
    ],
)
def test_a_calendar_out_of_order_is_none(periods):
    listed = [{"period": label, "from": start, "to": end, "documents": 1} for label, start, end in periods]
    with pytest.raises(ValueError, match="period"):
        calendar_from_json({"by": "month", "periods": listed})


def test_a_hint_over_very_many_periods_stays_short():
    many = Calendar("year", tuple(
        CorpusPeriod(str(year), day(f"{year}-01-01"), day(f"{year + 1}-01-01"), 1) for year in range(1900, 2000)
    ))  # fmt: skip
    hint = periods_to_look_at(looks(many, [], [], {}))
    assert hint.endswith("1910, 1911 and 88 more.")
