"""Intervals of a proportion of independent trials."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.metrics.proportions import (
    beta_quantile,
    clopper_pearson,
    incomplete_beta,
    rule_of_three,
    wilson_interval,
)
from answertrail.metrics.values import Undefined
from answertrail.metrics.wilson import wilson


def test_clopper_pearson_at_the_ends_has_a_closed_form():
    none = clopper_pearson(0, 10)
    assert (none.low, none.high) == (0, pytest.approx(1 - 0.025**0.1, abs=1e-14))
    every = clopper_pearson(10, 10)
    assert (every.low, every.high) == (pytest.approx(0.025**0.1, abs=1e-14), 1)


def test_one_of_two_by_hand():
    # P(X >= 1) = 1 - (1 - p)^2 = 0.025 and P(X <= 1) = 1 - p^2 = 0.025.
    ends = clopper_pearson(1, 2)
    assert ends.low == pytest.approx(1 - 0.975**0.5, abs=1e-14)
    assert ends.high == pytest.approx(0.975**0.5, abs=1e-14)


def test_the_incomplete_beta_by_hand():
    assert incomplete_beta(0.3, 1, 1) == pytest.approx(0.3, abs=1e-15)
    assert incomplete_beta(0.5, 2, 3) == pytest.approx(11 / 16, abs=1e-15)  # P(X >= 2), X binomial(4, 1/2)
    assert (incomplete_beta(0, 2, 3), incomplete_beta(1, 2, 3)) == (0, 1)
    assert beta_quantile(0.3, 1, 1) == pytest.approx(0.3, abs=1e-15)


def test_the_rule_of_three_is_three_by_n():
    assert rule_of_three(100).high == pytest.approx(-log(0.05) / 100, abs=1e-15)
    assert rule_of_three(100).high == pytest.approx(3 / 100, rel=0.002)
    assert (rule_of_three(2).high, rule_of_three(2).low) == (1, 0)


@given(st.integers(1, 500), st.floats(0.5, 0.999))
def test_the_rule_of_three_is_no_lower_than_the_exact_bound(trials, level):
    assert rule_of_three(trials, level).high >= 1 - (1 - level) ** (1 / trials) - 1e-15


def test_wilson_as_a_value_is_wilson():
    ends = wilson_interval(45, 60)
    assert (ends.low, ends.high) == pytest.approx(wilson(45, 60), abs=1e-15)
    assert (round(ends.low, 2), round(ends.high, 2)) == (0.63, 0.84)


def test_no_trials_is_undefined():
    for none in (clopper_pearson(0, 0), wilson_interval(0, 0), rule_of_three(0)):
        assert none == Undefined("no trials")


@pytest.mark.parametrize(
    "call",
    [
        lambda: clopper_pearson(3, 2),
        lambda: clopper_pearson(-1, 2),
        lambda: clopper_pearson(1, 2, level=1),
        lambda: wilson_interval(3, 2),
        lambda: rule_of_three(-1),
        lambda: incomplete_beta(1.5, 1, 1),
        lambda: incomplete_beta(0.5, 0, 1),
        lambda: beta_quantile(0, 1, 1),
    ],
)
def test_impossible_arguments_are_refused(call):
    with pytest.raises(ValueError):
        call()


@given(st.integers(1, 300), st.data())
@settings(max_examples=60, deadline=None)
def test_exact_intervals_hold_the_share_mirror_each_other_and_rise(trials, data):
    successes = data.draw(st.integers(0, trials))
    ends, mirror = clopper_pearson(successes, trials), clopper_pearson(trials - successes, trials)
    assert 0 <= ends.low <= successes / trials <= ends.high <= 1
    assert (ends.low, ends.high) == pytest.approx((1 - mirror.high, 1 - mirror.low), abs=1e-12)
    if successes < trials:
        more = clopper_pearson(successes + 1, trials)
        assert more.low > ends.low
        assert more.high > ends.high or ends.high == 1


@given(st.floats(0.001, 0.999), st.floats(0.2, 200), st.floats(0.2, 200))
@settings(max_examples=60, deadline=None)
def test_quantile_and_function_are_inverse(share, a, b):
    x = beta_quantile(share, a, b)
    if 1e-6 < x < 1 - 1e-6:
        assert incomplete_beta(x, a, b) == pytest.approx(share, abs=1e-8)
