"""Comparing two systems on the same questions: a paired cluster bootstrap of the difference.

Only questions both systems were asked are compared; the others are listed, never counted as 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from answertrail.metrics.clusters import Clusters, Floats, Observation, clusters_of, total
from answertrail.metrics.resampling import MAX_EMPTY_SHARE, RESAMPLES, Method, cluster_interval, quotient
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Estimate, Ratio, Undefined

Statistic = Literal["totals", "means"]  # difference of ratios of totals, or of means of per-question ratios


@dataclass(frozen=True)
class Pairing:
    """Two systems on their common questions, as rows (numerator a, denominator a, numerator b, denominator b).

    For "means" each row is (ratio a, 1, ratio b, 1), and a question without a denominator in
    either system is ineligible. Everything left out is listed.
    """

    ids: tuple[str, ...]
    first: Ratio
    second: Ratio
    vectors: Floats
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    ineligible: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """second - first, with both sides over the common questions and everything that was left out."""

    difference: Estimate | Undefined
    first: Ratio
    second: Ratio
    questions: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    ineligible: tuple[str, ...]
    empty_resamples: int


def paired_difference(
    first: Iterable[Observation],
    second: Iterable[Observation],
    *,
    statistic: Statistic = "totals",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    method: Method = "percentile",
    seed: int | None = None,
    max_empty_share: float = MAX_EMPTY_SHARE,
) -> Difference:
    """Return rate(second) - rate(first) over the questions of both, and its paired cluster bootstrap interval.

    Each resample draws questions and takes both systems' repeats of each. The seed is that of the
    common question ids. Undefined without common questions or without a denominator on a side;
    the interval as in `ratio_of_totals`, and all differences equal has none. Raises ValueError when
    a question has more repeats in one system: it would weigh differently in each side's totals, and
    two equal systems would seem to differ.
    """
    pairing = pair(first, second, statistic)
    seed = seed_of(pairing.ids) if seed is None else seed
    interval, empty = cluster_interval(
        pairing.vectors,
        difference_of_rates,
        generator(seed),
        seed=seed,
        level=level,
        resamples=resamples,
        method=method,
        max_empty_share=max_empty_share,
    )
    a, b = pairing.first.value, pairing.second.value
    return Difference(
        a if isinstance(a, Undefined) else b if isinstance(b, Undefined) else Estimate(b - a, interval),
        pairing.first,
        pairing.second,
        len(pairing.ids),
        pairing.only_first,
        pairing.only_second,
        pairing.ineligible,
        empty,
    )


def pair(first: Iterable[Observation], second: Iterable[Observation], statistic: Statistic) -> Pairing:
    """Bring two systems' observations onto their common questions. Raises as `paired_difference`."""
    if statistic not in ("totals", "means"):
        raise ValueError(f"statistic {statistic!r}: choose totals or means")
    a, b = clusters_of(first), clusters_of(second)
    common = set(a.ids) & set(b.ids)
    only_first, only_second = tuple(sorted(set(a.ids) - common)), tuple(sorted(set(b.ids) - common))
    a, b = a.keep(common), b.keep(common)
    ineligible: tuple[str, ...] = ()
    if statistic == "means":
        ineligible = tuple(sorted({*a.empty, *b.empty}))
        a, b = a.keep(common - set(ineligible)), b.keep(common - set(ineligible))
    unequal = tuple(name for name, n, m in zip(a.ids, a.repeats, b.repeats, strict=True) if n != m)
    if unequal:
        raise ValueError(f"{len(unequal)} question(s) have unequal repeats, such as {unequal[0]!r}; drop some")
    (rate_a, rows_a), (rate_b, rows_b) = _side(a, statistic), _side(b, statistic)
    return Pairing(a.ids, rate_a, rate_b, np.hstack([rows_a, rows_b]), only_first, only_second, ineligible)


def _side(clusters: Clusters, statistic: Statistic) -> tuple[Ratio, Floats]:
    if statistic == "means":
        ratios = clusters.ratios
        rows = np.array([ratios, [1.0] * len(ratios)]).reshape(2, -1).T
        return Ratio(total(ratios), len(ratios), if_empty="no common question with a denominator"), rows
    reason = "no common question has a denominator" if clusters.ids else "no common question"
    return Ratio(*clusters.totals(), if_empty=reason), clusters.vectors()


def difference_of_rates(sums: Floats) -> Floats:
    """Return x_b / y_b - x_a / y_a of rows (x_a, y_a, x_b, y_b); NaN where a denominator is 0."""
    return quotient(sums[:, 2], sums[:, 3]) - quotient(sums[:, 0], sums[:, 1])
