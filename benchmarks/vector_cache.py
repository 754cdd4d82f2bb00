"""Vectors kept on disk by what was embedded, so that a second run of a benchmark embeds nothing."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answertrail.models.embedding.base import Embedder, EmbedderIdentity, Role, Vectors


class CachedEmbedder:
    """An embedder whose passages are looked up first. Queries are always embedded, so that they are timed.

    A row belongs to an identity and the SHA-256 of a text; another embedder never reads it. Each
    batch is kept as soon as it is made. Texts the embedder has nothing for are kept as NaN.
    """

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS vectors (identity TEXT, text BLOB, vector BLOB, PRIMARY KEY (identity, text))"
        )
        self.made = 0

    @property
    def identity(self) -> EmbedderIdentity:
        """That of the embedder itself."""
        return self._embedder.identity

    @property
    def batch_size(self) -> int:
        """That of the embedder itself."""
        return self._embedder.batch_size

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return the vectors of the texts; see `Embedder.embed`."""
        if role == "query":
            return await self._embedder.embed(texts, role)
        known = {text: self._read(text) for text in dict.fromkeys(texts)}
        # Texts of like length make the fastest batches.
        missing = sorted((text for text, vector in known.items() if vector is None), key=len)
        for start in range(0, len(missing), self.batch_size):
            batch = missing[start : start + self.batch_size]
            made = await self._embedder.embed(batch, role)
            with self._db:
                self._db.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                    [(self.identity.key, _digest(text), row.tobytes()) for text, row in zip(batch, made, strict=True)],
                )
            known |= dict(zip(batch, made, strict=True))
            self.made += len(batch)
        out = np.empty((len(texts), self.identity.dims), dtype=np.float32)
        for place, text in enumerate(texts):
            out[place] = known[text]
        return out

    def _read(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]] | None:
        found = self._db.execute(
            "SELECT vector FROM vectors WHERE identity = ? AND text = ?", (self.identity.key, _digest(text))
        ).fetchone()
        return None if found is None else np.frombuffer(found[0], dtype=np.float32)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).digest()


class Remembering:
    """An embedder that makes the vector of a query once: every variant asks much the same."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._queries = embedder, dict[str, Any]()
        self.identity, self.batch_size = embedder.identity, embedder.batch_size

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """See `Embedder.embed`."""
        if role != "query" or len(texts) != 1:
            return await self._embedder.embed(texts, role)
        if texts[0] not in self._queries:
            self._queries[texts[0]] = await self._embedder.embed(texts, role)
        made: Vectors = self._queries[texts[0]]
        return made
