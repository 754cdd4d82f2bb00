"""Rates of nuggets against tables worked out by hand."""

from __future__ import annotations

import pytest

from answertrail.metrics.answers.asked import Asked
from answertrail.metrics.answers.grid import STANCE, Grid
from answertrail.metrics.answers.nuggets import nugget_rates, observations, stated
from answertrail.metrics.answers.rates import Rate, Rule
from answertrail.metrics.answers.repeats import repeat_range
from answertrail.metrics.answers.verdicts import Judged
from answertrail.metrics.answers.waterfall import MissSplit, Waterfall, miss_split, waterfall, without_evidence
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Undefined
from answertrail.records import Question
from tests.metrics.answers.worlds import PLAIN, joined, marks, question, run, verdict

A, B = question("a", "fact", "fact", "shift"), question("b", "stance", "stance", "stance", "stance", "no_change")
RUNS = [run("a"), run("a", 1), run("b"), run("b", 1)]
# Of fact and stance: a 2 + 1 of 4, b 1 + 2 of 8 stated; a 2 + 2, b 2 + 1 retrieved.
VERDICTS = [
    *marks("a.0", "HH HH HH"),
    *marks("a.1", "HH MH MM"),
    *marks("b.0", "HH MH MM MM MM"),
    *marks("b.1", "HH HM MM MM HM"),
]


def rates(world: tuple[Asked, Grid, Judged], questions: list[Question], share: float = 0.2) -> dict[str, Rate]:
    rows, grid, found = world
    return {rate.name: rate for rate in nugget_rates(questions, rows, grid, found, Rule(PLAIN, share))}


def parts(rate: Rate) -> tuple[float, float]:
    assert isinstance(rate.value, Measured)
    return rate.value.ratio.numerator, rate.value.ratio.denominator


def test_every_rate_of_a_small_world() -> None:
    found = rates(joined([A, B], RUNS, VERDICTS), [A, B])
    assert parts(found["recall"]) == (6, 12)
    assert parts(found["mean_recall"]) == (pytest.approx(3 / 4 + 3 / 8), 2)
    assert parts(found["ceiling"]) == (7, 12)
    assert parts(found["mean_ceiling"]) == (pytest.approx(4 / 4 + 3 / 8), 2)
    assert parts(found["synthesis_conversion"]) == (5, 7)
    assert parts(found["stated_without_evidence"]) == (1, 12)
    assert parts(found["shift_recall"]) == (1, 2)
    assert parts(found["no_change_recall"]) == (1, 2)
    assert parts(found["recall_with_shift"]) == (8, 16)


def test_the_four_classes_add_up_and_agree_with_the_rates() -> None:
    _, grid, _ = joined([A, B], RUNS, VERDICTS)
    found = waterfall(grid.cells)
    assert found == Waterfall(5, 2, 1, 4, 12)
    assert (found.stated, found.retrieved, found.missed) == (6, 7, 6)
    assert found.as_json()["missed"] == {"total": 6, "synthesis": 2, "retrieval": 4}
    listed = [(c.question_id, c.repeat, c.nugget_id, c.recall.reason) for c in without_evidence(grid.cells)]
    assert listed == [("b", 1, "b_n2", "judged HIT"), ("b", 1, "b_n5", "judged HIT")]


def test_classes_that_do_not_add_up_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="do not add up to 12 nuggets"):
        Waterfall(5, 2, 1, 3, 12)
    with pytest.raises(ValueError, match="do not add up"):
        MissSplit(1, 1, 1, 4)


def test_a_nugget_without_a_verdict_is_in_no_count_and_bounds_the_rate() -> None:
    missing = [row for row in VERDICTS if row.verdict_id != "a.0/recall/n1"]
    found = rates(joined([A, B], RUNS, missing), [A, B])["recall"]
    assert parts(found) == (5, 11)
    assert (found.scored, found.unscored, found.bounds) == (11, 1, (5 / 12, 6 / 12))
    assert isinstance(found.value, Measured)
    assert [tuple(row) for row in found.value.unscored] == [("a", 1, "no verdict")]


def test_above_the_share_allowed_there_is_no_headline_but_bounds() -> None:
    few = marks("a.0", "HH HH HH")
    found = rates(joined([A, B], RUNS, few), [A, B])["recall"]
    assert isinstance(found.value, Undefined)
    assert found.value.reason == "10 of 12 nuggets are unscored (no verdict): above the 20% allowed"
    assert found.bounds == (2 / 12, 12 / 12)
    allowed = rates(joined([A, B], RUNS, few), [A, B], share=0.9)["recall"]
    assert parts(allowed) == (2, 2)
    assert isinstance(allowed.value, Measured)
    assert allowed.value.questions == 1, "a question of which nothing is scored is not resampled"


