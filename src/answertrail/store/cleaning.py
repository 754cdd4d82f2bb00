"""Cleaned captions: which documents lack it, what was changed in one, and the replies paid for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from answertrail.records.chunk import Chunk
from answertrail.records.document import Document
from answertrail.store import corpora, documents
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a cleaning was made with; another stamp is another cleaning."""

    model: str
    prompt_version: str
    glossary_hash: str


@dataclass(frozen=True, slots=True)
class Edit:
    """What became of one line that a model would change: `ordinal` is its place among the segments.

    `after` is None when the batch of the line got no usable reply; `reason` says why an edit was
    kept or refused. `start_s`, seconds from the start, is known when it is read back. An `after`
    that is `before` cannot be told from None once it is stored: neither is an edit.
    """

    ordinal: int
    before: str
    after: str | None
    kept: bool
    reason: str
    start_s: float | None = None


@dataclass(frozen=True, slots=True)
class Cleaning:
    """How a document was cleaned. Of `lines` lines, `changed` are not as captioned any more.

    `refused` were proposed and failed a guard; `unanswered` got no usable reply. `raw_hash` is the
    content hash of the document as captioned.
    """

    stamp: Stamp
    raw_hash: str
    lines: int
    changed: int
    refused: int
    unanswered: int
    cleaned_at: datetime


@dataclass(frozen=True, slots=True)
class KeptReply:
    """The reply to one batch: a text for each of its lines, or None and the reason."""

    texts: tuple[str, ...] | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Supply:
    """How many timed documents of a corpus have captions of each kind; `unknown` say nothing of it."""

    auto: int
    human: int
    translated: int
    unknown: int


_PENDING = """
    SELECT d.document_id FROM documents d
    LEFT JOIN cleanings c ON c.corpus_id = d.corpus_id AND c.document_id = d.document_id
        AND c.raw_hash = d.content_hash AND c.model = %(model)s
        AND c.prompt_version = %(version)s AND c.glossary_hash = %(glossary)s
    WHERE d.corpus_id = %(corpus)s AND d.body IS NULL AND c.document_id IS NULL
      AND (d.captions = 'auto' OR %(unlabelled)s AND d.captions IS NULL)
      AND (%(only)s::text[] IS NULL OR d.document_id = ANY (%(only)s::text[]))
    ORDER BY d.document_id
"""


async def pending(
    db: Database, corpus: Corpus, stamp: Stamp, *, unlabelled: bool = False, only: Collection[str] | None = None
) -> list[str]:
    """Return the documents with automatic captions that were not cleaned under this stamp, in order of their ids.

    `unlabelled` adds timed documents that do not say where their captions are from; `only` narrows
    the list to these ids.
    """
    values = {
        "corpus": corpus.id,
        "model": stamp.model,
        "version": stamp.prompt_version,
        "glossary": stamp.glossary_hash,
        "unlabelled": unlabelled,
        "only": None if only is None else list(only),
    }
    async with db.transaction() as conn:
        cursor = await conn.execute(_PENDING, values)
        return [document_id for (document_id,) in await cursor.fetchall()]


async def supply(db: Database, corpus: Corpus) -> Supply:
    """Count the timed documents by the kind of their captions."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT coalesce(captions, 'unknown'), count(*) FROM documents"
            " WHERE corpus_id = %s AND body IS NULL GROUP BY 1",
            (corpus.id,),
        )
        counts = {str(kind): int(count) for kind, count in await cursor.fetchall()}
    return Supply(*(counts.get(kind, 0) for kind in ("auto", "human", "translated", "unknown")))


async def uncleaned(db: Database, corpus: Corpus, *, unlabelled: bool = False) -> int:
    """Count the documents with automatic captions that were not cleaned under any stamp; see `pending`."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT count(*) FROM documents d LEFT JOIN cleanings c USING (corpus_id, document_id)"
            " WHERE d.corpus_id = %s AND d.body IS NULL AND c.raw_hash IS NULL"
            " AND (d.captions = 'auto' OR %s AND d.captions IS NULL)",
            (corpus.id, unlabelled),
        )
        row = await cursor.fetchone()
    return 0 if row is None else int(row[0])


async def is_as_captioned(conn: Connection, corpus: Corpus, document_id: str, raw_hash: str) -> bool:
    """Whether the document is still the one that was read, before what was made of it is written."""
    cursor = await conn.execute(
        "SELECT 1 FROM documents WHERE corpus_id = %s AND document_id = %s AND content_hash = %s",
        (corpus.id, document_id, raw_hash),
    )
    return await cursor.fetchone() is not None


async def is_rewritten(conn: Connection, corpus: Corpus, document_id: str) -> bool:
    """Whether words of the document are not as captioned."""
    cursor = await conn.execute(
        "SELECT 1 FROM segments WHERE corpus_id = %s AND document_id = %s AND raw_text IS NOT NULL LIMIT 1",
        (corpus.id, document_id),
    )
    return await cursor.fetchone() is not None


