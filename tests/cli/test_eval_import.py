"""`eval import`: what was imported, what was not and why; exit codes; the file written or left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answertrail.cli.main import run
from answertrail.experiments.inputs import read_questions, read_runs
from answertrail.experiments.refusal import score_refusals
from tests.experiments.importing.otlp import agent_run, document
from tests.experiments.importing.otlp import written as spans_in

ROW = {"user_input": "Where did the kiln go?", "response": "To the barn.", "retrieved_contexts": ["We moved it."]}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def called(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["eval", "import", *(str(word) for word in words)])
        return code, *capsys.readouterr()

    return called


def rows(folder: Path, *values: Any, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


GOLD = [
    {"schema": "question/1", "question_id": "k1", "question": "Where did the kiln go?", "tier": "factual"},
    {"schema": "question/1", "question_id": "k2", "question": "What did it cost?", "tier": "unanswerable"},
]


def test_rows_with_faults_are_listed_and_the_others_written(call: Any, tmp_path: Path) -> None:
    gold = rows(tmp_path, *GOLD, name="gold.jsonl")
    file = rows(tmp_path, ROW, {**ROW, "response": 3}, {**ROW, "user_input": "Something else?"})
    code, shown, _ = call("ragas", file, "--out", tmp_path / "o.jsonl", "--questions", gold)
    assert code == 1
    assert shown.splitlines() == [
        f"2 runs written to {tmp_path / 'o.jsonl'}",
        "2 outcomes assumed: abstention is not scored for these runs (see --outcome-field)",
        "1 not matched to a question:",
        "  rows-3: Something else?",
        "1 faults:",
        "  line 2, response: expected text, not int",
    ]
    assert [one.question_id for one in read_runs(tmp_path / "o.jsonl")] == ["k1", None]
    code, shown, _ = call("ragas", file, "--out", tmp_path / "o.jsonl", "--questions", gold, "--json")
    found = json.loads(shown)
    assert (code, found["imported"], found["assumed_outcomes"]) == (1, 2, 2)
    assert found["faults"] == [{"where": "line 2", "field": "response", "message": "expected text, not int"}]
    assert found["unmatched"] == [{"run_id": "rows-3", "question": "Something else?"}]


def test_nothing_usable_is_exit_2_and_writes_nothing(call: Any, tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    out.write_text("kept", encoding="utf-8")
    code, shown, complained = call("ragas", rows(tmp_path, {"a": 1}), "--out", out, "--json")
    assert code == 2
    assert json.loads(shown)["error"]["message"].startswith("nothing in the file can be used; line 1, user_input:")
    assert "line 1, response: required column is missing" in complained
    assert out.read_text(encoding="utf-8") == "kept"
    for form in ("run", "ragas", "otel", "trec-run", "trec-qrels"):
        assert call(form, tmp_path / "absent", "--out", out)[0] == 2
        assert call(form, rows(tmp_path, name="empty.jsonl"), "--out", out)[0] == 2
    assert out.read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--search-tool", "x"], "--search-tool: is not for run but for otel"),
        (["trec-run", "--questions", "x"], "--questions: is not for trec-run but for run and ragas and otel"),
        (["ragas", "--tier", "factual"], "--questions-out and --tier go together"),
        (["ragas", "--outcome", "yes"], "--outcome: 'yes' is not VALUE=OUTCOME"),
        (["ragas", "--outcome", "yes=answered"], "values of an outcome without the field that has them"),
        (["ragas", "--outcome-field", "x", "--outcome", "yes=sure"], "'sure' is no outcome"),
    ],
)
def test_options_that_do_not_fit_are_refused(call: Any, tmp_path: Path, words: list[str], said: str) -> None:
    code, _, complained = call(*words, rows(tmp_path, ROW), "--out", tmp_path / "o.jsonl")
    assert code == 2
    assert said in complained
    assert not (tmp_path / "o.jsonl").exists()


def test_the_file_that_is_read_is_never_written(call: Any, tmp_path: Path) -> None:
    file = rows(tmp_path, ROW)
    assert call("ragas", file, "--out", file)[0] == 2
    assert json.loads(file.read_text(encoding="utf-8")) == ROW


def test_trec_files_come_in_by_the_same_door(call: Any, tmp_path: Path) -> None:
    run_file = tmp_path / "a.run"
    run_file.write_text("t1 Q0 d1 1 2.0 bm25\nt1 Q0 d2 2 1.0 bm25\n", encoding="utf-8")
    code, shown, _ = call("trec-run", run_file, "--out", tmp_path / "r.jsonl", "--json")
    assert (code, json.loads(shown)["imported"]) == (0, 1)
    qrels = tmp_path / "a.qrels"
    qrels.write_text("t1 0 d1 1\n", encoding="utf-8")
    assert call("trec-qrels", qrels, "--out", tmp_path / "q.jsonl")[0] == 0
    assert read_questions(tmp_path / "q.jsonl").ids == ("t1",)


def test_what_is_imported_can_be_scored(call: Any, tmp_path: Path) -> None:
    gold = rows(tmp_path, *GOLD, name="gold.jsonl")
    told = [{**ROW, "said": "yes"}, {**ROW, "user_input": GOLD[1]["question"], "said": "no"}]
    words = ["--outcome-field", "said", "--outcome", "yes=answered", "--outcome", "no=cannot_answer"]
    assert call("ragas", rows(tmp_path, *told), "--out", tmp_path / "a.jsonl", "--questions", gold, *words)[0] == 0
    spans = spans_in(tmp_path, document(*agent_run()))
    assert call("otel", spans, "--out", tmp_path / "b.jsonl", "--questions", gold)[0] == 0
    assert call("run", tmp_path / "a.jsonl", "--out", tmp_path / "c.jsonl")[0] == 0
    assert read_runs(tmp_path / "c.jsonl") == read_runs(tmp_path / "a.jsonl")
    questions = read_questions(gold)
    scores = score_refusals(questions, read_runs(tmp_path / "a.jsonl"))
    assert scores.table.row(answerable=False)["declined"] == 1
    assert score_refusals(questions, read_runs(tmp_path / "b.jsonl")).table.row(answerable=True)["unknown"] == 1
    for name in ("a", "b"):
        files = ["--questions", str(gold), "--runs", str(tmp_path / f"{name}.jsonl"), "--json"]
        assert run(["eval", "score", *files]) == 0
        assert run(["eval", "trajectory", *files]) == 0
