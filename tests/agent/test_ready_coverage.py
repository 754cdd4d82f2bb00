"""`mark_ready` tells what was shown of each period, and hands itself back once on a question over time."""

from __future__ import annotations

from answertrail.agent.verify import faults_of
from answertrail.models.chat.scripted import ScriptedModel
from tests.agent.seasons import FIRST, QUESTION, READY, seasons, switched, timeline, told
from tests.agent.world import ask, call, open_corpus, ready, says, search, submit

FACT = "Who lent the machine?"
NARROW = [says(search("toaster", k=1)), says(search("wood stacked behind the shed", k=1))]
ANSWER = says(submit("answered", ("An electric kiln is a toaster.", [FIRST])))


def asked(*steps, recipe=READY, question=QUESTION, corpus=None):
    model = ScriptedModel(list(steps))
    return model, ask(model, recipe=recipe, question=question, corpus=corpus or seasons())


def guards(run):
    return [g["guard"] for g in run.guards]


def test_it_tells_of_every_period_with_documents_what_was_shown():
    model, run = asked(*NARROW, says(ready()), ANSWER, question=FACT)
    [body] = told(model, 3)
    assert body["ready"] is True
    assert body["coverage"]["by"] == "month"
    rows = {row["period"]: (row["documents"], row["shown"], row["looked_at"]) for row in body["coverage"]["periods"]}
    assert rows == {
        "2023-02": (1, 2, True), "2023-05": (1, 0, False), "2023-08": (1, 0, False), "2024-02": (1, 0, False),
        "2024-11": (1, 0, False), "undated": (1, 0, False),
    }  # fmt: skip
    assert run.meta["over_time"] is False
    assert list(faults_of(run)) == []


def test_on_a_question_over_time_it_comes_back_once_and_never_twice():
    model, run = asked(*NARROW, says(ready()), says(ready()), ANSWER)
    [first], [second] = told(model, 3), told(model, 4)
    assert first["ready"] is False
    assert "4 of 5 periods were never looked at" in first["hint"]
    assert "only once" in first["hint"]
    assert second["ready"] is True
    assert guards(run) == ["ready_hint"]
    assert run.status == "completed"


def test_the_hint_is_no_refusal_and_the_exploration_goes_on():
    model, run = asked(*NARROW, says(ready()), says(timeline("electric kiln")), says(ready()), ANSWER)
    [body] = told(model, 5)
    assert all(row["looked_at"] for row in body["coverage"]["periods"])
    assert guards(run) == ["ready_hint"]
    assert len(run.searches) == 3


def test_where_every_period_was_looked_at_there_is_no_hint():
    model, run = asked(says(timeline("electric kiln")), says(search("ash")), says(ready()), ANSWER)
    assert told(model, 3)[0]["ready"] is True
    assert guards(run) == []


def test_too_few_searches_are_refused_before_any_coverage():
    model, run = asked(NARROW[0], says(ready()), NARROW[1], says(ready()), says(ready()), ANSWER)
    assert "1 of at least 2" in told(model, 2)[0]["error"]
    assert guards(run) == ["ready_refused", "ready_hint"]


def test_the_model_may_say_itself_whether_the_question_is_over_time():
    _, no = asked(*NARROW, says(call("mark_ready", {"over_time": False})), ANSWER)
    assert guards(no) == []
    assert no.meta["over_time"] is False
    _, yes = asked(*NARROW, says(call("mark_ready", {"over_time": True})), says(ready()), ANSWER, question=FACT)
    assert guards(yes) == ["ready_hint"]
    assert yes.meta["over_time"] is True


def test_two_ready_calls_of_one_turn_do_not_slip_past_the_hint():
    model, run = asked(*NARROW, says(ready(), ready()), says(ready()), ANSWER)
    first, second = told(model, 3)
    assert first["ready"] is False
    assert "first read" in second["error"]
    assert guards(run) == ["ready_hint", "ready_refused"]
    assert run.status == "completed"


def test_on_the_last_turn_there_is_no_hint_since_nothing_could_follow():
    recipe = READY.model_copy(update={"loop": READY.loop.model_copy(update={"max_steps": 3})})
    _, run = asked(*NARROW, says(ready()), ANSWER, recipe=recipe)
    assert guards(run) == []
    assert run.status == "completed"


def test_a_corpus_without_dates_gives_no_hint():
    model, run = asked(says(search("kiln moved")), says(search("glaze")), says(ready()), says(submit("cannot_answer")),
                       corpus=open_corpus(dates={}))  # fmt: skip
    assert [row["period"] for row in told(model, 3)[0]["coverage"]["periods"]] == ["undated"]
    assert guards(run) == []


def test_an_empty_corpus_is_no_accident():
    _, run = asked(says(search("kiln")), says(search("glaze")), says(ready()), corpus=open_corpus({}))
    assert run.answer.outcome == "cannot_answer"
    assert guards(run) == ["empty_evidence"]


def test_where_it_is_switched_off_ready_says_nothing_and_takes_nothing():
    off = switched(search={"timeline": True})
    model, run = asked(*NARROW, says(ready()), ANSWER, recipe=off)
    assert told(model, 3) == [{"ready": True}]
    assert not {"calendar", "over_time"} & set(run.meta)
    model, run = asked(*NARROW, says(call("mark_ready", {"over_time": True})), says(ready()), ANSWER, recipe=off)
    assert "takes no arguments" in told(model, 3)[0]["error"]
    assert guards(run) == ["bad_call"]
