"""What a search mode is given, what it returns, and what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from answertrail.search.fusion import Fused, fuse_scores

if TYPE_CHECKING:
    from answertrail.search.periods import Strata
    from answertrail.search.rerank import Reranker

Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
BOTH = frozenset({"dense", "lexical"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of each row in its document, and the bounds that were asked for.

    `published` is in seconds since 1970 (UTC), NaN where undated; `documents` numbers the
    documents; `before` and `after` are the rows of the neighbouring chunks, -1 at a document's
    ends. `short` is the number of the document where that is short, else -1 (`fusion.short_documents`);
    of a short document all chunks are rows. `start` and `end` are the filter's date bounds in seconds, None where open;
    `undated_out` marks the undated rows that only such a bound left out.
    """

    published: npt.NDArray[np.float64]
    documents: npt.NDArray[np.intp]
    before: npt.NDArray[np.intp]
    after: npt.NDArray[np.intp]
    short: npt.NDArray[np.intp]
    start: float | None
    end: float | None
    undated_out: Mask


@dataclass(frozen=True, slots=True)
class Signals:
    """Per row: cosine (NaN without a vector), BM25 (0 without a match), and what the filter allows.

    `weight` is what a point of BM25 is worth beside a cosine (`fusion.lexical_weight`). `shown` marks
    the excluded rows: they are left out of the result after ranking, so that a repeated query goes
    on exactly where it stopped. `documents` is the weighted BM25 of each row's whole document, None
    where nobody keeps it.
    """

    dense: Scores
    lexical: Scores
    weight: float
    allowed: Mask
    shown: Mask
    facts: Facts
    documents: Scores | None = None

    @property
    def rankable(self) -> Mask:
        """Allowed rows that have a vector or a matched term."""
        return self.allowed & (~np.isnan(self.dense) | (self.lexical > 0))


def fused(signals: Signals, among: Mask, *, short: bool = True) -> Fused:
    """Return the fused score of each row, standardised among these; without `short` all documents count as long."""
    of_short = signals.facts.short if short else None
    return fuse_scores(signals.dense, signals.lexical, among, signals.weight, signals.documents, of_short)


@dataclass(frozen=True, slots=True)
class Periods:
    """What a stratified ranking tells of its periods: the strata, the floor, and which rows reached it."""

    strata: Strata
    floor: float
    above: Mask


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores by row and which rows may be returned at all, the excluded among them.

    `relevance` is given where `scores` only say in which order: what the order was made by, NaN
    for a row that has none.
    """

    scores: Scores | Fused
    eligible: Mask
    relevance: Fused | None = None
    periods: Periods | None = None


@dataclass(frozen=True, slots=True)
class Mode:
    """A named mode. `needs` says which signals must be computed for it.

    The first `lending` rows of the ranking lend each other their scores (`alike.lent`). With a
    `reranker` the first `pool` rows are then put in its order.
    """

    name: str
    needs: frozenset[str]
    rank: Callable[[Signals], Ranking]
    reranker: Reranker | None = None
    pool: int = 0
    lending: int = 0