def test_a_run_that_failed_is_in_no_denominator_and_counted_beside_every_rate() -> None:
    runs = [run("a"), run("a", 1, status="failed"), run("b", status="cancelled")]
    found = rates(joined([A, B], runs, marks("a.0", "HH MH MM")), [A, B])["recall"]
    assert parts(found) == (1, 2)
    assert (found.errored, found.errored_runs, found.errors_as_misses) == (6, 2, 1 / 8)
    assert isinstance(found.value, Measured)
    assert [tuple(row) for row in found.value.ineligible] == [("b", "no run completed")]


def test_what_a_rate_cannot_be_taken_of_is_listed_by_question() -> None:
    questions = [A, B, question("none"), question("u", tier="unanswerable"), question("unasked", "fact")]
    runs = [*RUNS, run("none"), run("u")]
    found = rates(joined(questions, runs, VERDICTS), questions)["shift_recall"]
    assert isinstance(found.value, Measured)
    assert dict(found.value.ineligible) == {
        "b": "no shift nugget",
        "none": "no shift nugget",
        "u": "unanswerable: it belongs to the table of unsupported questions",
        "unasked": "no run",
    }


def test_undefined_rates_say_why() -> None:
    none = rates(joined([A], [run("a")], []), [A])
    assert none["recall"].value == Undefined("no verdicts given")
    only = rates(joined([A], [run("a")], [verdict("a.0", "recall", f"n{n}") for n in (1, 2, 3)]), [A])
    assert parts(only["recall"]) == (2, 2)
    assert only["ceiling"].value == Undefined("no ceiling verdicts given")
    assert only["synthesis_conversion"].value == Undefined("no ceiling verdicts given")
    nothing = rates(joined([A], [run("a")], marks("a.0", "MM MM MM")), [A])
    assert nothing["synthesis_conversion"].value == Undefined("no retrieved nugget")
    assert none["no_change_recall"].value == Undefined("no no_change nugget")


def test_missed_stances_are_split_only_where_the_verdict_says_so() -> None:
    rows = [
        verdict("b.0", "recall", "n1", "MISS", meta={"miss_kind": "timing"}),
        verdict("b.0", "recall", "n2", "MISS", meta={"miss_kind": "stance"}),
        verdict("b.0", "recall", "n3", "MISS"),
        verdict("b.0", "recall", "n4", "HIT", meta={"miss_kind": "timing"}),
        verdict("b.0", "recall", "n5", "MISS", meta={"miss_kind": "timing"}),
    ]
    _, grid, _ = joined([B], [run("b")], rows)
    found = miss_split(grid.cells)
    assert found == MissSplit(timing=1, stance=1, not_split=1, total=3)
    assert found.timing_share.value == 1 / 2


def test_the_range_over_repeats_is_of_each_repeat_alone_and_names_uneven_ones() -> None:
    _, grid, _ = joined([A, B], RUNS[:3], VERDICTS[:-10])
    found = repeat_range("recall", observations(grid.of(STANCE), stated))
    assert [(repeat, ratio.numerator, ratio.denominator) for repeat, ratio in found.by_repeat] == [(0, 3, 6), (1, 1, 2)]
    assert found.ends == (0.5, 0.5)
    assert found.uneven == (1,)
    single = repeat_range("recall", observations(Grid(grid.cells[:3]).of(STANCE), stated))
    assert single.ends == Undefined("fewer than two repeats")


def test_where_nobody_judged_that_is_the_reason_even_when_a_definition_scores_some() -> None:
    runs = [run("a"), run("b", outcome="cannot_answer")]
    found = rates(joined([A, B], runs, []), [A, B])
    assert found["recall"].value == Undefined("no verdicts given")
    assert found["synthesis_conversion"].value == Undefined("no verdicts given")
    alone = rates(joined([B], [run("b", outcome="cannot_answer")], []), [B])
    assert parts(alone["recall"]) == (0, 4)


def test_a_nugget_that_was_not_retrieved_needs_no_recall_verdict_to_be_out_of_conversion() -> None:
    found = rates(joined([B], [run("b")], marks("b.0", "HH -M UH MM MM")), [B], share=1.0)
    conversion = found["synthesis_conversion"]
    assert (conversion.hits, conversion.scored, conversion.unscored) == (1, 1, 1)
