"""Intervals resample questions with all their repeats, and say when there is nothing to resample."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.metrics.bootstrap import mean_of_ratios, ratio_of_totals
from answertrail.metrics.clusters import Observation, clusters_of
from answertrail.metrics.resampling import interval_of, resampled_totals
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Interval, Ratio, Undefined
from tests.metrics.worlds import FEW, observed, once, questions


def interval(result) -> Interval:
    assert isinstance(result.ratio.interval, Interval), result.ratio.interval
    return result.ratio.interval


def test_pooled_and_mean_are_different_rates():
    world = once(a=(1, 1), b=(1, 4))
    pooled, mean = ratio_of_totals(world), mean_of_ratios(world)
    assert (pooled.ratio.numerator, pooled.ratio.denominator, pooled.ratio.value) == (2, 5, 0.4)
    assert (mean.ratio.numerator, mean.ratio.denominator, mean.ratio.value) == (1.25, 2, 0.625)


def test_two_questions_have_the_interval_computed_by_hand():
    # Resamples: aa 0/2, ab and ba 2/4, bb 2/2, with chances 1/4, 1/2, 1/4.
    ends = interval(ratio_of_totals(once(a=(0, 2), b=(2, 2)), level=0.4))
    assert (ends.low, ends.high) == (0.5, 0.5)  # the middle 40 %, all of it 2/4
    ends = interval(ratio_of_totals(once(a=(0, 2), b=(2, 2))))
    assert (ends.low, ends.high) == (0.0, 1.0)


def test_the_interval_records_how_to_compute_it_again():
    ends = interval(ratio_of_totals(once(b=(0, 2), a=(2, 2)), resamples=FEW))
    assert (ends.level, ends.method, ends.resamples, ends.seed) == (0.95, "cluster-percentile", FEW, seed_of("ab"))
    assert interval(ratio_of_totals(once(a=(0, 2), b=(2, 2)), seed=5)).seed == 5


def test_repeats_stay_with_their_question():
    # Three equal repeats say nothing new: the interval is that of one repeat, not a narrower one.
    once_each = [Observation(f"q{n}", n % 3, 3) for n in range(12)]
    thrice = [Observation(name, x, y, repeat) for name, x, y, _ in once_each for repeat in range(3)]
    assert interval(ratio_of_totals(thrice)) == interval(ratio_of_totals(once_each))
    assert interval(mean_of_ratios(thrice)) == interval(mean_of_ratios(once_each))


def test_a_question_without_denominator_is_part_of_the_pool_and_ineligible_for_the_mean():
    world = once(a=(1, 2), b=(2, 2), c=(0, 0))
    assert (ratio_of_totals(world, max_empty_share=0.1).questions, ratio_of_totals(world).ineligible) == (3, ())
    mean = mean_of_ratios(world)
    assert (mean.ratio.denominator, mean.questions, mean.ineligible) == (2, 2, ("c",))


def test_resamples_without_denominator_are_counted_and_too_many_leave_no_interval():
    world = once(a=(1, 2), b=(2, 2), c=(0, 0))  # ccc has chance 1/27
    strict, lenient = ratio_of_totals(world), ratio_of_totals(world, max_empty_share=0.05)
    assert strict.empty_resamples == lenient.empty_resamples == pytest.approx(10_000 / 27, rel=0.2)
    assert isinstance(strict.ratio.interval, Undefined)
    assert "resamples have no value" in strict.ratio.interval.reason
    assert strict.ratio.value == 0.75
    assert 0.5 <= interval(lenient).low <= interval(lenient).high <= 1


def test_the_share_of_empty_resamples_that_leaves_no_interval_is_the_one_stated():
    world = once(a=(1, 2), b=(2, 2), c=(0, 0))
    empty = ratio_of_totals(world).empty_resamples
    interval(ratio_of_totals(world, max_empty_share=empty / 10_000))
    assert isinstance(ratio_of_totals(world, max_empty_share=(empty - 1) / 10_000).ratio.interval, Undefined)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("rate", [ratio_of_totals, mean_of_ratios])
def test_degenerate_samples_have_a_value_and_no_interval(rate, method):
    one = rate(once(a=(1, 2)), method=method).ratio
    assert (one.value, one.interval) == (0.5, Undefined("1 question(s): nothing to resample"))
    equal = rate(once(a=(1, 3), b=(2, 6), c=(3, 9)), method=method).ratio
    assert equal.value == pytest.approx(1 / 3)
    assert "all resamples are equal" in equal.interval.reason


@pytest.mark.parametrize("rate", [ratio_of_totals, mean_of_ratios])
def test_no_questions_is_undefined(rate):
    assert rate([]).ratio.value == Undefined("no questions")
    assert rate([]).ratio.interval is not None


def test_no_denominator_at_all_is_undefined():
    assert ratio_of_totals(once(a=(0, 0), b=(0, 0))).ratio.value == Undefined("no question has a denominator")
    assert mean_of_ratios(once(a=(0, 0))).ineligible == ("a",)


def test_bca_says_when_leaving_out_one_question_leaves_nothing():
    result = ratio_of_totals(once(a=(1, 2), b=(0, 0)), method="bca", max_empty_share=0.5)
    assert isinstance(result.ratio.interval, Undefined)
    result = ratio_of_totals(once(a=(1, 2), b=(2, 2), c=(0, 0)), method="bca", max_empty_share=0.05)
    assert interval(result).method == "cluster-bca"


def test_bca_breakdowns_are_named():
    values = np.array([0.1, 0.2, 0.3])

    def bca(observed: float, jackknife: list[float]) -> str:
        done = interval_of(
            values, observed, np.array(jackknife), seed=0, level=0.95, name="cluster", max_empty_share=0.0
        ).interval
        assert isinstance(done, Undefined)
        return done.reason

    assert "nothing to measure" in bca(0.2, [0.1, np.nan])
    assert "changes nothing" in bca(0.2, [0.2, 0.2])
    assert "at an end" in bca(0.9, [0.1, 0.2])
    with pytest.raises(ValueError, match="choose percentile or bca"):
        ratio_of_totals(once(a=(1, 2), b=(2, 2)), method="basic")


def test_bca_leans_away_from_percentile_under_skew():
    world = [Observation(f"q{n}", int(n == 0) * 9, 10) for n in range(12)]
    plain, bca = interval(ratio_of_totals(world)), interval(ratio_of_totals(world, method="bca"))
    assert bca.high > plain.high


def test_what_bounds_memory_changes_no_draw():
    vectors = np.arange(14.0).reshape(7, 2)
    whole = resampled_totals(vectors, 101, generator(3))
    for cells in (1, 7, 50, 10_000):
        assert (resampled_totals(vectors, 101, generator(3), cells) == whole).all()


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([Observation("a", 1, 2), Observation("a", 1, 2)], "given twice"),
        ([Observation("a", float("nan"), 2)], "numerator of question 'a', repeat 0 is nan"),
        ([Observation("a", 1, float("inf"))], "denominator of question 'a'"),
        ([Observation("a", 1, 0)], "1 of 0"),
        ([Observation("a", 0, -1)], "0 of -1"),
    ],
)
def test_bad_records_are_refused_by_name(records, message):
    with pytest.raises(ValueError, match=message):
        clusters_of(records)


@given(questions, st.randoms(use_true_random=False), st.sampled_from(["percentile", "bca"]))
@settings(max_examples=40, deadline=None)
def test_the_order_of_records_changes_nothing(world, random: Random, method):
    records = observed(world)
    shuffled = list(records)
    random.shuffle(shuffled)
    for rate in (ratio_of_totals, mean_of_ratios):
        assert rate(shuffled, resamples=FEW, method=method) == rate(records, resamples=FEW, method=method)


@given(questions)
@settings(max_examples=40, deadline=None)
def test_rates_and_intervals_are_bounded_and_percentiles_hold_the_likely_values(world):
    for rate in (ratio_of_totals, mean_of_ratios):
        done = rate(observed(world), resamples=FEW)
        assert 0 <= done.ratio.value <= 1 + 1e-12
        if isinstance(done.ratio.interval, Interval):
            assert -1e-12 <= done.ratio.interval.low <= done.ratio.interval.high <= 1 + 1e-12


@given(questions, st.data())
@settings(max_examples=40, deadline=None)
def test_one_more_unit_found_never_lowers_rate_or_interval(world, data):
    records = observed(world)
    row = data.draw(st.integers(0, len(records) - 1))
    if records[row].numerator == records[row].denominator:
        return
    better = [r._replace(numerator=r.numerator + 1) if n == row else r for n, r in enumerate(records)]
    for rate in (ratio_of_totals, mean_of_ratios):
        before, after = rate(records, resamples=FEW).ratio, rate(better, resamples=FEW).ratio
        assert after.value > before.value
        if isinstance(before.interval, Interval) and isinstance(after.interval, Interval):
            assert after.interval.low >= before.interval.low - 1e-12
            assert after.interval.high >= before.interval.high - 1e-12


@given(questions)
@settings(max_examples=30, deadline=None)
def test_a_wider_level_gives_a_wider_interval(world):
    narrow, wide = (ratio_of_totals(observed(world), resamples=FEW, level=level).ratio.interval for level in (0.5, 0.9))
    if isinstance(narrow, Interval):
        assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    # 30 questions of 4 units whose difficulty varies; the true rate is 0.6. Fixed seed, 200 worlds.
    rng, covered = np.random.default_rng(1), 0
    for _ in range(200):
        chances = rng.beta(3, 2, size=30)
        found = rng.binomial(4, chances)
        ends = interval(ratio_of_totals([Observation(f"q{n}", int(x), 4) for n, x in enumerate(found)], resamples=FEW))
        covered += ends.low <= 0.6 <= ends.high
    assert 0.88 <= covered / 200 <= 0.99


def test_a_ratio_is_a_value():
    assert ratio_of_totals(once(a=(1, 2))).ratio == Ratio(
        1, 2, Undefined("1 question(s): nothing to resample"), "no question has a denominator"
    )
