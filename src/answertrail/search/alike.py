"""The best passages lend each other their scores: what answers a query is like other things that answer it.

Of the first 40 of a ranking each gets the mean of its own score and of what the eight most like it
have (Diaz 2005, "Regularizing ad hoc retrieval scores"). So a passage that says the same in other words
comes up beside those that have the words, and one that has the words by accident stands alone.
The 40 stay the first 40: only their order changes. They are never more than a quarter of what was
ranked: the rest of a small corpus is like a passage without having to do with the query.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from answertrail.models.embedding.base import Vectors
from answertrail.search.fusion import Fused, best
from answertrail.search.ranking import Mode, Places, Ranking

POOL, PART = 40, 5
"""How many lend each other; each borrows from one in five. What other numbers give is in docs/search.md."""
BEST_PART = 4
"""The pool is one in four of what was ranked, where that is less."""
_DIGITS = 9
"""Equal passages get equal scores, however their neighbours' were summed."""


def candidates(mode: Mode, ranking: Ranking, ranked: int | None = None) -> Places:
    """Return the rows that lend each other: the mode's first ones, the excluded among them.

    Never more than a quarter of the ranked rows, and none where that would be fewer than 10. `ranked`
    counts them where `ranking` holds the best alone.
    """
    count = int(ranking.eligible.sum()) if ranked is None else ranked
    size = min(mode.lending, count // BEST_PART)
    return best(ranking.scores, ranking.eligible, size if size // PART >= 2 else 0)


def lent(ranking: Ranking, pool: Places, vectors: Vectors, nearest: int | None = None) -> Ranking:
    """Return the ranking with the scores of the pool exchanged among its rows.

    `vectors` are those of the pool, (pool, dims) of unit rows, NaN where there is none. A row's score
    becomes (own + lent) / 2, lent being the mean over the `nearest` other rows of the pool with the highest
    cosine to it, all that tie with the last among them, weighted by that cosine, negative ones as 0.
    `nearest` is a fifth of the pool unless told; below 2 the ranking comes back as it is, since two rows
    that borrow from each other alone would tie. A row that is like none keeps its own. No score falls
    below the lowest of the pool.
    """
    nearest = len(pool) // PART if nearest is None else min(nearest, len(pool) - 1)
    if nearest < 2:
        return ranking
    scores = np.asarray(ranking.scores, dtype=np.float64).copy()
    scores[pool] = _exchanged(scores[pool], np.nan_to_num(vectors.astype(np.float64)), nearest)
    return replace(ranking, scores=scores)


def _exchanged(own: Fused, vectors: Fused, nearest: int) -> Fused:
    # Pair by pair, so that a cosine does not depend on where in the pool the two stand (see dense.py).
    likeness = np.maximum(np.vecdot(vectors[:, None, :], vectors[None, :, :]), 0.0)
    np.fill_diagonal(likeness, 0.0)
    floor = np.sort(likeness, axis=1)[:, -nearest]
    weights = np.where(likeness >= floor[:, None], likeness, 0.0)
    whole = weights.sum(axis=1)
    borrowed = np.where(whole > 0, weights @ own / np.where(whole > 0, whole, 1.0), own)
    out: Fused = np.maximum(np.round((own + borrowed) / 2, _DIGITS), own.min())
    return out
