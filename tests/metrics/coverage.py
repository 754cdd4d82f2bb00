"""How often the intervals hold the truth, in worlds whose truth is known: `python -m tests.metrics.coverage`.

Prints the two tables of docs/statistics.md, in about a minute. Not a test: it takes too long.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from answertrail.metrics.bootstrap import mean_of_ratios, ratio_of_totals
from answertrail.metrics.clusters import Observation
from answertrail.metrics.judge_error import Calibration, corrected_rate
from answertrail.metrics.permutation import sign_flip
from answertrail.metrics.prediction_powered import JudgedPair, drawn_by_verdict, prediction_powered
from answertrail.metrics.values import Interval

WORLDS = 600
RESAMPLES = 1000


def holds(interval: object, truth: float) -> bool | None:
    return interval.low <= truth <= interval.high if isinstance(interval, Interval) else None


def rates(rng: np.random.Generator, n: int) -> None:
    """Questions of 1 to 5 units, each with its own chance; the true rate is 0.75. Two equal systems for the test."""
    seen: dict[str, list[bool | None]] = {}
    for _ in range(WORLDS):
        units, chances = rng.integers(1, 6, size=n), rng.beta(3, 1, size=n)
        one, two = (
            [Observation(f"q{q}", int(x), int(y)) for q, (x, y) in enumerate(zip(found, units, strict=True))]
            for found in (rng.binomial(units, chances), rng.binomial(units, chances))
        )
        for rate in (ratio_of_totals, mean_of_ratios):
            for method in ("percentile", "bca"):
                done = rate(one, method=method, resamples=RESAMPLES).ratio.interval
                seen.setdefault(f"{rate.__name__} {method}", []).append(holds(done, 0.75))
        test = sign_flip(one, two, permutations=RESAMPLES)
        seen.setdefault("sign flip, p <= 0.05", []).append(test.p <= 0.05)
    print(f"{n} questions:", {name: share(values) for name, values in seen.items()})


def corrections(rng: np.random.Generator, n: int, units: int, labels: int, by_verdict: bool) -> None:
    """Judge with sensitivity 0.95 and specificity 0.8; the true rate is 0.5 and varies between questions."""
    seen: dict[str, list[bool | None]] = {}
    for _ in range(WORLDS):
        true = rng.random((n, units)) < rng.beta(2, 2, size=n)[:, None]
        hit = np.where(true, rng.random((n, units)) < 0.95, rng.random((n, units)) < 0.2)
        pool = (
            [np.flatnonzero(hit.ravel() == verdict) for verdict in (True, False)] if by_verdict else [range(hit.size)]
        )
        drawn = {int(row) for rows in pool for row in rng.choice(rows, min(labels // len(pool), len(rows)), False)}
        pairs = [
            JudgedPair(
                f"{row}",
                f"q{row // units}",
                bool(hit.flat[row]),
                bool(true.flat[row]) if row in drawn else None,
                labels / hit.size,
            )
            for row in range(hit.size)
        ]
        counts = Counter((pair.hit, pair.label) for pair in pairs)
        calibration = Calibration(*(counts[cell] for cell in ((1, 1), (1, 0), (0, 1), (0, 0))))
        target = [Observation(f"q{q}", int(found), units) for q, found in enumerate(hit.sum(axis=1))]
        design = "verdict" if by_verdict else "random"
        results = {
            "corrected_rate": corrected_rate(target, calibration, design, resamples=RESAMPLES),
            "prediction_powered": prediction_powered(
                drawn_by_verdict(pairs) if by_verdict else pairs, resamples=RESAMPLES
            ),
        }
        seen.setdefault("raw", []).append(holds(results["corrected_rate"].raw.interval, 0.5))
        for name, done in results.items():
            interval = getattr(done.estimate, "interval", None)
            seen.setdefault(name, []).append(holds(interval, 0.5))
    print(f"{n} x {units}, {labels} labels, {design}:", {name: share(values) for name, values in seen.items()})


def share(values: list[bool | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.3f}" + (f" ({len(values) - len(known)} undefined)" if None in values else "")


if __name__ == "__main__":
    generator = np.random.default_rng(20260726)
    for size in (5, 10, 25, 60):
        rates(generator, size)
    for verdicts in (False, True):
        corrections(generator, 40, 6, 80, verdicts)
        corrections(generator, 25, 12, 66, verdicts)
    corrections(generator, 25, 20, 200, by_verdict=True)
