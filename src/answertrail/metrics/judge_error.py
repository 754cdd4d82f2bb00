"""Correcting a rate of verdicts for the judge's errors. The estimator follows from how labels were drawn.

A rate of HITs counts the judge's false HITs and lacks its false MISSes. Labels by a person on some
of the pairs say how often each happens, but what they estimate depends on the draw:

- "random": pairs drawn without a look at verdict or truth. Rogan-Gladen.
- "truth": so many true HITs and true MISSes drawn (or built). Rogan-Gladen; says something about
  negatives like the labelled ones only.
- "verdict": so many judged HITs and judged MISSes drawn. Their sensitivity and specificity are
  those of the draw, not of the judge; weights by the known verdict totals put that right.
- labels of known probability, or a verdict draw whose labels name their question:
  `prediction_powered`, in its own module, whose interval also knows how truth varies by question.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from answertrail.metrics.bootstrap import ratio_of_totals
from answertrail.metrics.clusters import Floats, Observation, clusters_of
from answertrail.metrics.proportions import rule_of_three
from answertrail.metrics.resampling import (
    MAX_EMPTY_SHARE,
    RESAMPLES,
    SAME,
    Resampled,
    interval_of,
    quotient,
    resampled_totals,
)
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined, checked_level

Design = Literal["random", "truth", "verdict"]

TOO_NARROW = (
    "the interval draws labels apart from the questions they belong to, which it is not told, and is too narrow: "
    "at 95 % it held the truth in 83 to 90 % of simulated worlds. Where pairs name their questions, use "
    "prediction_powered(drawn_by_verdict(pairs))"
)


class VerdictTotals(NamedTuple):
    """How many pairs the judge called HIT and MISS where the labelled ones were drawn."""

    hits: int
    misses: int


@dataclass(frozen=True)
class Calibration:
    """Labelled pairs by verdict and label: a false hit is judged HIT and labelled MISS."""

    true_hits: int
    false_hits: int
    false_misses: int
    true_misses: int

    def __post_init__(self) -> None:
        if min(self.cells) < 0:
            raise ValueError(f"a negative count among {self.cells}")

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The four counts, in the order of the fields."""
        return self.true_hits, self.false_hits, self.false_misses, self.true_misses

    def sensitivity(self) -> Ratio:
        """Return judged HIT / labelled HIT, unweighted: the judge's only in a random or truth draw."""
        return Ratio(self.true_hits, self.true_hits + self.false_misses, if_empty="no pair is labelled HIT")

    def specificity(self) -> Ratio:
        """Return judged MISS / labelled MISS, unweighted: the judge's only in a random or truth draw."""
        return Ratio(self.true_misses, self.true_misses + self.false_hits, if_empty="no pair is labelled MISS")

    def weighted(self, totals: VerdictTotals) -> tuple[float, float] | Undefined:
        """Return sensitivity and specificity with each verdict's labels weighted up to its total.

        Undefined when a verdict that occurs has no label, or when one truth has none.
        """
        rates = _sensitivity_specificity(np.array([self.cells], dtype=np.float64), totals)
        if isinstance(rates, Undefined):
            return rates
        pair = float(rates[0][0]), float(rates[1][0])
        return Undefined("no pair is labelled HIT, or none MISS") if np.isnan(pair).any() else pair


@dataclass(frozen=True)
class Corrected:
    """A rate as judged and as corrected, and why it was corrected this way.

    `estimate` may lie outside [0, 1], which says that calibration and rate do not fit together;
    `clipped` is the same moved into it. `warnings` say what the interval cannot know.
    """

    raw: Ratio
    estimate: Estimate | Undefined
    clipped: Estimate | Undefined
    estimator: str
    why: str
    warnings: tuple[str, ...]
    empty_resamples: int


def rogan_gladen(rate: float, sensitivity: float, specificity: float) -> float | Undefined:
    """Return (rate + specificity - 1) / (sensitivity + specificity - 1) (Rogan and Gladen 1978), unclipped.

    Undefined at sensitivity + specificity <= 1: such a judge's verdicts do not tell HIT from MISS.
    Raises ValueError for an argument outside [0, 1].
    """
    for name, share in (("rate", rate), ("sensitivity", sensitivity), ("specificity", specificity)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} {share} is not between 0 and 1")
    if sensitivity + specificity - 1 <= SAME:
        return Undefined(f"sensitivity {sensitivity:.3f} + specificity {specificity:.3f} is not above 1")
    return (rate + specificity - 1) / (sensitivity + specificity - 1)


