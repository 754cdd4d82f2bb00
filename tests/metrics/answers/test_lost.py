"""Runs that did not complete, and runs that were never made, are lost with their units."""

from __future__ import annotations

from answertrail.metrics.answers.asked import asked
from answertrail.metrics.answers.lost import lost_runs, lost_units
from answertrail.metrics.measured import Lost
from tests.metrics.answers.worlds import question, run

QUESTIONS = [question(name, "fact", "fact") for name in "abc"]


def test_failed_runs_and_questions_never_asked_are_lost() -> None:
    found = asked(QUESTIONS, [run("a"), run("b", status="failed")])
    runs = lost_runs(QUESTIONS, found)
    assert [tuple(row) for row in runs] == [("b", 1, "run ended failed"), ("c", 1, "the question was never asked")]


def test_a_question_should_have_as_many_runs_as_the_one_asked_most_often() -> None:
    found = asked(QUESTIONS, [*(run("a", n) for n in range(3)), run("b"), run("b", 1, status="cancelled")])
    assert [tuple(row) for row in lost_runs(QUESTIONS, found)] == [
        ("b", 1, "run ended cancelled"),
        ("b", 1, "1 of 3 repeats were never made"),
        ("c", 3, "the question was never asked"),
    ]


def test_units_are_those_of_a_run_of_the_question_unknown_ones_stay_unknown_and_none_is_left_out() -> None:
    runs = lost_runs(QUESTIONS, asked(QUESTIONS, [run("a"), run("a", 1)]))
    sizes = {"b": 3, "c": 0}
    assert lost_units(runs, sizes.get) == [Lost("b", 6, "the question was never asked")]
    assert [row.units for row in lost_units(runs, lambda _: None)] == [None, None]
