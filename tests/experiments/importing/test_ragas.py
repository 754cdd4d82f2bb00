"""Rows of both generations become runs; every faulty field is named."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.errors import InputError
from answertrail.experiments.importing.imported import Imported, OutcomeRule
from answertrail.experiments.importing.otel import read_otel
from answertrail.experiments.importing.ragas import read_ragas
from answertrail.experiments.importing.ragas_fields import content_id
from answertrail.metrics.refusal.cases import said_by

NEW = {"user_input": "Why?", "response": "Because.", "retrieved_contexts": ["One.", "Two.", "One."]}
OLD = {"question": "Why?", "answer": "Because.", "contexts": ["One.", "Two.", "One."]}


def written(folder: Path, *rows: Any, name: str = "rows.jsonl") -> Path:
    path = folder / name
    if name.endswith(".csv"):
        columns = list(dict.fromkeys(column for row in rows for column in row))
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(stream.getvalue(), encoding="utf-8", newline="")
    elif name.endswith(".json"):
        path.write_text(json.dumps(list(rows)), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def faults(found: Imported) -> list[tuple[str, str, str]]:
    return [(fault.where, fault.field, fault.message) for fault in found.faults]


@pytest.mark.parametrize("row", [NEW, OLD])
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv"])
def test_both_generations_in_all_three_forms_make_the_same_run(tmp_path: Path, row: Any, name: str) -> None:
    run = read_ragas(written(tmp_path, row, name=name)).runs[0]
    assert run.as_json() == {
        "schema": "run/1",
        "run_id": "rows-1",
        "question": "Why?",
        "status": "completed",
        "retrieved": [content_id("One."), content_id("Two.")],
        "chunks": [{"id": content_id(t), "document_id": content_id(t), "text": t} for t in ("One.", "Two.")],
        "answer": {"outcome": "answered", "text": "Because."},
        "meta": {"imported": {"format": "ragas", "file": name, "row": 1}, "assumed": ["answer.outcome"]},
    }


def test_content_ids_are_a_hash_of_the_text() -> None:
    assert content_id("One.") == "sha256:70277bfc409b5021"
    assert content_id("One.") != content_id("One. ")


def test_given_ids_are_kept_and_name_their_document(tmp_path: Path) -> None:
    row = {**NEW, "retrieved_context_ids": ["ep:00030", 7, "ep:00030"], "question_id": "q1", "repeat": 2, "run_id": "r"}
    run = read_ragas(written(tmp_path, row)).runs[0]
    assert (run.run_id, run.question_id, run.repeat, run.retrieved) == ("r", "q1", 2, ["ep:00030", "7"])
    assert [(chunk.id, chunk.document_id) for chunk in run.chunks or []] == [("ep:00030", "ep"), ("7", "7")]
    bare = {key: value for key, value in row.items() if key != "retrieved_contexts"}
    run = read_ragas(written(tmp_path, bare)).runs[0]
    assert (run.retrieved, run.chunks) == (["ep:00030", "7"], None)


def test_nothing_retrieved_and_nothing_said_about_it_are_two_things(tmp_path: Path) -> None:
    silent = {"user_input": "Why?", "response": "Because."}
    empty, absent = read_ragas(written(tmp_path, {**NEW, "retrieved_contexts": []}, silent)).runs
    assert (empty.retrieved, absent.retrieved) == ([], None)


def test_an_outcome_comes_from_a_column_or_is_marked_as_assumed(tmp_path: Path) -> None:
    rows = [{**NEW, "refused": True}, {**NEW, "refused": False}, NEW, {**NEW, "refused": "perhaps"}]
    rule = OutcomeRule("refused", {"true": "cannot_answer", "false": "answered"})
    found = read_ragas(written(tmp_path, *rows), outcome=rule)
    assert [said_by(run) for run in found.runs] == ["declined", "answered", "unknown"]
    assert found.assumed == 1
    assert faults(found)[0][:2] == ("line 4", "refused")
    for broken in ({"assume": "maybe"}, {"field": "x", "values": {"a": "no"}}, {"values": {"a": "answered"}}):
        with pytest.raises(InputError):
            OutcomeRule(**broken)


def test_a_row_that_is_told_to_have_declined_needs_no_answer(tmp_path: Path) -> None:
    silent = {"user_input": "Why?", "said": "cannot_answer"}
    rows = [silent, {**silent, "response": " "}, {**silent, "said": "answered"}, {**silent, "response": "No."}]
    found = read_ragas(written(tmp_path, *rows), outcome=OutcomeRule("said"))
    assert [run.as_json().get("answer") for run in found.runs] == [
        {"outcome": "cannot_answer"},
        {"outcome": "cannot_answer"},
        None,
        {"outcome": "cannot_answer", "text": "No."},
    ]
    assert [run.status for run in found.runs] == ["completed", "completed", "failed", "completed"]
    assert read_ragas(written(tmp_path, rows[0]), outcome=OutcomeRule(assume="cannot_answer")).runs == ()


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv"])
@pytest.mark.parametrize("nothing", [None, " ", float("nan")])
def test_a_row_without_an_answer_is_a_failed_run_of_a_question_that_is_kept(
    tmp_path: Path, name: str, nothing: Any
) -> None:
    silent = [{**NEW, "user_input": f"{number}?", "response": nothing, "reference": "So."} for number in (2, 3)]
    found = read_ragas(written(tmp_path, {**NEW, "reference": "So."}, *silent, name=name), tier="factual")
    assert (found.faults, found.failed, found.as_json()["failed"]) == ((), 2, 2)
    assert [run.status for run in found.runs] == ["completed", "failed", "failed"]
    assert found.runs[1].answer is None
    assert found.runs[1].error == {"kind": "no_answer", "message": "the row has no answer"}
    assert found.runs[1].retrieved == [content_id("One."), content_id("Two.")]
    assert len(found.questions) == 3
    assert "2 of 3 runs failed: the row has no answer" in found.notes


def test_a_conversation_without_an_answer_is_a_failed_run(tmp_path: Path) -> None:
    (run,) = read_ragas(written(tmp_path, {"user_input": [{"type": "human", "content": "Why?"}]})).runs
    assert (run.question, run.status) == ("Why?", "failed")


def test_rows_that_have_no_place_for_an_answer_are_faults(tmp_path: Path) -> None:
    found = read_ragas(written(tmp_path, {"user_input": "Why?"}, {"user_input": "Who?"}))
    assert (found.runs, [(where, field) for where, field, _ in faults(found)]) == (
        (),
        [("line 1", "response"), ("line 2", "response")],
    )


def test_every_fault_of_every_row_is_named_and_the_rest_imported(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"response": " ", "retrieved_contexts": "no list", "repeat": -1},
        NEW,
        {**NEW, "question": "Another?"},
        {**NEW, "retrieved_context_ids": ["a", "a", "b"]},
        {**NEW, "retrieved_contexts": ["One.", None]},
        {**NEW, "run_id": "rows-2"},
        {**NEW, "retrieved_context_ids": ["a", "b"]},
    )
    path.write_text(path.read_text(encoding="utf-8") + "[1]\n{\n" + '{"response": NaN}\n', encoding="utf-8")
    found = read_ragas(path)
    assert [run.run_id for run in found.runs] == ["rows-2"]
    assert faults(found) == [
        ("line 1", "user_input", "required column is missing (or question)"),
        (
            "line 1",
            "retrieved_contexts",
            'expected a list of texts, such as ["one", "two"]; a JSON Lines export keeps lists whole',
        ),
        ("line 1", "repeat", "expected a whole number from 0, not -1"),
        ("line 3", "question", "differs from user_input"),
        ("line 4", "retrieved_context_ids.1", "'a' stands for two different texts"),
        ("line 5", "retrieved_contexts.1", "expected text, not NoneType"),
        ("line 6", "run_id", "'rows-2' is given twice, first at line 2"),
        ("line 7", "retrieved_context_ids", "2 ids for 3 contexts"),
        ("line 8", "line", "expected an object, not list"),
        ("line 9", "line", found.faults[9].message),
        ("line 10", "user_input", "required column is missing (or question)"),
    ]


def test_scores_of_others_are_not_read_and_their_nan_is_counted(tmp_path: Path) -> None:
    rows = [{**NEW, "faithfulness": float("nan")}, {**NEW, "faithfulness": 0.5, "note": "x"}]
    for name in ("rows.jsonl", "rows.json", "rows.csv"):
        found = read_ragas(written(tmp_path, *rows, name=name))
        assert found.notes == (
            "column 'faithfulness' is not read (2 values, 1 NaN or null)",
            "column 'note' is not read (1 values)",
        )
        assert all("0.5" not in json.dumps(run.as_json()) for run in found.runs)


@pytest.mark.parametrize("printed", ["['One.' 'Two.']", "['One.'\n 'Two.']", "nothing", "{'a': 1}"])
def test_a_list_that_csv_has_lost_is_a_fault_and_never_glued(tmp_path: Path, printed: str) -> None:
    found = read_ragas(written(tmp_path, {**NEW, "retrieved_contexts": printed}, name="rows.csv"))
    assert [(where, field) for where, field, _ in faults(found)] == [("row 1", "retrieved_contexts")]


def test_a_reference_becomes_a_nugget_only_when_a_tier_is_given(tmp_path: Path) -> None:
    rows = [
        {**NEW, "reference": "It is so.", "reference_context_ids": ["c1", "c1"]},
        {**OLD, "ground_truths": ["It is so."], "reference_context_ids": ["c1"]},
        {**OLD, "question": "Who?", "ground_truth": ""},
        {**NEW, "reference": "It is not so."},
    ]
    assert read_ragas(written(tmp_path, *rows)).questions == ()
    found = read_ragas(written(tmp_path, *rows), tier="factual")
    why, who = found.questions
    assert found.runs[0].question_id == found.runs[1].question_id == why.question_id
    assert [(nugget.text, nugget.kind) for nugget in why.nuggets or []] == [("It is so.", "fact")]
    assert [unit.id for unit in why.relevant or []] == ["c1"]
    assert who.nuggets is None
    assert faults(found) == [("line 4", "reference", f"question {why.question_id!r} is another one in line 1")]
    assert read_ragas(written(tmp_path, rows[0]), tier="unanswerable").questions[0].nuggets is None
    with pytest.raises(InputError, match="is no tier"):
        read_ragas(written(tmp_path, rows[0]), tier="hard")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_a_conversation_gives_its_first_question_and_last_answer(tmp_path: Path, name: str) -> None:
    talk = [
        {"type": "human", "content": "Why?"},
        {"type": "ai", "content": "Which one?"},
        {"type": "human", "content": "The first."},
        {"type": "ai", "content": "Because."},
    ]
    run = read_ragas(written(tmp_path, {"user_input": talk}, name=name)).runs[0]
    assert run.answer is not None
    assert (run.question, run.answer.text) == ("Why?", "Because.")


@pytest.mark.parametrize("text", ["[1", "[{]"])
def test_a_torn_list_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        read_ragas(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    [*NEW, *OLD, "retrieved_context_ids", "reference", "ground_truths", "repeat", "run_id", "question_id"]
)
OTEL_NAMES = st.sampled_from(
    [
        "gen_ai.operation.name",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.tool.call.result",
        "question_id",
    ]
)


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(NAMES, JSON, max_size=6), st.dictionaries(OTEL_NAMES, JSON, max_size=4))
def test_whatever_a_row_or_a_span_holds_it_is_a_run_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, Any], more: dict[str, Any]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    found = read_ragas(written(folder, {**row}), tier="factual")
    assert bool(found.runs) != bool(found.faults) or found.faults[0].field in ("reference", "nuggets.0.text")
    span = {
        "traceId": "a",
        "spanId": "b",
        "attributes": [{"key": k, "value": {"stringValue": json.dumps(v)}} for k, v in more.items()],
    }
    spans = folder / "fuzz.json"
    spans.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span, more]}]}]}), encoding="utf-8")
    with contextlib.suppress(InputError):
        assert len(read_otel(spans).faults) >= 1
