"""Complaints about reports of other tools, each as a test of ours."""

from __future__ import annotations

from pathlib import Path

from answertrail.experiments.inputs import read_questions
from answertrail.experiments.report.build import build_report
from answertrail.experiments.report.html import html
from answertrail.experiments.report.load import Files, load, score
from answertrail.experiments.report.markdown import markdown
from answertrail.metrics.measured import Intervals
from tests.experiments.report.worlds import files, written


def test_complaint_10_runs_that_failed_are_seen_in_every_form(tmp_path: Path) -> None:
    gold, runs, verdicts = files(tmp_path)
    report = build_report(
        score(read_questions(gold), load(Files(gold, [runs], [verdicts])), intervals=Intervals("none"))
    )
    for text in (html(report), markdown(report).replace("\\", "")):
        assert "Runs that did not complete" in text
        assert "the endpoint is down" in text


def test_complaint_59_a_report_needs_no_more_than_the_required_fields(tmp_path: Path) -> None:
    gold = written(
        tmp_path / "q.jsonl", [{"schema": "question/1", "question_id": "a", "question": "What?", "tier": "factual"}]
    )
    bare = {"schema": "run/1", "run_id": "r", "question_id": "a", "question": "What?", "status": "completed",
            "recipe": None, "corpus": None, "code": None, "searches": [], "retrieved": [], "chunks": [],
            "answer": {"outcome": "answered", "text": "This."}, "cost_usd": None, "error": None}  # fmt: skip
    runs = written(tmp_path / "r.jsonl", [bare])
    report = build_report(score(read_questions(gold), load(Files(gold, [runs])), intervals=Intervals("none")))
    assert report.made_at is None
    text = html(report)
    assert "undefined: " in text
    assert "not recorded" in text
    assert "unknown" in text


def test_complaint_62_every_question_is_in_the_report_not_only_the_mean(tmp_path: Path) -> None:
    gold, runs, verdicts = files(tmp_path)
    report = build_report(
        score(read_questions(gold), load(Files(gold, [runs], [verdicts])), intervals=Intervals("none"))
    )
    rows = report.as_json()["scores"]["answers"]["per_question"]
    assert {row["question_id"] for row in rows} == {"q1", "q2", "u1"}
    text = html(report)
    assert all(f">{name}</text>" in text for name in ("q1", "q2"))