def stratified_rate(rate: float, calibration: Calibration) -> float | Undefined:
    """Return rate x P(true | judged HIT) + (1 - rate) x P(true | judged MISS), by the labels of each verdict.

    Equal to Rogan-Gladen with sensitivity and specificity weighted by the same verdict totals.
    Undefined when a verdict that occurs has no label. Raises ValueError for a rate outside [0, 1].
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate {rate} is not between 0 and 1")
    value = float(_stratified(np.array([rate]), np.array([calibration.cells], dtype=np.float64))[0])
    return Undefined("a verdict that occurs has no labelled pair") if np.isnan(value) else value


def corrected_rate(
    target: Iterable[Observation],
    calibration: Calibration,
    design: Design,
    *,
    pool: VerdictTotals | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int | None = None,
    max_empty_share: float = MAX_EMPTY_SHARE,
) -> Corrected:
    """Correct the ratio of totals of `target` (HITs / judged pairs by question), as `design` demands.

    "random" and "truth": Rogan-Gladen. "verdict": the stratified estimate when the labels were
    drawn from the target's own pairs; Rogan-Gladen with weights by the totals of `pool` when they
    were drawn from another. The interval is percentile over resamples that draw the questions and,
    independently, the labels within the strata of the design, as if within one stratum truth did
    not depend on the question. For labels of the target's own pairs that is too narrow, which a
    warning says: `prediction_powered` is the estimator for pairs that name their questions. Undefined as
    `rogan_gladen` and `stratified_rate`; the interval with fewer than two questions, or when more
    than `max_empty_share` of the resamples have no estimate. Raises ValueError for a count of HITs
    outside 0..judged, an unknown design, or a pool with a design that has no use for it.
    """
    if design not in ("random", "truth", "verdict") or (pool is not None and design != "verdict"):
        raise ValueError(f"design {design!r} with pool {pool}")
    checked_level(level)
    records = list(target)
    clusters = clusters_of(records)
    for name, x, y in zip(clusters.ids, clusters.numerators, clusters.denominators, strict=True):
        if not 0 <= x <= y:
            raise ValueError(f"question {name!r}: {x} HITs of {y} judged pairs")
    seed = seed_of(clusters.ids) if seed is None else seed
    raw = ratio_of_totals(records, level=level, resamples=resamples, seed=seed).ratio
    estimator, why = _choice(design, pool)
    warnings = _warnings(calibration, design, own=pool is None)

    def result(estimate: Estimate | Undefined, empty: int = 0) -> Corrected:
        clipped = estimate if isinstance(estimate, Undefined) else estimate.clipped(0, 1)
        return Corrected(raw, estimate, clipped, estimator, why, warnings, empty)

    rate = raw.value
    if isinstance(rate, Undefined):
        return result(rate)
    value = _point(rate, calibration, design, pool)
    if isinstance(value, Undefined):
        return result(value)
    if len(clusters.ids) < 2:
        return result(Estimate(value, Undefined("1 question: nothing to resample")))
    sums = resampled_totals(clusters.vectors(), resamples, generator(seed))
    cells = _resampled_cells(calibration, design, resamples, generator(seed, stream=1))
    values = _points(quotient(sums[:, 0], sums[:, 1]), cells, design, pool)
    done: Resampled = interval_of(
        values, value, None, seed=seed, level=level, name="labels-and-cluster", max_empty_share=max_empty_share
    )
    return result(Estimate(value, done.interval), done.empty)


def _choice(design: Design, pool: VerdictTotals | None) -> tuple[str, str]:
    if design == "random":
        return "rogan-gladen", "labels drawn at random: their sensitivity and specificity are the judge's"
    if design == "truth":
        return "rogan-gladen", "labels drawn by truth: sensitivity and specificity each from its own stratum"
    if pool is None:
        return "stratified", "labels drawn by the judge's verdict among these pairs: weighted by verdict totals"
    return "rogan-gladen-weighted", "labels drawn by the judge's verdict in another pool: weighted by its totals"


def _warnings(calibration: Calibration, design: Design, *, own: bool) -> tuple[str, ...]:
    """`own`: the labels are of pairs of the target itself."""
    found = []
    if design == "verdict" and own:
        found.append(TOO_NARROW)
    if design == "truth":
        found.append("specificity holds for negatives like the labelled ones; built negatives are easy ones")
    if design == "verdict":
        strata = (calibration.true_hits + calibration.false_hits, calibration.false_misses + calibration.true_misses)
        names = ("false hit", "false miss")
    else:
        strata = (calibration.false_hits + calibration.true_misses, calibration.true_hits + calibration.false_misses)
        names = ("false hit", "false miss")
    for name, errors, labels in zip(names, (calibration.false_hits, calibration.false_misses), strata, strict=True):
        bound = rule_of_three(labels)
        if errors == 0 and isinstance(bound, Interval):
            found.append(
                f"no {name} among {labels} labels: resampling takes that error as 0, the rule of three allows "
                f"{bound.high:.1%}"
            )
    return tuple(found)


def _point(rate: float, calibration: Calibration, design: Design, pool: VerdictTotals | None) -> float | Undefined:
    if design == "verdict":
        if pool is None:
            return stratified_rate(rate, calibration)
        rates = calibration.weighted(pool)
        return rates if isinstance(rates, Undefined) else rogan_gladen(rate, *rates)
    sensitivity, specificity = calibration.sensitivity().value, calibration.specificity().value
    if isinstance(sensitivity, Undefined):
        return sensitivity
    if isinstance(specificity, Undefined):
        return specificity
    return rogan_gladen(rate, sensitivity, specificity)


def _points(rates: Floats, cells: Floats, design: Design, pool: VerdictTotals | None) -> Floats:
    """Return the estimate of each resample; NaN where it has none."""
    if design == "verdict" and pool is None:
        return _stratified(rates, cells)
    both = _sensitivity_specificity(cells, pool)
    if isinstance(both, Undefined):
        return np.full(len(rates), np.nan)
    sensitivity, specificity = both
    apart = sensitivity + specificity - 1
    return quotient(rates + specificity - 1, np.where(apart > SAME, apart, 0.0))


def _stratified(rates: Floats, cells: Floats) -> Floats:
    true_hits, false_hits, false_misses, true_misses = cells.T
    among_hits = quotient(true_hits, true_hits + false_hits)
    among_misses = quotient(false_misses, false_misses + true_misses)
    hits = np.where(rates == 0, 0.0, rates * among_hits)
    return hits + np.where(rates == 1, 0.0, (1 - rates) * among_misses)


def _sensitivity_specificity(cells: Floats, pool: VerdictTotals | None) -> tuple[Floats, Floats] | Undefined:
    """Return both rates of each row of cells; the labels of each verdict weigh up to its total in `pool`."""
    true_hits, false_hits, false_misses, true_misses = cells.T
    if pool is not None:
        hits, misses = true_hits + false_hits, false_misses + true_misses
        if (pool.hits and not hits.all()) or (pool.misses and not misses.all()):
            return Undefined("a verdict that occurs has no labelled pair")
        up_hits = pool.hits / np.where(hits > 0, hits, 1)
        up_misses = pool.misses / np.where(misses > 0, misses, 1)
        true_hits, false_hits = true_hits * up_hits, false_hits * up_hits
        false_misses, true_misses = false_misses * up_misses, true_misses * up_misses
    return quotient(true_hits, true_hits + false_misses), quotient(true_misses, true_misses + false_hits)


def _resampled_cells(calibration: Calibration, design: Design, resamples: int, rng: np.random.Generator) -> Floats:
    """Draw the labels again, as many in each stratum of the design as there were."""
    cells = np.array(calibration.cells, dtype=np.float64)
    strata = {"random": [[0, 1, 2, 3]], "verdict": [[0, 1], [2, 3]], "truth": [[0, 2], [1, 3]]}[design]
    out = np.zeros((resamples, 4))
    for rows in strata:
        labels = cells[rows].sum()
        if labels:
            out[:, rows] = rng.multinomial(int(labels), cells[rows] / labels, size=resamples)
    return out
