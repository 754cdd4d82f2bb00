"""Prediction-powered rate: every pair judged, some labelled with a known probability of being drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from answertrail.metrics.bootstrap import ratio_of_totals
from answertrail.metrics.clusters import Observation
from answertrail.metrics.judge_error import Corrected
from answertrail.metrics.resampling import MAX_EMPTY_SHARE, RESAMPLES, interval_of, resampled_totals
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Estimate, Undefined, checked_level


class JudgedPair(NamedTuple):
    """One judged pair: its verdict, and its label with the probability of having been drawn for one.

    `stratum` names the group within which pairs were drawn, if there were groups.
    """

    pair_id: str
    question_id: str
    hit: bool
    label: bool | None = None
    probability: float | None = None
    stratum: str = ""


def prediction_powered(
    pairs: Iterable[JudgedPair],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int | None = None,
    max_empty_share: float = MAX_EMPTY_SHARE,
) -> Corrected:
    """Return mean verdict + sum over strata of W x mean weighted (label - verdict) of the labelled pairs.

    W is the stratum's share of all pairs; weights are 1 / probability, normalised within the
    stratum (Angelopoulos et al. 2023; Hajek 1971). With one stratum and equal probabilities this is
    the classical prediction-powered mean, with strata by verdict the stratified estimate. The
    interval is percentile over resamples that draw questions and, independently, the labelled pairs
    within strata. Undefined without pairs or when a stratum has no label; the interval with fewer
    than two questions, or when a stratum that is not labelled throughout has a single label. Raises
    ValueError for a pair id met twice and for a label without a probability in (0, 1].
    """
    checked_level(level)
    known = sorted(pairs, key=lambda pair: pair.pair_id)
    _check(known)
    strata = sorted({pair.stratum for pair in known})
    questions = sorted({pair.question_id for pair in known})
    seed = seed_of(questions) if seed is None else seed
    totals: dict[str, list[int]] = {name: [0] * (1 + len(strata)) for name in questions}
    labelled: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for pair in known:
        totals[pair.question_id][0] += int(pair.hit)
        totals[pair.question_id][1 + strata.index(pair.stratum)] += 1
        if pair.label is not None and pair.probability is not None:
            weight = 1 / pair.probability
            labelled[pair.stratum].append((weight * (int(pair.label) - int(pair.hit)), weight))
    raw = ratio_of_totals(
        [Observation(name, row[0], sum(row[1:])) for name, row in totals.items()],
        level=level,
        resamples=resamples,
        seed=seed,
    ).ratio

    def result(estimate: Estimate | Undefined, warnings: tuple[str, ...] = (), empty: int = 0) -> Corrected:
        clipped = estimate if isinstance(estimate, Undefined) else estimate.clipped(0, 1)
        why = "labels drawn with known probability: the judge's mean, corrected by the labelled differences"
        return Corrected(raw, estimate, clipped, "prediction-powered", why, warnings, empty)

    if not known:
        return result(Undefined("no pairs"))
    if missing := [name for name in strata if not labelled[name]]:
        return result(Undefined(f"stratum {missing[0]!r} has no labelled pair"))
    vectors = np.array([totals[name] for name in questions], dtype=np.float64)
    sums = vectors.sum(axis=0, keepdims=True)
    labels = {name: np.array(labelled[name]) for name in strata}
    corrections = np.array([[labels[name][:, 0].sum() / labels[name][:, 1].sum() for name in strata]])
    value = float(((sums[:, 0] + (sums[:, 1:] * corrections).sum(axis=1)) / sums[:, 1:].sum(axis=1))[0])
    warnings = tuple(
        f"no error among the {len(labels[name])} labels of stratum {name!r}: resampling takes it as 0"
        for name in strata
        if not labels[name][:, 0].any()
    )
    single = [name for column, name in enumerate(strata, 1) if len(labels[name]) == 1 < sums[0, column]]
    if len(questions) < 2 or single:
        reason = f"stratum {single[0]!r} has a single label" if single else "1 question: nothing to resample"
        return result(Estimate(value, Undefined(reason)), warnings)
    drawn = resampled_totals(vectors, resamples, generator(seed))
    counts = drawn[:, 1:]
    hits = drawn[:, 0].copy()
    for column, name in enumerate(strata):
        again = resampled_totals(labels[name], resamples, generator(seed, stream=1 + column))
        hits += counts[:, column] * again[:, 0] / again[:, 1]
    values = hits / counts.sum(axis=1)
    interval, empty = interval_of(
        values, value, None, seed=seed, level=level, name="labels-and-cluster", max_empty_share=max_empty_share
    )
    return result(Estimate(value, interval), warnings, empty)


def _check(pairs: list[JudgedPair]) -> None:
    for before, after in pairwise(pairs):
        if before.pair_id == after.pair_id:
            raise ValueError(f"pair {after.pair_id!r} is given twice")
    for pair in pairs:
        if pair.label is not None and not (pair.probability is not None and 0 < pair.probability <= 1):
            raise ValueError(f"pair {pair.pair_id!r} is labelled with probability {pair.probability}")
