"""Cluster bootstrap of a rate: questions are resampled, their repeats stay together.

Resampling runs or units instead would call repeats of one question independent and give intervals
that are too narrow (Field and Welsh 2007; Miller 2024, "Adding error bars to evals").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from answertrail.metrics.clusters import Clusters, Floats, Observation, clusters_of, total
from answertrail.metrics.resampling import MAX_EMPTY_SHARE, RESAMPLES, Method, cluster_interval, quotient
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Ratio


@dataclass(frozen=True)
class Bootstrapped:
    """A rate with its interval, over how many questions, and what was left out.

    `ineligible` are the questions without a denominator that took no part; `empty_resamples` the
    resamples without a denominator, left out of the quantiles.
    """

    ratio: Ratio
    questions: int
    ineligible: tuple[str, ...]
    empty_resamples: int


def ratio_of_totals(
    observations: Iterable[Observation],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    method: Method = "percentile",
    seed: int | None = None,
    max_empty_share: float = MAX_EMPTY_SHARE,
) -> Bootstrapped:
    """Return sum of numerators / sum of denominators over all questions and repeats, and its interval.

    A question without a denominator stays in the resampling: it is part of the sample. The seed
    is that of the question ids unless given. The interval is Undefined with fewer than two
    questions, when all resamples are equal, or when more than `max_empty_share` of them have no
    denominator. Ties: quantiles interpolate linearly. Raises ValueError as `clusters_of`.
    """
    clusters = clusters_of(observations)
    numerator, denominator = clusters.totals()
    return _bootstrapped(
        clusters, clusters.vectors(), numerator, denominator, (), level, resamples, method, seed, max_empty_share
    )


def mean_of_ratios(
    observations: Iterable[Observation],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    method: Method = "percentile",
    seed: int | None = None,
) -> Bootstrapped:
    """Return the mean over questions of (the question's numerators / its denominators), and its interval.

    Repeats of one question are pooled before dividing. Questions without a denominator are
    ineligible: listed, and neither in the mean nor in the resampling. The numerator of the result
    is the sum of the per-question ratios, the denominator the number of eligible questions.
    Undefined, ties and errors as in `ratio_of_totals`.
    """
    clusters = clusters_of(observations)
    ineligible = clusters.empty
    eligible = clusters.keep(set(clusters.ids) - set(ineligible)) if ineligible else clusters
    ratios = eligible.ratios
    vectors = np.array([ratios, [1.0] * len(ratios)]).reshape(2, -1).T
    return _bootstrapped(
        eligible, vectors, total(ratios), len(ratios), ineligible, level, resamples, method, seed, MAX_EMPTY_SHARE
    )


def _bootstrapped(
    clusters: Clusters,
    vectors: Floats,
    numerator: float,
    denominator: float,
    ineligible: tuple[str, ...],
    level: float,
    resamples: int,
    method: Method,
    seed: int | None,
    max_empty_share: float,
) -> Bootstrapped:
    seed = seed_of(clusters.ids) if seed is None else seed
    interval, empty = cluster_interval(
        vectors,
        lambda sums: quotient(sums[:, 0], sums[:, 1]),
        generator(seed),
        seed=seed,
        level=level,
        resamples=resamples,
        method=method,
        max_empty_share=max_empty_share,
    )
    reason = "no questions" if not clusters.ids else "no question has a denominator"
    return Bootstrapped(Ratio(numerator, denominator, interval, reason), len(clusters.ids), ineligible, empty)
