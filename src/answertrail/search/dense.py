"""Exact cosine similarity against every chunk: each row of a contiguous matrix times the query.

Row by row and not as one product of a matrix: there the last bit a row gets depends on its place.
So equal rows have equal scores, their ties are broken by chunk id, and a score is the same in
whatever company. It runs in one thread.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Vectors

Scores = npt.NDArray[np.float32]


def cosines(matrix: Vectors, query: npt.NDArray[np.float32]) -> Scores:
    """Return the cosine of each row with the query; rows of NaN (no vector yet) stay NaN.

    `matrix` is (chunks, dims) and `query` (dims,), both of unit rows.
    """
    out: Scores = np.vecdot(matrix, query)
    return out
