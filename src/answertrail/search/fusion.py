"""Two ways to put dense and lexical scores together.

`reciprocal_ranks` is plain RRF (Cormack, Clarke and Buettcher 2009, k = 60). `fuse_scores` adds
standardised scores; a chunk that shares no term with the query gets no lexical vote, and the
vote as a whole weighs as much as the share of the query the corpus knows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
Fused = npt.NDArray[np.float64]  # wide enough that fusing makes no ties of its own
RRF_K = 60
RRF_DEPTH = 100


def reciprocal_ranks(dense: Scores, lexical: Scores, allowed: npt.NDArray[np.bool_]) -> Fused:
    """Sum 1 / (60 + rank) over both rankings, each 100 deep.

    Lexical ranks only chunks with a score above 0. Where neither ranks a chunk its score is 0,
    or a negative number that keeps dense order below every ranked chunk.
    """
    out = np.zeros(dense.shape, dtype=np.float64)
    has_vector = allowed & ~np.isnan(dense)
    for scores, eligible in ((dense, has_vector), (lexical, allowed & (lexical > 0))):
        order = best(scores, eligible, RRF_DEPTH)
        out[order] += 1.0 / (RRF_K + 1 + np.arange(len(order)))
    rest = has_vector & (out == 0)
    out[rest] = (dense[rest].astype(np.float64) - 2.0) / 1e4
    return out


def fuse_scores(dense: Scores, lexical: Scores, allowed: npt.NDArray[np.bool_], share: float) -> Fused:
    """Return standardised dense score plus the weighted lexical vote.

    Dense is standardised over the allowed chunks that have a vector. The lexical vote is the
    BM25 score over its best, scaled to the height of the best dense score, times `share` (0 to
    1); it is 0 for a chunk without a matched term. A chunk without a vector stands at the mean.
    """
    out = np.zeros(dense.shape, dtype=np.float64)
    has_vector = allowed & ~np.isnan(dense)
    top = 1.0
    if has_vector.any():
        values = dense[has_vector].astype(np.float64)
        spread = float(values.std()) or 1.0
        out[has_vector] = (values - float(values.mean())) / spread
        top = max(float(out[has_vector].max()), 1.0)
    best_lexical = float(lexical[allowed].max()) if allowed.any() else 0.0
    if best_lexical > 0:
        out += np.where(lexical > 0, share * top / best_lexical * lexical.astype(np.float64), 0.0)
    return out


def best(scores: Scores | Fused, eligible: npt.NDArray[np.bool_], k: int) -> npt.NDArray[np.intp]:
    """Return the rows of the k highest scores among the eligible ones, best first.

    Ties go to the lower row; rows are in chunk id order, so results never depend on the order
    of insertion.
    """
    rows = np.flatnonzero(eligible)
    k = min(k, len(rows))
    if k <= 0:
        return rows[:0]
    values = scores[rows]
    if k < len(rows):
        floor = np.partition(values, len(rows) - k)[len(rows) - k]
        keep = values >= floor
        rows, values = rows[keep], values[keep]
    order = np.argsort(-values, kind="stable")[:k]
    return rows[order]
