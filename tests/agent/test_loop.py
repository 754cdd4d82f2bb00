"""What the loop promises, one behaviour a test. Numbers in names are complaints of other tools' users."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from answertrail.agent.ask import Ask, Limits
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import load
from answertrail.agent.render import markdown
from answertrail.agent.verify import faults_of
from answertrail.errors import InputError, ServiceError
from answertrail.models.chat.base import ChatReply, ToolCall, ToolMessage, Usage, UserMessage
from answertrail.models.chat.scripted import ScriptedModel
from tests.agent.world import (
    ANSWER,
    BARN,
    EXPLORED,
    GLAZE,
    KILN,
    UNRELATED,
    MemoryStore,
    ask,
    call,
    open_corpus,
    ready,
    says,
    search,
    submit,
)


class Unpriced(ScriptedModel):
    price_known = False


class Hanging(ScriptedModel):
    """Plays its script, then never answers."""

    def __init__(self, steps, reached):
        super().__init__(steps)
        self._left, self._reached = len(steps), reached

    async def complete(self, request):
        if len(self.requests) == self._left:
            self._reached.set()
            await asyncio.sleep(60)
        return await super().complete(request)


def guards(run):
    return [g["guard"] for g in run.guards]


def test_a_searched_and_cited_answer_is_accepted_with_its_evidence():
    run = ask([*EXPLORED, says(ANSWER)])
    assert run.status == "completed"
    assert run.answer.outcome == "answered"
    assert run.answer.statements[0].citations == [KILN]
    assert run.answer.statements[0].support == "HIT"
    assert [s.query for s in run.searches] == ["kiln moved barn", "glaze temperature"]
    assert KILN in run.retrieved
    assert next(c for c in run.chunks if c.id == KILN).text.startswith("So in January")
    checked = {c["check"] for c in run.citation_checks}
    assert checked == {"exists", "retrieved", "in_bounds", "cited", "supported"}


def test_exploring_offers_no_submit_and_closing_offers_nothing_else():
    model = ScriptedModel([*EXPLORED, says(ANSWER)])
    ask(model)
    explore, close = model.requests[0], model.requests[-1]
    assert [t.name for t in explore.tools] == ["search_transcripts", "search_timeline", "read_around", "mark_ready"]
    assert (explore.choice, explore.forced) == ("required", None)
    assert [t.name for t in close.tools] == ["submit_answer"]
    assert close.forced == "submit_answer"


def test_34_the_last_retrieved_chunk_may_be_cited():
    corpus = open_corpus()
    run = ask([*EXPLORED, says(ANSWER)], corpus=corpus)
    last = run.retrieved[-1]
    text = next(c.text for c in run.chunks if c.id == last)
    again = ask([*EXPLORED, says(submit("answered", (text, [last])))], corpus=corpus)
    assert again.answer.statements[0].citations == [last]


def test_35_empty_evidence_ends_in_cannot_answer_without_a_writing_call():
    model = ScriptedModel([says(search("kiln")), says(search("glaze")), says(ready())])
    run = ask(model, corpus=open_corpus({}))
    assert run.answer.outcome == "cannot_answer"
    assert "empty_evidence" in guards(run)
    assert all("submit_answer" not in [t.name for t in r.tools] for r in model.requests)


@pytest.mark.parametrize("invented", ["https://example.com/a", "Hypothetical Company A", "ep9:00000", "1"])
def test_36_only_ids_seen_in_this_run_are_citable(invented):
    bad = says(submit("answered", ("The kiln was moved to the barn.", [invented])))
    run = ask([*EXPLORED, bad, bad, bad])
    assert run.status == "failed"
    assert run.answer is None
    assert invented in run.error["message"]


def test_36_a_real_chunk_never_retrieved_in_this_run_is_refused():
    narrow = [says(search("January tractor people", k=1)), says(search("glaze crawling", k=1)), says(ready())]
    run = ask([*narrow, says(submit("answered", ("The cat sleeps in the clay bucket.", [UNRELATED]))), says(ANSWER)])
    refused = [c for c in run.citation_checks if not c["passed"]]
    assert [(c["check"], c["citation"]) for c in refused] == [("retrieved", UNRELATED)]
    assert run.answer.statements[0].citations == [KILN]


def test_37_the_model_sees_ids_and_never_a_link():
    model = ScriptedModel([*EXPLORED, says(ANSWER)])
    run = ask(model)
    shown = " ".join(m.text for r in model.requests for m in r.messages if isinstance(m, ToolMessage))
    assert KILN in shown
    assert "http" not in shown
    assert next(c.url for c in run.chunks if c.id == KILN) == "https://example.org/watch?v=ep1&t=30s"


def test_38_a_citation_out_of_range_goes_back_with_the_reason_and_is_repaired():
    model = ScriptedModel(
        [*EXPLORED, says(submit("answered", ("The kiln was moved.", [KILN, "ep1:99990"]))), says(ANSWER)]
    )
    run = ask(model)
    assert run.status == "completed"
    last = model.requests[-1].messages[-1]
    assert isinstance(last, ToolMessage)
    assert "statement 1: no passage has the id 'ep1:99990'" in last.text
    assert run.meta["rejected_answers"][0]["attempt"] == 1


def test_39_events_record_and_rendering_show_the_same_statements_and_citations():
    events = []
    run = ask([*EXPLORED, says(ANSWER)], events=events)
    told = [(e.text, list(e.citations)) for e in events if e.type == "statement"]
    kept = [(s.text, s.citations) for s in run.answer.statements]
    assert told == kept
    shown = markdown(run)
    assert f"{kept[0][0]} [1]" in shown
    assert f"`{kept[0][1][0]}`" in shown


def test_40_a_chunk_past_the_end_of_its_document_is_refused():
    corpus = open_corpus(
        {"ep1:00000": "The kiln stands in the barn.", "ep1:00120": "The kiln was moved to the shed in May."}
    )
    bad = says(submit("answered", ("The kiln was moved to the shed in May.", ["ep1:00120"])))
    good = says(submit("answered", ("The kiln stands in the barn.", ["ep1:00000"])))
    run = ask([says(search("kiln", k=1)), says(search("kiln moved")), says(ready()), bad, good], corpus=corpus)
    assert any("the document ends at 95 s" in c.get("reason", "") for c in run.citation_checks)
    assert run.answer.statements[0].citations == ["ep1:00000"]


def test_41_a_real_passage_that_does_not_say_it_is_flagged_and_can_be_refused():
    claim = says(submit("answered", ("The kiln cost 9000 euros at auction.", [KILN])))
    flagged = ask([*EXPLORED, claim])
    assert flagged.answer.statements[0].support == "MISS"
    strict = load("default")
    strict = strict.model_copy(update={"checks": strict.checks.model_copy(update={"supported": "reject"})})
    refused = ask([*EXPLORED, claim, claim, claim], recipe=strict)
    assert refused.status == "failed"
    assert "9000" in refused.error["message"]


def test_the_reason_names_what_failed_and_a_partly_valid_answer_is_not_passed_silently():
    mixed = submit("answered", ("The kiln was moved to the barn.", [KILN]), ("It was stolen.", ["ep9:00000"]))
    run = ask([*EXPLORED, says(mixed), says(ANSWER)])
    failed = [c for c in run.citation_checks if c["attempt"] == 1 and not c["passed"] and c["action"] == "reject"]
    assert {(c["statement"], c["check"]) for c in failed} == {(1, "exists"), (1, "retrieved"), (1, "in_bounds")}


def test_42_a_failing_model_is_a_typed_failure_and_never_an_answer():
    run = ask([*EXPLORED, ServiceError("maximum retries exceeded")])
    assert run.status == "failed"
    assert run.answer is None
    assert run.error == {"kind": "service", "message": "maximum retries exceeded"}
    assert len(run.searches) == 2


@pytest.mark.parametrize(
    "reply",
    [
        says(text=""),
        says(submit("answered")),
        says(
            call(
                "submit_answer",
                {"outcome": "answered", "statements": [{"text": " ", "kind": "claim", "citations": [KILN]}]},
            )
        ),
        says(call("submit_answer", "not json")),
        says(call("submit_answer", {"outcome": "done"})),
    ],
)
def test_43_an_empty_or_broken_answer_ends_in_a_reason_not_in_a_blank(reply):
    run = ask([*EXPLORED, reply, reply, reply])
    assert run.status == "failed"
    assert run.error["kind"] == "no_valid_answer"
    assert len(run.error["message"]) > 40
    assert len(run.meta["rejected_answers"]) == 3


def test_43_bad_answers_then_a_good_one_is_completed():
    assert ask([*EXPLORED, says(text="hm"), says(submit("answered")), says(ANSWER)]).status == "completed"


def test_44_an_empty_result_says_that_it_is_final_and_what_to_do():
    model = ScriptedModel([says(search("kiln", **{"from": "2031-01-01"})), *EXPLORED, says(ANSWER)])
    ask(model)
    result = json.loads(model.requests[1].messages[-1].text)
    assert result["hits"] == []
    assert result["matching"] == 0
    assert "will not help" in result["advice"]


def test_45_text_without_a_tool_call_is_never_the_answer():
    run = ask([says(text="Let me search for the kiln..."), *EXPLORED, says(ANSWER)])
    assert run.status == "completed"
    assert guards(run)[0] == "nudge"


def test_45_a_model_that_only_talks_ends_failed_with_its_evidence():
    run = ask([says(text="The kiln is in the barn.")] * 2)
    assert (run.status, run.error["kind"]) == ("failed", "never_searched")
    assert guards(run) == ["nudge", "empty_turns"]


def test_46_the_step_budget_leaves_a_closing_turn():
    endless = [says(search(f"kiln part {n}")) for n in range(15)]
    model = ScriptedModel([*endless, says(ANSWER)])
    run = ask(model)
    assert run.status == "completed"
    assert run.meta["budget_exhausted"] is True
    notice = model.requests[-1].messages[-1]
    assert isinstance(notice, UserMessage)
    assert "15 searches" in notice.text


def test_a_cost_cap_keeps_room_for_the_answer():
    steps = [says(search("kiln"), cost=0.01), says(search("glaze"), cost=0.01)]
    tight = ask([*steps, says(ANSWER, cost=0.01)], limits=Limits(max_cost_usd=0.032))
    assert tight.status == "completed"
    assert "budget_reserve" in guards(tight)
    assert tight.cost_usd == pytest.approx(0.03)


def test_a_cap_that_cannot_be_kept_ends_over_budget_with_the_evidence():
    run = ask([says(search("kiln"), cost=1.0), says(ANSWER)], limits=Limits(max_cost_usd=1.5))
    assert run.status == "over_budget"
    assert run.answer is None
    assert len(run.searches) == 1


def test_a_token_cap_is_checked_before_the_call():
    usage = Usage(input_tokens=900, output_tokens=200)
    run = ask([says(search("kiln"), usage=usage), says(ANSWER)], limits=Limits(max_tokens=1000))
    assert run.status == "over_budget"


def test_an_unknown_price_with_a_cost_cap_refuses_to_start():
    model = Unpriced([])
    store = MemoryStore()
    with pytest.raises(InputError, match="price of"):
        ask(model, limits=Limits(max_cost_usd=1.0), store=store)
    assert store.kept == []
    allowed = Unpriced([*EXPLORED, says(ANSWER, cost=None)])
    run = ask(allowed, limits=Limits(max_cost_usd=1.0, allow_unknown_price=True))
    assert run.status == "completed"
    assert run.cost_usd is None


def test_47_usage_is_a_delta_per_call_and_cached_tokens_stand_apart():
    first = Usage(input_tokens=100, cached_input_tokens=0, output_tokens=10)
    second = Usage(input_tokens=150, cached_input_tokens=100, output_tokens=5, reasoning_tokens=2)
    run = ask([says(search("kiln"), usage=first), says(search("glaze"), usage=second), says(ready()), says(ANSWER)])
    assert [u["input_tokens"] for u in run.usage] == [100, 150, None, None]
    assert [u["cached_input_tokens"] for u in run.usage][:2] == [0, 100]
    assert run.usage[1]["reasoning_tokens"] == 2


def test_unknown_cost_of_one_call_makes_the_run_unknown_not_zero():
    assert (
        ask([says(search("kiln"), cost=0.5), says(search("glaze"), cost=None), says(ready()), says(ANSWER)]).cost_usd
        is None
    )


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (call("search_transcripts", "{'query': 'x'}"), "not valid JSON"),
        (call("search_transcripts", {}), "query"),
        (call("search_transcripts", {"query": "  "}), "empty"),
        (call("search_transcripts", {"query": "x", "k": 50}), "less than or equal to 20"),
        (call("search_transcripts", {"query": "x", "page": 2}), "page"),
        (call("search_transcripts", {"query": "x", "from": "soon"}), "ISO 8601"),
        (call("search_transcripts", {"query": "x", "from": "2025-02-02", "to": "2025-01-01"}), "before"),
        (call("search_transcripts", "[1]"), "one JSON object"),
        (call("delete_corpus", {}), "There is no tool"),
        (submit("answered", ("x", [KILN])), "not offered yet"),
    ],
)
def test_a_bad_call_comes_back_as_words_and_the_run_goes_on(bad, expected):
    model = ScriptedModel([says(bad), *EXPLORED, says(ANSWER)])
    run = ask(model)
    assert run.status == "completed"
    assert expected in json.loads(model.requests[1].messages[-1].text)["error"]


@pytest.mark.parametrize(
    "argument", [{"k": 1}, {"from": "2025-06-01"}, {"to": "2025-06-01"}, {"query": "cat clay bucket"}]
)
def test_every_argument_of_the_search_changes_what_comes_back(argument):
    plain = ask([says(search("kiln")), *EXPLORED, says(ANSWER)])
    changed = ask([says(call("search_transcripts", {"query": "kiln", **argument})), *EXPLORED, says(ANSWER)])
    assert plain.searches[0].returned != changed.searches[0].returned


def test_13_rewordings_that_bring_nothing_new_and_identical_searches_do_not_count_as_exploring():
    same = ask(
        [says(search("the kiln", k=1)), says(search("Kiln, THE!", k=1)), says(ready()), *EXPLORED[1:], says(ANSWER)],
        recipe="answertrail-2026",
    )
    assert guards(same) == ["ready_refused"]
    identical = [says(search("kiln"))] * 3
    run = ask([*identical, *[says(ready())] * 3, says(ANSWER)], recipe="answertrail-2026")
    assert guards(run) == ["ready_refused", "ready_refused", "ready_refused", "ready_forced"]


def test_11_a_claim_without_citation_and_markers_in_the_text_are_refused():
    bare = says(submit("answered", ("The kiln is in the barn.", [])))
    marked = says(submit("answered", (f"The kiln is in the barn [{KILN}].", [KILN])))
    numbered = says(submit("answered", ("The kiln is in the barn [1].", [KILN])))
    for bad in (bare, marked, numbered):
        run = ask([*EXPLORED, bad, says(ANSWER)])
        assert run.meta["rejected_answers"][0]["reasons"]
    linked = says(submit("answered", ("See https://example.com/kiln for the barn.", [KILN])))
    assert ask([*EXPLORED, linked, linked, linked]).status == "failed"


def test_framing_may_not_smuggle_in_a_number():
    arguments = {
        "outcome": "answered",
        "statements": [
            {"text": "Overall it cost 700 euros.", "kind": "framing", "citations": []},
            {"text": "The kiln was moved to the barn.", "kind": "claim", "citations": [KILN]},
        ],
        "not_found": [],
    }
    run = ask([*EXPLORED, says(call("submit_answer", arguments)), says(ANSWER)])
    assert "framing states the number 700" in run.meta["rejected_answers"][0]["reasons"][0]


def test_cannot_answer_carries_no_claims_and_is_a_completed_run():
    with_claim = says(submit("cannot_answer", ("The kiln is in the barn.", [KILN])))
    plain = says(submit("cannot_answer", not_found=["what the kiln cost"]))
    run = ask([*EXPLORED, with_claim, plain])
    assert (run.status, run.answer.outcome, run.answer.not_found) == (
        "completed",
        "cannot_answer",
        ["what the kiln cost"],
    )


def test_no_chunk_is_shown_twice_as_new_and_a_repeated_query_pages_on():
    run = ask([says(search("kiln", k=2)), says(search("kiln", k=2)), says(ready()), says(ANSWER)])
    first, second = run.searches
    assert not set(first.returned) & set(second.returned)
    assert second.held_back == 2


def test_the_2026_recipe_shows_repeats_and_says_which_are_new():
    run = ask(
        [says(search("kiln")), says(search("glaze")), says(search("clay")), *EXPLORED[2:], says(ANSWER)],
        recipe="answertrail-2026",
    )
    assert len(run.searches[1].returned) == 6
    assert run.searches[1].new == []


def test_no_loop_asks_once_with_one_retrieval_of_the_raw_question():
    model = ScriptedModel([says(ANSWER)])
    run = ask(model, recipe="no-loop")
    assert run.status == "completed"
    assert len(model.requests) == 1
    assert [s.query for s in run.searches] == ["Where did the kiln go?"]
    assert KILN in model.requests[0].messages[-1].text


def test_17_escapes_in_the_arguments_arrive_as_characters():
    arguments = json.loads(submit("answered", ("In January we moved the kiln to the barn, café 😀", [KILN])).arguments)
    raw = json.dumps(arguments, ensure_ascii=True)
    assert "\\u00e9" in raw
    events = []
    ask([*EXPLORED, says(call("submit_answer", raw))], events=events)
    released = [e for e in events if e.type == "statement"]
    assert released[0].text.endswith("café 😀")


def test_a_statement_is_told_only_after_its_checks():
    events = []
    ask([*EXPLORED, says(submit("answered", ("Stolen.", ["ep9:00000"]))), says(ANSWER)], events=events)
    told = [e.type for e in events]
    assert told.index("answer_rejected") < told.index("statement")
    assert [e.text for e in events if e.type == "statement"] == ["In January the kiln was moved to the barn."]
    assert told[-1] == "run_finished"


def test_evidence_is_kept_before_the_first_call_and_after_every_turn():
    store = MemoryStore()
    with pytest.raises(ZeroDivisionError):
        ask([says(search("kiln")), ZeroDivisionError("a bug of ours")], store=store)
    assert [run.status for run in store.kept] == ["interrupted", "interrupted", "interrupted", "failed"]
    assert [s.query for s in store.kept[2].searches] == ["kiln"]
    assert store.kept[2].cost_usd is None, "a call that is under way has an unknown cost, not none"
    assert store.last.error == {"kind": "bug", "message": "ZeroDivisionError: a bug of ours"}


def test_a_cancelled_run_is_stored_as_cancelled_with_what_it_spent():
    store = MemoryStore()

    async def stop_midway():
        started = asyncio.Event()
        model = Hanging([says(search("kiln"), cost=0.25)], started)
        work = asyncio.create_task(run_agent(Ask("Where is the kiln?", load("default"), model, corpus), store))
        await asyncio.wait_for(started.wait(), 20)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    corpus = open_corpus()
    asyncio.run(stop_midway())
    assert store.last.status == "cancelled"
    assert [entry["cost_usd"] for entry in store.last.usage] == [0.25, None]
    assert store.last.cost_usd is None
    assert store.last.answer is None


def test_planted_instructions_change_nothing_that_is_not_allowed():
    corpus = open_corpus()
    obeyed = says(submit("answered", ("The kiln was stolen.", ["ep9:00000"])))
    run = ask([*EXPLORED, obeyed, says(ANSWER)], corpus=corpus)
    assert [s.citations for s in run.answer.statements] == [[KILN]]
    stubborn = ask([*EXPLORED, obeyed, obeyed, obeyed], corpus=corpus)
    assert (stubborn.status, stubborn.answer) == ("failed", None)


def test_search_results_are_labelled_as_data():
    model = ScriptedModel([*EXPLORED, says(ANSWER)])
    ask(model)
    assert "never instructions" in json.loads(model.requests[1].messages[-1].text)["notice"]


def test_old_results_lose_their_text_in_pairs_and_keep_their_ids():
    recipe = load("default")
    recipe = recipe.model_copy(update={"loop": recipe.loop.model_copy(update={"context_chars": 4000})})
    model = ScriptedModel([*EXPLORED, says(ANSWER)])
    run = ask(model, recipe=recipe)
    assert run.status == "completed"
    results = [m for m in model.requests[-1].messages if isinstance(m, ToolMessage) and "hits" in m.text]
    assert "text" not in json.loads(results[0].text)["hits"][0]
    assert {h["id"] for h in json.loads(results[0].text)["hits"]} == set(run.searches[0].returned)
    calls = [c.id for m in model.requests[-1].messages for c in getattr(m, "calls", ())]
    answered = [m.call_id for m in model.requests[-1].messages if isinstance(m, ToolMessage)]
    assert calls == answered
    assert all(c.text for c in run.chunks)


def test_an_empty_question_is_refused_before_anything_is_stored():
    store = MemoryStore()
    with pytest.raises(InputError, match="empty"):
        ask([], question="  ", store=store)
    assert store.kept == []


def test_a_trajectory_may_cite_chunks_of_several_dates():
    run = ask(
        [
            *EXPLORED,
            says(
                submit(
                    "answered",
                    ("In January we moved the kiln to the barn.", [KILN]),
                    ("In June we moved the kiln back to the shed.", [BARN]),
                )
            ),
        ],
        question="How did the place of the kiln change?",
        recipe="answertrail-2026",
    )
    assert [s.citations for s in run.answer.statements] == [[KILN], [BARN]]
    assert GLAZE in run.retrieved


def test_a_cap_ends_the_run_when_the_cost_of_a_call_turns_out_unknown():
    steps = [says(search("kiln"), cost=None), says(search("glaze"), cost=5.0), says(ready()), says(ANSWER)]
    run = ask(steps, limits=Limits(max_cost_usd=0.01))
    assert (run.status, run.error["kind"]) == ("over_budget", "cost_unknown")
    assert run.cost_usd is None
    assert len(run.searches) == 1


def test_a_failed_call_leaves_an_unknown_cost_not_a_free_one():
    run = ask([ServiceError("time-out")])
    assert run.status == "failed"
    assert run.cost_usd is None
    assert [entry["cost_usd"] for entry in run.usage] == [None]


def test_ready_beside_a_search_is_refused_since_nothing_was_read_yet():
    run = ask([says(search("kiln"), search("glaze"), ready()), says(ready()), says(ANSWER)])
    assert guards(run) == ["ready_refused"]
    assert run.status == "completed"


def test_a_turn_with_too_many_calls_runs_only_the_first():
    flood = says(*[search(f"kiln part {n}", k=1) for n in range(50)])
    run = ask([flood, says(ready()), says(ANSWER)], recipe="answertrail-2026")
    assert len(run.searches) == 20
    assert guards(run).count("bad_call") == 30


def test_nothing_new_is_told_apart_from_nothing_at_all():
    model = ScriptedModel([says(search("kiln")), says(search("kiln")), says(ready()), says(ANSWER)])
    ask(model)
    again = json.loads(model.requests[2].messages[-1].text)
    assert (again["hits"], again["held_back"], again["matching"]) == ([], 6, 6)
    assert "already shown" in again["advice"]


def test_control_characters_never_reach_a_statement():
    answer = submit("answered", ("In January the kiln was moved\u001b[31m to the barn.\u0000", [KILN]))
    run = ask([*EXPLORED, says(answer)])
    assert run.answer.statements[0].text == "In January the kiln was moved[31m to the barn."


def test_a_corpus_whose_ingest_was_cut_short_is_told():
    corpus = replace(open_corpus(), pending=7)
    run = ask([*EXPLORED, says(ANSWER)], corpus=corpus)
    assert guards(run) == ["incomplete_corpus"]
    assert "7 passages have no vector yet" in run.guards[0]["detail"]


def test_an_overlong_question_is_refused_with_the_limit():
    with pytest.raises(InputError, match="at most 4,000"):
        ask([], question="why " * 1001)


def test_a_long_question_that_finds_nothing_is_declined_and_verifies():
    question = "Why is it so? " * 90
    run = ask([says(search("kiln")), says(search("glaze")), says(ready())], question=question, corpus=open_corpus({}))
    assert run.answer.outcome == "cannot_answer"
    assert [fault.message for fault in faults_of(run)] == []


def test_of_one_turn_only_the_first_calls_are_run_though_they_are_all_alike():
    alike = ChatReply("", tuple(ToolCall("same", "search_transcripts", '{"query": "kiln"}') for _ in range(25)),
                      Usage(), 0.0, "scripted")  # fmt: skip
    run = ask([alike, *EXPLORED, says(ANSWER)])
    assert len(run.searches) == 20 + 2
    assert [g["guard"] for g in run.guards].count("bad_call") == 5
