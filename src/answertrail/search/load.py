"""Open a corpus: read its chunks, vectors and BM25 index, from the cache where that is current.

All is read in one transaction, so that chunks, vectors and snapshot are of one instant. The cache
holds only what can be rebuilt from the database, in `cache/<corpus id>/<digest of the content>`;
a broken, missing or foreign file is rebuilt.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.models.embedding.load import load_embedder
from answertrail.records.embedder import EmbedderIdentity
from answertrail.records.run import CorpusRef
from answertrail.search.engines.base import NoIndexError, StaleIndexError
from answertrail.search.hits import ChunkRow
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import LexicalIndex
from answertrail.search.open_corpus import OpenCorpus
from answertrail.search.said_before import contexts
from answertrail.settings import Settings
from answertrail.store import chunks, corpora, embeddings, search_indexes
from answertrail.store.connection import Database
from answertrail.store.rows import StoredChunk

CACHE_VERSION = "7"
"""Raise it when tokens, BM25 settings or the files of the cache change."""

_KEPT = 3
"""Indexes kept per corpus: going back and forth between a few states rebuilds nothing."""

_MANIFEST = "manifest.json"
_ABANDONED_S = 3600.0


async def open_corpus(db: Database, settings: Settings, name: str, engine: str | None = None) -> OpenCorpus:
    """Open a corpus as it is now; it stays that snapshot while others write.

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
    return OpenCorpus(CorpusRef(name=corpus.name, snapshot=snapshot), index, pending, corpus.context, note=note)


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
    return _aligned(rows, ids, vectors, dims), lexical_index(rows)


def lexical_index(rows: Sequence[ChunkRow]) -> LexicalIndex:
    """Index chunks, in id order, by their words and what else they are found by, and their documents."""
    return LexicalIndex.build(
        [row.text for row in rows],
        [row.language for row in rows],
        contexts(rows),
        [row.document_id for row in rows],
    )


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
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        if manifest != _manifest(folder):
            return None
        matrix: Vectors = np.load(folder / "dense.npy", mmap_mode="r")
        lexical = LexicalIndex.load(folder)
    except (OSError, ValueError, KeyError, EOFError):
        return None
    return (matrix, lexical) if matrix.shape == (rows, dims) and lexical.rows == rows else None


def _manifest(folder: Path, digest: str | None = None) -> dict[str, Any]:
    """Say which content the folder is for, by its name if not given, and what its files hold.

    CRC-32 is for the accidents a disk or a killed copy makes; it reads 2 GB a second.
    """
    files = sorted(path for path in folder.iterdir() if path.name != _MANIFEST)
    return {"digest": digest or folder.name, "files": {path.name: _checksum(path) for path in files}}


def _checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            value = zlib.crc32(block, value)
    return value


def _save(folder: Path, matrix: Vectors, lexical: LexicalIndex) -> None:
    """Write the cache by an atomic rename. A full disk costs speed, not the search."""
    scratch: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
        np.save(scratch / "dense.npy", matrix)
        lexical.save(scratch)
        (scratch / _MANIFEST).write_text(json.dumps(_manifest(scratch, folder.name)), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        scratch.replace(folder)
    except OSError:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
    with contextlib.suppress(OSError):
        _thin_out(folder.parent)


def _thin_out(parent: Path) -> None:
    """Remove all but the newest indexes of a corpus, and what a killed process left half made.

    What cannot be removed, because another process has it open on Windows, stays till next time.
    """
    aged: list[tuple[float, Path]] = []
    for path in parent.iterdir():
        with contextlib.suppress(OSError):
            aged.append((path.stat().st_mtime, path))
    aged.sort(reverse=True)
    made = [path for _, path in aged if not path.name.startswith(".")]
    abandoned = [path for at, path in aged if path.name.startswith(".") and at < time.time() - _ABANDONED_S]
    for path in (*made[_KEPT:], *abandoned):
        shutil.rmtree(path, ignore_errors=True)
