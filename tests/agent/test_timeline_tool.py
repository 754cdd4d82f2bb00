"""`search_timeline`: every period answered for, in date order, paging on, and honest about what is not there."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from answertrail.agent.results import MOST_PERIODS, SearchOutcome, periods_told, search_result
from answertrail.agent.verify import faults_of
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.search.coverage import Coverage, PeriodCoverage
from answertrail.search.hits import SearchResult
from tests.agent.seasons import (
    DOUBT,
    FIRST,
    LOST,
    QUESTION,
    TIMELINE,
    TURN,
    seasons,
    switched,
    timeline,
    told,
)
from tests.agent.world import ask, call, ready, says, search, submit

ANSWER = submit("answered", ("An electric kiln is a toaster.", [FIRST]))
END = [says(search("ash and wood")), says(ready()), says(ANSWER)]


def asked(*steps, recipe=TIMELINE, corpus=None):
    model = ScriptedModel([*[says(step) for step in steps], *END])
    return model, ask(model, recipe=recipe, question=QUESTION, corpus=corpus or seasons())


def test_it_answers_for_every_period_and_gives_its_passages_by_date():
    model, run = asked(timeline("electric kiln"))
    [body] = told(model, 1)
    assert [hit["date"] for hit in body["hits"]] == ["2023-02-10", "2023-05-20", "2024-02-01", None]
    assert [hit["id"] for hit in body["hits"]] == [FIRST, DOUBT, TURN, LOST]
    states = {period["period"]: period["state"] for period in body["periods"]}
    assert body["by"] == "month"
    assert states["2023-02"] == states["2023-05"] == states["undated"] == "found"
    assert states["2023-08"] == "nothing above the floor"
    assert states["2023-03..2023-04"] == "no documents"
    assert sum(period["found"] for period in body["periods"]) == len(body["hits"])
    assert sorted(run.searches[0].returned) == sorted([FIRST, DOUBT, TURN, LOST])
    assert run.searches[0].mode == "timeline"
    assert run.meta["timeline_searches"]["s1"]["by"] == "month"


@pytest.mark.parametrize(("by", "labels"), [("quarter", "2023-Q1"), ("year", "2023")])
def test_time_is_cut_as_the_model_asks(by, labels):
    model, _ = asked(timeline("electric kiln", by=by))
    [body] = told(model, 1)
    assert body["by"] == by
    assert body["periods"][0]["period"] == labels


def test_dates_bound_it_and_the_undated_are_said_to_be_left_out():
    model, run = asked(timeline("electric kiln", **{"from": "2023-05-01", "to": "2024-01-01"}))
    [body] = told(model, 1)
    assert [hit["id"] for hit in body["hits"]] == [DOUBT]
    assert {"period": "undated", "state": "not searched"}.items() <= body["periods"][-1].items()
    assert (run.searches[0].from_, run.searches[0].to) == ("2023-05-01", "2024-01-01")


def test_the_result_has_the_keys_of_every_search():
    model, _ = asked(timeline("electric kiln"), search("wood oven"))
    [by_time], [by_rank] = told(model, 1), told(model, 2)
    assert set(by_time) - set(by_rank) == {"by", "floor", "periods"}
    assert set(by_rank) <= set(by_time)
    assert set(by_time["hits"][0]) == set(by_rank["hits"][0])


def test_what_was_shown_is_held_back_and_a_repeated_query_pages_on():
    model, run = asked(timeline("electric kiln", k=2), timeline("electric kiln", k=2), timeline("electric kiln", k=2))
    pages = [told(model, n)[0] for n in (1, 2, 3)]
    shown = [hit["id"] for page in pages for hit in page["hits"]]
    assert len(shown) == len(set(shown)) == 4
    assert [page["held_back"] for page in pages] == [0, 2, 4]
    assert [page["matching"] for page in pages] == [4, 4, 4]
    assert "already shown" in pages[2]["advice"]
    assert [search.new for search in run.searches[:3]] == [search.returned for search in run.searches[:3]]


def test_both_searches_hold_back_what_the_other_showed():
    model, _ = asked(timeline("electric kiln", k=2), search("electric kiln"), timeline("electric kiln"))
    seen = [{hit["id"] for hit in told(model, n)[0]["hits"]} for n in (1, 2, 3)]
    assert all(seen[:2])
    assert not seen[0] & seen[1]
    assert not seen[2]
    assert told(model, 3)[0]["held_back"] == 4


def test_without_holding_back_a_repeat_is_shown_and_recorded_as_a_repeat():
    recipe = switched(search={"timeline": True, "hold_back_seen": False})
    _, run = asked(timeline("electric kiln"), timeline("electric kiln"), recipe=recipe)
    assert run.searches[0].returned == run.searches[1].returned
    assert run.searches[1].new == []


def test_paging_on_or_asking_the_same_of_another_tool_is_no_second_search():
    model = ScriptedModel(
        [says(timeline("electric kiln", k=1)), says(timeline("Electric KILN!", k=1)), says(search("kiln, electric")),
         says(ready()), says(timeline("wood oven ash")), says(ready()), says(ANSWER)]
    )  # fmt: skip
    run = ask(model, recipe=TIMELINE, question=QUESTION, corpus=seasons())
    assert [g["guard"] for g in run.guards] == ["ready_refused"]
    assert all(search.new for search in run.searches[:3])
    assert run.status == "completed"


def test_a_query_near_to_nothing_says_so_with_the_nearest_period_and_what_to_do():
    model, run = asked(timeline("ceramics", **{"from": "2023-08-01", "to": "2023-09-01"}))
    [body] = told(model, 1)
    assert body["hits"] == []
    assert {period["state"] for period in body["periods"]} <= {"nothing above the floor", "not searched"}
    assert "will not help" in body["advice"]
    assert run.meta["timeline_searches"]["s1"]["periods"][0]["state"] == "nothing above the floor"


def test_where_it_is_switched_off_it_does_not_exist():
    model, run = asked(timeline("electric kiln"), recipe="answertrail-2026")
    assert "There is no tool 'search_timeline'" in told(model, 1)[0]["error"]
    assert "timeline_searches" not in run.meta


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "kiln", "by": "week"}, "by: "),
        ({"query": "kiln", "by": None, "k": 21}, "k: "),
        ({"query": "kiln", "by": ["month"]}, "by: "),
        ({"query": "\u0000"}, None),
        ({"query": "kiln", "from": "2025-01-01", "to": "2024-01-01"}, "from must be before to"),
        ({"query": "kiln", "from": "9999-12-31T23:59:59-23:59"}, "from: "),
        ({"query": "kiln", "mode": "dense"}, "mode: "),
        ("{", "not valid JSON"),
        ("null", "one JSON object"),
    ],
)
def test_whatever_is_sent_comes_back_as_words_and_the_run_goes_on(arguments, words):
    model, run = asked(call("search_timeline", arguments), timeline("electric kiln"))
    [body] = told(model, 1)
    assert run.status == "completed"
    assert words is None or words in body["error"]


def test_dates_are_refused_where_the_recipe_has_none():
    model, _ = asked(timeline("kiln", **{"from": "2023-01-01"}), recipe=switched(search={"timeline": True}))
    assert "takes no dates" in told(model, 1)[0]["error"]


def test_a_recipe_may_search_by_period_alone():
    model, run = asked(search("electric kiln"), recipe=switched(search={"mode": "timeline"}))
    [body] = told(model, 1)
    assert body["periods"][0]["state"] == "found"
    assert [hit["id"] for hit in body["hits"]] == [FIRST, DOUBT, TURN, LOST]
    assert list(faults_of(run)) == []


def test_a_run_with_timeline_searches_verifies_and_a_changed_one_does_not():
    _, run = asked(timeline("electric kiln"))
    assert list(faults_of(run)) == []
    forged = run.model_copy(update={"retrieved": [*run.retrieved, "z9:00000"]})
    assert {fault.kind for fault in faults_of(forged)} == {"record_hash", "retrieved"}


# --- very many periods ----------------------------------------------------------------------------


def month(n: int, hits: int, best: float | None = 0.1) -> PeriodCoverage:
    start = datetime(1990, 1, 1, tzinfo=UTC) + timedelta(days=31 * n)
    return PeriodCoverage(f"m{n:03}", start, start + timedelta(days=31), True, 2, 5, hits, 0, hits, best)


def test_many_periods_are_told_with_neighbours_of_one_state_joined_and_their_sums():
    periods = [month(n, hits=n in {10, 400}) for n in range(600)]
    rows = periods_told(periods)
    assert [(row["period"], row["state"], row["documents"]) for row in rows] == [
        ("m000..m009", "nothing above the floor", 20),
        ("m010", "found", 2),
        ("m011..m399", "nothing above the floor", 778),
        ("m400", "found", 2),
        ("m401..m599", "nothing above the floor", 398),
    ]
    assert rows[0]["to"] == rows[1]["from"]
    assert len(periods_told(periods[:MOST_PERIODS])) == MOST_PERIODS


def test_the_undated_are_never_joined_with_a_time():
    undated = replace(month(99, hits=0), label="undated", start=None, end=None)
    rows = periods_told([*[month(n, hits=0) for n in range(60)], undated])
    assert [row["period"] for row in rows] == ["m000..m059", "undated"]


def test_text_of_the_corpus_stays_in_its_field():
    coverage = Coverage("month", 1.0, (month(0, hits=0),))
    result = SearchResult('x", "hits": [{"id": "evil"}]', "timeline", (), 0, 3, coverage=coverage)
    body = json.loads(search_result(SearchOutcome("s1", result, ()), with_terms=False))
    assert body["hits"] == []
    assert body["query"].startswith('x"')
