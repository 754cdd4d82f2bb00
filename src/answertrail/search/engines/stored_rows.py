"""Texts and vectors from the database, as long as it says what it said when the corpus was indexed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from answertrail.search.around import Neighbours, Surroundings
from answertrail.search.engines.base import StaleIndexError, Vector
from answertrail.search.engines.catalogue import Catalogue, mark
from answertrail.search.engines.rows import no_chunk
from answertrail.search.hits import ChunkRow
from answertrail.search.load import chunk_row
from answertrail.store import chunks, embeddings
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus


class StoredRows:
    """Chunks read when they are shown. Each must have the text it was indexed by."""

    def __init__(self, db: Database, corpus: Corpus, catalogue: Catalogue) -> None:
        self._db = db
        self._corpus = corpus
        self._catalogue = catalogue

    async def rows(self, ids: Collection[str]) -> Mapping[str, ChunkRow]:
        """Return these chunks."""
        if not ids:
            return {}
        found = await chunks.get_chunks(self._db, self._corpus, sorted(ids))
        for chunk in ids:
            place = self._catalogue.place(chunk)
            if place is None or chunk not in found or mark(found[chunk].text_hash) != self._catalogue.marks[place]:
                raise StaleIndexError(
                    "the corpus changed after it was opened",
                    where=chunk,
                    hint="open it again; a new index is made by `answertrail corpus index`",
                )
        return {chunk: chunk_row(stored) for chunk, stored in found.items()}

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those of these chunks that have one. Raises StaleIndexError as `rows` does."""
        found = await embeddings.vectors_of(self._db, self._corpus, ids)
        # After the vectors: a chunk that has its old text still has its old vector.
        await self.rows(ids)
        return found

    async def around(self, chunk_id: str, before: int, after: int) -> Surroundings:
        """Return a chunk with its neighbours."""
        place = self._catalogue.place(chunk_id)
        if place is None:
            raise no_chunk(chunk_id)
        document = self._catalogue.documents[int(self._catalogue.document_of[place])]
        stored = await chunks.chunks_of(self._db, self._corpus, document)
        rows = sorted((chunk_row(one) for one in stored), key=lambda row: row.id)
        at = next((at for at, row in enumerate(rows) if row.id == chunk_id), None)
        if at is None:
            raise StaleIndexError("the corpus changed after it was opened", where=chunk_id, hint="open it again")
        return Neighbours(rows).around(at, before, after)
