"""The Python API: the same results as the command line, as values, tables, data frames and a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answertrail import evaluation
from answertrail.cli.main import run
from answertrail.errors import MismatchError
from answertrail.evaluation import (
    Intervals,
    compare,
    frames,
    read_questions,
    read_rankings,
    read_resolutions,
    read_runs,
    read_verdicts,
    score_answers,
    score_refusals,
    score_resolutions,
    score_retrieval,
    score_trajectories,
    seal_of,
    tables,
    write_report,
)
from answertrail.kit.brief import write as write_brief
from answertrail.kit.published import HYBRID, PLAIN_LONGITUDINAL
from answertrail.kit.published_records import records
from answertrail.metrics.measured import Measured
from answertrail.records import Question, jsonl

FEW = Intervals(resamples=200)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records of two published arms, as files; the access log goes to a home of its own."""
    monkeypatch.setenv("ANSWERTRAIL_HOME", str(tmp_path / "home"))
    for name, arm in (("hybrid", HYBRID), ("plain", PLAIN_LONGITUDINAL)):
        questions, runs, verdicts = records(arm)
        jsonl.write(tmp_path / "questions.jsonl", questions.questions)
        jsonl.write(tmp_path / f"{name}.jsonl", runs)
        jsonl.write(tmp_path / f"{name}-verdicts.jsonl", verdicts)
    return tmp_path


def test_every_exported_name_exists() -> None:
    assert all(hasattr(evaluation, name) for name in evaluation.__all__)


def test_files_are_read_scored_framed_and_reported(folder: Path) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is an extra")
    questions = read_questions(str(folder / "questions.jsonl"))
    runs, verdicts = read_runs(folder / "hybrid.jsonl"), read_verdicts(folder / "hybrid-verdicts.jsonl")
    answers = score_answers(questions, runs, verdicts, intervals=FEW)
    recall = answers.measures["recall"]
    assert isinstance(recall, Measured)
    assert (recall.ratio.numerator, recall.ratio.denominator) == (29, 102)

    frame = frames(answers)["answers"].set_index("measure")
    assert frame.loc["recall", "value"] == 29 / 102
    assert frame.loc["recall", "value denominator"] == 102
    assert pd.isna(frame.loc["no_change_recall", "value"])
    assert isinstance(frame.loc["no_change_recall", "value undefined"], str)

    path = write_report(
        folder / "report.json", questions, runs=runs, verdicts=verdicts, answers=answers,
        refusals=score_refusals(questions, runs, verdicts=verdicts, intervals=FEW),
        trajectory=score_trajectories(runs, questions, intervals=FEW),
    )  # fmt: skip
    assert "29" in path.read_text(encoding="utf-8")


def test_two_systems_are_paired_and_refused_when_another_thing_differs(folder: Path) -> None:
    questions = read_questions(folder / "questions.jsonl")
    hybrid, plain = read_runs(folder / "hybrid.jsonl"), read_runs(folder / "plain.jsonl")
    verdicts = [*read_verdicts(folder / "hybrid-verdicts.jsonl"), *read_verdicts(folder / "plain-verdicts.jsonl")]
    found = compare(
        questions, plain, hybrid, verdicts=verdicts, measures=["recall"], labels=("plain", "hybrid"), intervals=FEW
    )
    (row,) = found.rows
    assert (row.first.numerator, row.second.numerator, row.first.denominator) == (24, 29, 102)
    assert frames(found)["comparison"].shape[0] == 1
    doubled = [*hybrid, *(run.model_copy(update={"run_id": f"{run.run_id}-2", "repeat": 1}) for run in hybrid)]
    with pytest.raises(MismatchError, match="not asked equally often"):
        compare(questions, plain, doubled, measures=["failure_rate"], intervals=FEW)


