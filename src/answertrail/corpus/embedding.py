"""The embedding stage: what still lacks a vector gets one, a batch at a time.

What is missing is a query, so a crash loses at most the batch in hand, and several processes may
run the stage: a text embedded twice is kept once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answertrail.corpus.report import Progress, Silent
from answertrail.models.embedding.base import Embedder
from answertrail.store import corpora, embeddings
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus

_BATCHES_A_ROUND = 8


async def embed_missing(db: Database, corpus: Corpus, embedder: Embedder, progress: Progress | None = None) -> int:
    """Embed every text of the corpus that lacks a vector; return how many got one.

    A text for which the embedder has nothing is marked so, with the reason, and not tried again.
    Raises MismatchError when the embedder is not the corpus's own, ServiceError when it is down;
    what was embedded before stays.
    """
    corpora.check_identity(corpus, embedder.identity)
    shown = progress or Silent()
    total = await embeddings.pending_count(db, corpus)
    if not total:
        return 0
    shown.begin("embedding", total)
    done = 0
    while missing := await embeddings.pending(db, corpus, embedder.batch_size * _BATCHES_A_ROUND):
        # Texts of like length make the fastest batches; each is kept as soon as it is made, since
        # a hosted one has been paid for.
        missing.sort(key=lambda pair: len(pair[1]))
        for start in range(0, len(missing), embedder.batch_size):
            batch = missing[start : start + embedder.batch_size]
            done += await _embed(db, corpus, embedder, batch)
            shown.advance(len(batch))
    shown.end()
    return done


async def _embed(db: Database, corpus: Corpus, embedder: Embedder, batch: Sequence[tuple[str, str]]) -> int:
    """Embed and keep one batch of (hash, text); return how many got a vector."""
    hashes = [text_hash for text_hash, _ in batch]
    vectors = await embedder.embed([text for _, text in batch], "passage")
    usable = np.isfinite(vectors).all(axis=1) & (np.linalg.norm(vectors, axis=1) > 0)
    kept = [text_hash for text_hash, good in zip(hashes, usable, strict=True) if good]
    empty = [text_hash for text_hash, good in zip(hashes, usable, strict=True) if not good]
    async with db.transaction() as conn:
        await embeddings.save(conn, corpus.embedder_id, kept, vectors[usable])
        reason = f"{embedder.identity.name} has no vector for it"
        await embeddings.mark_unembeddable(conn, corpus.embedder_id, [(text_hash, reason) for text_hash in empty])
    return len(kept)
