"""The embedding stage: what still lacks a vector gets one, a batch at a time.

What is missing is a query, so a crash loses at most the batch in hand. Several workers share the
stage: each claims the batch it is at, and begins at a place of its own, so that they seldom meet.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence

import numpy as np

from answertrail.corpus.report import Progress, Silent
from answertrail.models.embedding.base import Embedder
from answertrail.store import claims, corpora, embeddings
from answertrail.store.connection import Database
from answertrail.store.holding import holding
from answertrail.store.rows import Corpus

STAGE = "embed"
_BATCHES_A_ROUND = 8
_WAIT_S, _LONGEST_WAIT_S = 0.5, 5.0


async def embed_missing(
    db: Database,
    corpus: Corpus,
    embedder: Embedder,
    progress: Progress | None = None,
    *,
    worker: str | None = None,
) -> int:
    """Embed every text of the corpus that lacks a vector; return how many got one here.

    Returns when none lacks one, so it waits for what other workers have in hand. `worker` names
    this one; None makes a new one. A text for which the embedder has nothing is marked so, with
    the reason, and not tried again. Raises MismatchError when the embedder is not the corpus's
    own, ServiceError when it is down; what was embedded before stays.
    """
    corpora.check_identity(corpus, embedder.identity)
    total = await embeddings.pending_count(db, corpus)
    if not total:
        return 0
    if worker is None:
        async with claims.working(db) as own:
            return await _embed_all(db, corpus, embedder, progress or Silent(), own, total)
    return await _embed_all(db, corpus, embedder, progress or Silent(), worker, total)


async def _embed_all(db: Database, corpus: Corpus, embedder: Embedder, shown: Progress, worker: str, total: int) -> int:
    shown.begin("embedding", total)
    done = 0
    passed = 0
    wait = _WAIT_S
    while True:
        async for missing in _rounds(db, corpus, embedder.batch_size * _BATCHES_A_ROUND, worker):
            # Texts of like length make the fastest batches; each is kept as soon as it is made,
            # since a hosted one has been paid for.
            missing.sort(key=lambda pair: len(pair[1]))
            async with holding(db, corpus, STAGE, [text_hash for text_hash, _ in missing], worker) as hold:
                for start in range(0, len(missing), embedder.batch_size):
                    if hold.lost:
                        break  # Another is at it; what is left then is looked for below.
                    batch = missing[start : start + embedder.batch_size]
                    done += await _embed(db, corpus, embedder, batch)
                    shown.advance(len(batch))
                    passed += len(batch)
        left = await embeddings.pending_count(db, corpus)
        shown.advance(max(0, total - left - passed))
        passed = max(passed, total - left)
        if not left:
            break
        await asyncio.sleep(wait)  # others are at the rest
        wait = min(2 * wait, _LONGEST_WAIT_S)
    shown.end()
    return done


async def _rounds(db: Database, corpus: Corpus, size: int, worker: str) -> AsyncIterator[list[tuple[str, str]]]:
    """Yield what lacks a vector and nobody has in hand, once around in order of the hash, from this worker's place."""
    begin = "sha256:" + hashlib.sha256(worker.encode()).hexdigest()
    for first, last in ((begin, None), ("", begin)):
        after = first
        while found := await embeddings.pending(db, corpus, size, after=after):
            after = found[-1][0]
            within = [pair for pair in found if last is None or pair[0] <= last]
            mine = set(await claims.claim(db, corpus, STAGE, [text_hash for text_hash, _ in within], worker))
            # Somebody may have embedded it between the look and the claim.
            yield await embeddings.still_pending(db, corpus, [pair for pair in within if pair[0] in mine])
            await claims.give_back(db, corpus, STAGE, sorted(mine), worker)
            if len(within) < len(found):
                break


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
