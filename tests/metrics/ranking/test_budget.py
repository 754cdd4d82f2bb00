"""Measures at a budget of chunks, by hand."""

from __future__ import annotations

from typing import Any

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals
from answertrail.metrics.ranking.budget import BudgetResult, distinct_yield, evidence_recall, latency, window_coverage
from answertrail.metrics.values import Estimate, Undefined
from answertrail.records import Question

NONE = Intervals("none")
SPANS = [{"document_id": "a", "start_s": 70, "end_s": 80}, {"document_id": "b", "start_s": 0, "end_s": 5}]


def window(start: str, end: str) -> dict[str, str]:
    return {"from": start, "to": end}


def question(name: str = "q", **more: Any) -> Question:
    row = {"schema": "question/1", "question_id": name, "question": "?", "tier": "longitudinal", **more}
    return Question.model_validate(row)


def nugget(number: int, evidence: list[int], **more: Any) -> dict[str, Any]:
    return {"nugget_id": f"n{number}", "text": "t", "kind": "stance", "evidence": evidence, **more}


def test_evidence_is_found_within_the_budget_and_in_the_window_next_to_it() -> None:
    asked = question(evidence=SPANS)
    chunks = ["a:00030", "x:00000", "b:00030"]  # a:00060 holds the first span, b:00000 the second
    for budget, found in ((1, 1), (2, 1), (3, 2)):
        measured = evidence_recall([BudgetResult(asked, chunks)], budget, intervals=NONE)
        assert measured.name == f"evidence_recall@b{budget}"
        assert (measured.ratio.numerator, measured.ratio.denominator) == (found, 2)
    far = evidence_recall([BudgetResult(asked, ["a:00000", "a:00120"])], 9, intervals=NONE)
    assert far.ratio.numerator == 0


def test_questions_without_evidence_are_ineligible_for_it_and_listed() -> None:
    only_ids = question("r", relevant=[{"id": "x"}])
    measured = evidence_recall([BudgetResult(only_ids, ["x"])], 5, intervals=NONE)
    assert measured.value == Undefined("no eligible question has an evidence item")
    assert measured.ineligible[0].question_id == "r"


def test_a_window_is_covered_by_one_of_its_items() -> None:
    nuggets = [
        nugget(1, [0, 1], window=window("2024-01-01", "2024-06-01")),
        nugget(2, [1], window=window("2024-06-01", "2025-01-01")),
        nugget(3, [0]),
        nugget(4, [], window=window("2025-01-01", "2025-06-01")),
    ]
    asked = question(evidence=SPANS, nuggets=nuggets)
    measured = window_coverage([BudgetResult(asked, ["a:00060"])], 5, intervals=NONE)
    assert (measured.ratio.numerator, measured.ratio.denominator) == (1, 2)
    assert measured.ineligible[0].reason == "nugget n4 has a window and no evidence"


def test_lost_rankings_are_unscored_with_the_units_they_would_have_had() -> None:
    asked = question(evidence=SPANS, nuggets=[nugget(1, [0], window=window("2024-01-01", "2024-06-01"))])
    recall = evidence_recall([], 5, lost=[(asked, "timeout")], intervals=NONE)
    assert [row.units for row in recall.unscored] == [2]
    windows = window_coverage([], 5, lost=[(asked, "timeout")], intervals=NONE)
    assert [row.units for row in windows.unscored] == [1]


def test_distinct_yield_pools_what_was_shown() -> None:
    measured = distinct_yield([Observation("q", 3, 4), Observation("r", 6, 6)], intervals=NONE)
    assert measured.value == 9 / 10
    assert distinct_yield([Observation("q", 0, 0)], intervals=NONE).value == Undefined("nothing was returned")


def test_latency_lies_between_the_two_nearest_times() -> None:
    assert latency([10, 20, 30, 40], 50) == Estimate(25)
    assert latency([40, 10, 30, 20], 95) == Estimate(38.5)
    assert latency([7], 95) == Estimate(7)
    assert isinstance(latency([], 50), Undefined)
