"""GenAI spans become runs: what is there is taken, what is not is left out and said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answertrail.errors import InputError
from answertrail.experiments.importing.imported import Imported, OutcomeRule
from answertrail.experiments.importing.otel import read_otel
from answertrail.records import Run
from tests.experiments.importing.otlp import agent_run, attributes, document, said, span, written

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
ASKED = {"gen_ai.input.messages": [said("user", "Why?")]}
TOLD = {"gen_ai.output.messages": [said("assistant", "Because.")]}


def only(found: Imported) -> Run:
    assert (found.faults, len(found.runs)) == ((), 1)
    return found.runs[0]


def test_an_agent_span_and_all_below_it_is_one_run(tmp_path: Path) -> None:
    run = only(read_otel(written(tmp_path, document(*agent_run()))))
    assert run.as_json() == {
        "schema": "run/1",
        "run_id": "4bf9",
        "question": "Where did the kiln go?",
        "status": "completed",
        "models": {"agent": "m-1"},
        "searches": [
            {"search_id": "tool", "query": "kiln", "returned": ["ep01:00030", "ep02:00000"], "elapsed_ms": 500.0}
        ],
        "retrieved": ["ep01:00030", "ep02:00000"],
        "chunks": [
            {"id": "ep01:00030", "document_id": "ep01", "text": "We moved it."},
            {"id": "ep02:00000", "document_id": "ep02", "text": "It leaked."},
        ],
        "answer": {"outcome": "answered", "text": "To the barn."},
        "usage": [usage("m-1", 52, 17), usage("m-1-0613", 97, 20)],
        "cost_usd": None,
        "started_at": "2025-11-30T10:30:00Z",
        "elapsed_ms": 500.0,
        "meta": {
            "imported": {"format": "otel", "file": "spans.json", "trace_id": "4bf9"},
            "assumed": ["answer.outcome"],
        },
    }


def test_the_last_thing_said_is_the_answer_and_the_first_thing_asked_the_question(tmp_path: Path) -> None:
    spans = agent_run()
    spans[1]["attributes"] += attributes({"gen_ai.completion": "Let me look."})
    spans[3]["attributes"] += attributes({"gen_ai.input.messages": [said("user", "And the shed?")]})
    spans[1]["attributes"] = [a for a in spans[1]["attributes"] if a["key"] != "gen_ai.output.messages"]
    run = only(read_otel(written(tmp_path, document(*spans))))
    assert run.answer is not None
    assert (run.question, run.answer.text) == ("Where did the kiln go?", "To the barn.")


def usage(model: str, given: int, made: int) -> dict[str, Any]:
    rest = {"cached_input_tokens": None, "cache_write_tokens": None, "reasoning_tokens": None, "cost_usd": None}
    return {"model": model, "input_tokens": given, "output_tokens": made, **rest}


def test_one_document_a_list_and_json_lines_say_the_same(tmp_path: Path) -> None:
    first, second = document(*agent_run("aa")), document(*agent_run("bb"))
    together = document(*agent_run("aa"), *agent_run("bb"))
    files = [
        written(tmp_path, together),
        written(tmp_path, [first, second], name="list.json"),
        written(tmp_path, first, second, name="lines.jsonl"),
        written(tmp_path, second, first, first, name="again.jsonl"),
    ]
    runs = [
        sorted((run.run_id, run.question, json.dumps(run.as_json()["usage"])) for run in read_otel(path).runs)
        for path in files
    ]
    assert runs[0] == runs[1] == runs[2] == runs[3]
    assert [name for name, *_ in runs[0]] == ["aa", "bb"]
    assert "4 spans are in the export twice and count once" in read_otel(files[3]).notes


def test_two_agents_in_one_trace_are_two_runs_and_an_agent_below_one_is_not(tmp_path: Path) -> None:
    spans = [
        span("root", None, 0, {"http.route": "/ask"}),
        span("one", "root", 1, {"gen_ai.operation.name": "invoke_agent", **ASKED, **TOLD}),
        span("helper", "one", 2, {"gen_ai.operation.name": "invoke_agent"}),
        span("two", "root", 3, {"gen_ai.operation.name": "invoke_agent", **ASKED, **TOLD}),
    ]
    found = read_otel(written(tmp_path, document(*spans)))
    assert ([run.run_id for run in found.runs], found.skipped) == (["4bf9:one", "4bf9:two"], ())
    assert "1 spans lie outside every agent span of their trace and are not read" in found.notes


OLDER: dict[str, dict[str, Any]] = {
    "events of the first conventions": {
        "events": [
            ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([{"role": "user", "content": "Why?"}])}),
            (
                "gen_ai.content.completion",
                {"gen_ai.completion": json.dumps([{"role": "assistant", "content": "Because."}])},
            ),
        ]
    },
    "one event a message": {
        "events": [
            ("gen_ai.system.message", {"content": "You answer."}),
            ("gen_ai.user.message", {"content": "Why?"}),
            ("gen_ai.choice", {"index": 0, "message": json.dumps({"role": "assistant", "content": "Because."})}),
        ]
    },
    "the details event": {"events": [("gen_ai.client.inference.operation.details", {**ASKED, **TOLD})]},
    "numbered attributes": {
        "more": {
            "gen_ai.prompt.0.role": "system",
            "gen_ai.prompt.0.content": "You answer.",
            "gen_ai.prompt.1.role": "user",
            "gen_ai.prompt.1.content": "Why?",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "Because.",
        }
    },
    "plain attributes": {"more": {"gen_ai.prompt": "Why?", "gen_ai.completion": "Because."}},
}


@pytest.mark.parametrize("form", list(OLDER))
def test_older_conventions_are_read(tmp_path: Path, form: str) -> None:
    more, events = OLDER[form].get("more", {}), OLDER[form].get("events")
    tokens = {"gen_ai.usage.prompt_tokens": 3, "gen_ai.usage.completion_tokens": 4}
    chat = span("chat", None, 0, {**CHAT, **tokens, **more}, events=events)
    run = only(read_otel(written(tmp_path, document(chat))))
    assert run.answer is not None
    assert (run.question, run.answer.text) == ("Why?", "Because.")
    assert (run.usage or [{}])[0]["output_tokens"] == 4


@pytest.mark.parametrize("answer", ['{"verdict": "yes"}', "[1]", '["a", "b"]', '"quoted"'])
def test_an_answer_that_is_json_stays_text(tmp_path: Path, answer: str) -> None:
    for more in ({"gen_ai.completion": answer}, {"gen_ai.output.messages": [said("assistant", answer)]}):
        chat = span("chat", None, 0, {**CHAT, **ASKED, **more})
        run = only(read_otel(written(tmp_path, document(chat))))
        assert run.answer is not None
        assert run.answer.text == answer


def test_a_retrieval_span_inside_a_search_tool_is_one_search(tmp_path: Path) -> None:
    docs = [{"id": "d1", "score": 0.5}, {"id": "d2", "score": 0.4}]
    inner = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": "why",
        "gen_ai.retrieval.documents": docs,
    }
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    spans = [
        span("tool", "chat", 1, tool),
        span("inner", "tool", 1, inner),
        span("chat", None, 0, {**CHAT, **ASKED, **TOLD}),
    ]
    run = only(read_otel(written(tmp_path, document(*spans))))
    assert [(row.search_id, row.query, row.returned) for row in run.searches or []] == [("inner", "why", ["d1", "d2"])]
    assert (run.retrieved, run.chunks) == (["d1", "d2"], None)


def test_what_a_search_returned_is_unknown_unless_the_span_says_it(tmp_path: Path) -> None:
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "web_search"}
    for result in (
        {},
        {"gen_ai.tool.call.result": "A text without ids."},
        {"gen_ai.tool.call.result": '["one", "two"]'},
    ):
        spans = [span("chat", None, 0, {**CHAT, **ASKED, **TOLD}), span("tool", "chat", 1, {**tool, **result})]
        found = read_otel(written(tmp_path, document(*spans)))
        run = only(found)
        assert (run.searches, run.retrieved, run.chunks) == (None, None, None)
        assert "1 searches do not say which ids they returned and are left out" in found.notes
    other = [
        span("chat", None, 0, {**CHAT, **ASKED, **TOLD}),
        span("tool", "chat", 1, {**tool, "gen_ai.tool.name": "add"}),
    ]
    assert read_otel(written(tmp_path, document(*other))).notes == ()
    named = read_otel(written(tmp_path, document(*other)), search_tools=["add"])
    assert len(named.notes) == 1
    empty = {**tool, "gen_ai.tool.call.arguments": '{"query": "x"}', "gen_ai.tool.call.result": "[]"}
    run = only(read_otel(written(tmp_path, document(spans[0], span("tool", "chat", 1, empty)))))
    assert (run.retrieved, [row.returned for row in run.searches or []]) == ([], [[]])


def test_a_run_without_its_messages_is_skipped_with_the_reason(tmp_path: Path) -> None:
    spans = [span("chat", None, 0, CHAT), span("db", None, 0, {"db.system.name": "pg"}, trace="other")]
    spans.append(span("half", None, 0, {**CHAT, **ASKED}, trace="third"))
    found = read_otel(written(tmp_path, document(*spans)))
    assert (found.runs, found.faults) == ((), ())
    assert {row.where: row.reason.partition(":")[0] for row in found.skipped} == {
        "run 4bf9": "no user message",
        "trace other": "no agent span and no model call of the GenAI conventions",
        "run third": "no assistant message",
    }


def test_an_error_is_a_failed_run_without_an_answer_and_a_failed_tool_is_not(tmp_path: Path) -> None:
    broken = {"gen_ai.operation.name": "invoke_agent", **ASKED, **TOLD, "error.type": "timeout"}
    run = only(read_otel(written(tmp_path, document(span("agent", None, 0, broken, error="took too long")))))
    assert (run.status, run.answer, run.error) == ("failed", None, {"kind": "timeout", "message": "took too long"})
    spans = agent_run()
    spans[2]["status"] = {"code": "STATUS_CODE_ERROR"}
    assert only(read_otel(written(tmp_path, document(*spans)))).status == "completed"


def test_outcome_and_question_id_come_from_attributes_of_the_root(tmp_path: Path) -> None:
    spans = agent_run()
    spans[0]["attributes"] += attributes({"app.said": "refused", "question_id": "q7"})
    rule = OutcomeRule("app.said", {"refused": "cannot_answer"})
    run = only(read_otel(written(tmp_path, document(*spans)), outcome=rule))
    assert run.answer is not None
    assert (run.question_id, run.answer.outcome, (run.meta or {}).get("assumed")) == ("q7", "cannot_answer", None)
    wrong = read_otel(written(tmp_path, document(*spans)), outcome=OutcomeRule("app.said"))
    assert [(fault.where, fault.field) for fault in wrong.faults] == [
        ("resourceSpans[0].scopeSpans[0].spans[0]", "app.said")
    ]


def test_a_run_that_is_told_to_have_declined_needs_no_text(tmp_path: Path) -> None:
    agent = {"gen_ai.operation.name": "invoke_agent", **ASKED, "app.said": "cannot_answer"}
    path = written(tmp_path, document(span("agent", None, 0, agent)))
    run = only(read_otel(path, outcome=OutcomeRule("app.said")))
    assert run.as_json()["answer"] == {"outcome": "cannot_answer"}
    assert read_otel(path).runs == ()
    assert read_otel(path, outcome=OutcomeRule(assume="cannot_answer")).runs == ()


def test_faults_name_the_span_and_the_field_and_the_rest_is_read(tmp_path: Path) -> None:
    spans: list[Any] = [*agent_run(), {"spanId": "x"}, {**agent_run("z")[0], "startTimeUnixNano": "soon"}, 7]
    spans.append({**agent_run("z")[0], "attributes": [{"key": "a", "value": "bare"}]})
    found = read_otel(written(tmp_path, document(*spans)))
    place = "resourceSpans[0].scopeSpans[0].spans"
    assert [(fault.where, fault.field) for fault in found.faults] == [
        (f"{place}[4]", "traceId"),
        (f"{place}[5]", "startTimeUnixNano"),
        (f"{place}[6]", "span"),
        (f"{place}[7]", "attributes"),
    ]
    assert len(found.runs) == 1


@pytest.mark.parametrize("text", ["", "nothing", "[", '{"a": NaN}'])
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "spans.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        read_otel(path)


def test_a_line_that_is_no_export_is_a_fault(tmp_path: Path) -> None:
    path = written(tmp_path, document(*agent_run()), {"resourceLogs": []})
    path.write_text(path.read_text(encoding="utf-8") + "\ntorn {", encoding="utf-8")
    found = read_otel(path)
    assert [(fault.where, fault.field) for fault in found.faults] == [("line 3", "line"), ("line 2", "resourceSpans")]
    assert len(found.runs) == 1
