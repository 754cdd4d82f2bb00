"""The same numbers from packages that others wrote. They are needed for these tests only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from answertrail.metrics.agreement import cohen_kappa
from answertrail.metrics.alpha import krippendorff_alpha
from answertrail.metrics.bootstrap import mean_of_ratios, ratio_of_totals
from answertrail.metrics.clusters import Observation
from answertrail.metrics.holm import holm
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.permutation import mcnemar, sign_flip
from answertrail.metrics.power import detectable_difference, paired_power, questions_needed
from answertrail.metrics.prediction_powered import JudgedPair, prediction_powered
from answertrail.metrics.proportions import beta_quantile, clopper_pearson, incomplete_beta, wilson_interval

WORLDS = 12


def reference(name: str) -> Any:
    return pytest.importorskip(
        name, reason=f"{name.split('.')[0]} is the independent reference; it is a dev dependency"
    )


def world(seed: int, n: int = 25) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    units = rng.integers(1, 7, size=n)
    return rng.binomial(units, rng.beta(2, 1, size=n)), units


def records(found: np.ndarray, units: np.ndarray) -> list[Observation]:
    return [Observation(f"q{n:03}", int(x), int(y)) for n, (x, y) in enumerate(zip(found, units, strict=True))]


def tied(values: np.ndarray) -> np.ndarray:
    """Round, so that values that are equal but for rounding are ties for scipy's BCa as they are for ours."""
    return np.round(values, 12)


