"""Complaints about other tools, as far as they touch what a run retrieved and cited."""

from __future__ import annotations

import json

import pytest

from answertrail.experiments.inputs import question_set
from answertrail.experiments.trajectory import TrajectoryScores, score_trajectories
from answertrail.experiments.view.table import cell_text
from answertrail.experiments.view.trajectory import tables
from answertrail.metrics.measured import Intervals
from answertrail.metrics.trajectory.cited_share import cited_share
from answertrail.metrics.values import Undefined
from answertrail.records import Question, Run
from tests.experiments.trajectory_worlds import asked, ran


def scored(questions: list[Question], runs: list[Run]) -> TrajectoryScores:
    return score_trajectories(runs, question_set(questions), intervals=Intervals("none"))


def test_complaint_5_a_run_that_failed_is_a_class_of_its_own_and_is_printed() -> None:
    failed = ran("q", [["a:00000"]], status="failed", answer=None, error={"kind": "service", "message": "down"})
    found = scored([asked("q", ("a", 0, 5)), asked("p", ("a", 0, 5))], [failed, ran("p", [["a:00000"]], ["a:00000"])])
    assert found.measures["needle_recall"].ratio.denominator == 1
    assert [row.run_id for row in found.errored] == ["run-q-0"]
    left_out = next(table for table in tables(found) if table.key == "left_out")
    assert any("failed" in cell_text(row[0]) and "down" in cell_text(row[1]) for row in left_out.rows)


def test_complaint_6_results_are_strict_json_and_read_back_the_same() -> None:
    found = scored([asked("q", ("a", 0, 5))], [ran("q", [], [])]).as_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["measures"]["cited_share"]["undefined"] == "nothing was retrieved"


def test_complaint_12_nothing_retrieved_is_not_applicable_and_never_1() -> None:
    assert cited_share([], []).value == Undefined("nothing was retrieved")
    found = scored([asked("q", ("a", 0, 5))], [ran("q", [[]])])
    assert found.measures["cited_share"].value == Undefined("nothing was retrieved")
    assert found.measures["needle_recall"].value == 0


def test_complaint_16_a_question_without_gold_is_ineligible_and_listed() -> None:
    found = scored([asked("q"), asked("p", ("a", 0, 5))], [ran("q", [["a:00000"]]), ran("p", [["a:00000"]])])
    for name in ("needle_recall", "citation_recall", "supporting_fact_f1"):
        assert {row.question_id for row in found.measures[name].observations} == {"p"}
        assert [row.question_id for row in found.measures[name].ineligible] == ["q"]


def test_complaint_26_no_share_or_recall_exceeds_1_on_repeats() -> None:
    found = scored([asked("q", ("a", 0, 5))], [ran("q", [["a:00000"] * 5] * 3, ["a:00000"] * 4)])
    for name in ("needle_recall", "citation_recall", "supporting_fact_precision", "supporting_fact_f1", "cited_share"):
        assert found.measures[name].value == 1, name


def test_complaint_30_the_name_says_what_it_is_and_there_is_no_precision_at_k() -> None:
    found = scored([asked("q", ("a", 0, 5))], [ran("q", [["a:00000"]])])
    assert not [name for name in found.measures if "@" in name or name in ("precision", "context_utilization")]


def test_complaint_31_precision_and_recall_are_counted_apart() -> None:
    """RAGAS took the true positives of one direction for the other."""
    # Four chunks cited, three of them on the same one of two spans: precision 3/4, recall 1/2, F1 3/5.
    cited = ["a:00000", "a:00030", "a:00060", "x:00000"]
    found = scored([asked("q", ("a", 0, 90), ("b", 0, 5))], [ran("q", [cited], cited)])
    assert found.measures["supporting_fact_precision"].value == 3 / 4
    assert found.measures["citation_recall"].value == 1 / 2
    assert found.measures["supporting_fact_f1"].value == pytest.approx(3 / 5)
