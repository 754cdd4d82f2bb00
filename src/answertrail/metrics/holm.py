"""Holm's correction for several comparisons."""

from __future__ import annotations

from collections.abc import Mapping


def holm(p_values: Mapping[str, float], tests: int | None = None) -> dict[str, float]:
    """Return the step-down adjusted p-values of one family of tests (Holm 1979), in the order given.

    With p sorted upwards, adjusted_i = max over j <= i of min(1, (m - j + 1) p_j), m the number
    of tests. Reject where adjusted <= alpha: the chance of any false rejection is then at most
    alpha, however the tests depend. Equal p-values get equal results. `tests` is m where the family
    is larger than what is given: those without a p, or with one not known here, count as p = 1,
    which never makes an adjusted p too small. An empty family gives an empty one. Raises
    ValueError for a p outside [0, 1] or NaN, and for fewer `tests` than p-values.
    """
    for name, p in p_values.items():
        if not 0 <= p <= 1:
            raise ValueError(f"p-value of {name!r} is {p}")
    count = len(p_values) if tests is None else tests
    if count < len(p_values):
        raise ValueError(f"{len(p_values)} p-values in a family of {count} tests")
    adjusted: dict[str, float] = {}
    highest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda key: (p_values[key], key))):
        highest = max(highest, min(1.0, (count - rank) * p_values[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}
