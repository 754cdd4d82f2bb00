"""A tiny embedder and random corpora of unit vectors. Nothing here is a model."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from answertrail.records.embedder import EmbedderIdentity
from answertrail.search.hits import ChunkRow
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import LexicalIndex


class TinyEmbedder:
    """Known texts get the vector given; any other gets a unit vector made from its hash."""

    batch_size = 64

    def __init__(self, dims: int = 8, known: Mapping[str, Sequence[float]] | None = None) -> None:
        self.identity = EmbedderIdentity("tiny", "1", dims)
        self.known = dict(known or {})
        self.asked: list[tuple[str, str]] = []

    async def embed(self, texts, role):
        self.asked += [(text, role) for text in texts]
        return np.stack([self.vector(text) for text in texts]).astype(np.float32)

    def vector(self, text: str) -> np.ndarray:
        if text in self.known:
            return np.asarray(self.known[text], dtype=np.float64)
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return unit(np.random.default_rng(seed).normal(size=self.identity.dims))


def unit(values) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    return values / np.linalg.norm(values)


def row(
    chunk: str, text: str, *, published: datetime | None = None, language: str | None = "en", url: str | None = None
) -> ChunkRow:
    document, start = chunk.rsplit(":", 1)
    return ChunkRow(
        id=chunk, document_id=document, title=f"Title of {document}", published_at=published, url=url,
        language=language, duration_s=None, start_s=float(start), end_s=float(start) + 30, text=text, lines=(text,),
    )  # fmt: skip


def index_of(
    rows: Sequence[ChunkRow], embedder: TinyEmbedder, vectors: Mapping[str, Sequence[float] | None] | None = None
):
    """Index rows in id order; a row's vector is the one given, else its text's; None is no vector yet."""
    table = sorted(rows, key=lambda r: r.id)
    matrix = np.zeros((len(table), embedder.identity.dims), dtype=np.float32)
    for place, item in enumerate(table):
        given = (vectors or {}).get(item.id, embedder.vector(item.text))
        matrix[place] = np.nan if given is None else given
    lexical = LexicalIndex.build([r.text for r in table], [r.language for r in table])
    return CorpusIndex(table, matrix, lexical, embedder)


WORDS = [
    "kiln", "glaze", "barn", "tractor", "clay", "winter", "fire", "shelf", "bucket", "roof", "ash", "salt", "wheel",
    "stone", "river", "lamp",
]  # fmt: skip
START = datetime(2024, 1, 1, tzinfo=UTC)


def random_rows(rng: random.Random, documents: int = 12, chunks: int = 6) -> list[ChunkRow]:
    """Some documents have no date; some texts occur twice."""
    out = []
    for d in range(documents):
        published = None if d % 4 == 3 else START + timedelta(days=30 * d, hours=rng.randrange(24))
        for c in range(chunks):
            text = " ".join(rng.choices(WORDS, k=rng.randrange(3, 12)))
            out.append(row(f"d{d:02}:{30 * c:05}", text, published=published))
    return out
