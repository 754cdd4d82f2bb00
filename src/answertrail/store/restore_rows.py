"""A corpus written back from values, in the caller's transaction: all of it is kept or none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql

from answertrail.errors import InputError
from answertrail.records.chunk import embedded_text, text_hash
from answertrail.records.document import Document
from answertrail.records.embedder import EmbedderIdentity
from answertrail.store import dump_tables
from answertrail.store.connection import Connection, first_line
from answertrail.store.documents import COLUMNS, columns_of, head
from answertrail.store.dump_tables import Table
from answertrail.store.rows import Corpus
from answertrail.store.vector_rows import of_corpus

_DOCUMENTS_AT_ONCE = 50
_DOCUMENTS = f"COPY documents (corpus_id, {COLUMNS}, ingested_at) FROM STDIN"
_SEGMENTS = "COPY segments (corpus_id, document_id, ordinal, start_s, end_s, text, speaker, raw_text) FROM STDIN"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a corpus is made with; see `rows.Corpus`. `engine` is the one it is searched with."""

    spec: str
    identity: EmbedderIdentity
    language: str | None
    context: Sequence[str]
    asked_in: Sequence[str]
    engine: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class GivenDocument:
    """A document with what the store knew of it, and where that was read.

    `raw_texts` maps the place of a segment to its words as captioned.
    """

    document: Document
    source: str
    content_hash: str
    chunks_hash: str
    ingested_at: datetime
    raw_texts: dict[int, str]
    where: str


async def begin(conn: Connection, name: str, embedder_id: int, made: Settings) -> Corpus:
    """Make the empty corpus; InputError when the name is taken. Its revision is 1."""
    try:
        cursor = await conn.execute(
            "INSERT INTO corpora (name, embedder_spec, embedder_id, language, context, asked_in, engine, created_at,"
            " revision) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 1) RETURNING id",
            (
                name,
                made.spec,
                embedder_id,
                made.language,
                list(made.context),
                list(made.asked_in),
                made.engine,
                made.created_at,
            ),
        )
    except psycopg.errors.UniqueViolation:
        raise InputError("a corpus of this name exists", where=name) from None
    (corpus_id,) = await cursor.fetchone() or (0,)
    return Corpus(
        id=corpus_id,
        name=name,
        spec=made.spec,
        embedder_id=embedder_id,
        identity=made.identity,
        language=made.language,
        revision=1,
        created_at=made.created_at,
        context=tuple(made.context),
        asked_in=tuple(made.asked_in),
    )


async def put_documents(conn: Connection, corpus: Corpus, given: Iterable[GivenDocument], *, where: str) -> int:
    """Write documents with their segments, a few at a time; return how many."""
    count = 0
    for batch in _batches(given, _DOCUMENTS_AT_ONCE):
        async with _told(where), conn.cursor().copy(_DOCUMENTS) as copy:
            for one in batch:
                columns = columns_of(one.document, _head(one), one.source, one.content_hash, one.chunks_hash)
                await copy.write_row((corpus.id, *columns, one.ingested_at))
        async with _told(where), conn.cursor().copy(_SEGMENTS) as copy:
            for one in batch:
                for ordinal, part in enumerate(one.document.segments or ()):
                    raw = one.raw_texts.get(ordinal)
                    row = (one.document.id, ordinal, part.start_s, part.end_s, part.text, part.speaker, raw)
                    await copy.write_row((corpus.id, *row))
        count += len(batch)
    return count


async def put_rows(
    conn: Connection, corpus: Corpus, table: Table, given: Iterable[tuple[str, Any]], *, where: str
) -> int:
    """Write the rows of a table from pairs (where it stands, JSON object); return how many.

    Raises InputError for a row that is not one of this table, or refers to what is not there.
    """
    statement = sql.SQL("COPY {} (corpus_id, {}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
    )
    count = 0
    async with _told(where), conn.cursor().copy(statement) as copy:
        for place, value in given:
            row = dump_tables.as_row(table, value, where=place)
            if table is dump_tables.CHUNKS:
                _check_chunk(value, place)
            await copy.write_row((corpus.id, *row))
            count += 1
    return count


async def put_unembeddable(conn: Connection, corpus: Corpus, given: Iterable[tuple[str, str]], *, where: str) -> int:
    """Record pairs (text hash, reason) of texts without a vector, beside what is recorded already; return how many.

    Raises InputError for a hash that is given twice or is of no text of the corpus: what is recorded
    is shared with every corpus of the embedder, and a text that is recorded is never embedded.
    """
    await conn.execute(
        'CREATE TEMPORARY TABLE given_unembeddable (text_hash text COLLATE "C" PRIMARY KEY, reason text NOT NULL)'
        " ON COMMIT DROP"
    )
    count = 0
    async with _told(where), conn.cursor().copy("COPY given_unembeddable (text_hash, reason) FROM STDIN") as copy:
        for pair in given:
            await copy.write_row(pair)
            count += 1
    await conn.execute("ANALYZE given_unembeddable")
    cursor = await conn.execute(
        sql.SQL("SELECT count(*) FROM given_unembeddable e WHERE NOT {}").format(of_corpus(corpus)),
    )
    (strange,) = await cursor.fetchone() or (0,)
    if strange:
        raise InputError(f"{strange} of the hashes are of no text of the corpus", where=where)
    await conn.execute(
        "INSERT INTO unembeddable (embedder_id, text_hash, reason) SELECT %s, text_hash, reason"
        " FROM given_unembeddable ORDER BY text_hash ON CONFLICT DO NOTHING",
        (corpus.embedder_id,),
    )
    return count


def _head(one: GivenDocument) -> str:
    try:
        return head(one.document)
    except InputError as error:
        raise InputError(error.message, where=one.where, hint=error.hint) from None


def _check_chunk(value: dict[str, Any], where: str) -> None:
    """The hashes name the vectors and make the snapshot: they must be those of the words."""
    context, text = value.get("context") or "", value["text"]
    if value["text_hash"] != text_hash(text):
        raise InputError("text_hash: is not the hash of the text", where=where)
    if value.get("embedded_hash") != (text_hash(embedded_text(context, text)) if context else None):
        raise InputError("embedded_hash: is not the hash of the context and the text", where=where)


def _batches(given: Iterable[Any], size: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for one in given:
        batch.append(one)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


@asynccontextmanager
async def _told(where: str) -> AsyncIterator[None]:
    """Say where the values stand that the database refused."""
    try:
        yield
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        raise InputError(f"a row cannot be stored: {first_line(error)}", where=where) from None
    except UnicodeEncodeError:
        raise InputError("a text holds half of a surrogate pair", where=where) from None
