"""Prediction-powered rate: every pair judged, some labelled with a known probability of being drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from answertrail.metrics.bootstrap import ratio_of_totals
from answertrail.metrics.clusters import Floats, Observation
from answertrail.metrics.judge_error import Corrected
from answertrail.metrics.resampling import MAX_EMPTY_SHARE, RESAMPLES, Method, cluster_interval, quotient
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Estimate, Undefined

WHY = "labels drawn with known probability: the judge's mean, corrected by the labelled differences"


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
    method: Method = "percentile",
    seed: int | None = None,
    max_empty_share: float = MAX_EMPTY_SHARE,
) -> Corrected:
    """Return mean verdict + sum over strata of W x mean weighted (label - verdict) of the labelled pairs.

    W is the stratum's share of all pairs; weights are 1 / probability, normalised within the
    stratum (Angelopoulos et al. 2023; Hajek 1971). With one stratum and equal probabilities this is
    the classical prediction-powered mean, with strata by verdict the stratified estimate.

    A resample draws questions with their verdicts and their labels. Drawing labels apart from
    questions would miss that truth varies between questions beyond what the judge says, and covers
    too seldom. Undefined without pairs or when a stratum has no label; resamples in which a stratum
    has none are counted, and above `max_empty_share` there is no interval. Raises ValueError for a
    pair id met twice and for a label without a probability in (0, 1].
    """
    known = sorted(pairs, key=lambda pair: pair.pair_id)
    _check(known)
    strata = sorted({pair.stratum for pair in known})
    questions = sorted({pair.question_id for pair in known})
    seed = seed_of(questions) if seed is None else seed
    vectors = _vectors(known, questions, strata)
    counts = Counter(pair.question_id for pair in known)
    raw = ratio_of_totals(
        [Observation(name, int(row[0]), counts[name]) for name, row in zip(questions, vectors, strict=True)],
        level=level,
        resamples=resamples,
        method=method,
        seed=seed,
    ).ratio
    labelled = {pair.stratum for pair in known if pair.label is not None}
    if not known or (missing := [name for name in strata if name not in labelled]):
        nothing = Undefined(f"stratum {missing[0]!r} has no labelled pair" if known else "no pairs")
        return Corrected(raw, nothing, nothing, "prediction-powered", WHY, (), 0)
    interval, empty = cluster_interval(
        vectors,
        lambda sums: _estimates(sums, len(strata)),
        generator(seed),
        seed=seed,
        level=level,
        resamples=resamples,
        method=method,
        max_empty_share=max_empty_share,
    )
    estimate = Estimate(float(_estimates(vectors.sum(axis=0, keepdims=True), len(strata))[0]), interval)
    wrong = {pair.stratum for pair in known if pair.label is not None and pair.label != pair.hit}
    warnings = tuple(
        f"no error among the labels of stratum {name!r}: resampling takes it as 0"
        for name in strata
        if name not in wrong
    )
    return Corrected(raw, estimate, estimate.clipped(0, 1), "prediction-powered", WHY, warnings, empty)


def drawn_by_verdict(pairs: Iterable[JudgedPair]) -> list[JudgedPair]:
    """Return the pairs with the stratum and probability of a verdict-stratified draw.

    The stratum is HIT or MISS, the probability of a label labelled / all of that verdict.
    """
    known = list(pairs)
    totals = Counter(pair.hit for pair in known)
    labels = Counter(pair.hit for pair in known if pair.label is not None)
    return [
        pair._replace(
            stratum="HIT" if pair.hit else "MISS",
            probability=None if pair.label is None else labels[pair.hit] / totals[pair.hit],
        )
        for pair in known
    ]


def _vectors(pairs: list[JudgedPair], questions: list[str], strata: list[str]) -> Floats:
    """One row a question: HITs; then by stratum pairs, weighted differences, weights."""
    row = {name: number for number, name in enumerate(questions)}
    column = {name: number for number, name in enumerate(strata)}
    k = len(strata)
    vectors = np.zeros((len(questions), 1 + 3 * k))
    for pair in pairs:
        sums, place = vectors[row[pair.question_id]], column[pair.stratum]
        sums[0] += int(pair.hit)
        sums[1 + place] += 1
        if pair.label is not None and pair.probability is not None:
            sums[1 + k + place] += (int(pair.label) - int(pair.hit)) / pair.probability
            sums[1 + 2 * k + place] += 1 / pair.probability
    return vectors


def _estimates(sums: Floats, k: int) -> Floats:
    """Return the estimate of each row; NaN where a stratum that occurs has no label."""
    pairs = sums[:, 1 : 1 + k]
    corrections = quotient(sums[:, 1 + k : 1 + 2 * k], sums[:, 1 + 2 * k :])
    hits = sums[:, 0] + np.where(pairs > 0.5, pairs * corrections, 0.0).sum(axis=1)  # whole numbers, up to rounding
    return quotient(hits, pairs.sum(axis=1))


def _check(pairs: list[JudgedPair]) -> None:
    twice = [name for name, count in Counter(pair.pair_id for pair in pairs).items() if count > 1]
    if twice:
        raise ValueError(f"pair {twice[0]!r} is given twice")
    for pair in pairs:
        if pair.label is not None and not (pair.probability is not None and 0 < pair.probability <= 1):
            raise ValueError(f"pair {pair.pair_id!r} is labelled with probability {pair.probability}")
