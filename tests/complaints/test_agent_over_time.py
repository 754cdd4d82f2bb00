"""Complaints of other agents' users where a question asks about change over time. Numbers are the complaints'."""

from __future__ import annotations

import json

import pytest

from answertrail.agent.render import markdown
from answertrail.models.chat.scripted import ScriptedModel
from tests.agent.seasons import (
    AROUND,
    DOUBT,
    FIRST,
    LAST,
    QUESTION,
    QUIET,
    READY,
    TIMELINE,
    TURN,
    TWO_STEP,
    around,
    nothing,
    seasons,
    stance,
    table,
    timeline,
    told,
)
from tests.agent.world import ask, call, ready, says, search, submit

END = [says(search("ash wood shed")), says(ready()), says(submit("cannot_answer", not_found=["the price"]))]
TOASTER = "An electric kiln is a toaster."


def asked(recipe, *steps):
    model = ScriptedModel(list(steps))
    return model, ask(model, recipe=recipe, question=QUESTION, corpus=seasons())


@pytest.mark.parametrize("by", ["month", "quarter", "year"])
@pytest.mark.parametrize("k", [1, 2, 20])
def test_30_32_a_stratified_search_gives_min_of_k_and_matching_and_says_what_each_period_gave(by, k):
    model, _ = asked(TIMELINE, says(timeline("electric kiln", by=by, k=k)), *END)
    [body] = told(model, 1)
    assert len(body["hits"]) == min(k, body["matching"])
    assert sum(period["found"] for period in body["periods"]) == len(body["hits"])
    assert sum(period["matching"] for period in body["periods"]) == body["matching"]


def test_29_30_a_narrow_window_gives_all_that_is_in_it():
    model, _ = asked(TIMELINE, says(search("electric kiln", **{"from": "2023-05-01", "to": "2023-06-01"})), *END)
    [body] = told(model, 1)
    assert {hit["id"] for hit in body["hits"]} == {"b1:00000", DOUBT, "b1:00060"}


def test_31_more_than_a_page_is_paged_through_to_the_end_without_a_repeat():
    model, run = asked(TIMELINE, *[says(timeline("electric kiln", k=1)) for _ in range(5)], *END)
    pages = [told(model, n)[0]["hits"] for n in range(1, 6)]
    assert [len(page) for page in pages] == [1, 1, 1, 1, 0]
    assert len({page[0]["id"] for page in pages[:4]}) == 4
    assert run.meta["duplicate_search_rate"]["value"] == 0


def test_36_a_neighbour_that_was_never_read_may_not_be_cited():
    steps = [says(search("bad as I said", k=1)), says(search("toaster", k=1)), says(ready())]
    answer = says(submit("answered", ("Somebody lent me a machine for the winter.", ["b1:00000"])))
    strict = AROUND.model_copy(update={"checks": TWO_STEP.checks})
    _, unread = asked(strict, *steps, answer, answer, answer)
    assert unread.status == "failed"
    assert "was not returned by a search of this run" in unread.error["message"]
    _, read = asked(strict, steps[0], says(around(DOUBT)), *steps[1:], answer)
    assert read.status == "completed"


def test_40_reading_on_ends_where_the_document_ends():
    model, _ = asked(AROUND, says(search("bad as I said", k=1)), says(around(DOUBT, before=5, after=5)), *END)
    [body] = told(model, 2)
    assert [hit["id"] for hit in body["hits"]] == ["b1:00000", "b1:00060"]
    assert (body["earlier"], body["later"]) == (0, 0)


def test_38_40_a_date_that_is_not_that_of_the_passage_is_sent_back_with_the_right_one():
    steps = [says(timeline("electric kiln")), says(search("toaster")), says(ready())]
    wrong, right = table(stance("2024", TOASTER, FIRST)), table(stance("2023", TOASTER, FIRST))
    model, run = asked(TWO_STEP, *steps, says(wrong), says(right), says(submit("answered", (TOASTER, [FIRST]))))
    assert "a1:00000 is of 2023-02-10, outside 2024" in told(model, 4)[0]["error"]
    assert run.status == "completed"


def test_44_an_empty_result_says_why_and_what_to_try():
    model, _ = asked(TIMELINE, *[says(timeline("electric kiln")) for _ in range(2)], *END)
    [body] = told(model, 2)
    assert body["hits"] == []
    assert "already shown" in body["advice"]
    assert "will not help" in body["advice"]


def test_45_text_or_another_tool_is_never_taken_for_the_table():
    steps = [says(timeline("electric kiln")), says(search("toaster")), says(ready())]
    refused = [says(text="2023: a toaster"), says(call("mark_ready")), says(submit("answered", (TOASTER, [FIRST])))]
    _, run = asked(TWO_STEP, *steps, *refused, says(submit("answered", (TOASTER, [FIRST]))))
    assert run.status == "completed"
    assert "rows" not in run.meta["timeline"]
    assert [s.text for s in run.answer.statements] == [TOASTER]


def test_46_used_up_steps_still_lead_to_a_table_and_an_answer():
    endless = [says(timeline(f"electric kiln {n}", k=1)) for n in range(15)]
    closing = [says(table(stance("2023", TOASTER, FIRST))), says(submit("answered", (TOASTER, [FIRST])))]
    _, run = asked(TWO_STEP, *endless, *closing)
    assert run.status == "completed"
    assert run.meta["budget_exhausted"] is True
    assert run.answer.coverage


def test_what_was_never_looked_at_is_told_to_the_model_and_to_the_reader():
    """No other system read for this project shows over which time its answer holds."""
    narrow = [says(search("toaster", k=1)), says(search("classes beginners", k=1))]
    model, _ = asked(READY, *narrow, says(ready()), says(ready()), says(submit("answered", (TOASTER, [FIRST]))))
    [hint] = told(model, 3)
    assert hint["ready"] is False
    assert "2023-05, 2023-08, 2024-11" in hint["hint"]
    _, run = asked(TWO_STEP, *narrow, says(ready()), says(table(stance("2023", TOASTER, FIRST))),
                   says(submit("answered", (TOASTER, [FIRST]))))  # fmt: skip
    shown = markdown(run)
    assert "| 2023-02 | [1] |" in shown
    assert "| 2023-05 | not searched |" in shown
    assert "| 2024-02 | 1 shown, none cited |" in shown
    assert {TURN} <= set(run.retrieved)
    assert not {QUIET, LAST} & set(run.retrieved)


def test_nothing_is_called_absent_that_was_only_not_looked_at():
    narrow = [says(search("toaster", k=1)), says(search("classes beginners", k=1)), says(ready())]
    bold = says(table(stance("2023-02", TOASTER, FIRST), nothing("2024")))
    model, run = asked(TWO_STEP, *narrow, bold, bold, bold, says(submit("answered", (TOASTER, [FIRST]))))
    assert "no search of this run looked at 2024-11" in told(model, 4)[0]["error"]
    assert json.dumps(run.answer.as_json()).count('"searched": false') == 3
