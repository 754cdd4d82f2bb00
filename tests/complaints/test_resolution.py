"""Complaints about other tools, as far as they touch node resolution."""

from __future__ import annotations

import pytest
from hypothesis import given

from answertrail.errors import InputError
from answertrail.experiments.gates import Gate, check_gates
from answertrail.experiments.inputs import question_set
from answertrail.experiments.resolution import score_resolutions
from answertrail.records import Question, Resolution
from tests.experiments.resolution_worlds import asked, gold, listed, unanswerable, worlds


def test_complaint_16_empty_gold_is_ineligible_for_every_measure_and_listed() -> None:
    """LongMemEval: an empty gold was 1 in one measure, 0 in another, and left out of a third by another list."""
    questions = gold(asked("q", "g"), asked("bare"))
    found = score_resolutions(questions, [listed("q", "g"), listed("bare", "a", to="a")])
    for measured in found.measures.values():
        assert "bare" not in {row.question_id for row in measured.observations}
        assert [row.question_id for row in measured.ineligible] == ["bare"]


def test_complaint_17_answerability_is_a_field_and_not_a_suffix_of_the_id() -> None:
    told = [listed("q_abs", "g", to="g"), listed("plain")]
    found = score_resolutions(gold(asked("q_abs", "g"), unanswerable("plain")), told)
    assert found.measures["correct"].ratio.numerator == 1
    assert found.measures["unanswerable_resolved"].ratio.denominator == 1


def test_complaint_20_one_rule_for_every_empty_denominator() -> None:
    found = score_resolutions(gold(asked("bare")), [])
    assert {str(measured.value) for measured in found.measures.values()} == {
        "Undefined(reason='no answerable question with a gold node')",
        "Undefined(reason='no unanswerable question')",
        "Undefined(reason='no question')",
        "Undefined(reason='nothing was resolved')",
    }


def test_complaint_21_always_giving_a_list_earns_nothing_on_unanswerable_questions() -> None:
    questions = gold(asked("q", "g"), unanswerable("u"), unanswerable("v"))
    found = score_resolutions(questions, [listed("q", "a"), listed("u", "a"), listed("v", "a")]).measures
    assert found["r@5"].value == 0
    assert found["unanswerable_resolved"].value == 0
    assert found["choose_rate"].value == 1


@pytest.mark.parametrize("again", ["g", "a"])
def test_complaint_25_a_candidate_listed_twice_is_refused(again: str) -> None:
    twice = listed("q", "g", "a", again)
    with pytest.raises(InputError, match="listed twice"):
        score_resolutions(gold(asked("q", "g")), [twice])


def test_complaint_27_a_question_without_a_resolution_stays_in_the_denominator() -> None:
    found = score_resolutions(gold(asked("q", "g"), asked("p", "g")), [listed("q", "g", to="g")])
    assert found.measures["r@1"].value == found.measures["correct"].value == 0.5
    assert found.matched.missing == ("p",)


def test_complaint_29_a_missing_resolution_is_no_success_of_an_error_rate() -> None:
    """One of twenty questions was resolved and nineteen are missing: nobody knows what they would have done."""
    bad = gold(*(unanswerable(f"u{n}") for n in range(20)))
    found = score_resolutions(bad, [listed("u0", "a", to="a")]).measures["unanswerable_resolved"]
    assert (found.value, found.bounds) == (1, (0.05, 1))
    assert {row.reason for row in found.unscored} == {"no resolution"}
    answerable = gold(*(asked(f"q{n}", "g") for n in range(20)))
    measures = score_resolutions(answerable, [listed("q0", "g", to="g")]).measures
    gates = [Gate(name, 0.1, direction="over") for name in ("wrong", "choose_rate", "none_rate")]
    gates += [Gate("precision", 0.5)]
    assert [row.passed for row in check_gates(measures, gates)] == [False] * 4
    assert [measures[name].value for name in ("correct", "wrong", "precision")] == [0.05, 0, 1]


def test_complaint_39_groups_go_by_names_and_never_by_numbers() -> None:
    found = score_resolutions(gold(asked("q", "g", node_type="Record", group="ko-en")), [])
    assert [row.value for row in (*found.by_node_type.rows, *found.by_language_pair.rows)] == ["Record", "ko → en"]


@given(worlds())
def test_complaint_28_one_question_never_changes_another(world: tuple[list[Question], list[Resolution]]) -> None:
    """An empty gold once corrupted the scores of the questions that followed it."""
    questions, resolutions = world
    whole = score_resolutions(question_set(questions), resolutions)
    for question in questions:
        own = [row for row in resolutions if row.question_id == question.question_id]
        alone = score_resolutions(question_set([question]), own)
        assert [case for case in whole.cases if case.question_id == question.question_id] == list(alone.cases)
