"""Two systems are compared on the questions both were asked, question by question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.metrics.clusters import Observation
from answertrail.metrics.holm import holm
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.permutation import mcnemar, sign_flip
from answertrail.metrics.seeds import seed_of
from answertrail.metrics.values import Estimate, Interval, Undefined
from tests.metrics.worlds import FEW, observed, once, questions


def test_the_difference_is_second_minus_first_over_common_questions():
    first = once(a=(1, 2), b=(0, 2), x=(2, 2))
    second = once(a=(2, 2), b=(1, 4), y=(0, 2))
    done = paired_difference(first, second)
    assert done.difference.value == pytest.approx(3 / 6 - 1 / 4)
    assert (done.only_first, done.only_second, done.questions) == (("x",), ("y",), 2)
    assert (done.first.numerator, done.first.denominator) == (1, 4)
    means = paired_difference(first, second, statistic="means")
    assert means.difference.value == pytest.approx((1 + 0.25) / 2 - (0.5 + 0) / 2)


def test_the_seed_is_of_the_common_questions():
    done = paired_difference(once(a=(1, 2), b=(0, 2), x=(2, 2)), once(a=(2, 2), b=(0, 2)))
    assert isinstance(done.difference, Estimate)
    assert done.difference.interval.seed == seed_of(["a", "b"])


def test_pairing_removes_what_the_questions_share():
    # Hard and easy questions, and a system that finds one unit more on nearly every question.
    first = [Observation(f"q{n:02}", n % 5, 6) for n in range(20)]
    second = [Observation(f"q{n:02}", n % 5 + (n != 7), 6) for n in range(20)]
    ends = paired_difference(first, second).difference.interval
    assert 0.1 < ends.low < ends.high <= 1 / 6 + 1e-12


def test_equal_differences_everywhere_have_no_interval():
    done = paired_difference(once(a=(1, 2), b=(0, 2)), once(a=(2, 2), b=(1, 2)))
    assert done.difference.value == 0.5
    assert isinstance(done.difference.interval, Undefined)


def test_unequal_repeats_are_refused():
    first, second = (
        [Observation("a", 1, 2, 0), Observation("a", 2, 2, 1), Observation("b", 0, 2)],
        once(a=(1, 2), b=(1, 2)),
    )
    with pytest.raises(ValueError, match=r"1 question\(s\) have unequal repeats, such as 'a'"):
        paired_difference(first, second)
    with pytest.raises(ValueError, match="unequal repeats"):
        sign_flip(first, second)


def test_nothing_in_common_and_nothing_to_divide_by_are_undefined():
    assert paired_difference(once(a=(1, 2)), once(b=(1, 2))).difference == Undefined("no common question")
    no_units = paired_difference(once(a=(0, 0)), once(a=(1, 2)))
    assert no_units.difference == Undefined("no common question has a denominator")
    means = paired_difference(once(a=(0, 0), b=(1, 2)), once(a=(1, 2), b=(2, 2)), statistic="means")
    assert (means.ineligible, means.questions, means.difference.value) == (("a",), 1, 0.5)
    other = paired_difference(once(a=(1, 2), b=(2, 2)), once(a=(0, 0), b=(1, 2)), statistic="means")
    assert (other.ineligible, other.questions, other.difference.value) == (("a",), 1, -0.5)
    assert sign_flip(once(a=(1, 2)), once(b=(1, 2))) == Undefined("no common question with a denominator")


def test_resamples_without_denominator_are_counted():
    first = once(a=(1, 2), b=(0, 0), c=(0, 2))
    second = once(a=(2, 2), b=(1, 2), c=(0, 2))
    done = paired_difference(first, second)
    assert done.empty_resamples > 0
    assert isinstance(done.difference.interval, Undefined)


@given(questions, st.data())
@settings(max_examples=30, deadline=None)
def test_exchanging_the_systems_changes_the_sign_and_no_p_value(world, data):
    first = observed(world)
    second = [r._replace(numerator=data.draw(st.integers(0, r.denominator))) for r in first]
    for statistic in ("totals", "means"):
        there = paired_difference(first, second, statistic=statistic, resamples=FEW)
        back = paired_difference(second, list(reversed(first)), statistic=statistic, resamples=FEW)
        assert there.difference.value == pytest.approx(-back.difference.value)
        if isinstance(there.difference.interval, Interval):
            assert there.difference.interval.low == pytest.approx(-back.difference.interval.high)
        forth = sign_flip(first, second, statistic=statistic, permutations=FEW)
        assert forth.p == sign_flip(second, first, statistic=statistic, permutations=FEW).p
        assert 0 < forth.smallest <= forth.p <= 1


def test_three_questions_all_better_have_the_smallest_exact_p():
    test = sign_flip(once(a=(0, 2), b=(0, 2), c=(1, 2)), once(a=(1, 2), b=(2, 2), c=(2, 2)))
    assert (test.p, test.smallest, test.permutations, test.method, test.seed) == (
        2 / 8,
        2 / 8,
        8,
        "sign-flip-exact",
        None,
    )


def test_no_difference_anywhere_is_p_1():
    assert sign_flip(once(a=(1, 2), b=(2, 2)), once(a=(1, 2), b=(2, 2))).p == 1


def test_many_questions_are_sampled_and_p_is_never_0():
    first = [Observation(f"q{n}", 0, 3) for n in range(40)]
    second = [Observation(f"q{n}", 3, 3) for n in range(40)]
    test = sign_flip(first, second, permutations=999)
    assert (test.p, test.permutations, test.seed) == (1 / 1000, 999, seed_of(f"q{n}" for n in range(40)))
    assert sign_flip(first, second, permutations=999) == test


def test_swapping_counts_and_flipping_signs_agree_where_questions_weigh_the_same():
    first = [Observation(f"q{n}", n % 4, 3 + 1) for n in range(9)]
    second = [Observation(f"q{n}", (n * n + 1) % 5, 3 + 1) for n in range(9)]
    assert sign_flip(first, second, statistic="totals").p == sign_flip(first, second, statistic="means").p


def test_mcnemar_by_hand():
    assert mcnemar(1, 5).p == 2 * (1 + 6) / 64
    assert (mcnemar(0, 0).p, mcnemar(3, 3).p, mcnemar(5, 1).p) == (1, 1, mcnemar(1, 5).p)
    with pytest.raises(ValueError):
        mcnemar(-1, 2)


def test_holm_by_hand():
    adjusted = holm({"c": 0.04, "a": 0.01, "b": 0.03})
    assert adjusted == pytest.approx({"c": 0.06, "a": 0.03, "b": 0.06})
    assert list(adjusted) == ["c", "a", "b"]
    assert holm({}) == {}
    larger = holm({"c": 0.04, "a": 0.01, "b": 0.03}, tests=8)  # five more with p = 1
    assert larger == pytest.approx({"c": 0.24, "a": 0.08, "b": 0.21})
    everything = holm({"c": 0.04, "a": 0.01, "b": 0.03, **{str(n): 1.0 for n in range(5)}})
    assert larger == pytest.approx({name: everything[name] for name in larger})
    with pytest.raises(ValueError, match="family of 2"):
        holm({"a": 0.1, "b": 0.2, "c": 0.3}, tests=2)
    assert holm({"a": 0.5, "b": 0.5, "c": 0.9}) == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_holm_refuses_what_is_no_p_value(p):
    with pytest.raises(ValueError, match="p-value of 'a'"):
        holm({"a": p})


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8))
def test_holm_keeps_order_and_never_lowers_a_p(p_values):
    adjusted = holm(p_values)
    for a in p_values:
        assert p_values[a] <= adjusted[a] <= 1
        for b in p_values:
            assert (p_values[a] < p_values[b]) <= (adjusted[a] <= adjusted[b])
            assert (p_values[a] == p_values[b]) <= (adjusted[a] == adjusted[b])
