"""One corpus snapshot in memory, ready to be searched exactly.

Rows are chunks in chunk id order. The database stays the truth; this is built from it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from answertrail.errors import InputError, MismatchError
from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.search.alike import candidates, lent
from answertrail.search.around import Neighbours, Surroundings, place_of
from answertrail.search.dense import cosines
from answertrail.search.fusion import best, short_documents
from answertrail.search.hits import ChunkRow, Filter, Hit, SearchResult, hit_of
from answertrail.search.lexical import LexicalIndex
from answertrail.search.like import telling_words
from answertrail.search.modes import mode_named
from answertrail.search.query_vectors import QueryVectors
from answertrail.search.ranking import Facts, Mode, Ranking, Signals
from answertrail.search.rerank import rerank
from answertrail.search.timeline import coverage
from answertrail.search.unread import unread_warnings
from answertrail.search.wordings import Wordings, blended, combined

_KEPT_ROWS = 1_000_000
"""Rows whose scores are kept, over all texts: 12 bytes each."""


class _Scores(NamedTuple):
    """What one text scores, by row; see `Signals`."""

    dense: npt.NDArray[np.float32]
    lexical: npt.NDArray[np.float32]
    weight: float
    documents: npt.NDArray[np.float32] | None


class CorpusIndex:
    """Exact search over all chunks of a snapshot.

    `matrix` is (rows, dims) of unit rows, NaN where a chunk has no vector yet.
    """

    def __init__(self, rows: Sequence[ChunkRow], matrix: Vectors, lexical: LexicalIndex, embedder: Embedder) -> None:
        if list(rows) != sorted(rows, key=lambda row: row.id):
            raise ValueError("rows must be in chunk id order")
        if matrix.shape != (len(rows), embedder.identity.dims):
            raise MismatchError(
                f"the vectors are {matrix.shape[1]} long, the embedder {embedder.identity.key} makes "
                f"{embedder.identity.dims}",
                hint="embed the corpus again, or use the embedder it was made with",
            )
        self.rows = rows
        self.by_id = {row.id: place for place, row in enumerate(rows)}
        self.lexical = lexical
        self.embedder = embedder
        self._matrix = matrix
        self._scored: OrderedDict[tuple[str, frozenset[str]], _Scores] = OrderedDict()
        epoch = [row.published_at.timestamp() if row.published_at else np.nan for row in rows]
        self._published = np.array(epoch, dtype=np.float64)
        numbers: dict[str, int] = {}
        self._documents = np.array([numbers.setdefault(r.document_id, len(numbers)) for r in rows], dtype=np.intp)
        self._numbers = numbers
        self._short = short_documents(self._documents, np.bincount(self._documents))
        self._neighbours = Neighbours(rows)
        self._before, self._after = self._neighbours.rows_beside()
        self._queries = QueryVectors(embedder)

    async def search(
        self,
        query: str,
        *,
        mode: str | Mode,
        k: int,
        within: Filter | None = None,
        also: Sequence[str] = (),
        wordings: Wordings = Wordings(),  # noqa: B008 - frozen
    ) -> SearchResult:
        """Return exactly min(k, matching) hits; ties are broken by chunk id.

        `mode` is a name (see `modes.mode_named`) or a mode with settings of its own. `also` are
        translations of the query, `wordings` what else is searched as one with it (see
        `answertrail.search.wordings`); a hit's cosine and BM25 are those of query and translations.
        Raises InputError for an empty query or k below 1, NotFoundError for an unknown mode.
        """
        chosen = mode_named(mode) if isinstance(mode, str) else mode
        if not query.strip():
            raise InputError("the query is empty")
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        asked = list(dict.fromkeys((query, *also)))
        signals_of = {
            text: await self._signals(text, chosen, within or Filter())
            for text in dict.fromkeys((*asked, *wordings.reworded, *wordings.like))
        }
        own = combined([signals_of[text] for text in asked])
        signals = blended(
            own,
            [signals_of[text] for text in dict.fromkeys(wordings.reworded) if text not in asked],
            [signals_of[text] for text in wordings.like],
        )
        # Scores are those of the whole filtered corpus; what was shown is only left out of the
        # rows, so that a repeated query goes on exactly where it stopped.
        shown = signals.shown
        ranking = chosen.rank(signals)
        pool = candidates(chosen, ranking)
        ranking = lent(ranking, pool, self._matrix[pool])
        ranking = await rerank(chosen, query, ranking, self.rows, shown)
        eligible = ranking.eligible & ~shown
        places = best(ranking.scores, eligible, k)
        return SearchResult(
            query=query,
            mode=chosen.name,
            hits=tuple(self._hit(int(place), ranking, own, chosen) for place in places),
            matching=int(eligible.sum()),
            held_back=int((ranking.eligible & shown).sum()),
            chunks_in_corpus=len(self.rows),
            terms={
                term: count for text in (*asked, *wordings.reworded) for term, count in self.lexical.terms(text).items()
            },
            undated_left_out=len(np.unique(self._documents[signals.facts.undated_out])),
            coverage=coverage(signals, ranking, places),
            warnings=unread_warnings(self.embedder.identity.name, asked) if "dense" in chosen.needs else (),
        )

    async def telling_words(self, row: ChunkRow) -> str:
        """Return the words by which a chunk finds others like it, see `like.telling_words`."""
        return telling_words(row.text, row.language, self.lexical.terms(row.text))

    def around(self, chunk_id: str, before: int = 1, after: int = 1) -> Surroundings:
        """Return a chunk with its neighbours in document order.

        Raises NotFoundError for an unknown id, InputError for a negative number.
        """
        return self._neighbours.around(place_of(self.by_id, chunk_id), before, after)

    async def _signals(self, query: str, mode: Mode, within: Filter) -> Signals:
        scores = await self._scores(query, mode.needs)
        allowed, facts = self._allowed(within)
        shown = self._rows_of(within.exclude)
        return Signals(scores.dense, scores.lexical, scores.weight, allowed, shown, facts, scores.documents)

    async def _scores(self, query: str, needs: frozenset[str]) -> _Scores:
        """Return the scores of all rows: they are the same whatever the filter, so paging on finds them made."""
        known = self._scored.get((query, needs))
        if known is not None:
            return known
        count = len(self.rows)
        dense = np.full(count, np.nan, dtype=np.float32)
        lexical, weight = np.zeros(count, dtype=np.float32), 0.0
        documents = None
        if "dense" in needs and count:
            vector = await self._queries.of(query)
            dense = await asyncio.to_thread(self._cosines, vector)
        if "lexical" in needs and count:
            lexical, weight = self.lexical.scores(query)
            if len(needs) > 1:
                documents = self.lexical.document_votes(query)
        made = self._scored[query, needs] = _Scores(dense, lexical, weight, documents)
        while len(self._scored) * count > _KEPT_ROWS:
            self._scored.popitem(last=False)
        return made

    def _cosines(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return cosines(self._matrix, vector)

    def _allowed(self, within: Filter) -> tuple[npt.NDArray[np.bool_], Facts]:
        allowed = np.ones(len(self.rows), dtype=np.bool_)
        if within.documents is not None:
            known = [self._numbers[name] for name in within.documents if name in self._numbers]
            allowed &= np.isin(self._documents, np.array(known, dtype=np.intp))
        start = within.start.timestamp() if within.start is not None else None
        end = within.end.timestamp() if within.end is not None else None
        undated_out = np.zeros_like(allowed)
        if start is not None or end is not None:
            undated_out = allowed & np.isnan(self._published)
        # A document without a date compares false with any bound: it takes no part.
        if start is not None:
            allowed &= self._published >= start
        if end is not None:
            allowed &= self._published < end
        return allowed, self._facts(start, end, undated_out)

    def _facts(self, start: float | None, end: float | None, undated_out: npt.NDArray[np.bool_]) -> Facts:
        return Facts(self._published, self._documents, self._before, self._after, self._short, start, end, undated_out)

    def _rows_of(self, chunks: Iterable[str]) -> npt.NDArray[np.bool_]:
        out = np.zeros(len(self.rows), dtype=np.bool_)
        out[[self.by_id[chunk] for chunk in chunks if chunk in self.by_id]] = True
        return out

    def _hit(self, place: int, ranking: Ranking, signals: Signals, mode: Mode) -> Hit:
        row = self.rows[place]
        dense = float(signals.dense[place])
        relevance = np.nan if ranking.relevance is None else float(ranking.relevance[place])
        return hit_of(
            row,
            float(ranking.scores[place]),
            dense=None if np.isnan(dense) else dense,
            lexical=float(signals.lexical[place]) if "lexical" in mode.needs else None,
            relevance=None if np.isnan(relevance) else relevance,
        )
