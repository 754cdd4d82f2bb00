"""Tests of no difference between two systems on the same questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from answertrail.metrics.clusters import Observation
from answertrail.metrics.paired import Statistic, difference_of_rates, pair
from answertrail.metrics.resampling import RESAMPLES, SAME, blocks
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Undefined


@dataclass(frozen=True)
class TestResult:
    """A two-sided p-value: how it was computed, and the smallest that could have come out.

    `permutations` counts those looked at; `seed` is None when all were.
    """

    __test__ = False  # pytest would take the name for a test class

    p: float
    difference: float
    questions: int
    method: str
    permutations: int
    seed: int | None
    smallest: float


def sign_flip(
    first: Iterable[Observation],
    second: Iterable[Observation],
    *,
    statistic: Statistic = "means",
    permutations: int = RESAMPLES,
    seed: int | None = None,
) -> TestResult | Undefined:
    """Test whether swapping the systems' names, question by question, changes |second - first|.

    For means of per-question ratios a swap flips the sign of the question's difference (Fisher
    1935); for ratios of totals it swaps the question's counts. p = share of swaps whose |difference|
    is at least the observed one: exact over all 2^n when 2^n <= `permutations`, otherwise
    (hits + 1) / (permutations + 1) over random swaps (Phipson and Smyth 2010), so never 0.
    Ties count as hits, as does a swap that leaves a side without a denominator. All differences 0
    give p = 1. Undefined without common questions or a denominator. Raises ValueError on unequal
    repeats (names are then not exchangeable) or no permutations.
    """
    if permutations < 1:
        raise ValueError(f"{permutations} permutations")
    pairing = pair(first, second, statistic)
    for side in (pairing.first.value, pairing.second.value):
        if isinstance(side, Undefined):
            return side
    n, rows = len(pairing.ids), pairing.vectors
    difference = float(difference_of_rates(rows.sum(axis=0, keepdims=True))[0])
    exact = 2**n <= permutations
    seed = None if exact else seed_of(pairing.ids) if seed is None else seed
    totals, change = rows.sum(axis=0), rows[:, [2, 3, 0, 1]] - rows
    hits, count = 0, 0
    for swaps in _every_swap(n) if seed is None else _random_swaps(n, permutations, seed):
        values = np.abs(difference_of_rates(totals + swaps @ change))
        hits += int((np.isnan(values) | (values >= abs(difference) - SAME)).sum())
        count += len(swaps)
    if exact:
        return TestResult(hits / count, difference, n, "sign-flip-exact", count, None, min(1.0, 2 / count))
    p = (hits + 1) / (count + 1)
    return TestResult(p, difference, n, "sign-flip", count, seed, 1 / (count + 1))


def _every_swap(n: int) -> Iterator[npt.NDArray[np.float64]]:
    start = 0
    for size in blocks(2**n, n):
        numbers = np.arange(start, start + size)[:, None]
        yield ((numbers >> np.arange(n)) & 1).astype(np.float64)
        start += size


def _random_swaps(n: int, permutations: int, seed: int) -> Iterator[npt.NDArray[np.float64]]:
    rng = generator(seed)
    for size in blocks(permutations, n):
        yield rng.integers(0, 2, size=(size, n)).astype(np.float64)


def mcnemar(only_first: int, only_second: int) -> TestResult:
    """Return McNemar's exact two-sided test of a binary outcome: the two counts of disagreeing questions.

    p = min(1, 2 P(X <= min(counts))), X binomial(n, 1/2) over the n questions that only one system
    got right (McNemar 1947, exact form). No such question gives p = 1. `difference` is
    only_second - only_first, in questions. Raises ValueError on a negative count.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError(f"counts {only_first} and {only_second}")
    n, least = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(n, k) for k in range(least + 1))
    smallest = min(1.0, 2 / 2**n)
    return TestResult(min(1.0, 2 * tail / 2**n), only_second - only_first, n, "mcnemar-exact", 2**n, None, smallest)
