"""Open a corpus: read its chunks, vectors and BM25 index, from the cache where that is current.

All is read in one transaction, so that chunks, vectors and snapshot are of one instant. The cache
holds only what can be rebuilt from the database, in `cache/<corpus id>/<digest of the content>`;
a broken, missing or foreign file is rebuilt.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.models.embedding.load import load_embedder
from answertrail.records.embedder import EmbedderIdentity
from answertrail.records.run import CorpusRef
from answertrail.search import checked
from answertrail.search.engines.base import NoIndexError, StaleIndexError
from answertrail.search.hits import ChunkRow
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import LexicalIndex
from answertrail.search.open_corpus import Captions, OpenCorpus
from answertrail.search.said_before import contexts
from answertrail.settings import Settings
from answertrail.store import chunks, corpora, embeddings, search_indexes
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus, StoredChunk

CACHE_VERSION = "9"
"""Raise it when tokens, BM25 settings or the files of the cache change."""

_KEPT = 3
"""Indexes kept per corpus: going back and forth between a few states rebuilds nothing."""


async def open_corpus(db: Database, settings: Settings, name: str, engine: str | None = None) -> OpenCorpus:
    """Open a corpus as it is now; it shows that snapshot alone while others write (see `OpenCorpus`).

    It is searched with the engine named, else with the one it was indexed with; where that index
    is old or gone it is searched exactly, and every result says so.

    Raises NotFoundError for an unknown name or engine, MismatchError when the embedder installed
    here is not the one the vectors were made with, ServiceError when it cannot be had; of an
    engine that was named also NoIndexError and StaleIndexError.
    """
    corpus = await corpora.get(db, name)
    embedder = load_embedder(corpus.spec)
    corpora.check_identity(corpus, embedder.identity)
    note = None
    if (chosen := engine or await search_indexes.engine_of(db, corpus)) != "exact":
        # Imported late: an engine's texts and words are read as they are here.
        from answertrail.search.engines.serving import open_served

        try:
            return await open_served(db, settings, corpus, embedder, chosen)
        except (NoIndexError, StaleIndexError) as error:
            if engine is not None:
                raise
            note = f"searched exactly, not with {chosen}: {error.message}; {error.hint}"
    async with db.reading() as conn:
        snapshot = await corpora.snapshot_in(conn, corpus)
        stored = await chunks.chunk_table_in(conn, corpus)
        rows, digest = await asyncio.to_thread(_rows, stored, embedder, corpus.context)
        folder = settings.cache / str(corpus.id) / digest
        indexes = await asyncio.to_thread(_load, folder, len(rows), embedder.identity.dims)
        pending = 0
        if indexes is None:
            pending = await embeddings.pending_count_in(conn, corpus)
            ids, vectors = await embeddings.matrix_in(conn, corpus)
    if indexes is None:
        indexes = await asyncio.to_thread(_build, rows, ids, vectors, embedder.identity.dims)
        # With vectors still to come the same chunks will make another matrix.
        if not pending and rows:
            await asyncio.to_thread(_save, folder, *indexes)
    index = CorpusIndex(rows, *indexes, embedder)
    ref, captions = CorpusRef(name=corpus.name, snapshot=snapshot), captions_of(db, corpus)
    return OpenCorpus(ref, index, pending, corpus.context, note=note, captions=captions)


def captions_of(db: Database, corpus: Corpus) -> Captions:
    """Return what tells the words as captioned of chunks of a corpus; see `captioned_words`."""

    async def told(shown: Mapping[str, str]) -> Mapping[str, str]:
        # Imported late: a search never asks, and the cleaning stage is slow to load.
        from answertrail.corpus.cleaning.captioned import captioned_words

        return await captioned_words(db, corpus, shown)

    return told


def _rows(stored: Sequence[StoredChunk], embedder: Embedder, context: Sequence[str]) -> tuple[list[ChunkRow], str]:
    return [chunk_row(chunk) for chunk in stored], content_digest(stored, embedder.identity, context)


def content_digest(stored: Iterable[StoredChunk], identity: EmbedderIdentity, context: Sequence[str] = ()) -> str:
    """Return the SHA-256 of all that an index of these chunks is made from, in hex.

    A vector follows from the text, its context and the embedder, so a complete matrix is covered as well.
    """
    digest = hashlib.sha256(repr((CACHE_VERSION, identity, tuple(context))).encode("utf-8"))
    for row in stored:
        # repr: no title or name can be mistaken for a boundary between two of them.
        date = row.published_at_text if "date" in context else None
        held = (row.chunk.id, row.text_hash, row.language, row.title, row.chunk.speakers, date)
        digest.update(repr(held).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def chunk_row(stored: StoredChunk) -> ChunkRow:
    """Return a chunk as search shows it."""
    chunk = stored.chunk
    return ChunkRow(
        id=chunk.id,
        document_id=chunk.document_id,
        title=stored.title,
        published_at=stored.published_at,
        url=stored.url,
        language=stored.language,
        duration_s=stored.duration_s,
        start_s=chunk.start_s,
        end_s=chunk.end_s,
        text=chunk.text,
        lines=chunk.lines,
        speakers=chunk.speakers,
    )


def _build(rows: Sequence[ChunkRow], ids: Sequence[str], vectors: Vectors, dims: int) -> tuple[Vectors, LexicalIndex]:
    return aligned(rows, ids, vectors, dims), lexical_index(rows)


def lexical_index(rows: Sequence[ChunkRow]) -> LexicalIndex:
    """Index chunks, in id order, by their words and what else they are found by, and their documents."""
    return LexicalIndex.build(
        [row.text for row in rows],
        [row.language for row in rows],
        contexts(rows),
        [row.document_id for row in rows],
    )


def aligned(rows: Sequence[ChunkRow], ids: Sequence[str], vectors: Vectors, dims: int) -> Vectors:
    """Return one row per chunk, NaN where there is no vector yet."""
    if len(ids) == len(rows) and all(row.id == chunk for row, chunk in zip(rows, ids, strict=True)):
        return vectors
    place = {row.id: at for at, row in enumerate(rows)}
    out = np.full((len(rows), dims), np.nan, dtype=np.float32)
    for chunk, vector in zip(ids, vectors, strict=True):
        if chunk in place:
            out[place[chunk]] = vector
    return out


def _load(folder: Path, rows: int, dims: int) -> tuple[Vectors, LexicalIndex] | None:
    if not checked.is_whole(folder):
        return None
    try:
        matrix: Vectors = np.load(folder / "dense.npy", mmap_mode="r")
        lexical = LexicalIndex.load(folder)
    except checked.BROKEN:
        return None
    return (matrix, lexical) if matrix.shape == (rows, dims) and lexical.rows == rows else None


def _save(folder: Path, matrix: Vectors, lexical: LexicalIndex) -> None:
    """Write the cache, and remove all but the newest indexes of the corpus."""

    def write(scratch: Path) -> None:
        np.save(scratch / "dense.npy", matrix)
        lexical.save(scratch)

    checked.save(folder, write)
    checked.remove(checked.newest_first(folder.parent)[_KEPT:])
