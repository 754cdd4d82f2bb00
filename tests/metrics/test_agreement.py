"""Kappa, AC1 and alpha, and what each says when raters leave it nothing to measure."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.metrics.agreement import (
    agreement,
    bias_index,
    bootstrap_kappa,
    chance_agreement,
    cohen_kappa,
    gwet_ac1,
    observed_agreement,
    prevalence_index,
)
from answertrail.metrics.alpha import krippendorff_alpha
from answertrail.metrics.tables import table_of
from answertrail.metrics.values import Estimate, Interval, Undefined
from tests.metrics.worlds import FEW, tables


def test_a_table_by_hand():
    # p_o = 35/50, p_e = 25/50 x 30/50 + 25/50 x 20/50 = 0.5, kappa 0.4.
    done = agreement([[20, 5], [10, 15]])
    assert (done.observed.numerator, done.observed.denominator, done.expected) == (35, 50, 0.5)
    assert done.kappa.value == pytest.approx(0.4)
    assert (done.prevalence.value, done.bias.value) == (5 / 50, -5 / 50)
    # pi = (25 + 30) / 100, p_e = 2 x 0.55 x 0.45 = 0.495.
    assert done.ac1.value == pytest.approx((0.7 - 0.495) / 0.505)
    assert done.observed.interval.method == "wilson"


def test_high_agreement_and_low_kappa_under_skew_show_in_the_indices():
    # Feinstein and Cicchetti's paradox: 118 of 125 agree.
    done = agreement([[118, 5], [2, 0]])
    assert done.observed.value > 0.94
    assert done.kappa.value < 0
    assert done.ac1.value == pytest.approx(0.94, abs=0.01)
    assert done.prevalence.value == pytest.approx(0.94, abs=0.01)


def test_one_label_used_by_both_has_no_kappa_but_an_agreement():
    done = agreement([[10, 0], [0, 0]])
    assert done.kappa == Undefined("both raters used one and the same label: chance agreement is 1")
    assert (done.observed.value, done.ac1.value, done.expected) == (1, 1, 1)
    assert isinstance(done.ac1.interval, Undefined)


def test_one_constant_rater_has_kappa_0():
    assert cohen_kappa([[6, 4], [0, 0]]).value == 0


def test_perfect_agreement_has_kappa_1_and_no_analytic_interval():
    kappa = cohen_kappa([[6, 0], [0, 4]])
    assert kappa.value == 1
    assert "analytic variance is 0" in kappa.interval.reason


def test_no_items_is_undefined():
    empty = [[0, 0], [0, 0]]
    for value in (cohen_kappa(empty), gwet_ac1(empty), chance_agreement(empty)):
        assert value == Undefined("no items")
    for ratio in (observed_agreement(empty), prevalence_index(empty), bias_index(empty)):
        assert ratio.value == Undefined("no items")
    assert "two labels" in gwet_ac1([[3]]).reason


@pytest.mark.parametrize("table", [[[1, 2]], [[1, 2], [3]], [[1, -1], [0, 1]], [[1, 0.5], [0, 1]], []])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(ValueError):
        cohen_kappa(table)


def test_labels_are_counted_and_unknown_ones_refused():
    assert table_of(["H", "H", "M"], ["H", "M", "M"], ["H", "M"]) == [[1, 1], [0, 1]]
    with pytest.raises(ValueError, match="label 'X'"):
        table_of(["X"], ["H"], ["H", "M"])
    with pytest.raises(ValueError, match="1 labels against 2"):
        table_of(["H"], ["H", "M"], ["H", "M"])
    with pytest.raises(ValueError, match="repeat"):
        table_of([], [], ["H", "H"])
    with pytest.raises(ValueError, match="2 x 2"):
        bias_index([[1]])


def test_three_labels_have_no_two_by_two_indices():
    done = agreement([[1, 0, 0], [0, 2, 1], [0, 0, 3]])
    assert (done.prevalence, done.bias) == (None, None)


@given(tables)
@settings(max_examples=80, deadline=None)
def test_agreement_is_bounded_and_blind_to_who_is_first_and_to_names(table):
    counts = np.array(table)
    order = np.arange(len(table))[::-1]
    renamed, exchanged = counts[np.ix_(order, order)].tolist(), counts.T.tolist()
    for measure in (cohen_kappa, gwet_ac1):
        value = measure(table)
        for other in (measure(renamed), measure(exchanged)):
            if isinstance(value, Undefined):
                assert other == value
            else:
                assert other.value == pytest.approx(value.value)
                assert -1 - 1e-12 <= value.value <= 1 + 1e-12
                if isinstance(value.interval, Interval):
                    assert (other.interval.low, other.interval.high) == pytest.approx(
                        (value.interval.low, value.interval.high)
                    )


@given(tables)
@settings(max_examples=40, deadline=None)
def test_the_variances_are_those_of_the_delta_method(table):
    """Both formulas against a numerical gradient over multinomial cells: an independent derivation."""
    counts = np.array(table, dtype=float)
    if (counts.sum(axis=0) == 0).any() or (counts.sum(axis=1) == 0).any():
        return
    n, q = counts.sum(), len(counts)

    def kappa(p):
        expected = p.sum(axis=0) @ p.sum(axis=1)
        return (np.trace(p) - expected) / (1 - expected)

    def ac1(p):
        pi = (p.sum(axis=0) + p.sum(axis=1)) / 2
        expected = (pi * (1 - pi)).sum() / (q - 1)
        return (np.trace(p) - expected) / (1 - expected)

    p, step = counts / n, 1e-6
    for measure, formula in ((kappa, cohen_kappa), (ac1, gwet_ac1)):
        gradient = np.zeros((q, q))
        for cell in np.ndindex(q, q):
            bump = np.zeros((q, q))
            bump[cell] = step
            # Along the simplex: normalise, so that the gradient is that of a function of shares.
            gradient[cell] = (measure((p + bump) / (1 + step)) - measure((p - bump) / (1 - step))) / (2 * step)
        variance = ((p * gradient**2).sum() - (p * gradient).sum() ** 2) / n
        done = formula(table, level=0.5)
        if isinstance(done.interval, Interval) and done.interval.low > -1 and done.interval.high < 1:
            width = (done.interval.high - done.interval.low) / 2
            assert width / 0.6744897501960817 == pytest.approx(variance**0.5, rel=1e-4, abs=1e-7)


def pairs_of(table):
    names = "HM"
    cells = [(names[a], names[b]) for a in (0, 1) for b in (0, 1) for _ in range(table[a][b])]
    return [a for a, _ in cells], [b for _, b in cells]


def test_the_bootstrap_resamples_clusters_not_items():
    first, second = pairs_of([[20, 5], [10, 15]])
    alone = [str(n) for n in range(50)]
    together = [str(n // 10) for n in range(50)]
    (free, _), (clustered, _) = (
        bootstrap_kappa(first, second, clusters, ["H", "M"], max_empty_share=0.05) for clusters in (alone, together)
    )
    assert free.value == clustered.value == pytest.approx(0.4)
    assert free.interval.method == "cluster-percentile"
    assert clustered.interval.high - clustered.interval.low > free.interval.high - free.interval.low


def test_resamples_with_one_label_are_counted_and_too_many_leave_no_interval():
    first, second = pairs_of([[9, 0], [0, 1]])  # no MISS in a third of the resamples
    value, empty = bootstrap_kappa(first, second, [str(n) for n in range(10)], ["H", "M"])
    assert value.value == 1
    assert empty > 3000
    assert isinstance(value.interval, Undefined)


def test_bootstrap_degenerate_cases():
    value, _ = bootstrap_kappa(["H", "H"], ["H", "H"], ["a", "b"], ["H", "M"])
    assert "one and the same label" in value.reason
    assert bootstrap_kappa([], [], [], ["H", "M"])[0] == Undefined("no items")
    assert "two labels" in bootstrap_kappa(["H"], ["H"], ["a"], ["H"], statistic="ac1")[0].reason
    one, _ = bootstrap_kappa(["H", "M"], ["H", "H"], ["a", "a"], ["H", "M"])
    assert one == Estimate(0.0, Undefined("1 question(s): nothing to resample"))
    with pytest.raises(ValueError, match="clusters"):
        bootstrap_kappa(["H"], ["H"], [], ["H", "M"])


def test_the_bootstrap_ignores_order():
    first, second = pairs_of([[20, 5], [10, 15]])
    clusters = [str(n % 9) for n in range(50)]
    order = list(range(50))
    Random(3).shuffle(order)
    shuffled = ([values[n] for n in order] for values in (first, second, clusters))
    kwargs = {"resamples": FEW, "statistic": "ac1"}
    assert bootstrap_kappa(*shuffled, ["H", "M"], **kwargs) == bootstrap_kappa(
        first, second, clusters, ["H", "M"], **kwargs
    )


def test_alpha_by_hand():
    # Items aa, ab, bb: n = 6, n_a = n_b = 3; disagreement 2 / 6, expected 18 / 30.
    done = krippendorff_alpha({"1": ["a", "a"], "2": ["a", "b"], "3": ["b", "b"]}, max_empty_share=1.0)
    assert done.alpha.value == pytest.approx(1 - (2 / 6) / (18 / 30))
    assert (done.items, done.labels, done.unpaired) == (3, 6, ())


def test_items_with_one_label_are_left_out_and_listed():
    items = {"1": ["a", "a", None], "2": ["a", "b", "b"], "3": ["b", None, None], "4": [None, None, None]}
    done = krippendorff_alpha(items, max_empty_share=1.0)
    assert (done.items, done.labels, done.unpaired) == (2, 5, ("3", "4"))
    assert done.alpha.value == krippendorff_alpha({k: items[k] for k in "12"}, max_empty_share=1.0).alpha.value


def test_alpha_degenerate_cases():
    assert krippendorff_alpha({}).alpha == Undefined("no item has two labels")
    assert krippendorff_alpha({"1": ["a"]}).alpha == Undefined("no item has two labels")
    assert krippendorff_alpha({"1": ["a", "a"], "2": ["a", "a"]}).alpha == Undefined(
        "only one label was used: nothing to disagree about"
    )
    with pytest.raises(ValueError, match="item '1' has no cluster"):
        krippendorff_alpha({"1": ["a", "a"]}, clusters={})


def test_alpha_resamples_the_clusters_of_items():
    random = Random(5)
    items = {f"{n:02}": [random.choice("ab"), random.choice("ab")] for n in range(40)}
    free = krippendorff_alpha(items).alpha
    clustered = krippendorff_alpha(items, clusters={item: item[0] for item in items}).alpha
    assert free.value == clustered.value
    assert free.interval.seed != clustered.interval.seed


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=3, max_size=3), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_alpha_is_at_most_1_and_blind_to_names_and_order(rows):
    items = {str(n): row for n, row in enumerate(rows)}
    swap = {"a": "z", "b": "a", "c": "q", None: None}
    renamed = {item: [swap[label] for label in reversed(row)] for item, row in reversed(items.items())}
    done, other = (krippendorff_alpha(it, resamples=FEW).alpha for it in (items, renamed))
    if isinstance(done, Undefined):
        assert other == done
    else:
        assert done.value == pytest.approx(other.value)
        assert done.value <= 1
