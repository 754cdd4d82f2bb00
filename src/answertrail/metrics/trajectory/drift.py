"""Retrieval drift: how far a run's queries are from what was asked, in the order searched. Opt-in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite, sqrt

from answertrail.metrics.values import Json, Undefined

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class Drift:
    """The distance of each query, in order; their mean, and their slope per search (below 0: it comes closer)."""

    distances: tuple[float | Undefined, ...]
    mean: float | Undefined
    slope: float | Undefined

    def as_json(self) -> Json:
        """Return the three, undefined values with their reason."""
        return {
            "distances": [_plain(value) for value in self.distances],
            "mean": _plain(self.mean),
            "slope": _plain(self.slope),
        }


def retrieval_drift(need: Vector, queries: Sequence[Vector]) -> Drift:
    """Return 1 - cosine(query, need) of each query, 0 (same direction) to 2; mean; least-squares slope.

    A vector that is all zeros or not finite has no direction: that distance is undefined, and left
    out of mean and slope, which keep each query's place in the order. The mean is undefined without
    a distance, the slope with fewer than two. Raises ValueError for vectors of unequal lengths.
    """
    distances = tuple(_distance(need, query) for query in queries)
    known = [(place, value) for place, value in enumerate(distances) if not isinstance(value, Undefined)]
    if not known:
        reason = "no search" if not queries else "no query has a direction to compare"
        return Drift(distances, Undefined(reason), Undefined(reason))
    mean = fsum(value for _, value in known) / len(known)
    if len(known) < 2:
        return Drift(distances, mean, Undefined("fewer than two searches"))
    centre = fsum(place for place, _ in known) / len(known)
    spread = fsum((place - centre) ** 2 for place, _ in known)
    return Drift(distances, mean, fsum((place - centre) * (value - mean) for place, value in known) / spread)


def _distance(need: Vector, query: Vector) -> float | Undefined:
    if len(need) != len(query):
        raise ValueError(f"vectors of {len(need)} and {len(query)} dimensions")
    lengths = [sqrt(fsum(x * x for x in vector)) for vector in (need, query)]
    for name, length in zip(("question", "query"), lengths, strict=True):
        if not isfinite(length) or length == 0:
            return Undefined(f"the embedder has nothing for this {name}")
    cosine = fsum(x * y for x, y in zip(need, query, strict=True)) / (lengths[0] * lengths[1])
    return 1 - max(-1.0, min(1.0, cosine))


def _plain(value: float | Undefined) -> float | Json:
    return value.as_json() if isinstance(value, Undefined) else value