@pytest.mark.parametrize("seed", range(WORLDS))
@pytest.mark.parametrize(("method", "name"), [("percentile", "percentile"), ("bca", "BCa")])
def test_bootstrap_is_scipys_given_its_generator(seed, method, name):
    stats = reference("scipy.stats")
    found, units = world(seed)
    ours = ratio_of_totals(records(found, units), method=method, seed=seed).ratio.interval
    theirs = stats.bootstrap(
        (found, units),
        lambda x, y, axis: tied(x.sum(axis=axis) / y.sum(axis=axis)),
        paired=True,
        n_resamples=10_000,
        method=name,
        rng=np.random.Generator(np.random.PCG64(seed)),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    ours = mean_of_ratios(records(found, units), method=method, seed=seed).ratio.interval
    theirs = stats.bootstrap(
        (found / units,),
        lambda x, axis: tied(x.mean(axis=axis)),
        method=name,
        n_resamples=10_000,
        rng=np.random.Generator(np.random.PCG64(seed)),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("seed", range(WORLDS))
@pytest.mark.parametrize(("method", "name"), [("percentile", "percentile"), ("bca", "BCa")])
def test_the_paired_difference_is_scipys_given_its_generator(seed, method, name):
    stats = reference("scipy.stats")
    (a, m), (b, n) = world(seed), world(seed + 100)
    ours = paired_difference(records(a, m), records(b, n), method=method, seed=seed).difference
    theirs = stats.bootstrap(
        (a, m, b, n),
        lambda a, m, b, n, axis: tied(b.sum(axis=axis) / n.sum(axis=axis) - a.sum(axis=axis) / m.sum(axis=axis)),
        paired=True,
        n_resamples=10_000,
        method=name,
        rng=np.random.Generator(np.random.PCG64(seed)),
    ).confidence_interval
    assert (ours.interval.low, ours.interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_the_exact_sign_flip_is_scipys(seed):
    stats = reference("scipy.stats")
    (a, m), (b, n) = world(seed, 10), world(seed + 100, 10)
    theirs = stats.permutation_test(
        (b / n, a / m), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(records(a, m), records(b, n)).p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_sampled_sign_flip_is_near_scipys(seed):
    stats = reference("scipy.stats")
    (a, m), (b, n) = world(seed, 30), world(seed + 100, 30)
    theirs = stats.permutation_test(
        (b / n, a / m),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        n_resamples=10_000,
        rng=np.random.default_rng(0),
    )
    assert sign_flip(records(a, m), records(b, n)).p == pytest.approx(theirs.pvalue, abs=0.02)


COUNTS = [(0, 1), (1, 1), (1, 2), (0, 21), (3, 21), (15, 60), (45, 60), (60, 60), (29, 33), (402, 417), (1465, 1495)]


@pytest.mark.parametrize(("successes", "trials"), [*COUNTS, (7, 100_000), (50_000, 100_000)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_proportions_are_scipys(successes, trials, level):
    stats = reference("scipy.stats")
    for ours, method in ((clopper_pearson, "exact"), (wilson_interval, "wilson")):
        theirs = stats.binomtest(successes, trials).proportion_ci(level, method)
        ends = ours(successes, trials, level)
        assert (ends.low, ends.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)


def test_the_incomplete_beta_and_its_quantile_are_scipys():
    special = reference("scipy.special")
    rng = np.random.default_rng(0)
    for a, b in np.exp(rng.uniform(np.log(0.3), np.log(3000), size=(60, 2))):
        for x in (*rng.random(3), a / (a + b)):
            assert incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), abs=1e-11)
        for share in (0.001, 0.025, 0.5, 0.975):
            assert beta_quantile(share, a, b) == pytest.approx(special.betaincinv(a, b, share), abs=1e-10)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_kappa_and_its_analytic_interval_are_statsmodels(seed):
    rater = reference("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(seed)
    q = 2 + seed % 3
    table = rng.integers(0, 20, size=(q, q)) + 10 * np.eye(q, dtype=int)
    theirs, ours = rater.cohens_kappa(table), cohen_kappa(table.tolist(), level=0.9)
    assert ours.value == pytest.approx(theirs.kappa, abs=1e-12)
    width = 1.6448536269514722 * theirs.std_kappa
    assert ours.interval.low == pytest.approx(max(-1, theirs.kappa - width), abs=1e-12)
    assert ours.interval.high == pytest.approx(min(1, theirs.kappa + width), abs=1e-12)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_holm_is_statsmodels(seed):
    multitest = reference("statsmodels.stats.multitest")
    p = np.round(np.random.default_rng(seed).random(9) ** 3, 2)  # rounded, so that there are ties
    theirs = multitest.multipletests(p, method="holm")[1]
    ours = holm({str(n): float(value) for n, value in enumerate(p)})
    assert list(ours.values()) == pytest.approx(list(theirs), abs=1e-15)


@pytest.mark.parametrize(("only_first", "only_second"), [(0, 1), (1, 5), (4, 4), (3, 12), (40, 70)])
def test_mcnemar_is_statsmodels(only_first, only_second):
    tables = reference("statsmodels.stats.contingency_tables")
    theirs = tables.mcnemar([[10, only_first], [only_second, 10]], exact=True)
    assert mcnemar(only_first, only_second).p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_alpha_is_that_of_the_krippendorff_package(seed):
    package = reference("krippendorff")
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=30)
    labels = np.where(rng.random((4, 30)) < 0.7, truth, rng.integers(0, 3, size=(4, 30))).astype(float)
    labels[rng.random((4, 30)) < 0.4] = np.nan
    theirs = package.alpha(reliability_data=labels, level_of_measurement="nominal")
    items = {
        f"{n:02}": [None if np.isnan(label) else str(int(label)) for label in column]
        for n, column in enumerate(labels.T)
    }
    assert krippendorff_alpha(items).alpha.value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("questions", [3, 5, 12, 35, 60, 400])
@pytest.mark.parametrize("effect", [0.05, 0.1, 0.4])
def test_paired_power_is_statsmodels(questions, effect):
    power = reference("statsmodels.stats.power").TTestPower()
    theirs = power.power(effect, questions, 0.05, alternative="two-sided")
    assert paired_power(questions, effect * 0.3, 0.3) == pytest.approx(theirs, abs=1e-7)


@pytest.mark.parametrize("questions", [6, 25, 35, 60, 250])
def test_detectable_difference_and_questions_needed_are_statsmodels(questions):
    power = reference("statsmodels.stats.power").TTestPower()
    effect = detectable_difference(questions, 0.3) / 0.3
    assert power.power(effect, questions, 0.05) == pytest.approx(0.8, abs=1e-7)
    assert effect == pytest.approx(power.solve_power(nobs=questions, alpha=0.05, power=0.8), rel=1e-5)
    needed = power.solve_power(effect_size=1 / 3, alpha=0.05, power=0.8)
    assert questions_needed(0.1, 0.3) == int(np.ceil(needed))


@pytest.mark.parametrize(("successes", "trials"), COUNTS)
def test_proportions_are_statsmodels(successes, trials):
    proportion = reference("statsmodels.stats.proportion").proportion_confint
    for ours, method in ((clopper_pearson, "beta"), (wilson_interval, "wilson")):
        ends = ours(successes, trials, 0.9)
        assert (ends.low, ends.high) == pytest.approx(proportion(successes, trials, 0.1, method), abs=1e-10)


@pytest.mark.parametrize(("successes", "trials"), COUNTS)
def test_clopper_pearson_is_the_quantile_of_scipys_beta(successes, trials):
    beta = reference("scipy.stats").beta
    ends, misses = clopper_pearson(successes, trials), trials - successes
    low = beta.ppf(0.025, successes, misses + 1) if successes else 0
    high = beta.ppf(0.975, successes + 1, misses) if misses else 1
    assert (ends.low, ends.high) == pytest.approx((low, high), abs=1e-10)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_prediction_powered_is_ppi_python_for_independent_pairs(seed, weighted):
    """Their mean with lambda 1 takes labelled and judged pairs for two samples; ours knows that one holds the other.

    The values are equal. Our interval has the covariance of the two means in it, which is negative, so it is
    narrower: here, with a tenth of the pairs labelled, by some hundredths.
    """
    package = reference("ppi_py")
    rng, n, labels = np.random.default_rng(seed), 1500, 150
    true = rng.random(n) < 0.5
    hit = np.where(true, rng.random(n) < 0.92, rng.random(n) < 0.15)
    drawn = rng.choice(n, labels, replace=False)
    probability = np.where(rng.random(n) < 0.5, 0.1, 0.08 if weighted else 0.1)
    pairs = [
        JudgedPair(f"{row:04}", f"q{row:04}", bool(hit[row]), bool(true[row]) if row in drawn else None, share)
        for row, share in enumerate(probability.tolist())
    ]
    ours = prediction_powered(pairs, resamples=2000).estimate
    y, judged, everything = (column.astype(float) for column in (true[drawn], hit[drawn], hit))
    weights = {"w": 1 / probability[drawn]} if weighted else {}
    assert ours.value == pytest.approx(package.ppi_mean_pointestimate(y, judged, everything, lam=1, **weights)[0])
    low, high = (end[0] for end in package.ppi_mean_ci(y, judged, everything, alpha=0.05, lam=1, **weights))
    assert ours.interval.low == pytest.approx(low, abs=0.06 * (high - low))
    assert ours.interval.high == pytest.approx(high, abs=0.06 * (high - low))
    assert ours.interval.high - ours.interval.low < high - low
