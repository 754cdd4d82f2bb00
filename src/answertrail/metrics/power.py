"""How small a difference a gold set can show, and how many questions a difference needs.

Paired designs: what counts is the spread of the per-question differences, not of the scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, erfc, exp, lgamma, log, sqrt
from statistics import NormalDist, stdev

from answertrail.metrics.clusters import Observation
from answertrail.metrics.paired import Statistic, pair
from answertrail.metrics.proportions import beta_quantile
from answertrail.metrics.resampling import SAME
from answertrail.metrics.values import Undefined, finite

LARGE = 10_000  # from here on the normal approximation is exact to less than one question in ten thousand


def spread(differences: Sequence[float]) -> float | Undefined:
    """Return the standard deviation (n - 1) of per-question differences, as of a pilot.

    Undefined with fewer than two, and when all are equal: then no number of questions follows.
    Raises ValueError on NaN or infinity.
    """
    values = [finite(value, "a difference") for value in differences]
    if len(values) < 2:
        return Undefined(f"{len(values)} difference(s): no spread")
    sd = stdev(values)
    return sd if sd > SAME else Undefined("all differences are equal: no spread")


def pilot_spread(
    first: Iterable[Observation], second: Iterable[Observation], statistic: Statistic = "means"
) -> float | Undefined:
    """Return the spread of the per-question differences second - first over the questions of both.

    For "means" of ratio(second) - ratio(first). For "totals" of what each question adds to the
    difference of the pooled rates, ((x - R y) / mean y) of the second less that of the first
    (the linearised ratio, Cochran 1977, section 6.3), so that sd / sqrt(n) is its standard error.
    It holds for the pilot's number of repeats: more of them make it smaller. Undefined as `spread`,
    and without a denominator on a side. Raises ValueError as `paired_difference`.
    """
    pairing = pair(first, second, statistic)
    for side in (pairing.first.value, pairing.second.value):
        if isinstance(side, Undefined):
            return side
    if statistic == "means":
        return spread((pairing.vectors[:, 2] - pairing.vectors[:, 0]).tolist())
    shares = []
    for x, y in ((0, 1), (2, 3)):
        found, units = pairing.vectors[:, x], pairing.vectors[:, y]
        shares.append((found - found.sum() / units.sum() * units) / units.mean())
    return spread((shares[1] - shares[0]).tolist())


def paired_power(questions: int, difference: float, sd: float, alpha: float = 0.05) -> float:
    """Return the chance that a two-sided paired t-test at `alpha` finds a true mean difference.

    P(|T| > t) with T noncentral t, n - 1 degrees of freedom, noncentrality difference sqrt(n) / sd
    (Cohen 1988), integrated numerically over the sample spread. Raises ValueError with fewer than
    two questions, sd <= 0 or alpha outside (0, 1).
    """
    _check(sd, alpha, (1 + alpha) / 2)
    if questions < 2:
        raise ValueError(f"{questions} question(s)")
    df, shift = questions - 1, abs(finite(difference, "difference")) * sqrt(questions) / sd
    x = beta_quantile(alpha, df / 2, 0.5)
    critical = sqrt(df * (1 - x) / x)
    low, high = max(0.0, 1 - 12 / sqrt(2 * df)), 1 + 12 / sqrt(2 * df)
    steps = 800
    width = (high - low) / steps
    constant = log(2) + df / 2 * log(df / 2) - lgamma(df / 2)
    power = 0.0
    for step in range(steps + 1):
        s = low + step * width  # sample spread over the true one, times its density, by Simpson's rule
        density = exp(constant + (df - 1) * log(s) - df * s * s / 2) if s else (exp(constant) if df == 1 else 0.0)
        tails = erfc((critical * s - shift) / sqrt(2)) + erfc((critical * s + shift) / sqrt(2))
        power += (1 if step in (0, steps) else 4 if step % 2 else 2) * density * tails / 2
    return min(1.0, power * width / 3)


def detectable_difference(questions: int, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> float | Undefined:
    """Return the smallest mean paired difference that `questions` show with chance `power`.

    The inverse of `paired_power`, by bisection; the normal formula (z_alpha/2 + z_power) sd / sqrt(n)
    from 10,000 questions on. Undefined with fewer than two questions. Raises ValueError on sd <= 0
    and on alpha or power outside (0, 1), or power <= alpha.
    """
    z = _check(sd, alpha, power)
    if questions < 2:
        return Undefined(f"{questions} question(s): no paired test")
    if questions >= LARGE:
        return z * sd / sqrt(questions)
    low, high = 0.0, z * sd / sqrt(questions)
    while paired_power(questions, high, sd, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if paired_power(questions, middle, sd, alpha) < power else (low, middle)
    return high


def questions_needed(difference: float, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> int | Undefined:
    """Return the fewest questions that show a mean paired `difference` with chance `power`; at least 2.

    Undefined for a difference of 0, which no number shows. Raises ValueError as `detectable_difference`.
    """
    z = _check(sd, alpha, power)
    if difference == 0:
        return Undefined("a difference of 0 cannot be detected")
    guess = (z * sd / abs(finite(difference, "difference"))) ** 2 + NormalDist().inv_cdf(1 - alpha / 2) ** 2 / 2
    n = max(2, ceil(guess))  # Guenther 1981, within a question or two of the exact number
    if n >= LARGE:
        return n
    while paired_power(n, difference, sd, alpha) < power:
        n += 1
    while n > 2 and paired_power(n - 1, difference, sd, alpha) >= power:
        n -= 1
    return n


def binary_questions_needed(
    difference: float, discordant: float, *, alpha: float = 0.05, power: float = 0.8
) -> int | Undefined:
    """Return the questions McNemar's test needs: outcomes right or wrong, `discordant` = share that differ.

    n = (z_alpha/2 sqrt(psi) + z_power sqrt(psi - d^2))^2 / d^2 (Connor 1987), psi the discordant
    share, d the difference of the two systems' shares; a normal approximation, a little low for
    the exact test. Undefined for d = 0. Raises ValueError unless |d| <= psi <= 1 and psi > 0.
    """
    _check(1.0, alpha, power)
    if not 0 < discordant <= 1 or not abs(difference) <= discordant:
        raise ValueError(f"difference {difference} with a discordant share of {discordant}")
    if difference == 0:
        return Undefined("a difference of 0 cannot be detected")
    return ceil((_connor(abs(difference), discordant, alpha, power) / difference) ** 2 - 1e-9)


def binary_detectable_difference(
    questions: int, discordant: float, *, alpha: float = 0.05, power: float = 0.8
) -> float | Undefined:
    """Return the smallest difference of two shares that McNemar's test shows, the inverse of the above.

    Undefined when even d = psi, every differing question on one side, would not show. Raises
    ValueError unless questions >= 1 and 0 < psi <= 1.
    """
    _check(1.0, alpha, power)
    if questions < 1 or not 0 < discordant <= 1:
        raise ValueError(f"{questions} question(s) with a discordant share of {discordant}")
    low, high = 0.0, discordant
    if _connor(high, discordant, alpha, power) > high * sqrt(questions):
        return Undefined(f"{questions} question(s) with {discordant:.1%} discordant cannot show any difference")
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        shows = _connor(middle, discordant, alpha, power) <= middle * sqrt(questions)
        low, high = (low, middle) if shows else (middle, high)
    return high


def _connor(difference: float, discordant: float, alpha: float, power: float) -> float:
    normal = NormalDist()
    rest = sqrt(max(0.0, discordant - difference**2))
    return normal.inv_cdf(1 - alpha / 2) * sqrt(discordant) + normal.inv_cdf(power) * rest


def _check(sd: float, alpha: float, power: float) -> float:
    """Return z_alpha/2 + z_power. Raises ValueError on what no design has."""
    if not (finite(sd, "sd") > 0 and 0 < alpha < power < 1):
        raise ValueError(f"sd {sd}, alpha {alpha}, power {power}")
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
