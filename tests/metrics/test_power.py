"""How small a difference a gold set can show."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.metrics.clusters import Observation
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.power import (
    binary_detectable_difference,
    binary_questions_needed,
    detectable_difference,
    paired_power,
    pilot_spread,
    questions_needed,
    spread,
)
from answertrail.metrics.values import Undefined
from tests.metrics.worlds import once


def test_spread_of_a_pilot_by_hand():
    assert spread([0.0, 0.5, 1.0]) == 0.5
    first, second = once(a=(0, 2), b=(0, 2), c=(0, 2)), once(a=(0, 2), b=(1, 2), c=(2, 2))
    assert pilot_spread(first, second) == 0.5


def test_the_spread_of_a_pooled_pilot_by_hand():
    # 2/8 and 4/8 over questions of 4 units: (x - R 4) / 4 is (-1/4, 1/4) and (-1/4, 1/4); 1/4, 3/4 gives the rest.
    first, second = once(a=(0, 4), b=(2, 4)), once(a=(3, 4), b=(1, 4))
    assert pilot_spread(first, second, "totals") == pytest.approx(np.std([0.5, -0.5], ddof=1))
    equal = once(a=(1, 4), b=(3, 4))
    assert isinstance(pilot_spread(first, equal, "totals"), Undefined)
    assert isinstance(pilot_spread(once(a=(0, 0)), once(a=(1, 2)), "totals"), Undefined)


def test_the_spread_of_a_pooled_pilot_is_what_the_paired_bootstrap_sees():
    rng = np.random.default_rng(8)
    units, chances = rng.integers(1, 9, size=300), rng.beta(2, 2, size=300)
    sides = [
        [Observation(f"q{n:03}", int(x), int(y)) for n, (x, y) in enumerate(zip(found, units, strict=True))]
        for found in (rng.binomial(units, chances), rng.binomial(units, chances**0.7))
    ]
    for statistic in ("totals", "means"):
        interval = paired_difference(*sides, statistic=statistic, resamples=4000).difference.interval
        error = (interval.high - interval.low) / (2 * 1.959964)
        assert pilot_spread(*sides, statistic) / sqrt(300) == pytest.approx(error, rel=0.06)


def test_a_pilot_without_spread_is_undefined():
    assert isinstance(spread([0.1]), Undefined)
    assert isinstance(spread([0.1, 0.1, 0.1]), Undefined)
    with pytest.raises(ValueError):
        spread([0.1, float("nan")])


def test_many_questions_follow_the_normal_formula():
    assert detectable_difference(40_000, 0.3) == pytest.approx((1.959964 + 0.841621) * 0.3 / 200, rel=1e-6)
    assert detectable_difference(9_999, 0.3) == pytest.approx(2.801585 * 0.3 / sqrt(9_999), rel=1e-3)
    assert questions_needed(0.001, 0.3) == pytest.approx((2.801585 * 300) ** 2, rel=1e-4)


def test_no_difference_has_the_power_of_chance():
    assert paired_power(12, 0, 1, alpha=0.1) == pytest.approx(0.1, abs=1e-7)


@given(st.integers(2, 200), st.floats(0.05, 2))
@settings(max_examples=15, deadline=None)
def test_detectable_difference_and_questions_needed_are_inverse(questions, sd):
    difference = detectable_difference(questions, sd)
    assert paired_power(questions, difference, sd) == pytest.approx(0.8, abs=1e-6)
    assert questions_needed(difference * (1 + 1e-6), sd) == questions


def test_more_questions_and_less_spread_show_smaller_differences():
    found = [detectable_difference(n, 0.3) for n in (5, 10, 35, 100)]
    assert found == sorted(found, reverse=True)
    assert detectable_difference(35, 0.6) == pytest.approx(2 * detectable_difference(35, 0.3), rel=1e-6)
    assert detectable_difference(35, 0.3, power=0.9) > detectable_difference(35, 0.3)
    assert questions_needed(-0.1, 0.3) == questions_needed(0.1, 0.3)


def test_what_no_number_of_questions_shows_is_undefined():
    assert isinstance(questions_needed(0, 0.3), Undefined)
    assert isinstance(detectable_difference(1, 0.3), Undefined)
    assert isinstance(binary_questions_needed(0, 0.2), Undefined)
    assert isinstance(binary_detectable_difference(10, 0.1), Undefined)


@pytest.mark.parametrize(
    "call",
    [
        lambda: detectable_difference(10, 0),
        lambda: detectable_difference(10, 0.3, alpha=0),
        lambda: detectable_difference(10, 0.3, power=1),
        lambda: questions_needed(float("nan"), 0.3),
        lambda: paired_power(1, 0.1, 0.3),
        lambda: binary_questions_needed(0.3, 0.2),
        lambda: binary_questions_needed(0.1, 1.2),
        lambda: binary_detectable_difference(0, 0.2),
    ],
)
def test_impossible_designs_are_refused(call):
    with pytest.raises(ValueError):
        call()


def test_connor_by_hand():
    # psi 0.2, d 0.1: (1.959964 x 0.447214 + 0.841621 x sqrt(0.19))^2 / 0.01 = 154.33...
    assert binary_questions_needed(0.1, 0.2) == 155
    assert binary_questions_needed(-0.1, 0.2) == 155


@given(st.integers(30, 2000), st.floats(0.15, 1))
@settings(max_examples=50, deadline=None)
def test_the_binary_difference_is_inverse_and_possible(questions, discordant):
    difference = binary_detectable_difference(questions, discordant)
    if not isinstance(difference, Undefined):
        assert 0 < difference <= discordant
        assert binary_questions_needed(difference, discordant) <= questions + 1


def test_mcnemar_with_the_questions_needed_has_about_the_power_asked_for():
    rng, n = np.random.default_rng(4), binary_questions_needed(0.15, 0.3)
    better, worse = rng.multinomial(n, [0.225, 0.075, 0.7], size=4000).T[:2]
    z = (better - worse) / np.sqrt(better + worse)
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.8, abs=0.03)
