"""Open a corpus: read its chunks, vectors and BM25 index, from the cache where that is current.

The cache holds only what can be rebuilt from the database; a broken or missing file is rebuilt.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.models.embedding.load import load_embedder
from answertrail.records.run import CorpusRef
from answertrail.search.hits import ChunkRow
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import LexicalIndex
from answertrail.search.open_corpus import OpenCorpus
from answertrail.settings import Settings
from answertrail.store import chunks, corpora, embeddings
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus, StoredChunk

CACHE_VERSION = "2"
"""Raise it when tokens, BM25 settings or the files of the cache change."""


async def open_corpus(db: Database, settings: Settings, name: str) -> OpenCorpus:
    """Open a corpus as it is now; it stays that snapshot while others write.

    Raises NotFoundError for an unknown name, MismatchError when the embedder installed here is
    not the one the vectors were made with, ServiceError when it cannot be had.
    """
    corpus = await corpora.get(db, name)
    embedder = load_embedder(corpus.spec)
    corpora.check_identity(corpus, embedder.identity)
    while True:
        before = await corpora.revision(db, corpus)
        snapshot = await corpora.snapshot(db, corpus)
        rows = [_row(stored) for stored in await chunks.chunk_table(db, corpus)]
        matrix, lexical = await _indexes(db, settings, corpus, snapshot, rows, embedder)
        if await corpora.revision(db, corpus) == before:
            return OpenCorpus(
                CorpusRef(name=corpus.name, snapshot=snapshot), CorpusIndex(rows, matrix, lexical, embedder)
            )


def _row(stored: StoredChunk) -> ChunkRow:
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


async def _indexes(
    db: Database, settings: Settings, corpus: Corpus, snapshot: str, rows: Sequence[ChunkRow], embedder: Embedder
) -> tuple[Vectors, LexicalIndex]:
    digest = hashlib.sha256("\n".join((CACHE_VERSION, snapshot, repr(embedder.identity))).encode("utf-8"))
    for row in rows:  # what the snapshot hash leaves out and the index holds
        digest.update("\t".join((row.language or "", row.title, *row.speakers)).encode("utf-8") + b"\n")
    folder = settings.cache / digest.hexdigest()[:32]
    cached = await asyncio.to_thread(_load, folder, len(rows), embedder.identity.dims)
    if cached is not None:
        return cached
    complete = await embeddings.pending_count(db, corpus) == 0
    matrix = _aligned(rows, *await embeddings.matrix(db, corpus), embedder.identity.dims)
    lexical = await asyncio.to_thread(
        LexicalIndex.build,
        [row.text for row in rows],
        [row.language for row in rows],
        [" ".join((row.title, *row.speakers)) for row in rows],
    )
    if complete and rows:
        await asyncio.to_thread(_save, folder, matrix, lexical)
    return matrix, lexical


def _aligned(rows: Sequence[ChunkRow], ids: Sequence[str], vectors: Vectors, dims: int) -> Vectors:
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
    try:
        matrix: Vectors = np.load(folder / "dense.npy", mmap_mode="r")
        lexical = LexicalIndex.load(folder)
    except (OSError, ValueError, KeyError, EOFError):
        return None
    return (matrix, lexical) if matrix.shape == (rows, dims) and lexical.rows == rows else None


def _save(folder: Path, matrix: Vectors, lexical: LexicalIndex) -> None:
    """Write the cache by an atomic rename. A full disk costs speed, not the search."""
    scratch: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
        np.save(scratch / "dense.npy", matrix)
        lexical.save(scratch)
        shutil.rmtree(folder, ignore_errors=True)
        scratch.replace(folder)
    except OSError:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
