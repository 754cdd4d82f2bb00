"""Runs find their questions, verdicts their runs; what does not fit is refused by id or listed."""

from __future__ import annotations

import pytest

from answertrail.errors import InputError
from answertrail.metrics.answers.asked import asked
from answertrail.metrics.answers.verdicts import judged
from tests.metrics.answers.worlds import joined, marks, question, run, verdict

Q = question("q", "fact", "fact")


def test_a_run_without_a_question_id_is_known_by_its_words() -> None:
    stray = run("q", question_id="x", run_id="stray")
    nameless = run("q").model_copy(update={"question_id": None, "repeat": None})
    found = asked([Q, question("other", "fact")], [nameless, stray])
    assert [(row.run_id, row.question.question_id, row.repeat) for row in found.runs] == [("q.0", "q", 0)]
    assert [(row.id, row.reason) for row in found.left_out] == [("stray", "question 'x' is not in the set")]
    assert [(row.question_id, row.reason) for row in found.unasked] == [("other", "no run")]


def test_words_that_two_questions_share_name_neither() -> None:
    twin = question("twin", "fact", question="q?")
    nameless = run("q").model_copy(update={"question_id": None})
    with pytest.raises(InputError, match="none of 1 runs answers a question of the set"):
        asked([Q, twin], [nameless])


def test_runs_without_a_repeat_take_the_free_numbers_in_the_order_of_their_ids() -> None:
    rows = [run("q", 1), *(run("q").model_copy(update={"run_id": name, "repeat": None}) for name in ("b", "a"))]
    found = asked([Q], rows)
    assert [(row.repeat, row.run_id) for row in found.runs] == [(0, "a"), (1, "q.1"), (2, "b")]


def test_one_repeat_of_a_question_is_one_run() -> None:
    with pytest.raises(InputError, match=r"runs 'again' and 'q.0' are both repeat 0 of question 'q'"):
        asked([Q], [run("q"), run("q", run_id="again")])


def test_a_run_that_did_not_complete_is_an_error_with_its_reason() -> None:
    found = asked([Q], [run("q", status="over_budget")])
    assert found.completed == ()
    assert found.errors[0].as_json() == {
        "run_id": "q.0",
        "question_id": "q",
        "repeat": 0,
        "status": "over_budget",
        "reason": "the endpoint is down",
    }


def test_identical_verdicts_count_once_and_contradictory_ones_are_refused_with_both_ids() -> None:
    one = verdict("q.0", "recall", "n1")
    rows = asked([Q], [run("q")]).runs
    found = judged([one, one.model_copy(update={"verdict_id": "again"})], rows, judge="hand")
    assert len(found.of("q.0", "recall")) == 1
    for change in ({"verdict": "MISS"}, {"key": "other"}):
        other = one.model_copy(update={"verdict_id": "again", **change})
        with pytest.raises(InputError, match=r"'again' .* and 'q.0/recall/n1' .* are both of nugget 'q_n1'"):
            judged([one, other], rows, judge="hand")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"unit": {"kind": "nugget", "id": "gone"}}, "judges nugget 'gone', which question 'q' does not have"),
        ({"question_id": "z"}, "says question 'z', but run 'q.0' answers 'q'"),
        ({"repeat": 4}, "says repeat 4, but run 'q.0' is repeat 0"),
        ({"unit": {"kind": "statement", "id": "q_n1"}}, "direction recall judges nugget, not statement"),
    ],
)
def test_a_verdict_that_does_not_fit_its_run_is_refused_with_its_id(change: dict[str, object], said: str) -> None:
    wrong = verdict("q.0", "recall", "n1", **change)
    with pytest.raises(InputError, match=said) as caught:
        judged([wrong], asked([Q], [run("q")]).runs, judge="hand")
    assert caught.value.where == "q.0/recall/n1"


def test_verdicts_about_other_runs_are_listed_and_only_those_are_refused() -> None:
    rows = asked([Q], [run("q")]).runs
    away = verdict("elsewhere.0", "recall", "n1")
    found = judged([away, verdict("q.0", "recall", "n1")], rows, judge="hand")
    assert [(row.id, row.reason) for row in found.left_out] == [
        ("elsewhere.0/recall/n1", "run 'elsewhere.0' is not among the runs scored")
    ]
    with pytest.raises(InputError, match="none of 1 verdicts is about a run scored here"):
        judged([away], rows, judge="hand")


def test_the_grid_has_every_nugget_of_every_completed_run_in_one_state() -> None:
    rows = [run("q"), run("q", 1, status="failed"), run("u")]
    _, grid, _ = joined([Q, question("u", "fact", tier="unanswerable")], rows, marks("q.0", "HU --"))
    assert [(c.nugget_id, c.recall.mark, c.ceiling.mark, c.recall.reason) for c in grid.cells] == [
        ("q_n1", "HIT", "UNSCORED", "judged HIT"),
        ("q_n2", "UNSCORED", "UNSCORED", "no verdict"),
    ]


def test_by_definition_an_abstention_states_nothing_and_an_empty_retrieval_holds_nothing() -> None:
    rows = [run("q", outcome="cannot_answer", retrieved=[])]
    _, grid, _ = joined([Q], rows, marks("q.0", "HH --"))
    assert {(c.recall.mark, c.ceiling.mark) for c in grid.cells} == {("MISS", "MISS")}
    assert {row.id for row in grid.left_out} == {"q.0/recall/n1", "q.0/ceiling/n1"}
    assert all("overruled" in row.reason for row in grid.left_out)
