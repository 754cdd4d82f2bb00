"""The one bootstrap engine: resample clusters, sum their vectors, apply a statistic to the sums.

Every statistic here is a function of sums over clusters (a ratio of totals, a kappa of a table, a
difference of two ratios), so a resample of n clusters is n row numbers and a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from answertrail.metrics.clusters import Floats
from answertrail.metrics.values import Interval, Undefined, checked_level

Method = Literal["percentile", "bca"]
Statistic = Callable[[Floats], Floats]  # rows of sums -> one number each, NaN where undefined

RESAMPLES = 10_000
MAX_EMPTY_SHARE = 0.01  # above this share of resamples without a value there is no interval
CELLS = 1 << 19  # row numbers held at once: 4 MB
SAME = 1e-12  # values closer than this, relative to 1 or their size, differ by rounding only


class Resampled(NamedTuple):
    """An interval, and how many resamples had no value (a denominator of 0) and were left out."""

    interval: Interval | Undefined
    empty: int


def blocks(rows: int, width: int, cells: int = CELLS) -> Iterator[int]:
    """Yield the sizes of blocks of rows that hold at most `cells` numbers each, and one row at least."""
    size = max(1, cells // max(1, width))
    for start in range(0, rows, size):
        yield min(size, rows - start)


def resampled_totals(vectors: Floats, resamples: int, rng: np.random.Generator, cells: int = CELLS) -> Floats:
    """Return `resamples` rows, each the sum of n rows drawn with replacement from the n of `vectors`.

    The draw does not depend on `cells`, which only bounds memory.
    """
    n = len(vectors)
    columns = [np.ascontiguousarray(column) for column in vectors.T]
    out = np.empty((resamples, len(columns)))
    done = 0
    for size in blocks(resamples, n, cells):
        drawn = rng.integers(0, n, size=(size, n))
        for number, column in enumerate(columns):
            out[done : done + size, number] = column[drawn].sum(axis=1)
        done += size
    return out


def cluster_interval(
    vectors: Floats,
    statistic: Statistic,
    rng: np.random.Generator,
    *,
    seed: int,
    level: float,
    resamples: int,
    method: Method,
    max_empty_share: float,
) -> Resampled:
    """Return the bootstrap interval of `statistic` of the summed `vectors`, one row per cluster.

    Undefined with fewer than two clusters, without an observed value, and as `interval_of` says.
    Raises ValueError on a level outside (0, 1), fewer than 2 resamples or an unknown method.
    """
    checked_level(level)
    if resamples < 2:
        raise ValueError(f"{resamples} resamples")
    if method not in ("percentile", "bca"):
        raise ValueError(f"method {method!r}: choose percentile or bca")
    if len(vectors) < 2:
        return Resampled(Undefined(f"{len(vectors)} question(s): nothing to resample"), 0)
    totals = np.array([[column.sum() for column in vectors.T]])
    observed = float(statistic(totals)[0])
    if np.isnan(observed):
        return Resampled(Undefined("the statistic itself is undefined"), 0)
    values = statistic(resampled_totals(vectors, resamples, rng))
    jackknife = statistic(totals - vectors) if method == "bca" else None
    return interval_of(
        values, observed, jackknife, seed=seed, level=level, name="cluster", max_empty_share=max_empty_share
    )


def interval_of(
    values: Floats,
    observed: float,
    jackknife: Floats | None,
    *,
    seed: int,
    level: float,
    name: str,
    max_empty_share: float,
) -> Resampled:
    """Turn resampled values into a percentile interval, or BCa if `jackknife` values are given.

    Quantiles interpolate linearly. NaN values are left out and counted. Undefined when their share
    is above `max_empty_share`, when all values are equal, or where BCa breaks down.
    """
    kept = values[~np.isnan(values)]
    empty = len(values) - len(kept)
    if empty > max_empty_share * len(values) or not len(kept):
        return Resampled(
            Undefined(f"{empty} of {len(values)} resamples have no value (at most {max_empty_share:.0%} may)"), empty
        )
    near = SAME * max(1.0, abs(observed))
    if float(np.ptp(kept)) <= near:
        return Resampled(
            Undefined("all resamples are equal: a bootstrap has nothing to vary; use an exact interval"), empty
        )
    tail = (1 - level) / 2
    shares = (tail, 1 - tail) if jackknife is None else bca_shares(kept, observed, jackknife, tail)
    if isinstance(shares, Undefined):
        return Resampled(shares, empty)
    low, high = np.quantile(kept, shares)
    method = f"{name}-percentile" if jackknife is None else f"{name}-bca"
    return Resampled(Interval(float(low), float(high), level, method, len(values), seed), empty)


def bca_shares(values: Floats, observed: float, jackknife: Floats, tail: float) -> tuple[float, float] | Undefined:
    """Return the two quantiles at which BCa reads the bootstrap distribution (Efron 1987).

    z0 = Phi^-1(share of values below the observed one, ties counted half);
    a = sum(d^3) / (6 (sum(d^2))^1.5) with d the mean of the jackknife values minus each;
    share = Phi(z0 + (z0 + z) / (1 - a (z0 + z))).
    Undefined when a left-out cluster leaves no value, when all jackknife values are equal, when
    the observed value is at an end of the distribution, or when 1 - a (z0 + z) is not positive.
    """
    if np.isnan(jackknife).any():
        return Undefined("BCa: leaving out one question leaves nothing to measure")
    d = jackknife.mean() - jackknife
    if float(np.abs(d).max()) <= SAME * max(1.0, abs(observed)):
        return Undefined("BCa: leaving out any one question changes nothing")
    acceleration = float((d**3).sum() / (6 * (d**2).sum() ** 1.5))
    near = SAME * max(1.0, abs(observed))
    below = float((values < observed - near).mean() + (values <= observed + near).mean()) / 2
    if not 0 < below < 1:
        return Undefined("BCa: the observed value is at an end of the bootstrap distribution")
    normal = NormalDist()
    z0 = normal.inv_cdf(below)
    shares = []
    for z in (normal.inv_cdf(tail), normal.inv_cdf(1 - tail)):
        scale = 1 - acceleration * (z0 + z)
        if scale <= 0:
            return Undefined("BCa: the acceleration is too large for this level")
        shares.append(normal.cdf(z0 + (z0 + z) / scale))
    return shares[0], shares[1]


def quotient(numerators: Floats, denominators: Floats) -> Floats:
    """Divide, with NaN where the denominator is not positive. For use inside resampling only."""
    out = np.full(numerators.shape, np.nan)
    np.divide(numerators, denominators, out=out, where=denominators > 0)
    return out
