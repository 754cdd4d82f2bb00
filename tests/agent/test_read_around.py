"""`read_around`: the neighbours of a passage that was shown, citable, held back afterwards, and no search."""

from __future__ import annotations

import pytest

from answertrail.agent.citations import asked_for
from answertrail.agent.verify import faults_of
from answertrail.metrics.answers.asked import AskedRun
from answertrail.metrics.trajectory.trail import trail_of
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.records.question import Question
from tests.agent.seasons import AROUND, DOUBT, FIRST, QUESTION, TEXTS, around, seasons, switched, told
from tests.agent.world import ask, call, ready, says, search, submit

MACHINE, BILL = "b1:00000", "b1:00060"
FOUND = search("bad as I said", k=1)
ANSWER = submit("answered", ("Somebody lent me a machine for the winter.", [MACHINE]))


def asked(*steps, recipe=AROUND, answer=ANSWER, store=None):
    end = [says(search("wood stacked behind the shed", k=1)), says(ready()), says(answer)]
    model = ScriptedModel([*[says(step) for step in (FOUND, *steps)], *end])
    return model, ask(model, recipe=recipe, question=QUESTION, corpus=seasons(), store=store)


def test_it_shows_the_passages_before_and_after_in_the_order_of_the_document():
    model, run = asked(around(DOUBT))
    [body] = told(model, 2)
    assert [hit["id"] for hit in body["hits"]] == [MACHINE, BILL]
    assert [hit["text"] for hit in body["hits"]] == [TEXTS[MACHINE], TEXTS[BILL]]
    assert (body["around"], body["earlier"], body["later"], body["held_back"]) == (DOUBT, 0, 0, 0)
    assert body["hits"][0]["score"] is None
    assert "never instructions" in body["notice"]
    assert "http" not in str(body)
    assert run.status == "completed"


def test_what_it_shows_may_be_cited_and_is_held_back_afterwards():
    model, run = asked(around(DOUBT), search("somebody lent me a machine"))
    assert [s.citations for s in run.answer.statements] == [[MACHINE]]
    assert MACHINE not in {hit["id"] for hit in told(model, 3)[0]["hits"]}
    assert next(c for c in run.chunks if c.id == MACHINE).url == "https://example.org/watch?v=b1&t=0s"


def test_without_reading_around_the_same_citation_is_refused():
    _, run = asked(recipe=switched("default", search={"read_around": True}, two_step=False, ready_coverage=False))
    assert run.status == "failed"
    assert "was not returned by a search of this run" in str(run.meta["rejected_answers"])


def test_it_is_recorded_as_a_search_for_an_id_and_the_run_verifies():
    _, run = asked(around(DOUBT, before=1, after=0))
    record = run.searches[1]
    assert (record.mode, record.query, record.returned, record.new) == ("read_around", DOUBT, [MACHINE], [MACHINE])
    assert record.held_back == 0
    assert MACHINE in run.retrieved
    assert list(faults_of(run)) == []
    trail = trail_of(AskedRun(run, Question(question_id="q1", question=QUESTION, tier="longitudinal"), 0))
    assert MACHINE in trail.retrieved
    assert (MACHINE,) in trail.searches


def test_an_id_that_was_read_around_is_nothing_that_was_asked():
    _, run = asked(around(DOUBT))
    assert len(run.searches) == 3
    assert asked_for(run.question, run.searches) == [QUESTION, "bad as I said", "wood stacked behind the shed"]


def test_it_is_not_one_of_the_two_distinct_searches():
    model = ScriptedModel([says(FOUND), says(around(DOUBT)), says(ready()), says(search("ash")), says(ready()),
                           says(ANSWER)])  # fmt: skip
    run = ask(model, recipe=AROUND, question=QUESTION, corpus=seasons())
    assert [g["guard"] for g in run.guards] == ["ready_refused"]


@pytest.mark.parametrize("unknown", ["z9:00000", "b1:00031", FIRST, "", "x" * 5000, "b1:00030 ", "../etc/passwd", 7])
def test_an_id_that_was_not_shown_is_an_error_that_says_what_to_do(unknown):
    model, run = asked(around(unknown), around(DOUBT))
    [body] = told(model, 2)
    assert "hits" not in body
    assert "id" in body["error"]
    assert len(body["error"]) < 1000
    if unknown == FIRST:
        assert "was shown to you in this run. Take the id of a hit" in body["error"]
    assert [s.mode for s in run.searches] == ["dense", "read_around", "dense"]


@pytest.mark.parametrize(("more", "told_of"), [({"before": 6}, "before"), ({"after": -1}, "after"), ({"k": 3}, "k: ")])
def test_bounds_are_kept(more, told_of):
    model, _ = asked(around(DOUBT, **more), around(DOUBT))
    assert told_of in told(model, 2)[0]["error"]


@pytest.mark.parametrize("arguments", ["{", "[]", '{"id": null}', '{"id": {"id": "b1:00030"}}'])
def test_arguments_that_are_none_come_back_as_words(arguments):
    model, run = asked(call("read_around", arguments), around(DOUBT))
    assert told(model, 2)[0]["error"]
    assert run.status == "completed"


def test_when_all_there_was_shown_it_says_so_and_what_is_left():
    model, _ = asked(around(DOUBT), around(DOUBT))
    [body] = told(model, 3)
    assert (body["hits"], body["held_back"]) == ([], 2)
    assert "already shown" in body["advice"]
    assert "has no others" in body["advice"]


def test_without_holding_back_the_passage_itself_is_shown_in_its_place():
    recipe = switched(search={"read_around": True, "hold_back_seen": False})
    model, run = asked(around(DOUBT), recipe=recipe)
    [body] = told(model, 2)
    assert [hit["id"] for hit in body["hits"]] == [MACHINE, DOUBT, BILL]
    assert (run.searches[1].new, body["held_back"]) == ([MACHINE, BILL], 0)
    assert list(faults_of(run)) == []


def test_ready_beside_it_is_refused_since_nothing_was_read_yet():
    model = ScriptedModel([says(FOUND), says(search("ash"), around(DOUBT)), says(around(MACHINE), ready()),
                           says(ready()), says(ANSWER)])  # fmt: skip
    run = ask(model, recipe=AROUND, question=QUESTION, corpus=seasons())
    assert [g["guard"] for g in run.guards] == ["ready_refused"]
    assert run.status == "completed"


def test_where_it_is_switched_off_it_does_not_exist():
    model, _ = asked(around(DOUBT), recipe="answertrail-2026", answer=submit("cannot_answer", not_found=["x"]))
    assert "There is no tool 'read_around'" in told(model, 2)[0]["error"]
