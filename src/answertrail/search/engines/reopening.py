"""What an open corpus is searched with when its index is replaced or dropped under it."""

from __future__ import annotations

from typing import cast

import numpy as np

from answertrail.search.engines import local
from answertrail.search.engines.base import DenseEngine, LexicalEngine
from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.document_votes import DocumentVotes
from answertrail.search.engines.exact import EXACT, ExactVectors, LocalWords
from answertrail.search.engines.index import Engines
from answertrail.search.engines.registry import kind_named
from answertrail.search.load import aligned, chunk_row, lexical_index
from answertrail.settings import Settings
from answertrail.store import chunks, corpora, embeddings, search_indexes
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus
from answertrail.store.search_indexes import SearchIndex


def engines_over(opened: DenseEngine, catalogue: Catalogue, held: local.Held) -> Engines:
    """Return an engine with the words that are kept beside it where it has none."""
    if held.words:
        return Engines(opened, LocalWords(catalogue, held.lexical))
    return Engines(opened, cast(LexicalEngine, opened), DocumentVotes(catalogue, held.lexical))


class Reopening:
    """Opens the index that took the place of one, or every vector and word where it was dropped.

    Only as long as the corpus has the same chunks and vectors: what is searched stays one snapshot.
    """

    def __init__(
        self, db: Database, settings: Settings, corpus: Corpus, record: SearchIndex, catalogue: Catalogue
    ) -> None:
        self._db = db
        self._settings = settings
        self._corpus = corpus
        self._record = record
        self._catalogue = catalogue

    async def __call__(self, failed: DenseEngine) -> Engines | None:
        """Return what to search with instead; None when nothing took its place, or the corpus is another."""
        if failed.name == EXACT:
            return None
        old, now = self._record, await search_indexes.find(self._db, self._corpus, self._record.engine)
        if now is None:
            return await self._exactly()
        same = (now.snapshot, now.embedder, now.vectors) == (old.snapshot, old.embedder, old.vectors)
        if now.place == old.place or not same:
            return None
        opened = await kind_named(now.engine, self._db, self._corpus, now.settings).open(now.place, failed.dims)
        try:
            async with self._db.reading() as conn:
                if await corpora.snapshot_in(conn, self._corpus) == now.snapshot:
                    words = not opened.capabilities.lexical
                    held = await local.load_or_make(conn, self._corpus, self._settings, now, words=words)
                    self._record = now
                    return engines_over(opened, self._catalogue, held)
        except BaseException:
            await opened.close()
            raise
        await opened.close()
        return None

    async def _exactly(self) -> Engines | None:
        async with self._db.reading() as conn:
            if await corpora.snapshot_in(conn, self._corpus) != self._record.snapshot:
                return None
            rows = [chunk_row(stored) for stored in await chunks.chunk_table_in(conn, self._corpus)]
            matrix = aligned(rows, *await embeddings.matrix_in(conn, self._corpus), self._corpus.identity.dims)
        if not np.array_equal(~np.isnan(matrix).any(axis=1), self._catalogue.has_vector):
            return None
        note = f"searched exactly, since the {self._record.engine} index was dropped after it was opened"
        words = LocalWords(self._catalogue, lexical_index(rows))
        return Engines(ExactVectors(self._catalogue, matrix), words, note=note)
