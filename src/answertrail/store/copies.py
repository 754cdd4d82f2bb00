"""A corpus copied inside the database, and names that change hands in one transaction.

Vectors are kept by the hash of the text and shared, so a copy costs its rows and no embedding.
Search indexes belong to the corpus they were made of and are not copied.
"""

from __future__ import annotations

from collections.abc import Sequence

import psycopg
from psycopg import sql

from answertrail.errors import InputError, NotFoundError
from answertrail.store import corpora
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus

CONTENT = ("documents", "segments", "chunks")
"""What is found and cited."""
BOOKS = (
    "source_items",
    "origin_items",
    "fetched_items",
    "withheld_items",
    "cleanings",
    "cleaning_edits",
    "cleaning_batches",
)
"""What is known of where it came from and how it was cleaned. Each may refer to the ones before."""
LEFT_OUT = ("claims", "search_indexes")
"""Tables of a corpus that no copy takes: what workers have in hand, what engines were filled with."""
_HELD = (
    "SELECT embedder_id, embedder_spec, language, context, asked_in FROM corpora WHERE id = %s",
    "SELECT document_id, content_hash, chunks_hash, record, source FROM documents WHERE corpus_id = %s",
    "SELECT document_id, ordinal, start_s, end_s, text, speaker, raw_text FROM segments WHERE corpus_id = %s",
    "SELECT chunk_id, document_id, ordinal, start_s, end_s, char_start, char_end, text_hash, embedded_hash"
    " FROM chunks WHERE corpus_id = %s",
)
"""What two states of a corpus are compared by."""
_PAID = (
    ("cleaning_batches", "batch_key, texts, reason, asked_at", ""),
    (
        "origin_items",
        "origin, item_id, listing, listed_at, gone_at",
        "AND EXISTS (SELECT FROM fetched_items f WHERE (f.corpus_id, f.origin, f.item_id)"
        " = (s.corpus_id, s.origin, s.item_id))",
    ),
    ("fetched_items", "origin, item_id, document, notes, fetched_at", ""),
)
"""Tables whose rows cost something to get, their columns, and which rows."""


async def copy(db: Database, source: Corpus, name: str) -> Corpus:
    """Copy a corpus under another name, as it is at one instant; InputError when the name is taken."""
    async with db.transaction() as conn:
        await one_state(conn)
        await copy_in(conn, source, name)
    return await corpora.get(db, name)


async def one_state(conn: Connection) -> None:
    """Let the caller's transaction, which has not begun to read, see one state of the database."""
    await conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


async def copy_in(conn: Connection, source: Corpus, name: str) -> int:
    """Copy a corpus in a transaction that sees one state; return the id of the copy.

    Raises InputError when the name is taken, NotFoundError when the source was deleted.
    """
    columns = await _columns(conn, "corpora", without=("id", "name", "created_at"))
    statement = sql.SQL(
        "INSERT INTO corpora (name, {columns}) SELECT %s, {columns} FROM corpora WHERE id = %s RETURNING id"
    )
    try:
        cursor = await conn.execute(statement.format(columns=columns), (name, source.id))
    except psycopg.errors.UniqueViolation:
        raise InputError("a corpus of this name exists", where=name) from None
    row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("the corpus was deleted meanwhile", where=source.name)
    await copy_tables_in(conn, source.id, int(row[0]), (*CONTENT, *BOOKS))
    await corpora.analyze_in(conn)
    return int(row[0])


async def copy_tables_in(conn: Connection, source_id: int, target_id: int, tables: Sequence[str]) -> None:
    """Copy the rows of these tables from one corpus to another."""
    for table in tables:
        columns = await _columns(conn, table, without=("corpus_id",))
        await conn.execute(
            sql.SQL(
                "INSERT INTO {table} (corpus_id, {columns}) SELECT %s, {columns} FROM {table} WHERE corpus_id = %s"
            ).format(table=sql.Identifier(table), columns=columns),
            (target_id, source_id),
        )


async def take_books_in(conn: Connection, target: Corpus, source: Corpus) -> None:
    """Put what the source knows of where things came from in place of what the target does.

    Both must hold the same documents (`same_content_in`).
    """
    for table in reversed(BOOKS):
        await conn.execute(sql.SQL("DELETE FROM {} WHERE corpus_id = %s").format(sql.Identifier(table)), (target.id,))
    await copy_tables_in(conn, source.id, target.id, BOOKS)


async def swap_in(conn: Connection, live: Corpus, following: Corpus, kept: str) -> None:
    """Give the name of the live corpus to the following one, and the name `kept` to the former."""
    await rename_in(conn, live, kept)
    await rename_in(conn, following, live.name)


async def rename_in(conn: Connection, corpus: Corpus, name: str) -> None:
    """Give a corpus another name; InputError when it is taken."""
    try:
        async with conn.transaction():
            await conn.execute("UPDATE corpora SET name = %s WHERE id = %s", (name, corpus.id))
    except psycopg.errors.UniqueViolation:
        raise InputError("a corpus of this name exists", where=name) from None


async def same_content_in(conn: Connection, one: Corpus, other: Corpus) -> bool:
    """Whether two corpora are made alike and hold the same documents, captioned and mended, from the same sources."""
    for query in _HELD:
        for first, second in ((one, other), (other, one)):
            cursor = await conn.execute(
                f"SELECT EXISTS (({query}) EXCEPT ALL ({query}))",
                (first.id, second.id),
            )
            (differs,) = await cursor.fetchone() or (True,)
            if differs:
                return False
    return True


async def new_sources_in(conn: Connection, former: Corpus | None, copy: Corpus) -> list[str]:
    """Return the sources of the documents that a copy has and the former has not, or not so, in bytewise order."""
    cursor = await conn.execute(
        "SELECT DISTINCT c.source FROM documents c WHERE c.corpus_id = %s AND NOT EXISTS (SELECT FROM documents f"
        " WHERE f.corpus_id = %s AND f.document_id = c.document_id AND f.source = c.source"
        " AND f.content_hash = c.content_hash AND f.chunks_hash = c.chunks_hash) ORDER BY c.source",
        (copy.id, None if former is None else former.id),
    )
    return [source for (source,) in await cursor.fetchall()]


async def carry_paid_in(conn: Connection, source: Corpus, target: Corpus) -> None:
    """Let the target have the replies and transcripts that the source got and it has not: they took money and hours.

    What was fetched of an item comes with its listing, and is pending in the target until it is
    made a document there. What the target has stays.
    """
    for table, columns, chosen in _PAID:
        await conn.execute(
            f"INSERT INTO {table} (corpus_id, {columns}) SELECT %s, {columns} FROM {table} s"  # noqa: S608 - constants
            f" WHERE s.corpus_id = %s {chosen} ON CONFLICT DO NOTHING",
            (target.id, source.id),
        )


async def _columns(conn: Connection, table: str, without: Sequence[str]) -> sql.Composed:
    """List the columns of a table as the database has them: a new one is copied without being named here."""
    cursor = await conn.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attname <> ALL (%s) ORDER BY attnum",
        (table, list(without)),
    )
    return sql.SQL(", ").join(sql.Identifier(name) for (name,) in await cursor.fetchall())
