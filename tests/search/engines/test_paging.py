"""Random filtered, stratified and paged searches over engines, held to what the index over every row is held to."""

from __future__ import annotations

import asyncio
import random

import pytest

from answertrail.search import load
from answertrail.search.engines.index import POOL
from answertrail.search.engines.serving import index_corpus
from answertrail.search.load import open_corpus
from tests.search.engines.stored import stored_corpus
from tests.search.engines.worlds import both
from tests.search.test_paging import check
from tests.search.worlds import TinyEmbedder, random_rows
from tests.soak import rounds

ROUNDS = rounds(ci=60, soak=10_000)


def test_over_the_exact_engine():
    async def all_rounds() -> None:
        for number in range(ROUNDS):
            if number % 50 == 0:
                rows = random_rows(rng, documents=20, chunks=14)
                _, engine = both(rows, TinyEmbedder(), {row.id: None for row in rows if rng.random() < 0.05})
            await check(rng, rows, engine, POOL)

    rng = random.Random(41)
    asyncio.run(all_rounds())


@pytest.mark.asyncio
async def test_over_hnsw(database, settings, monkeypatch):
    tiny = TinyEmbedder(16)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    corpus = await stored_corpus(database, without=9)
    exact = await open_corpus(database, settings, "talks")
    await index_corpus(database, settings, corpus, "hnsw")
    served = await open_corpus(database, settings, "talks")
    rng = random.Random(42)
    for _ in range(ROUNDS):
        await check(rng, exact.index.rows, served.index, POOL)
