"""Observations and tables for the tests of the measures."""

from __future__ import annotations

from hypothesis import strategies as st

from answertrail.metrics.clusters import Observation

FEW = 400  # resamples where only the form of the result matters

# One question: units found of units, once per repeat.
questions = st.lists(
    st.integers(1, 6).flatmap(lambda units: st.lists(st.tuples(st.integers(0, units), st.just(units)), min_size=1)),
    min_size=1,
    max_size=8,
)
tables = st.integers(2, 4).flatmap(
    lambda q: st.lists(st.lists(st.integers(0, 12), min_size=q, max_size=q), min_size=q, max_size=q)
)


def observed(world: list[list[tuple[int, int]]]) -> list[Observation]:
    """Number the questions and repeats of `questions`."""
    return [
        Observation(f"q{number}", found, units, repeat)
        for number, repeats in enumerate(world)
        for repeat, (found, units) in enumerate(repeats)
    ]


def once(**counts: tuple[float, float]) -> list[Observation]:
    """One repeat of each named question: (numerator, denominator)."""
    return [Observation(name, found, units) for name, (found, units) in counts.items()]
