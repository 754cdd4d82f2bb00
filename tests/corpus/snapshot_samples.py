"""A small corpus that has something in every table, and ways to look at all of it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from psycopg import sql

from answertrail.records import Document
from answertrail.records.chunk import Chunk
from answertrail.records.embedder import EmbedderIdentity
from answertrail.store import Database, corpora, documents, embeddings, sources
from answertrail.store.rows import Corpus
from tests.search.worlds import TinyEmbedder
from tests.store.samples import timed

SPOKEN = ("We moved the kiln to the barn.", "The glaze\u2028kept crawling.", "가마를 옮겼다.")
WRITTEN = "Nobody fired anything.  The river \N{FACE WITH TEARS OF JOY} rose."


def written(document_id: str = "note:1") -> tuple[Document, list[Chunk]]:
    """A text without times or date, with free-form matter."""
    document = Document(
        id=document_id,
        title="A <b>note</b>",
        text=WRITTEN,
        published_at=None,
        language="en",
        tags=["mud", "river, north"],
        links=["a"],
        meta={"zeta": [1, 2.5, None, {"deep": "☃"}], "alpha": True},
    )
    part = (WRITTEN,)
    return document, [Chunk(f"{document_id}:0000000", document_id, 0, WRITTEN, part, char_start=0, char_end=40)]


async def rich_corpus(
    db: Database, embedder: TinyEmbedder, *, name: str = "talks", context: tuple[str, ...] = ("title",)
) -> Corpus:
    """Make the corpus; one of its texts has no vector and never will, all others have one."""
    corpus = await corpora.create(
        db, name, "tiny", embedder.identity, "en", context=context, asked_in=("en", "ko") if context else ()
    )
    await put_document(db, corpus, *timed("b", *SPOKEN, url="https://example.org/b?x=1", duration_s=90.5))
    await put_document(db, corpus, *timed("a", "One.", "Two.", published_at="2024-06-14T12:30:00.25+02:00"))
    await put_document(db, corpus, *written())
    async with db.transaction() as conn:
        await sources.record_failed(conn, corpus, "bad.vtt:7", "line 7 has no times", line=7)
        await sources.record_skipped(conn, corpus, "b.srt", "duplicate of b.vtt", notes=["as \N{SNOWMAN}"])
        for statement in _MORE:
            await conn.execute(statement, {"corpus": corpus.id})
    missing = await embeddings.pending(db, corpus, 1000)
    if not missing:  # another corpus has the same texts
        return await corpora.get(db, name)
    async with db.transaction() as conn:
        vectors = await embedder.embed([text for _, text in missing[1:]], "passage")
        await embeddings.save(conn, corpus.embedder_id, [key for key, _ in missing[1:]], vectors)
        await embeddings.mark_unembeddable(conn, corpus.embedder_id, [(missing[0][0], "nothing to embed")])
    return await corpora.get(db, name)


_MORE = (
    "UPDATE segments SET raw_text = 'the glays kept crawling' WHERE corpus_id = %(corpus)s"
    " AND document_id = 'b' AND ordinal = 1",
    "UPDATE segments SET raw_text = 'too' WHERE corpus_id = %(corpus)s AND document_id = 'a' AND ordinal = 1",
    "INSERT INTO origin_items (corpus_id, origin, item_id, listing, gone_at) VALUES"
    " (%(corpus)s, 'channel:x', 'b', '{\"title\": \"B\"}', NULL), (%(corpus)s, 'channel:x', 'c', '{}', now())",
    "INSERT INTO fetched_items (corpus_id, origin, item_id, document) VALUES"
    " (%(corpus)s, 'channel:x', 'b', '{\"schema\": \"document/1\"}')",
    "INSERT INTO withheld_items (corpus_id, origin, item_id, state, kind, reason, retry_at) VALUES"
    " (%(corpus)s, 'channel:x', 'c', 'failed', 'blocked', 'try later', now() + interval '1 day')",
    "INSERT INTO cleanings (corpus_id, document_id, raw_hash, model, prompt_version, glossary_hash, lines, changed,"
    " refused) VALUES (%(corpus)s, 'b', 'sha256:0', 'm', 'p1', 'sha256:1', 3, 1, 1)",
    "INSERT INTO cleaning_edits (corpus_id, document_id, ordinal, before, after, kept, reason) VALUES"
    " (%(corpus)s, 'b', 1, 'glays', 'glaze', true, 'a slip'), (%(corpus)s, 'b', 2, 'x', 'y', false, 'too far')",
    "INSERT INTO cleaning_batches (corpus_id, batch_key, texts, reason) VALUES"
    " (%(corpus)s, 'k1', '{one,\"two, three\"}', ''), (%(corpus)s, 'k2', NULL, 'no reply')",
    "UPDATE corpora SET engine = 'hnsw' WHERE id = %(corpus)s",
)


async def put_document(db: Database, corpus: Corpus, document: Document, chunks: list[Chunk]) -> str:
    """Ingest one document, each chunk below the title where the corpus has that as context."""
    contexts = [document.title if corpus.context else ""] * len(chunks)
    async with db.transaction() as conn:
        return await documents.replace(
            conn,
            corpus,
            document,
            chunks,
            content_hash=f"sha256:{hash(document.model_dump_json())}",
            source=f"{document.id}.vtt",
            fingerprint="f1",
            contexts=contexts,
        )


async def embed_all(db: Database, corpus: Corpus, embedder: TinyEmbedder) -> None:
    """Give every text that lacks one its vector."""
    if missing := await embeddings.pending(db, corpus, 10_000):
        vectors = await embedder.embed([text for _, text in missing], "passage")
        async with db.transaction() as conn:
            await embeddings.save(conn, corpus.embedder_id, [key for key, _ in missing], vectors)


async def all_rows(db: Database, corpus: Corpus) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table that belongs to the corpus, as text, without the corpus's id."""
    out = {}
    async with db.transaction() as conn:
        for table in await tables_of_corpora(db):
            statement = sql.SQL("SELECT (to_jsonb(t) - 'corpus_id')::text FROM {} t WHERE corpus_id = %s ORDER BY 1")
            cursor = await conn.execute(statement.format(sql.Identifier(table)), (corpus.id,))
            out[table] = await cursor.fetchall()
    return out


async def tables_of_corpora(db: Database) -> list[str]:
    """Name every table of the schema with a `corpus_id`."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT table_name FROM information_schema.columns WHERE column_name = 'corpus_id'"
            " AND table_schema = current_schema() ORDER BY 1"
        )
        return [name for (name,) in await cursor.fetchall()]


async def vectors_of(db: Database, corpus: Corpus) -> dict[str, bytes]:
    """Map chunk ids to the bytes of their vectors."""
    ids, matrix = await embeddings.matrix(db, corpus)
    return {chunk: matrix[at].tobytes() for at, chunk in enumerate(ids)}


def members(path: Path) -> dict[str, bytes]:
    """Return what a zip holds."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(held: dict[str, bytes], *, more: tuple[tuple[str, bytes], ...] = ()) -> bytes:
    """Return a zip of these members, and of more of any name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (*held.items(), *more):
            archive.writestr(name, data)
    return out.getvalue()


LONG = EmbedderIdentity("tiny", "1", 2400)
"""Vectors of this length are stored as 2-byte floats."""
