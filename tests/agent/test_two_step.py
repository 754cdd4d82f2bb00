"""Questions over time in two steps: a checked dated table, then the answer, which carries its coverage."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest

from answertrail.agent.ask import Ask, Limits
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import load
from answertrail.agent.render import markdown
from answertrail.agent.verify import faults_of
from answertrail.errors import ServiceError
from answertrail.models.chat.base import ToolMessage, Usage, UserMessage
from answertrail.models.chat.scripted import ScriptedModel
from tests.agent.seasons import (
    DOUBT,
    FIRST,
    LAST,
    LOST,
    QUESTION,
    QUIET,
    TURN,
    TWO_STEP,
    nothing,
    seasons,
    stance,
    switched,
    table,
    timeline,
    told,
)
from tests.agent.world import MemoryStore, ask, call, open_corpus, ready, says, search, submit

TOASTER = "An electric kiln is a toaster."
EXPLORED = [says(timeline("electric kiln")), says(search("everything we sell", k=1)), says(ready())]
GOOD = table(
    stance("2024-02", "We bought an electric kiln for the classes.", TURN),
    stance("2023-Q1", TOASTER, FIRST),
    stance("2023-05-20", "The electric kiln was not as bad as I said.", DOUBT),
    nothing("2023-08"),
    stance("undated", "A note on electric kiln elements.", LOST),
)
ANSWER = submit("answered", (TOASTER, [FIRST]), ("We bought an electric kiln for the classes.", [TURN]))


def asked(*steps, recipe=TWO_STEP, question=QUESTION, corpus=None, **more):
    model = ScriptedModel(list(steps))
    return model, ask(model, recipe=recipe, question=question, corpus=corpus or seasons(), **more)


def sent_back(*tables, recipe=TWO_STEP, explored=tuple(EXPLORED)):
    """The reasons for which the first table goes back."""
    model, run = asked(*explored, *[says(t) for t in tables], says(GOOD), says(ANSWER), recipe=recipe)
    assert run.status == "completed", run.error
    return told(model, len(explored) + 1)[0]["error"]


def guards(run):
    return [g["guard"] for g in run.guards]


# --- the way it goes ------------------------------------------------------------------------------


def test_the_table_comes_after_the_exploration_and_before_the_answer_each_forced_alone():
    model, run = asked(*EXPLORED, says(GOOD), says(ANSWER))
    offered = [([t.name for t in r.tools], r.forced) for r in model.requests[-2:]]
    assert offered == [(["submit_timeline"], "submit_timeline"), (["submit_answer"], "submit_answer")]
    assert [entry["phase"] for entry in run.usage] == ["explore"] * 3 + ["timeline", "submit"]
    assert run.status == "completed"
    assert guards(run) == []


def test_the_model_is_told_the_periods_before_the_table_and_the_checked_table_before_the_answer():
    model, _ = asked(*EXPLORED, says(GOOD), says(ANSWER))
    notice = model.requests[3].messages[-1]
    assert isinstance(notice, UserMessage)
    assert '"period": "2023-08"' in notice.text
    [body] = told(model, 4)
    assert body["accepted"] is True
    assert [row["when"] for row in body["timeline"]] == ["2023-Q1", "2023-05-20", "2023-08", "2024-02", "undated"]
    first, empty = body["timeline"][0], body["timeline"][2]
    assert first == {
        "when": "2023-Q1", "from": "2023-01-01", "to": "2023-04-01", "stance": TOASTER, "citations": [FIRST],
        "support": "HIT",
    }  # fmt: skip
    assert empty == {"when": "2023-08", "from": "2023-08-01", "to": "2023-09-01", "nothing_found": True}


def test_the_answer_carries_its_coverage_and_the_run_its_table():
    _, run = asked(*EXPLORED, says(GOOD), says(ANSWER))
    covered = {p.from_: (p.searched, p.evidence) for p in run.answer.coverage}
    assert covered == {
        "2023-02-01": (True, [FIRST]), "2023-05-01": (True, [DOUBT]), "2023-08-01": (True, []),
        "2024-02-01": (True, [TURN]), "2024-11-01": (True, []),
    }  # fmt: skip
    assert [row["when"] for row in run.meta["timeline"]["rows"]] == [
        "2024-02", "2023-Q1", "2023-05-20", "2023-08", "undated",
    ]  # fmt: skip
    assert {check["check"] for check in run.meta["timeline"]["checks"]} == {
        "exists", "retrieved", "in_bounds", "cited", "supported",
    }  # fmt: skip
    assert run.meta["over_time"] is True
    assert {check["attempt"] for check in run.citation_checks} == {1}
    assert list(faults_of(run)) == []


def test_a_period_nobody_looked_at_is_not_called_empty_in_the_coverage():
    narrow = [says(search("toaster", k=1)), says(search("classes beginners", k=1)), says(ready())]
    _, run = asked(
        *narrow, says(table(stance("2023-02", TOASTER, FIRST))), says(submit("answered", (TOASTER, [FIRST])))
    )
    assert [(p.searched, p.evidence) for p in run.answer.coverage] == [
        (True, [FIRST]), (False, []), (False, []), (True, []), (False, []),
    ]  # fmt: skip
    assert list(faults_of(run)) == []


def test_an_answer_that_declines_carries_its_coverage_too():
    _, run = asked(*EXPLORED, says(table(nothing("2023"))), says(submit("cannot_answer", not_found=["the price"])))
    assert run.answer.outcome == "cannot_answer"
    assert [p.evidence for p in run.answer.coverage] == [[]] * 5
    assert [p.searched for p in run.answer.coverage] == [True] * 5


def test_a_question_about_a_fact_goes_straight_to_the_answer():
    _, run = asked(*EXPLORED, says(ANSWER), question="Who bought the electric kiln?")
    assert [entry["phase"] for entry in run.usage] == ["explore"] * 3 + ["submit"]
    assert run.answer.coverage is None
    assert run.meta["over_time"] is False


def test_the_model_may_say_that_it_is_over_time_when_it_is_ready():
    yes = says(call("mark_ready", {"over_time": True}))
    _, run = asked(*EXPLORED[:2], yes, says(GOOD), says(ANSWER), question="Electric kilns?")
    assert run.answer.coverage
    no = says(call("mark_ready", {"over_time": False}))
    _, run = asked(*EXPLORED[:2], no, says(ANSWER))
    assert run.answer.coverage is None


def test_where_it_is_switched_off_there_is_no_table_and_no_coverage():
    _, run = asked(*EXPLORED, says(ANSWER), recipe=switched("default", two_step=False, ready_coverage=False))
    assert run.status == "completed"
    assert run.answer.coverage is None
    assert "timeline" not in run.meta


def test_it_works_without_a_loop_as_well():
    recipe = switched("no-loop", two_step=True)
    _, run = asked(says(table(stance("2023-02", TOASTER, FIRST))), says(ANSWER), recipe=recipe)
    assert [entry["phase"] for entry in run.usage] == ["timeline", "submit"]
    assert run.answer.coverage[0].evidence == [FIRST]
    assert list(faults_of(run)) == []


def test_a_corpus_with_fewer_than_two_dated_periods_gives_no_table():
    steps = [says(search("kiln moved")), says(search("glaze")), says(ready()), says(submit("cannot_answer"))]
    _, run = asked(*steps, corpus=open_corpus(dates={}))
    assert guards(run) == ["no_table"]
    assert run.answer.coverage is None


def test_nothing_seen_declines_without_any_writing_call_and_tells_what_was_looked_at():
    dated = {"from": "2023-08-01", "to": "2023-09-01"}
    recipe = switched("default", search={"mode": "lexical"}, two_step=True, ready_coverage=False)
    model, run = asked(says(search("zeppelin")), says(search("airship", **dated)), says(ready()), recipe=recipe)
    assert run.answer.outcome == "cannot_answer"
    assert len(model.requests) == 3
    assert [p.searched for p in run.answer.coverage] == [False, False, True, False, False]
    assert list(faults_of(run)) == []


# --- what is sent back ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([stance("2023-02", TOASTER)], "row 1: a stance needs at least one citation"),
        ([stance("2023-02", TOASTER, "z9:00000")], "row 1: no passage has the id 'z9:00000'"),
        ([nothing("2023-08"), stance("2023-02", TOASTER, QUIET)], "row 2: 'c1:00000' was not returned by a search"),
        ([stance("2023-05", TOASTER, FIRST)], "row 1: a1:00000 is of 2023-02-10, outside 2023-05"),
        ([stance("2023-02", TOASTER, FIRST, TURN)], "row 1: d1:00000 is of 2024-02-01, outside 2023-02"),
        ([stance("2023", TOASTER, LOST)], "row 1: undated:00000 has no date; cite it in a row with when 'undated'"),
        ([stance("undated", TOASTER, FIRST)], "row 1: a1:00000 is of 2023-02-10, not undated"),
        ([stance("2023-02", f"{TOASTER} [1]", FIRST)], "row 1: the text names the source '[1]'"),
        (
            [stance("2023-02", TOASTER, FIRST), nothing("2023")],
            "row 2: row 1 gives a stance in 2023; one of the two is wrong",
        ),
        (
            [stance("2023", TOASTER, FIRST), nothing("2023-02")],
            "row 2: row 1 cites a1:00000 of 2023-02-10, inside 2023-02; one of the two is wrong",
        ),
        ([nothing("2031"), stance("2023-02-11", TOASTER, FIRST)], "row 2: a1:00000 is of 2023-02-10, outside"),
    ],
)
def test_a_row_that_does_not_hold_goes_back_with_its_number_and_the_reason(rows, reason):
    text = sent_back(table(*rows))
    assert reason in text
    assert "call submit_timeline again" in text


def test_a_table_by_an_answer_that_is_none_goes_back_too():
    assert "must come as a call of submit_timeline" in sent_back(submit("answered", (TOASTER, [FIRST])))
    assert "rows.0.when" in sent_back(table(nothing("soon")))
    assert "rows: " in sent_back(call("submit_timeline", {}))


def test_nothing_found_may_not_be_said_of_a_period_nobody_looked_at():
    narrow = [says(search("toaster", k=1)), says(search("classes beginners", k=1)), says(ready())]
    first = table(stance("2023-02", TOASTER, FIRST), nothing("2023-05..2023-08"))
    model, run = asked(*narrow, says(first), says(table(stance("2023-02", TOASTER, FIRST))),
                       says(submit("answered", (TOASTER, [FIRST]))))  # fmt: skip
    assert "row 2: no search of this run looked at 2023-05, so nothing can be said" in told(model, 4)[0]["error"]
    assert run.status == "completed"


def test_nothing_found_in_a_time_without_documents_needs_no_look():
    _, run = asked(*EXPLORED, says(table(stance("2023-02", TOASTER, FIRST), nothing("2023-03"))), says(ANSWER))
    assert len(run.meta["timeline"]["rows"]) == 2


def test_a_stance_of_a_whole_year_does_not_forbid_a_month_of_it_in_which_nothing_was_found():
    rows = [stance("2023", TOASTER, FIRST), nothing("2023-08")]
    _, run = asked(*EXPLORED, says(table(*rows)), says(ANSWER))
    assert len(run.meta["timeline"]["rows"]) == 2
    assert "rejected" not in run.meta["timeline"]


def test_an_empty_stance_beside_nothing_found_is_no_stance():
    row = {"when": "2023-08", "nothing_found": True, "stance": "", "citations": []}
    _, run = asked(*EXPLORED, says(table(row)), says(ANSWER))
    assert run.meta["timeline"]["rows"] == [
        {"when": "2023-08", "from": "2023-08-01", "to": "2023-09-01", "nothing_found": True}
    ]
    assert "rejected" not in run.meta["timeline"]


def test_nothing_found_is_withdrawn_where_the_answer_cites_a_passage_of_that_time():
    wrong = stance("2023-02", "The kiln cost 9000 euros at auction.", FIRST)
    _, run = asked(*EXPLORED, says(table(nothing("2024-02"), nothing("2023-08"), wrong)), says(ANSWER))
    kept = run.meta["timeline"]
    assert [row["when"] for row in kept["rows"]] == ["2023-08", "2023-02"]
    assert kept["withdrawn"] == [
        {"when": "2024-02", "from": "2024-02-01", "to": "2024-03-01", "nothing_found": True, "cited": [TURN]}
    ]
    # The checks go on naming the row they are of.
    assert {check["statement"] for check in kept["checks"]} == {1}
    [told_of] = [g["detail"] for g in run.guards if g["guard"] == "table_contradicted"]
    assert "nothing was found in 2024-02, but the answer cites d1:00000; the row is withdrawn" in told_of
    assert [p.evidence for p in run.answer.coverage] == [[FIRST], [], [], [TURN], []]
    assert list(faults_of(run)) == []


def test_a_table_of_which_every_row_is_withdrawn_is_none():
    _, run = asked(*EXPLORED, says(table(nothing("2023..2024"), nothing("undated"))),
                   says(submit("answered", (TOASTER, [FIRST]), ("Elements of an electric kiln.", [LOST]))))  # fmt: skip
    assert "rows" not in run.meta["timeline"]
    assert [row["cited"] for row in run.meta["timeline"]["withdrawn"]] == [[FIRST], [LOST]]
    assert list(faults_of(run)) == []


def test_a_dated_search_cut_off_by_k_does_not_let_its_other_periods_be_called_empty():
    narrow = [says(search("toaster", k=1, **{"from": "2023-01-01", "to": "2024-02-28"})), says(search("wood", k=1))]
    bold, honest = table(nothing("2023-08"), nothing("2024-02")), table(stance("2023-02", TOASTER, FIRST))
    model, run = asked(*narrow, says(ready()), says(bold), says(honest), says(submit("answered", (TOASTER, [FIRST]))))
    assert "no search of this run looked at 2023-08" in told(model, 4)[0]["error"]
    # Of 2023-05 the other search brought a passage.
    assert [p.searched for p in run.answer.coverage] == [True, True, False, False, False]
    assert list(faults_of(run)) == []


def test_a_dated_search_that_brought_all_that_matched_looked_at_its_few_periods():
    recipe = switched("default", search={"mode": "lexical"}, two_step=True, ready_coverage=False)
    dated = {"from": "2023-05-01", "to": "2024-03-01"}
    steps = [says(search("toaster")), says(search("zeppelin", **dated)), says(ready())]
    end = [says(table(nothing("2023-05..2024-02"))), says(submit("answered", (TOASTER, [FIRST])))]
    _, run = asked(*steps, *end, recipe=recipe)
    assert run.meta["complete_searches"] == ["s2"]
    assert [p.searched for p in run.answer.coverage] == [True, True, True, True, False]
    assert list(faults_of(run)) == []


def test_an_unsupported_stance_is_flagged_or_refused_as_the_recipe_says():
    wrong = table(stance("2023-02", "The kiln cost 9000 euros at auction.", FIRST))
    _, run = asked(*EXPLORED, says(wrong), says(ANSWER))
    assert run.meta["timeline"]["rows"][0]["support"] == "MISS"
    assert list(faults_of(run)) == []
    strict = TWO_STEP.model_copy(update={"checks": TWO_STEP.checks.model_copy(update={"supported": "reject"})})
    assert "9000" in sent_back(wrong, recipe=strict)


def test_what_was_rejected_is_kept_apart_from_the_answers_own_rejections():
    _, run = asked(*EXPLORED, says(table(stance("2023-05", TOASTER, FIRST))), says(GOOD), says(ANSWER))
    [rejected] = run.meta["timeline"]["rejected"]
    assert rejected["attempt"] == 1
    assert rejected["submitted"] == [{"when": "2023-05", "stance": TOASTER, "citations": [FIRST]}]
    assert run.meta["rejected_answers"] == []


def test_after_three_tables_that_do_not_pass_the_answer_goes_without_one():
    bad = says(table(stance("2023-05", TOASTER, FIRST)))
    model, run = asked(*EXPLORED, bad, bad, bad, says(ANSWER))
    assert run.status == "completed"
    assert guards(run) == ["no_table"]
    assert "rows" not in run.meta["timeline"]
    assert len(run.meta["timeline"]["rejected"]) == 3
    assert run.answer.coverage[0].evidence == [FIRST]
    assert "No dated table was accepted" in model.requests[-1].messages[-1].text
    assert list(faults_of(run)) == []


@pytest.mark.parametrize("reply", [says(text="hm"), says(ready()), says(search("kiln")), says(call("rm_rf"))])
def test_a_model_that_does_not_know_the_tool_still_answers(reply):
    _, run = asked(*EXPLORED, reply, reply, reply, says(ANSWER))
    assert (run.status, guards(run)) == ("completed", ["no_table"])
    assert len(run.searches) == 2


@pytest.mark.parametrize(
    "arguments",
    ["", "{", "null", "[]", '{"rows": null}', '{"rows": [null]}', '{"rows": [[]]}', '{"rows": {"when": "2023"}}',
     '{"rows": [{"when": null}]}', '{"rows": [{"when": {"year": 2023}, "nothing_found": true}]}', "[" * 5000,
     '{"rows": [{"when": "2023", "nothing_found": true, "when": "2024"}]}', '{"rows": [{"when": "\\ud800"}]}'],
)  # fmt: skip
def test_hostile_arguments_come_back_as_words(arguments):
    text = sent_back(call("submit_timeline", arguments))
    assert len(text) < 1000


def test_calls_and_results_stay_in_pairs():
    model, _ = asked(*EXPLORED, says(GOOD, ready()), says(ANSWER))
    messages = model.requests[-1].messages
    results = [m.call_id for m in messages if isinstance(m, ToolMessage)]
    calls = [c.id for m in messages for c in getattr(m, "calls", ())]
    assert set(results) <= set(calls)
    assert calls[-2] in results


# --- money, turns, crashes -------------------------------------------------------------------------


def test_what_the_table_and_the_answer_need_is_held_in_reserve():
    steps = [says(timeline("electric kiln"), cost=0.01), says(search("sell", k=1), cost=0.01)]
    _, run = asked(*steps, says(GOOD, cost=0.01), says(ANSWER, cost=0.01), limits=Limits(max_cost_usd=0.042))
    assert run.status == "completed"
    assert guards(run) == ["budget_reserve"]
    assert run.cost_usd == pytest.approx(0.04)


def test_where_only_the_answer_is_affordable_the_table_is_left_out():
    steps = [says(timeline("electric kiln"), cost=0.02), says(search("sell", k=1), cost=0.0)]
    yes = says(call("mark_ready", {"over_time": True}), cost=0.01)
    _, run = asked(*steps, yes, says(ANSWER, cost=0.02), question="Kilns?", limits=Limits(max_cost_usd=0.06))
    assert run.status == "completed"
    assert guards(run) == ["budget_reserve"]
    assert run.answer.coverage


def test_a_cap_reached_while_the_table_is_repaired_ends_the_run_over_budget():
    bad = says(table(stance("2023-05", TOASTER, FIRST)), cost=0.02)
    free = [says(*step.calls, cost=0.0) for step in EXPLORED]
    _, run = asked(*free, bad, bad, bad, says(ANSWER), limits=Limits(max_cost_usd=0.03))
    assert (run.status, run.answer) == ("over_budget", None)
    assert len(run.meta["timeline"]["rejected"]) == 1


@pytest.mark.parametrize(
    ("limits", "tables"),
    # Five calls are made before the last table that leaves two: one to repair it and one to answer.
    [(Limits(max_cost_usd=0.055), 1), (Limits(max_cost_usd=0.065), 2), (Limits(max_tokens=5500), 1),
     (Limits(max_tokens=6500), 2), (Limits(max_tokens=7500), 3)],
)  # fmt: skip
def test_a_table_is_not_asked_for_again_with_what_is_kept_for_the_answer(limits, tables):
    def dear(*calls):
        return says(*calls, cost=0.01, usage=Usage(input_tokens=900, output_tokens=100))

    bad = dear(table(stance("2023-05", TOASTER, FIRST)))
    explored = [dear(*step.calls) for step in EXPLORED]
    model, run = asked(*explored, *[bad] * tables, dear(ANSWER), limits=limits)
    assert (run.status, len(run.meta["timeline"]["rejected"])) == ("completed", tables)
    assert guards(run) == (["budget_reserve", "no_table"] if tables < 3 else ["no_table"])
    assert "No dated table was accepted" in model.requests[-1].messages[-1].text
    assert run.answer.coverage
    assert list(faults_of(run)) == []


def test_a_failing_model_leaves_the_table_in_the_evidence():
    _, run = asked(*EXPLORED, says(GOOD), ServiceError("the endpoint went away"))
    assert (run.status, run.answer) == ("failed", None)
    assert len(run.meta["timeline"]["rows"]) == 5


def test_a_run_killed_after_the_table_keeps_it():
    store = MemoryStore()
    with pytest.raises(ZeroDivisionError):
        asked(*EXPLORED, says(GOOD), ZeroDivisionError("a bug of ours"), store=store)
    assert len(store.kept[-2].meta["timeline"]["rows"]) == 5
    assert store.kept[-2].status == "interrupted"
    assert list(faults_of(store.last)) == []


def test_a_run_cancelled_at_the_table_is_stored_as_cancelled():
    store = MemoryStore()
    reached = asyncio.Event()

    class Hanging(ScriptedModel):
        async def complete(self, request):
            if [tool.name for tool in request.tools] == ["submit_timeline"]:
                reached.set()
                await asyncio.sleep(60)
            return await super().complete(request)

    async def stop_midway():
        work = asyncio.create_task(run_agent(Ask(QUESTION, TWO_STEP, Hanging(EXPLORED), corpus), store))
        await asyncio.wait_for(reached.wait(), 20)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    corpus = seasons()
    asyncio.run(stop_midway())
    assert store.last.status == "cancelled"
    assert store.last.usage[-1]["phase"] == "timeline"


def test_hundreds_of_periods_are_told_in_few_rows_to_the_model_and_to_the_reader():
    texts = {f"y{y}:00000": f"In this year the electric kiln was number {y}." for y in range(1600, 2000)}
    dates = {f"y{y}": datetime(y, 6, 1, tzinfo=UTC) for y in range(1600, 2000)}
    near = search("electric kiln number", k=1, **{"from": "1700-01-01", "to": "1701-01-01"})
    claim = "In this year the electric kiln was number 1700."
    said = says(table(stance("1700", claim, "y1700:00000")))
    steps = [says(near), says(search("kiln", k=1, **{"from": "1800-01-01", "to": "1801-01-01"})), says(ready())]
    model, run = asked(*steps, said, says(submit("answered", (claim, ["y1700:00000"]))),
                       corpus=open_corpus(texts, dates))  # fmt: skip
    assert run.status == "completed"
    periods = [row["period"] for row in told(model, 4)[0]["coverage"]["periods"]]
    assert periods == ["1600..1699", "1700", "1701..1799", "1800", "1801..1999"]
    assert '"1801..1999"' in model.requests[3].messages[-1].text
    shown = markdown(run)
    assert "Over time: 400 periods have documents: 2 searched, 1 with evidence, 1 without." in shown
    lines = [line for line in shown.splitlines() if line.startswith("| 1")]
    assert lines == [
        "| 1600 to 1699 | 100 periods, not searched |", "| 1700 | [1] |", "| 1701 to 1799 | 99 periods, not searched |",
        "| 1800 | 1 shown, none cited |", "| 1801 to 1999 | 199 periods, not searched |",
    ]  # fmt: skip
    assert len(run.answer.coverage) == 400
    assert list(faults_of(run)) == []


def test_the_default_recipe_does_it_all_on_a_question_over_time():
    steps = [says(search("toaster", k=1)), says(search("wood", k=1)), says(ready()), says(timeline("electric kiln")),
             says(ready()), says(GOOD), says(ANSWER)]  # fmt: skip
    events = []
    model = ScriptedModel(steps)
    run = ask(model, recipe=load("default"), question=QUESTION, corpus=seasons(), events=events)
    assert run.status == "completed"
    assert guards(run) == ["ready_hint"]
    assert [e.type for e in events if e.type.startswith("table")] == ["table_accepted"]
    assert len(json.dumps(run.as_json())) < 60_000
    assert LAST not in run.retrieved or run.answer.coverage[-1].searched
    assert list(faults_of(run)) == []
