"""Complaints about gates that pass on what was not measured, each as a test of ours."""

from __future__ import annotations

from answertrail.experiments.answers import score_answers
from answertrail.experiments.attempts import no_result
from answertrail.experiments.gates import check_gates, parse_gate
from answertrail.experiments.inputs import question_set
from answertrail.metrics.values import Undefined
from answertrail.records import Run
from tests.metrics.answers.worlds import PLAIN, marks, question, run, statements, verdict

NAMES = [f"q{number}" for number in range(10)]
GOLD = question_set(question(name, "fact", "fact") for name in NAMES)
TWO = [row for name in NAMES[:2] for row in marks(f"{name}.0", "HH HH")]


def test_complaint_11_failed_runs_are_not_diluted_by_those_that_completed() -> None:
    """phoenix: a crash on one example was diluted by others passing."""
    failed = [run(name, status="failed", error={"kind": "no_valid_answer", "message": "m"}) for name in NAMES[2:]]
    found = score_answers(GOLD, [run(name) for name in NAMES[:2]] + failed, TWO, intervals=PLAIN)
    recall = found.measures["recall"]
    assert not isinstance(recall, Undefined)
    assert (recall.value, recall.lost_units, recall.unscored) == (1, 16, ())
    high, low, over = check_gates(
        found.measures, [parse_gate("recall=0.9"), parse_gate("recall=0.2"), parse_gate("ceiling=0.9", "over")]
    )
    assert (high.passed, high.reason) == (
        False,
        "unmeasurable: 16 unit(s) lost: run ended failed (8 question(s))",
    )
    assert low.passed  # 4 of 20 with all that is lost counted against it
    assert not over.passed


def test_complaint_11_questions_that_were_never_asked_are_lost() -> None:
    found = score_answers(GOLD, [run(name) for name in NAMES[:2]], TWO, intervals=PLAIN)
    (outcome,) = check_gates(found.measures, [parse_gate("recall=0.9")])
    assert (outcome.passed, outcome.reason) == (
        False,
        "unmeasurable: 16 unit(s) lost: the question was never asked (8 question(s))",
    )
    tiers = check_gates(found.by_tier, [parse_gate("factual/recall=0.9")])
    assert not tiers[0].passed


def test_complaint_11_how_much_a_failed_run_would_have_asserted_is_not_known() -> None:
    answer = statements(("claim", ["c1"], "HIT"))
    rows = [verdict(f"{name}.0", "groundedness", "0", unit={"kind": "statement", "id": "0"}) for name in NAMES[:9]]
    runs = [*(run(name, answer=answer) for name in NAMES[:9]), run("q9", status="failed")]
    found = score_answers(GOLD, runs, rows, intervals=PLAIN)
    for name in ("groundedness", "mean_groundedness", "citation_retrieved", "citation_support"):
        measured = found.measures[name]
        assert not isinstance(measured, Undefined)
        assert measured.value == 1
        (outcome,) = check_gates(found.measures, [parse_gate(f"{name}=0")])
        assert not outcome.passed
        assert "an unknown number of unit(s) lost" in outcome.reason


def test_complaint_11_a_run_that_does_not_carry_its_statements_does_not_vanish_from_citations() -> None:
    runs = [run("q0", answer=statements(("claim", ["c1"], "HIT"))), *(run(name) for name in NAMES[1:])]
    found = score_answers(GOLD, runs, intervals=PLAIN)
    (outcome,) = check_gates(found.measures, [parse_gate("citation_retrieved=1")])
    assert not outcome.passed
    assert "the run does not carry its statements (9 question(s))" in outcome.reason


def accidents(count: int, whole: int) -> list[Run]:
    return [run("q0", number, status="failed" if number < count else "completed") for number in range(whole)]


def test_complaint_40_above_2_percent_of_accidents_a_score_is_no_result() -> None:
    """animaworks: failures were F1 = 0. Here they are no result, flagged, and fail every gate."""
    assert no_result(accidents(1, 50)) is None
    invalid = no_result(accidents(2, 50), GOLD.questions)
    assert invalid is not None
    assert invalid.startswith("2 of 50 runs ended by an accident")
    gold = question_set([question("q0", "fact")])
    found = score_answers(gold, accidents(2, 50), intervals=PLAIN)
    outcomes = check_gates(found.measures, [parse_gate("citation_retrieved=0")], no_result=invalid)
    assert [outcome.passed for outcome in outcomes] == [False]
