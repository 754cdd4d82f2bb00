"""One corpus snapshot in memory, ready to be searched exactly.

Rows are chunks in chunk id order. The database stays the truth; this is built from it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from answertrail.errors import InputError, MismatchError
from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.search.around import Neighbours, Surroundings, place_of
from answertrail.search.dense import Places, cosines, first_equal
from answertrail.search.fusion import best
from answertrail.search.hits import ChunkRow, Filter, Hit, SearchResult, hit_of
from answertrail.search.lexical import LexicalIndex
from answertrail.search.modes import mode_named
from answertrail.search.ranking import Facts, Mode, Ranking, Signals
from answertrail.search.rerank import rerank
from answertrail.search.timeline import coverage
from answertrail.search.unread import unread_warnings
from answertrail.search.wordings import combined

_QUERY_CACHE = 256


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
        self._first: Places | None = None
        epoch = [row.published_at.timestamp() if row.published_at else np.nan for row in rows]
        self._published = np.array(epoch, dtype=np.float64)
        numbers: dict[str, int] = {}
        self._documents = np.array([numbers.setdefault(r.document_id, len(numbers)) for r in rows], dtype=np.intp)
        self._numbers = numbers
        self._neighbours = Neighbours(rows)
        self._before, self._after = self._neighbours.rows_beside()
        self._queries: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()

    async def search(
        self, query: str, *, mode: str | Mode, k: int, within: Filter | None = None, also: Sequence[str] = ()
    ) -> SearchResult:
        """Return exactly min(k, matching) hits; ties are broken by chunk id.

        `mode` is a name (see `modes.mode_named`) or a mode with settings of its own. `also` are
        further wordings of the query, such as translations (see `wordings.combined`). Raises
        InputError for an empty query or k below 1, NotFoundError for an unknown mode.
        """
        chosen = mode_named(mode) if isinstance(mode, str) else mode
        if not query.strip():
            raise InputError("the query is empty")
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        wordings = list(dict.fromkeys((query, *also)))
        signals = combined([await self._signals(text, chosen, within or Filter()) for text in wordings])
        # Scores are those of the whole filtered corpus; what was shown is only left out of the
        # rows, so that a repeated query goes on exactly where it stopped.
        shown = signals.shown
        ranking = await rerank(chosen, query, chosen.rank(signals), self.rows, shown)
        eligible = ranking.eligible & ~shown
        places = best(ranking.scores, eligible, k)
        return SearchResult(
            query=query,
            mode=chosen.name,
            hits=tuple(self._hit(int(place), ranking, signals, chosen) for place in places),
            matching=int(eligible.sum()),
            held_back=int((ranking.eligible & shown).sum()),
            chunks_in_corpus=len(self.rows),
            terms={term: count for text in wordings for term, count in self.lexical.terms(text).items()},
            undated_left_out=len(np.unique(self._documents[signals.facts.undated_out])),
            coverage=coverage(signals, ranking, places),
            warnings=unread_warnings(self.embedder.identity.name, wordings) if "dense" in chosen.needs else (),
        )

    def around(self, chunk_id: str, before: int = 1, after: int = 1) -> Surroundings:
        """Return a chunk with its neighbours in document order.

        Raises NotFoundError for an unknown id, InputError for a negative number.
        """
        return self._neighbours.around(place_of(self.by_id, chunk_id), before, after)

    async def _signals(self, query: str, mode: Mode, within: Filter) -> Signals:
        count = len(self.rows)
        dense = np.full(count, np.nan, dtype=np.float32)
        lexical, weight = np.zeros(count, dtype=np.float32), 0.0
        documents = None
        if "dense" in mode.needs and count:
            vector = await self._embedded(query)
            dense = await asyncio.to_thread(self._cosines, vector)
        if "lexical" in mode.needs and count:
            lexical, weight = self.lexical.scores(query)
            if len(mode.needs) > 1:
                documents = self.lexical.document_votes(query)
        allowed, facts = self._allowed(within)
        return Signals(dense, lexical, weight, allowed, self._rows_of(within.exclude), facts, documents)

    def _cosines(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        # At the first dense search and not when opened: it reads the whole matrix. Two threads
        # that make it at once make the same.
        if self._first is None:
            self._first = first_equal(self._matrix)
        return cosines(self._matrix, vector, self._first)

    async def _embedded(self, query: str) -> npt.NDArray[np.float32]:
        known = self._queries.get(query)
        if known is None:
            known = (await self.embedder.embed([query], "query"))[0]
            self._queries[query] = known
            if len(self._queries) > _QUERY_CACHE:
                self._queries.popitem(last=False)
        return known

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
        return allowed, Facts(self._published, self._documents, self._before, self._after, start, end, undated_out)

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