async def mended_in(conn: Connection, corpus: Corpus, chunk_ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return (document id, text) of those of these chunks, by id, whose document has lines that were changed."""
    cursor = await conn.execute(
        "SELECT c.chunk_id, c.document_id, c.text FROM chunks c JOIN cleanings m USING (corpus_id, document_id)"
        " WHERE c.corpus_id = %s AND c.chunk_id = ANY (%s) AND m.changed > 0",
        (corpus.id, list(chunk_ids)),
    )
    return {chunk_id: (document_id, text) for chunk_id, document_id, text in await cursor.fetchall()}


async def rewrite(
    conn: Connection,
    corpus: Corpus,
    document: Document,
    chunks: Sequence[Chunk],
    contexts: Sequence[str],
    raw: Mapping[int, str],
) -> None:
    """Put other words into a stored document: its segments and chunks are replaced, all else stays.

    `raw` holds what was captioned where the words differ, by segment. The document's hashes stay
    those of what was captioned, so that ingesting the same file again finds nothing to do.
    """
    for table in ("segments", "chunks"):
        await conn.execute(
            f"DELETE FROM {table} WHERE corpus_id = %s AND document_id = %s",  # noqa: S608 - constants
            (corpus.id, document.id),
        )
    await documents.copy_body(conn, corpus, document, chunks, contexts, raw)
    await corpora.bump_revision(conn, corpus)


async def record(
    conn: Connection, corpus: Corpus, document_id: str, stamp: Stamp, raw_hash: str, lines: int, edits: Sequence[Edit]
) -> None:
    """Put a cleaning and its edits in place of the one before. Runs in the caller's transaction."""
    key = (corpus.id, document_id)
    await conn.execute("DELETE FROM cleanings WHERE corpus_id = %s AND document_id = %s", key)
    changed = sum(edit.kept for edit in edits)
    refused = sum(not edit.kept and edit.after is not None for edit in edits)
    await conn.execute(
        "INSERT INTO cleanings (corpus_id, document_id, raw_hash, model, prompt_version, glossary_hash,"
        " lines, changed, refused) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (*key, raw_hash, stamp.model, stamp.prompt_version, stamp.glossary_hash, lines, changed, refused),
    )
    copying = "COPY cleaning_edits (corpus_id, document_id, ordinal, before, after, kept, reason) FROM STDIN"
    async with conn.cursor().copy(copying) as copy:
        for edit in edits:
            after = edit.before if edit.after is None else edit.after
            await copy.write_row((*key, edit.ordinal, edit.before, after, edit.kept, edit.reason))


async def get(db: Database, corpus: Corpus, document_id: str) -> Cleaning | None:
    """Return how a document was cleaned, None when it was not."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT c.model, c.prompt_version, c.glossary_hash, c.raw_hash, c.lines, c.changed, c.refused,"
            " (SELECT count(*) FROM cleaning_edits e WHERE e.corpus_id = c.corpus_id"
            "  AND e.document_id = c.document_id AND e.after = e.before), c.cleaned_at"
            " FROM cleanings c WHERE c.corpus_id = %s AND c.document_id = %s",
            (corpus.id, document_id),
        )
        row = await cursor.fetchone()
    return None if row is None else Cleaning(Stamp(*row[:3]), *row[3:])


async def edits(db: Database, corpus: Corpus, document_id: str) -> tuple[Edit, ...]:
    """Return the edits of a document in order, refused ones too; () when there are none."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT e.ordinal, e.before, nullif(e.after, e.before), e.kept, e.reason, s.start_s"
            " FROM cleaning_edits e LEFT JOIN segments s USING (corpus_id, document_id, ordinal)"
            " WHERE e.corpus_id = %s AND e.document_id = %s ORDER BY e.ordinal",
            (corpus.id, document_id),
        )
        return tuple(Edit(*row) for row in await cursor.fetchall())


async def kept_replies(db: Database, corpus: Corpus, keys: Collection[str]) -> dict[str, KeptReply]:
    """Return the replies that were paid for before, by the key of their batch."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT batch_key, texts, reason FROM cleaning_batches WHERE corpus_id = %s AND batch_key = ANY (%s)",
            (corpus.id, list(keys)),
        )
        return {
            key: KeptReply(None if texts is None else tuple(texts), reason)
            for key, texts, reason in await cursor.fetchall()
        }


async def keep_reply(db: Database, corpus: Corpus, key: str, reply: KeptReply) -> None:
    """Keep the reply to a batch; of two for one batch the first stays."""
    async with db.transaction() as conn:
        await conn.execute(
            "INSERT INTO cleaning_batches (corpus_id, batch_key, texts, reason) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            (corpus.id, key, None if reply.texts is None else list(reply.texts), reply.reason),
        )
