"""What a cluster is: a question with all its repeats. Every interval takes its clusters from here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum, inf
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
    # Most questions have one repeat: a dict for each of them would be most of the time of a measure.
    once: dict[str, tuple[float, float, int]] = {}
    again: dict[str, dict[int, tuple[float, float]]] = {}
    for question_id, x, y, repeat in observations:
        if not (type(x) in _PLAIN and type(y) in _PLAIN and -inf < x < inf and 0 < y < inf):
            x, y = _counts(question_id, x, y, repeat)
        if question_id not in once:
            once[question_id] = (x, y, repeat)
            continue
        if question_id not in again:
            first_x, first_y, first = once[question_id]
            again[question_id] = {first: (first_x, first_y)}
        if repeat in again[question_id]:
            raise ValueError(f"question {question_id!r}, repeat {repeat} is given twice")
        again[question_id][repeat] = (x, y)
    ids = tuple(sorted(once))
    for name, repeats in again.items():
        counts = repeats.values()
        once[name] = (total([x for x, _ in counts]), total([y for _, y in counts]), 0)
    return Clusters(
        ids,
        tuple([once[name][0] for name in ids]),
        tuple([once[name][1] for name in ids]),
        tuple([len(again[name]) if name in again else 1 for name in ids]),
    )


_PLAIN = frozenset({int, float})


def _counts(question_id: str, numerator: float, denominator: float, repeat: int) -> tuple[float, float]:
    where = f"question {question_id!r}, repeat {repeat}"
    x, y = finite(numerator, f"numerator of {where}"), finite(denominator, f"denominator of {where}")
    if y < 0 or (y == 0 and x != 0):
        raise ValueError(f"{where}: {x} of {y}")
    return x, y


def total(values: Iterable[float]) -> float:
    """Sum exactly, whatever the order: an int when all are ints."""
    numbers = list(values)
    return sum(numbers) if all(isinstance(number, int) for number in numbers) else fsum(numbers)
