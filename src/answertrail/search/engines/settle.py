"""Which of an engine's candidates are the k best, and whether that is settled.

An engine's scores carry rounding that depends on where a row lies, and it cuts a tie where it
likes. So its candidates are scored anew, from their vectors, ties are broken by chunk id, and the
result counts only when nothing beyond the candidates can still belong to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from answertrail.search.engines.base import EngineHit, Matrix, Vector

ROUNDING = 1e-5
"""More than single precision gets a cosine wrong by, at up to some thousand dimensions."""

Found = Sequence[tuple[str, float]]


def cosines_of(matrix: Matrix, vector: Vector) -> npt.NDArray[np.float32]:
    """Return the cosine of each row with the vector, both of length 1.

    In double precision and row by row: equal vectors have equal scores, in whatever company.
    """
    out: npt.NDArray[np.float64] = np.einsum("ij,j->i", matrix.astype(np.float64), vector.astype(np.float64))
    return out.astype(np.float32)


def in_order(found: Found) -> list[tuple[str, float]]:
    """Return the best first, equal scores in chunk id order."""
    return sorted(found, key=lambda one: (-one[1], one[0]))


def settled(found: Found, k: int, *, complete: bool, rounding: float = ROUNDING) -> tuple[EngineHit, ...] | None:
    """Return the k best of the candidates, None when a row beyond them may be as good as the last.

    `complete` says that there is no row beyond them. `rounding` is the largest difference between
    the engine's score of a row and ours.
    """
    ordered = in_order(found)
    if not complete and (len(ordered) <= k or ordered[-1][1] >= ordered[k - 1][1] - rounding):
        return None
    return tuple(EngineHit(chunk, score) for chunk, score in ordered[:k])


def level(found: Found, relative: float = 1e-6) -> list[tuple[str, float]]:
    """Give scores that differ by rounding alone the same value, the highest of them.

    For scores that cannot be computed anew. Each score is compared with the next lower one.
    """
    out: list[tuple[str, float]] = []
    top = last = 0.0
    for chunk, score in in_order(found):
        if not out or last - score > relative * max(abs(last), abs(score)):
            top = score
        out.append((chunk, top))
        last = score
    return in_order(out)
