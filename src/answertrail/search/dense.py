"""Exact cosine similarity against every chunk: a contiguous matrix times the query.

Which last bit a row's product gets depends on its place in the matrix. So that equal rows have
equal scores, and their ties are broken by chunk id, each takes the score of the first of them.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Vectors

Scores = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]


def first_equal(matrix: Vectors) -> Places:
    """Return for each row the first row that holds the same bytes, itself where it is the first."""
    first: dict[bytes, int] = {}
    return np.fromiter(
        (first.setdefault(_digest(row), place) for place, row in enumerate(matrix)), dtype=np.intp, count=len(matrix)
    )


def _digest(row: Vectors) -> bytes:
    # Not the bytes themselves: as keys they would be a second copy of the matrix.
    return hashlib.blake2b(row.tobytes(), digest_size=16).digest()


def cosines(matrix: Vectors, query: npt.NDArray[np.float32], first: Places | None = None) -> Scores:
    """Return the cosine of each row with the query; rows of NaN (no vector yet) stay NaN.

    `matrix` is (chunks, dims) and `query` (dims,), both of unit rows. `first` is
    `first_equal(matrix)`, made here when left out.
    """
    if matrix.shape[0] == 0:
        return np.zeros(0, dtype=np.float32)
    out: Scores = matrix @ query
    return out[first_equal(matrix) if first is None else first]
