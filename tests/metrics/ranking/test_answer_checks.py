"""Source support, scope, freshness and refusal: what passes, what fails, and what is neither."""

from __future__ import annotations

from typing import Any

import pytest

from answertrail.metrics.ranking.answer_checks import CHECKS, check_answer
from answertrail.records import Question, Run


def question(tier: str = "factual", checks: Any = None, **more: Any) -> Question:
    row = {"schema": "question/1", "question_id": "q", "question": "?", "tier": tier, **more}
    return Question.model_validate(row | ({} if checks is None else {"meta": {"checks": checks}}))


def run(*citations: str, outcome: str = "answered", status: str = "completed") -> Run:
    answer = {"outcome": outcome, "statements": [{"text": "s", "citations": list(citations)}]}
    row = {"schema": "run/1", "run_id": "r", "question": "?", "status": status}
    return Run.model_validate(row | ({"answer": answer} if status == "completed" else {"answer": None}))


def state(asked: Question, answered: Run | None, check: str) -> str:
    return check_answer(asked, answered)[CHECKS.index(check)].state


SPAN = [{"document_id": "d", "start_s": 35, "end_s": 50}]


@pytest.mark.parametrize(
    ("asked", "cited", "expected"),
    [
        (question(evidence=SPAN), ["x:00000", "d:00030"], "pass"),
        (question(evidence=SPAN), ["d:00000"], "fail"),
        (question(evidence=SPAN), [], "fail"),
        (question(relevant=[{"id": "note"}]), ["note:0000120"], "pass"),
        (question(relevant=[{"id": "note", "grade": 0}]), ["note:0000120"], "not_applicable"),
        (question(checks={"supporting": ["d"]}), ["d:00090"], "pass"),
        (question(), ["d:00030"], "not_applicable"),
        (question("unanswerable"), ["d:00030"], "not_applicable"),
    ],
)
def test_source_support(asked: Question, cited: list[str], expected: str) -> None:
    assert state(asked, run(*cited), "source_support") == expected


SCOPE = question(checks={"out_of_scope": ["kiln-1", "shed/", "barn*", "d:00030"]}, evidence=SPAN)


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        (["d:00000"], "pass"),
        (["d:00030"], "fail"),
        (["kiln-1:00000", "d:00000"], "fail"),
        (["kiln-10:00000"], "pass"),  # another document that begins alike
        (["shed/roof:0000000"], "fail"),
        (["shed:00000"], "pass"),
        (["barn-2:00000"], "fail"),
        ([], "not_applicable"),
    ],
)
def test_scope(cited: list[str], expected: str) -> None:
    assert state(SCOPE, run(*cited), "scope") == expected


FRESH = question(checks={"stale": ["old"], "current": ["new:00030"]})


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        (["new:00030"], "pass"),
        (["old:00000", "new:00030"], "pass"),
        (["old:00000"], "fail"),
        (["new:00000"], "fail"),
        ([], "fail"),
    ],
)
def test_freshness(cited: list[str], expected: str) -> None:
    assert state(FRESH, run(*cited), "freshness") == expected


def test_refusal_is_for_unanswerable_questions_and_takes_the_outcome_alone() -> None:
    asked = question("unanswerable")
    assert state(asked, run(outcome="cannot_answer"), "refusal") == "pass"
    assert state(asked, run("d:00030"), "refusal") == "fail"
    assert state(asked, run("d:00030", outcome="partly_answered"), "refusal") == "fail"
    assert state(question(), run(outcome="cannot_answer"), "refusal") == "not_applicable"


def test_a_refusal_passes_no_other_check() -> None:
    answered = run(outcome="cannot_answer")
    assert state(question(evidence=SPAN), answered, "source_support") == "not_applicable"
    assert state(FRESH, answered, "freshness") == "not_applicable"


@pytest.mark.parametrize("answered", [None, run(status="failed"), run(status="over_budget")])
def test_a_run_that_failed_or_is_missing_is_unscored_and_no_refusal(answered: Run | None) -> None:
    assert state(question("unanswerable"), answered, "refusal") == "unscored"
    assert state(question(evidence=SPAN), answered, "source_support") == "unscored"
    assert state(question(evidence=SPAN), answered, "scope") == "not_applicable"


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ({"outofscope": ["x"]}, "an object with supporting, out_of_scope, stale, current"),
        ({"current": "x"}, "meta.checks.current is a list of ids"),
        ({"current": [1]}, "meta.checks.current is a list of ids"),
        ({"stale": ["x"]}, "needs meta.checks.current"),
        (["x"], "an object with"),
    ],
)
def test_faults_of_the_checks_are_named(checks: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_answer(question(checks=checks), run("d:00030"))
