"""Optional reranking: the first of a wide pool are read again, one by one, by something slower.

No model ships. `terms` is the reference implementation; a model of your own is one class with
`name` and `scores`, handed to `reranked`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from answertrail.errors import InputError, MismatchError
from answertrail.search.fusion import best
from answertrail.search.hits import ChunkRow
from answertrail.search.ranking import Mask, Mode, Ranking
from answertrail.search.tokens import index_tokens, query_tokens

POOL = 100


class Reranker(Protocol):
    """Judges passages against a query, each for itself: a score may not depend on the others.

    So a second page goes on exactly where the first stopped.
    """

    @property
    def name(self) -> str:
        """What it is called in `MODE+NAME`."""
        ...

    async def scores(self, query: str, passages: Sequence[ChunkRow]) -> Sequence[float]:
        """Return one finite score a passage, higher for better; raise ServiceError when it cannot."""
        ...


class TermCoverage:
    """The share of the query's distinct terms that a passage or its title holds, 0 to 1; 0 without terms."""

    name = "terms"

    async def scores(self, query: str, passages: Sequence[ChunkRow]) -> Sequence[float]:
        """Return the share of each passage."""
        out = []
        for row in passages:
            wanted = set(query_tokens(query, [row.language or "en"]))
            held = set(index_tokens(f"{row.title}\n{row.text}", row.language))
            out.append(len(wanted & held) / len(wanted) if wanted else 0.0)
        return out


RERANKERS: dict[str, Reranker] = {"terms": TermCoverage()}


def reranked(mode: Mode, reranker: Reranker, *, pool: int = POOL, name: str | None = None) -> Mode:
    """Return the mode with its first `pool` chunks in the reranker's order and the rest after them.

    Where the reranker sees no difference the mode's order stays. Raises InputError for a pool below 1.
    """
    if pool < 1:
        raise InputError(f"the pool must hold at least 1 passage, not {pool}")
    return replace(mode, name=name or f"{mode.name}+{reranker.name}", reranker=reranker, pool=pool)


async def rerank(mode: Mode, query: str, ranking: Ranking, rows: Sequence[ChunkRow], shown: Mask) -> Ranking:
    """Return the ranking in the order of the mode's reranker; as it is when the mode has none.

    The pool counts excluded chunks, which are not read again. Raises MismatchError unless the
    reranker gives one finite score a passage.
    """
    if mode.reranker is None:
        return ranking
    pool = best(ranking.scores, ranking.eligible, mode.pool)
    asked = pool[~shown[pool]]
    given = await mode.reranker.scores(query, [rows[place] for place in asked]) if len(asked) else []
    judged = np.asarray(given, dtype=np.float64)
    if judged.shape != (len(asked),) or not np.isfinite(judged).all():
        raise MismatchError(
            f"the reranker {mode.reranker.name} did not give one number for each of {len(asked)} passages",
            hint=f"search with the mode {mode.name.partition('+')[0]}, which needs no reranker",
        )
    base = np.asarray(ranking.scores, dtype=np.float64)
    scores, relevance = base.copy(), np.full(len(base), np.nan)
    rest = ranking.eligible.copy()
    rest[pool] = False
    if rest.any():
        # Below the pool, whose scores are places counted from the end.
        scores -= float(base[rest].max())
    # `asked` is in the mode's order, which a stable sort keeps where the reranker sees no difference.
    order = asked[np.argsort(-judged, kind="stable")]
    scores[order] = np.arange(len(order), 0, -1)
    relevance[asked] = judged
    return replace(ranking, scores=scores, relevance=relevance)
