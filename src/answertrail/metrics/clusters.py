"""What a cluster is: a question with all its repeats. Every interval takes its clusters from here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from answertrail.metrics.values import finite

Floats = npt.NDArray[np.float64]


class Observation(NamedTuple):
    """One measurement of one question in one repeat: `numerator` units counted among `denominator`."""

    question_id: str
    numerator: float
    denominator: float
    repeat: int = 0


@dataclass(frozen=True)
class Clusters:
    """Totals by question, in the order of question ids, so that the order of records is forgotten."""

    ids: tuple[str, ...]
    numerators: tuple[float, ...]
    denominators: tuple[float, ...]
    repeats: tuple[int, ...]

    def keep(self, wanted: Iterable[str]) -> Clusters:
        """Return the clusters whose id is wanted."""
        names = set(wanted)
        rows = [row for row, name in enumerate(self.ids) if name in names]
        return Clusters(
            tuple(self.ids[row] for row in rows),
            tuple(self.numerators[row] for row in rows),
            tuple(self.denominators[row] for row in rows),
            tuple(self.repeats[row] for row in rows),
        )

    @property
    def empty(self) -> tuple[str, ...]:
        """Ids of the questions whose denominator is 0 over all repeats."""
        return tuple(name for name, total in zip(self.ids, self.denominators, strict=True) if total == 0)

    @property
    def ratios(self) -> tuple[float, ...]:
        """numerator / denominator by question. Raises ZeroDivisionError if a question is empty."""
        return tuple(x / y for x, y in zip(self.numerators, self.denominators, strict=True))

    def totals(self) -> tuple[float, float]:
        """Return the sums of numerators and denominators."""
        return total(self.numerators), total(self.denominators)

    def vectors(self) -> Floats:
        """Return one row (numerator, denominator) per question."""
        return np.array([self.numerators, self.denominators], dtype=np.float64).reshape(2, -1).T


def clusters_of(observations: Iterable[Observation]) -> Clusters:
    """Sum the observations of each question over its repeats.

    Raises ValueError for a (question, repeat) met twice, NaN or infinity, a negative denominator,
    or a numerator over nothing.
    """
    parts: dict[str, dict[int, tuple[float, float]]] = {}
    for question_id, numerator, denominator, repeat in observations:
        where = f"question {question_id!r}, repeat {repeat}"
        repeats = parts.setdefault(question_id, {})
        if repeat in repeats:
            raise ValueError(f"{where} is given twice")
        x, y = finite(numerator, f"numerator of {where}"), finite(denominator, f"denominator of {where}")
        if y < 0 or (y == 0 and x != 0):
            raise ValueError(f"{where}: {x} of {y}")
        repeats[repeat] = (x, y)
    ids = tuple(sorted(parts))
    return Clusters(
        ids,
        tuple(total([x for x, _ in parts[name].values()]) for name in ids),
        tuple(total([y for _, y in parts[name].values()]) for name in ids),
        tuple(len(parts[name]) for name in ids),
    )


def total(values: Iterable[float]) -> float:
    """Sum exactly, whatever the order: an int when all are ints."""
    numbers = list(values)
    return sum(numbers) if all(isinstance(number, int) for number in numbers) else fsum(numbers)
