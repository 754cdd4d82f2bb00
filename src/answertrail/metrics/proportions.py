"""Intervals of a proportion of independent trials. Questions qualify; the units of one question do not."""

from __future__ import annotations

from math import exp, lgamma, log, log1p
from statistics import NormalDist

from answertrail.metrics.values import Interval, Undefined, checked_level
from answertrail.metrics.wilson import wilson

NO_TRIALS = Undefined("no trials")


def wilson_interval(successes: int, trials: int, level: float = 0.95) -> Interval | Undefined:
    """Return Wilson's score interval as a value. Undefined without trials; raises as `wilson`."""
    z = NormalDist().inv_cdf(1 - (1 - checked_level(level)) / 2)
    ends = wilson(successes, trials, z)
    return NO_TRIALS if ends is None else Interval(*ends, level, "wilson")


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> Interval | Undefined:
    """Return the exact interval (Clopper and Pearson 1934): never below its level, wider than Wilson's.

    low = the alpha/2 quantile of Beta(k, n - k + 1), 0 at k = 0; high = the 1 - alpha/2 quantile of
    Beta(k + 1, n - k), 1 at k = n. Undefined without trials. Raises ValueError unless
    0 <= successes <= trials and 0 < level < 1.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    tail = (1 - checked_level(level)) / 2
    if trials == 0:
        return NO_TRIALS
    low = beta_quantile(tail, successes, trials - successes + 1) if successes else 0.0
    high = 1 - beta_quantile(tail, trials - successes, successes + 1) if successes < trials else 1.0
    return Interval(low, high, level, "clopper-pearson")


def rule_of_three(trials: int, level: float = 0.95) -> Interval | Undefined:
    """Bound the rate of an event that was seen in none of `trials`: [0, -ln(1 - level) / trials], 3 / n at 95 %.

    One-sided, and slightly above the exact 1 - (1 - level)^(1/n) (Hanley and Lippman-Hand 1983);
    at most 1. Undefined without trials. Raises ValueError on a negative number of them.
    """
    if trials < 0:
        raise ValueError(f"{trials} trials")
    if trials == 0:
        return NO_TRIALS
    return Interval(0.0, min(1.0, -log1p(-checked_level(level)) / trials), level, "rule-of-three")


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return the x in [0, 1] with I_x(a, b) = share, by bisection down to neighbouring floats."""
    if not 0 < share < 1:
        raise ValueError(f"share {share} is not between 0 and 1")
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if incomplete_beta(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return high


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22).

    The fraction is used where it converges fast, x < (a + 1) / (a + b + 2), and the mirror image
    I_x(a, b) = 1 - I_(1-x)(b, a) elsewhere. Raises ValueError unless 0 <= x <= 1, a > 0 and b > 0;
    ArithmeticError if the fraction has not settled after its limit of steps.
    """
    if not (0 <= x <= 1 and a > 0 and b > 0):
        raise ValueError(f"x = {x}, a = {a}, b = {b}")
    if x in (0, 1):
        return float(x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction from its front by Lentz's method, as modified by Thompson and Barnett 1986."""
    tiny = 1e-300  # stands for a zero denominator
    value = c = 1.0
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 200 + int(20 * (a + b) ** 0.5)):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            value *= step
        if abs(step - 1) < 1e-16:
            return value
    raise ArithmeticError(f"the incomplete beta function does not settle at x = {x}, a = {a}, b = {b}")
