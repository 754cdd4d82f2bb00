"""Exact cosine similarity against every chunk: a contiguous matrix times the query."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Vectors

Scores = npt.NDArray[np.float32]


def cosines(matrix: Vectors, query: npt.NDArray[np.float32]) -> Scores:
    """Return the cosine of each row with the query; rows of NaN (no vector yet) stay NaN.

    `matrix` is (chunks, dims) and `query` (dims,), both of unit rows.
    """
    if matrix.shape[0] == 0:
        return np.zeros(0, dtype=np.float32)
    out: Scores = matrix @ query
    return out
