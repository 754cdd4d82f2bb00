"""Everything of a corpus as values, a few rows at a time, in an order that is always the same.

The caller's transaction must be one of `db.reading()`: all is then of one state of the database.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from psycopg import sql

from answertrail.records.document import Document
from answertrail.records.jsonl import parse
from answertrail.store import dump_tables
from answertrail.store.connection import Connection
from answertrail.store.dump_tables import Table, instant_text
from answertrail.store.rows import Corpus

_DOCUMENTS_AT_ONCE = 20
_ROWS_AT_ONCE = 500


async def documents_in(conn: Connection, corpus: Corpus) -> AsyncIterator[Document]:
    """Yield every document as it was ingested, in bytewise order of the ids."""
    async with conn.cursor(name="dump_documents") as cursor:
        await cursor.execute(
            "SELECT document_id, record, body FROM documents WHERE corpus_id = %s ORDER BY document_id", (corpus.id,)
        )
        while rows := await cursor.fetchmany(_DOCUMENTS_AT_ONCE):
            segments = await _segments(conn, corpus, [row[0] for row in rows if row[2] is None])
            for document_id, record, body in rows:
                held = {"text": body} if body is not None else {"segments": segments.get(document_id, [])}
                yield parse(Document, {**record, **held}, where=document_id)
            rows.clear()  # before the next ones are fetched


async def _segments(conn: Connection, corpus: Corpus, ids: list[str]) -> dict[str, list[dict[str, Any]]]:
    cursor = await conn.execute(
        "SELECT document_id, start_s, end_s, text, speaker FROM segments"
        " WHERE corpus_id = %s AND document_id = ANY (%s) ORDER BY document_id, ordinal",
        (corpus.id, ids),
    )
    out: dict[str, list[dict[str, Any]]] = {}
    names = ("start_s", "end_s", "text", "speaker")
    for document_id, *row in await cursor.fetchall():
        part = {name: value for name, value in zip(names, row, strict=True) if value is not None}
        out.setdefault(document_id, []).append(part)
    return out


async def document_rows_in(conn: Connection, corpus: Corpus) -> AsyncIterator[dict[str, Any]]:
    """Yield what the store knows of each document beside its record, in bytewise order of the ids."""
    async with conn.cursor(name="dump_document_rows") as cursor:
        await cursor.execute(
            "SELECT document_id, source, content_hash, chunks_hash, ingested_at FROM documents"
            " WHERE corpus_id = %s ORDER BY document_id",
            (corpus.id,),
        )
        while rows := await cursor.fetchmany(_ROWS_AT_ONCE):
            for document_id, source, content_hash, chunks_hash, ingested_at in rows:
                yield {
                    "document_id": document_id,
                    "source": source,
                    "content_hash": content_hash,
                    "chunks_hash": chunks_hash,
                    "ingested_at": instant_text(ingested_at),
                }


async def raw_texts_in(conn: Connection, corpus: Corpus) -> AsyncIterator[dict[str, Any]]:
    """Yield the words as captioned of every segment that cleaning changed, by document and place."""
    async with conn.cursor(name="dump_raw_texts") as cursor:
        await cursor.execute(
            "SELECT document_id, ordinal, raw_text FROM segments"
            " WHERE corpus_id = %s AND raw_text IS NOT NULL ORDER BY document_id, ordinal",
            (corpus.id,),
        )
        while rows := await cursor.fetchmany(_ROWS_AT_ONCE):
            for document_id, ordinal, raw_text in rows:
                yield {"document_id": document_id, "ordinal": ordinal, "raw_text": raw_text}


async def rows_in(conn: Connection, corpus: Corpus, table: Table) -> AsyncIterator[dict[str, Any]]:
    """Yield the rows of a table as JSON objects, in its order."""
    statement = sql.SQL("SELECT {columns} FROM {table} WHERE corpus_id = %s ORDER BY {order}").format(
        columns=sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns),
        table=sql.Identifier(table.name),
        order=sql.SQL(table.order),
    )
    async with conn.cursor(name=f"dump_{table.name}") as cursor:
        await cursor.execute(statement, (corpus.id,))
        while rows := await cursor.fetchmany(table.at_once):
            for row in rows:
                yield dump_tables.as_json(table, row)
            rows.clear()


async def counts_in(conn: Connection, corpus: Corpus) -> tuple[int, int]:
    """Count the documents and the chunks."""
    cursor = await conn.execute(
        "SELECT (SELECT count(*) FROM documents WHERE corpus_id = %(corpus)s),"
        " (SELECT count(*) FROM chunks WHERE corpus_id = %(corpus)s)",
        {"corpus": corpus.id},
    )
    documents, chunks = await cursor.fetchone() or (0, 0)
    return int(documents), int(chunks)
