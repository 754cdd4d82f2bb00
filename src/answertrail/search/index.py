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
from answertrail.search.dense import Places, cosines, first_equal
from answertrail.search.fusion import best
from answertrail.search.hits import ChunkRow, Filter, Hit, SearchResult
from answertrail.search.lexical import LexicalIndex
from answertrail.search.links import at_second
from answertrail.search.modes import Mode, Signals, mode_named

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
        self._queries: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()

    async def search(self, query: str, *, mode: str, k: int, within: Filter | None = None) -> SearchResult:
        """Return exactly min(k, matching) hits; ties are broken by chunk id.

        Raises InputError for an empty query or k below 1, NotFoundError for an unknown mode.
        """
        chosen = mode_named(mode)
        if not query.strip():
            raise InputError("the query is empty")
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        allowed = self._allowed(within or Filter())
        signals = await self._signals(query, chosen, allowed)
        # Scores are those of the whole filtered corpus; what was shown is only left out of the
        # rows, so that a repeated query goes on exactly where it stopped.
        ranking = chosen.rank(signals)
        shown = self._rows_of((within or Filter()).exclude)
        eligible = ranking.eligible & ~shown
        places = best(ranking.scores, eligible, k)
        return SearchResult(
            query=query,
            mode=mode,
            hits=tuple(self._hit(int(place), float(ranking.scores[place]), signals, chosen) for place in places),
            matching=int(eligible.sum()),
            held_back=int((ranking.eligible & shown).sum()),
            chunks_in_corpus=len(self.rows),
            terms=self.lexical.terms(query),
        )

    async def _signals(self, query: str, mode: Mode, allowed: npt.NDArray[np.bool_]) -> Signals:
        count = len(self.rows)
        dense = np.full(count, np.nan, dtype=np.float32)
        lexical, share = np.zeros(count, dtype=np.float32), 0.0
        if "dense" in mode.needs and count:
            vector = await self._embedded(query)
            dense = await asyncio.to_thread(self._cosines, vector)
        if "lexical" in mode.needs and count:
            lexical, share = self.lexical.scores(query)
        return Signals(dense, lexical, share, allowed)

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

    def _allowed(self, within: Filter) -> npt.NDArray[np.bool_]:
        allowed = np.ones(len(self.rows), dtype=np.bool_)
        # A document without a date compares false with any bound: it takes no part.
        if within.start is not None:
            allowed &= self._published >= within.start.timestamp()
        if within.end is not None:
            allowed &= self._published < within.end.timestamp()
        if within.documents is not None:
            allowed &= np.array([row.document_id in within.documents for row in self.rows], dtype=np.bool_)
        return allowed

    def _rows_of(self, chunks: Iterable[str]) -> npt.NDArray[np.bool_]:
        out = np.zeros(len(self.rows), dtype=np.bool_)
        out[[self.by_id[chunk] for chunk in chunks if chunk in self.by_id]] = True
        return out

    def _hit(self, place: int, score: float, signals: Signals, mode: Mode) -> Hit:
        row = self.rows[place]
        dense = float(signals.dense[place])
        return Hit(
            chunk_id=row.id,
            document_id=row.document_id,
            title=row.title,
            published_at=row.published_at,
            start_s=row.start_s,
            end_s=row.end_s,
            url=at_second(row.url, row.start_s),
            text=row.text,
            score=score,
            dense=None if np.isnan(dense) else dense,
            lexical=float(signals.lexical[place]) if "lexical" in mode.needs else None,
            lines=row.lines,
            speakers=row.speakers,
        )
