"""Agreement of two raters on the same items: kappa with the figures that tell when to distrust it.

Kappa is low under skewed labels however well raters agree (Feinstein and Cicchetti 1990), so
`agreement` gives raw agreement, prevalence and bias indices and AC1 beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np

from answertrail.metrics.clusters import Floats
from answertrail.metrics.proportions import wilson_interval
from answertrail.metrics.resampling import MAX_EMPTY_SHARE, RESAMPLES, SAME, Method, cluster_interval
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.tables import Table, as_array, position, positions
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined, checked_level

NO_ITEMS = "no items"
ONE_LABEL = "both raters used one and the same label: chance agreement is 1"


@dataclass(frozen=True)
class Agreement:
    """All figures of one table. `prevalence` and `bias` are None unless there are two labels."""

    observed: Ratio
    expected: float | Undefined
    kappa: Estimate | Undefined
    ac1: Estimate | Undefined
    prevalence: Ratio | None
    bias: Ratio | None


def agreement(table: Table, level: float = 0.95) -> Agreement:
    """Return every figure of a table of two raters' labels, with analytic intervals."""
    two = len(table) == 2
    return Agreement(
        observed_agreement(table, level),
        chance_agreement(table),
        cohen_kappa(table, level),
        gwet_ac1(table, level),
        prevalence_index(table) if two else None,
        bias_index(table) if two else None,
    )


def observed_agreement(table: Table, level: float = 0.95) -> Ratio:
    """Return p_o = items with equal labels / items, with Wilson's interval. Undefined without items."""
    counts = as_array(table)
    same, items = int(counts.trace()), int(counts.sum())
    return Ratio(same, items, wilson_interval(same, items, level), NO_ITEMS)


def chance_agreement(table: Table) -> float | Undefined:
    """Return Cohen's p_e = sum over labels of p(first) p(second). Undefined without items."""
    counts = as_array(table)
    items = float(counts.sum())
    return float(counts.sum(axis=0) @ counts.sum(axis=1)) / items**2 if items else Undefined(NO_ITEMS)


def cohen_kappa(table: Table, level: float = 0.95) -> Estimate | Undefined:
    """Return kappa = (p_o - p_e) / (1 - p_e) (Cohen 1960), with its large-sample interval.

    The variance is that of Fleiss, Cohen and Everitt (1969), of independent items; ends are moved
    into [-1, 1]. Undefined without items and at p_e = 1 (one label, used by both). The interval is
    Undefined where the variance is 0, as in perfect agreement.
    """
    counts = as_array(table)
    if not counts.sum():
        return Undefined(NO_ITEMS)
    kappa = float(_kappas(counts.reshape(1, -1), len(counts))[0])
    if np.isnan(kappa):
        return Undefined(ONE_LABEL)
    items = float(counts.sum())
    p = counts / items
    first, second, same = p.sum(axis=1), p.sum(axis=0), np.diag(p)
    expected = float(first @ second)
    agree = float((same * (1 - (first + second) * (1 - kappa)) ** 2).sum())
    weights = (second[:, None] + first[None, :]) ** 2
    differ = float((p * weights).sum() - (same * np.diag(weights)).sum()) * (1 - kappa) ** 2
    centre = (kappa - expected * (1 - kappa)) ** 2
    variance = (agree + differ - centre) / ((1 - expected) ** 2 * items)
    return Estimate(kappa, _normal_interval(kappa, variance, level, "fleiss-cohen-everitt"))


def gwet_ac1(table: Table, level: float = 0.95) -> Estimate | Undefined:
    """Return AC1 = (p_o - p_e) / (1 - p_e), p_e = sum of pi (1 - pi) / (q - 1) (Gwet 2008), and its interval.

    pi is the mean of both raters' shares of a label, q the number of labels that could be given:
    it is the table's size, whether all were used or not. The variance is Gwet's, of independent
    items, without finite-population correction. Undefined without items or with fewer than two
    labels to give; the interval where the variance is 0.
    """
    counts = as_array(table)
    q, items = len(counts), float(counts.sum())
    if not items:
        return Undefined(NO_ITEMS)
    if q < 2:
        return Undefined("AC1 needs at least two labels to choose from")
    p = counts / items
    pi = (p.sum(axis=0) + p.sum(axis=1)) / 2
    observed, expected = float(p.trace()), float((pi * (1 - pi)).sum()) / (q - 1)
    value = (observed - expected) / (1 - expected)
    same = float((np.diag(p) * (1 - pi)).sum()) / (q - 1) - observed * expected
    pairs = float((p * (1 - (pi[:, None] + pi[None, :]) / 2) ** 2).sum()) / (q - 1) ** 2 - expected**2
    rest = 1 - value
    spread = observed * (1 - observed) - 4 * rest * same + 4 * rest**2 * pairs
    return Estimate(value, _normal_interval(value, spread / (items * (1 - expected) ** 2), level, "gwet"))