def test_rankings_and_resolutions_have_tables_too(folder: Path) -> None:
    question = {
        "schema": "question/1",
        "question_id": "q",
        "question": "?",
        "tier": "lookup",
        "relevant": [{"id": "a"}],
    }
    ranking = {"schema": "retrieval_run/1", "question_id": "q", "mode": "m", "ranked": [{"id": "b"}, {"id": "a"}]}
    (folder / "one.jsonl").write_text(json.dumps(question), encoding="utf-8")
    (folder / "rankings.jsonl").write_text(json.dumps(ranking), encoding="utf-8")
    rankings = read_rankings(str(folder / "rankings.jsonl"))
    scores = score_retrieval(read_questions(folder / "one.jsonl"), rankings, ks=(2,), intervals=FEW)
    assert scores.modes["m"].measures["mrr@2"].value == 0.5
    assert tables(scores)[0].key == "retrieval"

    write_brief(folder / "brief")
    resolved = score_resolutions(
        read_questions(folder / "brief/questions.jsonl"), read_resolutions(folder / "brief/resolutions.jsonl")
    )
    assert resolved.measures["precision"].value == 15 / 20
    assert "measures" in resolved.as_json()


def held_out(folder: Path) -> Path:
    """The first three questions as held-out ones, in a file of their own."""
    rows = [question.model_copy(update={"split": "held_out"}) for question in records(HYBRID)[0].questions[:3]]
    jsonl.write(folder / "held.jsonl", rows)
    return folder / "held.jsonl"


def looks(folder: Path) -> list[tuple[int, str, str]]:
    lines = (folder / "home/sealed/access.jsonl").read_text(encoding="utf-8").splitlines()
    return [(row["number"], row["purpose"], row["command"]) for row in map(json.loads, lines)]


def test_held_out_questions_are_logged_when_they_are_scored(folder: Path) -> None:
    questions = read_questions(held_out(folder), purpose="notebook")
    assert seal_of(questions) is None
    assert not (folder / "home/sealed/access.jsonl").exists()
    runs = read_runs(folder / "hybrid.jsonl")
    score_answers(questions, runs, intervals=FEW)
    score_trajectories(iter(runs), questions=questions, intervals=FEW)  # type: ignore[arg-type]
    assert looks(folder) == [(1, "notebook", "python: score_answers"), (1, "notebook", "python: score_trajectories")]
    seal = seal_of(questions)
    assert seal is not None
    assert (seal.status, seal.number) == ("held_out", 1)


def test_scoring_the_same_system_again_is_the_same_look_and_another_one_is_regression(folder: Path) -> None:
    path = held_out(folder)
    statuses = []
    for name in ("hybrid", "hybrid", "plain", "hybrid"):
        questions = read_questions(path)
        score_refusals(questions, read_runs(folder / f"{name}.jsonl"), intervals=FEW)
        seal = seal_of(questions)
        assert seal is not None
        statuses.append(seal.status)
    assert statuses == ["held_out", "held_out", "regression", "held_out"]


def test_the_command_line_and_a_script_that_score_the_same_take_one_look(folder: Path) -> None:
    path, runs = held_out(folder), folder / "hybrid.jsonl"
    assert run(["eval", "score", "--questions", str(path), "--runs", str(runs), "--json"]) == 0
    score_answers(read_questions(path), read_runs(runs), intervals=FEW)
    assert [number for number, _, _ in looks(folder)] == [1, 1]


def test_a_report_from_python_says_that_held_out_questions_are_now_regression(folder: Path) -> None:
    questions = read_questions(held_out(folder))
    for name in ("plain", "hybrid"):
        runs = read_runs(folder / f"{name}.jsonl")
        answers = score_answers(questions, runs, intervals=FEW)
    page = write_report(folder / "report.md", questions, runs=runs, answers=answers).read_text(encoding="utf-8")
    assert "this is look 2: read them as regression, not as held out" in page


def test_one_split_can_be_read_alone_and_dev_questions_are_no_look(folder: Path) -> None:
    rows = [*records(HYBRID)[0].questions[3:5], *jsonl.read(held_out(folder), Question)]
    jsonl.write(folder / "both.jsonl", [row if row.split else row.model_copy(update={"split": "dev"}) for row in rows])
    questions = read_questions(folder / "both.jsonl", split="dev")
    score_answers(questions, read_runs(folder / "hybrid.jsonl"), intervals=FEW)
    assert (len(questions.questions), seal_of(questions)) == (2, None)


def test_what_is_no_result_has_no_tables() -> None:
    with pytest.raises(TypeError, match="int is no result"):
        tables(1)  # type: ignore[arg-type]
