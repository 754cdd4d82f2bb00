"""A corpus as engines are filled from it: one state of the database, held open while it is read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from answertrail.errors import ServiceError
from answertrail.search.engines.base import EngineRow
from answertrail.search.said_before import FurtherWords
from answertrail.store import corpora, embeddings, snapshot_rows
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus

# Any number that nothing else in the database uses for an advisory lock of two parts.
_LOCK = 0x616E7369


class CorpusSource:
    """See `Source`. `revision` and `pending` are of the same state as the rows."""

    def __init__(
        self, conn: Connection, corpus: Corpus, snapshot: str, revision: int, counts: tuple[int, int], pending: int
    ) -> None:
        self._conn = conn
        self._corpus = corpus
        self.corpus_id = corpus.id
        self.dims = corpus.identity.dims
        self.snapshot = snapshot
        self.revision = revision
        self.rows, self.vectors = counts
        self.pending = pending

    async def batches(self, size: int = 1000) -> AsyncIterator[Sequence[EngineRow]]:
        """Yield all rows in chunk id order; only one caller at a time."""
        further = FurtherWords()
        async for rows in snapshot_rows.full_in(self._conn, self._corpus, size):
            yield [
                EngineRow(
                    id=chunk,
                    document_id=document,
                    published_at=published,
                    text=text,
                    context=further.of(document, title, speakers, text),
                    language=language,
                    vector=vector,
                )
                for chunk, document, published, text, title, speakers, language, vector in rows
            ]


@asynccontextmanager
async def reading(db: Database, corpus: Corpus) -> AsyncIterator[CorpusSource]:
    """Hold one state of a corpus open.

    Raises ServiceError while another process indexes it: each would drop what the other builds.
    """
    async with db.reading() as conn:
        cursor = await conn.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", (_LOCK, corpus.id))
        row = await cursor.fetchone()
        if row is None or not row[0]:
            raise ServiceError(
                "another process is indexing the corpus", where=corpus.name, hint="wait until it has finished"
            )
        snapshot = await corpora.snapshot_in(conn, corpus)
        cursor = await conn.execute("SELECT revision FROM corpora WHERE id = %s", (corpus.id,))
        (revision,) = await cursor.fetchone() or (0,)
        counts = await snapshot_rows.counts_in(conn, corpus)
        pending = await embeddings.pending_count_in(conn, corpus)
        yield CorpusSource(conn, corpus, snapshot, int(revision), counts, pending)
