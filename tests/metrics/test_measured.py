"""A measure keeps what it counted: slices, exact intervals at the ends, unscored units beside the value."""

from __future__ import annotations

import pytest

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, IntervalMethod, Intervals, Lost, Unscored, measure
from answertrail.metrics.proportions import clopper_pearson
from answertrail.metrics.values import Interval, Undefined

ROWS = [Observation("a", 1, 2, 0), Observation("a", 2, 2, 1), Observation("b", 0, 4, 0), Observation("b", 1, 4, 1)]


def test_totals_pool_units_and_means_pool_repeats_within_a_question_first() -> None:
    assert measure("recall", ROWS, statistic="totals").value == 4 / 12
    assert measure("mean_recall", ROWS, statistic="means").value == (3 / 4 + 1 / 8) / 2


def test_a_slice_is_the_same_measure_of_fewer_questions_with_its_own_lists() -> None:
    whole = measure(
        "recall",
        ROWS,
        statistic="totals",
        ineligible=[Ineligible("c", "no gold")],
        unscored=[Unscored("b", 2, "parse")],
    )
    part = whole.over({"a", "c"})
    assert (part.ratio.numerator, part.ratio.denominator, part.questions) == (3, 4, 1)
    assert part.ineligible == (Ineligible("c", "no gold"),)
    assert part.unscored == ()


def test_unscored_units_move_no_value_and_bound_it() -> None:
    found = measure("recall", ROWS, statistic="totals", unscored=[Unscored("b", 3, "judge timed out")])
    assert found.value == 4 / 12
    assert found.bounds == (4 / 15, 7 / 15)
    assert found.as_json()["unscored"] == 3
    assert found.as_json()["bounds"] == [4 / 15, 7 / 15]


@pytest.mark.parametrize("hit", [0, 1])
def test_where_all_questions_agree_the_interval_is_exact_over_questions(hit: int) -> None:
    found = measure("recall", [Observation(name, 3 * hit, 3) for name in "abcde"], statistic="totals")
    exact = clopper_pearson(5 * hit, 5)
    assert isinstance(found.interval, Interval)
    assert isinstance(exact, Interval)
    assert (found.interval.low, found.interval.high) == (exact.low, exact.high)
    assert found.interval.method == "clopper-pearson over questions"


def test_no_denominator_is_undefined_with_the_reason_given() -> None:
    found = measure("recall", [Observation("a", 0, 0)], statistic="totals", if_empty="no nugget")
    assert found.value == Undefined("no nugget")
    assert found.as_json() == {"undefined": "no nugget"}


def test_exact_methods_refuse_what_is_not_one_trial_a_question() -> None:
    trials = [Observation("a", 1, 1), Observation("b", 0, 1)]
    found = measure("r@1", trials, statistic="totals", intervals=Intervals("wilson"))
    assert isinstance(found.interval, Interval)
    assert found.interval.method == "wilson"
    refused = measure("recall", ROWS, statistic="totals", intervals=Intervals("wilson"))
    assert isinstance(refused.interval, Undefined)
    assert measure("recall", ROWS, statistic="totals", intervals=Intervals("none")).interval is None


def test_exact_intervals_at_the_ends_count_questions_and_not_their_repeats() -> None:
    rows = [Observation(name, 1, 1, repeat) for name in "abc" for repeat in range(4)]
    found = measure("recall", rows, statistic="totals")
    exact = clopper_pearson(3, 3)
    assert isinstance(found.interval, Interval)
    assert isinstance(exact, Interval)
    assert (found.interval.low, found.interval.high) == (exact.low, exact.high)


@pytest.mark.parametrize("method", ["percentile", "bca", "wilson", "clopper-pearson"])
def test_what_is_no_share_has_neither_an_exact_interval_nor_bounds(method: IntervalMethod) -> None:
    rows = [Observation(name, 1, 1) for name in "abcdefgh"]
    found = measure(
        "chunks_per_search",
        rows,
        statistic="totals",
        intervals=Intervals(method, resamples=200),
        unscored=[Unscored("z", 1, "parse")],
        share=False,
    )
    assert not isinstance(found.interval, Interval) or (found.interval.low, found.interval.high) == (1, 1)
    assert found.bounds is None
    part = found.over("ab")
    assert not part.share
    assert not isinstance(part.interval, Interval) or part.interval.low == 1


def test_lost_units_are_beside_the_value_and_in_no_bound() -> None:
    lost = [Lost("b", 3, "run ended failed"), Lost("c", 2, "the question was never asked")]
    found = measure("recall", ROWS, statistic="totals", lost=lost)
    assert (found.value, found.bounds, found.lost_units) == (4 / 12, None, 5)
    assert found.as_json()["lost"] == 5
    assert "unscored" not in found.as_json()
    assert found.over({"a", "c"}).lost == (lost[1],)
    unknown = measure("groundedness", ROWS, statistic="totals", lost=[*lost, Lost("d", None, "run ended failed")])
    assert unknown.lost_units is None
    assert unknown.as_json()["lost"] is None
    assert "lost" not in measure("recall", ROWS, statistic="totals").as_json()
