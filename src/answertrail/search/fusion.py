"""Two ways to put dense and lexical scores together.

`reciprocal_ranks` is plain RRF (Cormack, Clarke and Buettcher 2009, k = 60). `fuse_scores` adds
standardised scores; a chunk that shares no term with the query gets no lexical vote. How much
BM25 counts follows from the query: a rare word found in few chunks makes scores that stand far
out of the corpus, words that are everywhere make scores that tell little (`lexical_weight`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
Fused = npt.NDArray[np.float64]  # wide enough that fusing makes no ties of its own
RRF_K = 60
RRF_DEPTH = 100
CHUNK_VOTE, DOCUMENT_VOTE = 4 / 3, 1 / 3
"""What BM25 of a chunk and of its whole document count, in spreads, beside a cosine in spreads.

Chosen on development sets (docs/search.md); between 1 and 2 and up to 2/3 differ little.
"""
SHORT, SHORT_VOTE = 4, 2 / 3
"""Up to how many chunks a document is short, and what both cosines and both BM25s count there: 8/3 in all, as else."""


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


def lexical_weight(terms: Iterable[tuple[float, float]]) -> float:
    """Return what a point of BM25 is worth for a query: matched share / spread; 0 where no term matches.

    A term is (idf, part p of the rows that hold it). The matched share is the idf of the terms that
    rows hold over that of all, 0 to 1. The spread is sqrt(sum of idf^2 p (1.1 - p)): the standard
    deviation of a sum of idf if terms fell independently, with a tenth more for how often a row
    says them; BM25 has about half of it. It needs no scores, so it is the same whatever the filter
    and whoever keeps the words.
    """
    found = list(terms)
    spread = math.sqrt(sum(idf * idf * part * (1.1 - part) for idf, part in found))
    if spread == 0:
        return 0.0
    return sum(idf for idf, part in found if part) / sum(idf for idf, _ in found) / spread


def idf(rows: int, holding: int) -> float:
    """Return Lucene's inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)); above 0."""
    return math.log1p((rows - holding + 0.5) / (holding + 0.5))


def fuse_scores(
    dense: Scores,
    lexical: Scores,
    allowed: npt.NDArray[np.bool_],
    weight: float,
    documents: Scores | None = None,
    short: npt.NDArray[np.intp] | None = None,
) -> Fused:
    """Return standardised cosine + 4/3 x weight x BM25 + 1/3 x the document's weighted BM25.

    Cosines are standardised over the allowed chunks that have a vector; a chunk without one stands
    at the mean. `weight` is `lexical_weight` of the query. `documents` is, for each row, BM25 of its
    whole document times the weight among documents: half a minute of speech is more likely meant
    where the talk as a whole is about the query. A chunk without a matched term has no vote.

    `short` numbers the documents of at most 4 chunks, -1 for the rows of longer ones: an abstract or
    a note is one thing, so there passage and document count alike, and meaning as much as words: 2/3 x
    (the chunk's cosine + the mean of its document's + its BM25 + that of its document).
    """
    out = np.zeros(dense.shape, dtype=np.float64)
    has_vector = allowed & ~np.isnan(dense)
    if has_vector.any():
        values = dense[has_vector].astype(np.float64)
        spread = float(values.std()) or 1.0
        out[has_vector] = (values - float(values.mean())) / spread
    own: float | Fused = CHUNK_VOTE
    whole: float | Fused = DOCUMENT_VOTE
    if short is not None and (within := short >= 0).any():
        numbers = short[within]
        held = np.bincount(numbers)
        sums = np.bincount(numbers, out[within])
        out[within] = SHORT_VOTE * (out[within] + (sums / np.maximum(held, 1))[numbers])
        own, whole = np.where(within, SHORT_VOTE, CHUNK_VOTE), np.where(within, SHORT_VOTE, DOCUMENT_VOTE)
    out += own * weight * lexical.astype(np.float64)
    if documents is not None:
        out += whole * documents.astype(np.float64)
    return out


def short_documents(documents: npt.NDArray[np.intp], chunks: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return each row's document number where that has at most 4 chunks, else -1; `chunks` counts them by number."""
    out: npt.NDArray[np.intp] = np.where(chunks[documents] <= SHORT, documents, -1)
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
