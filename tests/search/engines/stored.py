"""Corpora in the database with vectors made up for them, and ways to break them."""

from __future__ import annotations

import random
from datetime import timedelta

import numpy as np
from psycopg import sql

from answertrail.records.chunk import text_hash
from answertrail.records.embedder import EmbedderIdentity
from answertrail.store import Database, corpora, embeddings
from answertrail.store.rows import Corpus
from tests.search.engines.worlds import clustered
from tests.search.worlds import START, WORDS
from tests.store.samples import put, timed


async def stored_corpus(
    db: Database, dims: int = 16, documents: int = 12, chunks: int = 20, *, name: str = "talks", without: int = 0
) -> Corpus:
    """Make a corpus of documents a month apart, every fourth undated; the last texts get no vector."""
    rng = random.Random(dims)
    corpus = await corpora.create(db, name, "tiny", EmbedderIdentity("tiny", "1", dims), "en")
    for at in range(documents):
        await say(db, corpus, f"d{at:03}", at, [words(rng, f"n{at}x{chunk}") for chunk in range(chunks)])
    await embed(db, corpus, leave=without)
    return corpus


def words(rng: random.Random, own: str) -> str:
    return " ".join([*rng.choices(WORDS, k=rng.randrange(3, 9)), own])


async def say(db: Database, corpus: Corpus, document: str, month: int, texts: list[str]) -> None:
    published = None if month % 4 == 3 else (START + timedelta(days=30 * month)).date().isoformat()
    async with db.transaction() as conn:
        await put(conn, corpus, *timed(document, *texts, published_at=published))


async def embed(db: Database, corpus: Corpus, leave: int = 0) -> None:
    """Give every text a vector but the last ones in order of their hash."""
    missing = await embeddings.pending(db, corpus, 10_000_000)
    missing = missing[: len(missing) - leave]
    vectors = clustered(np.random.default_rng(corpus.identity.dims), len(missing), corpus.identity.dims, centres=20)
    async with db.transaction() as conn:
        await embeddings.save(conn, corpus.embedder_id, [key for key, _ in missing], vectors)


async def synthetic(db: Database, rows: int, dims: int, *, name: str = "many", per_document: int = 50) -> Corpus:
    """Make a large corpus in a second by SQL: clustered vectors, a document a day."""
    corpus = await corpora.create(db, name, "tiny", EmbedderIdentity("tiny", "1", dims), "en")
    vectors = clustered(np.random.default_rng(5), rows, dims)
    async with db.transaction() as conn:
        await conn.execute(
            "INSERT INTO documents (corpus_id, document_id, title, published_at, record, source, content_hash,"
            " chunks_hash) SELECT %(c)s, 'd' || lpad(n::text, 6, '0'), 'Title', timestamptz '2020-01-01 UTC'"
            " + n * interval '1 day', '{}', 'made', 'x', 'x' FROM generate_series(0, (%(n)s - 1) / %(p)s) n",
            {"c": corpus.id, "n": rows, "p": per_document},
        )
        cursor = conn.cursor()
        columns = "corpus_id, chunk_id, document_id, ordinal, start_s, end_s, text, lines, speakers, text_hash"
        async with cursor.copy(f"COPY chunks ({columns}) FROM STDIN") as copy:
            for at in range(rows):
                document, ordinal, text = f"d{at // per_document:06}", at % per_document, f"n{at}"
                chunk = f"{document}:{30 * ordinal:05}"
                own = (corpus.id, chunk, document, ordinal, 30.0 * ordinal, 30.0 * ordinal + 30, text, [text], [])
                await copy.write_row((*own, text_hash(text)))
        await corpora.bump_revision(conn, corpus)
        columns = sql.SQL("COPY {} (text_hash, embedding) FROM STDIN").format(embeddings.table(corpus.embedder_id))
        async with cursor.copy(columns) as copy:
            for at in range(rows):
                await copy.write_row((text_hash(f"n{at}"), str(vectors[at].tolist())))
    return await corpora.get(db, name)