def prevalence_index(table: Table) -> Ratio:
    """Return (both first label - both second label) / items of a 2 x 2 table (Byrt et al. 1993); signed."""
    counts = _two_by_two(table)
    return Ratio(int(counts[0, 0] - counts[1, 1]), int(counts.sum()), if_empty=NO_ITEMS)


def bias_index(table: Table) -> Ratio:
    """Return (first rater alone gave the first label - second alone) / items of a 2 x 2 table (Byrt et al. 1993)."""
    counts = _two_by_two(table)
    return Ratio(int(counts[0, 1] - counts[1, 0]), int(counts.sum()), if_empty=NO_ITEMS)


def bootstrap_kappa(
    first: Sequence[str],
    second: Sequence[str],
    clusters: Sequence[str],
    labels: Sequence[str],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    method: Method = "percentile",
    seed: int | None = None,
    statistic: Literal["kappa", "ac1"] = "kappa",
    max_empty_share: float = MAX_EMPTY_SHARE,
) -> tuple[Estimate | Undefined, int]:
    """Return kappa (or AC1) with its cluster bootstrap interval, and the number of resamples without a value.

    `clusters` names the question of each item (the item itself where items are independent);
    clusters are resampled with all their items, seeded by their names. Undefined as `cohen_kappa`
    and `gwet_ac1`; resamples in which both raters use one label have no kappa and are counted, and
    above `max_empty_share` there is no interval. Raises ValueError as `table_of`.
    """
    if not len(first) == len(second) == len(clusters):
        raise ValueError(f"{len(first)}, {len(second)} and {len(clusters)} labels and clusters")
    rows, names = positions(labels), sorted(set(clusters))
    if statistic == "ac1" and len(rows) < 2:
        return Undefined("AC1 needs at least two labels to choose from"), 0
    number = {name: row for row, name in enumerate(names)}
    vectors = np.zeros((len(names), len(rows) ** 2))
    for a, b, cluster in zip(first, second, clusters, strict=True):
        vectors[number[cluster], position(rows, a) * len(rows) + position(rows, b)] += 1
    compute = _kappas if statistic == "kappa" else _ac1s
    value = float(compute(vectors.sum(axis=0, keepdims=True), len(rows))[0])
    if np.isnan(value):
        return Undefined(ONE_LABEL if names else NO_ITEMS), 0
    seed = seed_of(names) if seed is None else seed
    interval, empty = cluster_interval(
        vectors,
        lambda sums: compute(sums, len(rows)),
        generator(seed),
        seed=seed,
        level=level,
        resamples=resamples,
        method=method,
        max_empty_share=max_empty_share,
    )
    return Estimate(value, interval), empty


def _shares(sums: Floats, q: int) -> tuple[Floats, Floats, Floats]:
    """Return, per row, p_o and both raters' shares of each label; NaN for a row without items."""
    items = sums.sum(axis=1)
    with np.errstate(invalid="ignore"):
        p = sums.reshape(-1, q, q) / items[:, None, None]
    return np.trace(p, axis1=1, axis2=2), p.sum(axis=2), p.sum(axis=1)


def _kappas(sums: Floats, q: int) -> Floats:
    """Return kappa of each row, a flattened table; NaN where it is undefined."""
    observed, first, second = _shares(sums, q)
    expected = (first * second).sum(axis=1)
    return _above_chance(observed, expected)


def _ac1s(sums: Floats, q: int) -> Floats:
    """Return AC1 of each row, a flattened table; NaN where it is undefined."""
    observed, first, second = _shares(sums, q)
    pi = (first + second) / 2
    return _above_chance(observed, (pi * (1 - pi)).sum(axis=1) / (q - 1))


def _above_chance(observed: Floats, expected: Floats) -> Floats:
    out = np.full(observed.shape, np.nan)
    np.divide(observed - expected, 1 - expected, out=out, where=expected < 1 - SAME)
    return out


def _normal_interval(value: float, variance: float, level: float, method: str) -> Interval | Undefined:
    z = NormalDist().inv_cdf(1 - (1 - checked_level(level)) / 2)
    if variance < 1e-15:
        return Undefined("the analytic variance is 0; use the interval of the raw agreement")
    return Interval(max(-1.0, value - z * sqrt(variance)), min(1.0, value + z * sqrt(variance)), level, method)


def _two_by_two(table: Table) -> Floats:
    counts = as_array(table)
    if counts.shape != (2, 2):
        raise ValueError(f"an index of a 2 x 2 table, given one of {len(counts)} labels")
    return counts
