"""Corpora: their names, their embedder, and the hash that says what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.records.embedder import EmbedderIdentity
from answertrail.store import embeddings, nearest
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus

__all__ = [
    "Corpus",
    "analyze_in",
    "bump_revision",
    "check_identity",
    "create",
    "delete",
    "delete_in",
    "get",
    "list_all",
    "lock",
    "revision",
    "snapshot",
    "snapshot_in",
]

_SELECT = """
    SELECT c.id, c.name, c.embedder_spec, c.embedder_id, e.name, e.revision, e.dims,
           c.language, c.revision, c.created_at, c.context, c.asked_in
    FROM corpora c JOIN embedders e ON e.id = c.embedder_id
"""


async def create(
    db: Database,
    name: str,
    spec: str,
    identity: EmbedderIdentity,
    language: str | None = None,
    context: Sequence[str] = (),
    asked_in: Sequence[str] = (),
) -> Corpus:
    """Make an empty corpus and register its embedder; `context` is what will be embedded beside its texts.

    `asked_in` are the languages in which it will be asked, for the record.
    Raises InputError when the name is empty or taken.
    """
    if not name.strip() or name != name.strip():
        raise InputError("a corpus name may not be empty or begin or end with a space", where=repr(name))
    embedder_id = await embeddings.register(db, identity)
    try:
        async with db.transaction() as conn:
            await conn.execute(
                "INSERT INTO corpora (name, embedder_spec, embedder_id, language, context, asked_in)"
                " VALUES (%s, %s, %s, %s, %s, %s)",
                (name, spec, embedder_id, language, list(context), list(asked_in)),
            )
    except psycopg.errors.UniqueViolation:
        raise InputError("a corpus of this name exists", where=name) from None
    return await get(db, name)


async def get(db: Database, name: str) -> Corpus:
    """Return a corpus by name; NotFoundError lists the known names."""
    async with db.transaction() as conn:
        cursor = await conn.execute(_SELECT + " WHERE c.name = %s", (name,))
        row = await cursor.fetchone()
    if row is None:
        known = [corpus.name for corpus in await list_all(db)]
        raise NotFoundError(
            "no such corpus",
            where=name,
            hint=f"known: {', '.join(known)}" if known else "there is none yet; `answertrail ingest` makes one",
        )
    return _corpus(row)


async def list_all(db: Database) -> tuple[Corpus, ...]:
    """Return all corpora by name; () when there is none."""
    async with db.transaction() as conn:
        cursor = await conn.execute(_SELECT + " ORDER BY c.name")
        return tuple(_corpus(row) for row in await cursor.fetchall())


async def delete(db: Database, corpus: Corpus) -> None:
    """Delete a corpus with its documents and chunks. Runs keep their texts; vectors stay cached."""
    async with db.transaction() as conn:
        await delete_in(conn, corpus)


async def delete_in(conn: Connection, corpus: Corpus) -> None:
    """Do what `delete` does in the caller's transaction."""
    for place in await nearest.places(conn, corpus.id):
        await nearest.drop(conn, place)
    await conn.execute("DELETE FROM corpora WHERE id = %s", (corpus.id,))


def check_identity(corpus: Corpus, identity: EmbedderIdentity) -> None:
    """Raise MismatchError unless the embedder is the one the corpus was built with."""
    if corpus.identity != identity:
        raise MismatchError(
            f"the corpus was embedded with {corpus.identity.key}, the chosen embedder is {identity.key}; "
            "their vectors cannot be compared",
            where=corpus.name,
            hint=f"use the embedder {corpus.spec}, or ingest into a new corpus",
        )


async def lock(conn: Connection, corpus: Corpus) -> None:
    """Let one transaction at a time write to a corpus.

    Raises NotFoundError when it was deleted, MismatchError when its name is another by now: what
    began to write to one state must not go on in the one that took its place, nor in what is kept.
    """
    cursor = await conn.execute("SELECT name FROM corpora WHERE id = %s FOR NO KEY UPDATE", (corpus.id,))
    row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("the corpus was deleted meanwhile", where=corpus.name)
    if row[0] != corpus.name:
        raise MismatchError(
            f"a newer state was published meanwhile, and this one is called {row[0]} now",
            where=corpus.name,
            hint="begin again",
        )


async def analyze_in(conn: Connection) -> None:
    """Let the planner know that many rows came at once, before anything reads them.

    Without it the server takes the tables for what they were, and looks row by row. To be called
    late in a transaction: others who do the same wait for its end.
    """
    await conn.execute("ANALYZE documents, segments, chunks")


async def bump_revision(conn: Connection, corpus: Corpus) -> int:
    """Count a change of the corpus and return the new revision; the cached snapshot lapses."""
    cursor = await conn.execute(
        "UPDATE corpora SET revision = revision + 1 WHERE id = %s RETURNING revision", (corpus.id,)
    )
    row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("the corpus was deleted meanwhile", where=corpus.name)
    return int(row[0])


async def revision(db: Database, corpus: Corpus) -> int:
    """Return the revision as of now."""
    async with db.transaction() as conn:
        cursor = await conn.execute("SELECT revision FROM corpora WHERE id = %s", (corpus.id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("the corpus was deleted meanwhile", where=corpus.name)
    return int(row[0])


async def snapshot(db: Database, corpus: Corpus) -> str:
    """Return the hash of what can be retrieved, cached until the corpus changes.

    `sha256:` over one line per chunk, `chunk_id TAB text_hash TAB published_at LF`, in bytewise
    order of the ids. The date is in UTC with microseconds, `2024-06-14T00:00:00.000000Z`, or
    empty when unknown. A corpus without chunks has the hash of nothing.
    """
    async with db.reading() as conn:
        seen, value, cached = await _snapshot(conn, corpus)
    if not cached:
        async with db.transaction() as conn:
            await conn.execute(
                "UPDATE corpora SET snapshot = %s, snapshot_revision = revision WHERE id = %s AND revision = %s",
                (value, corpus.id, seen),
            )
    return value


async def snapshot_in(conn: Connection, corpus: Corpus) -> str:
    """Return what `snapshot` does, as the caller sees it in a transaction of `db.reading()`."""
    _, value, _ = await _snapshot(conn, corpus)
    return value


async def _snapshot(conn: Connection, corpus: Corpus) -> tuple[int, str, bool]:
    """Return revision, hash, and whether the hash was the cached one."""
    cursor = await conn.execute(
        "SELECT revision, CASE WHEN snapshot_revision = revision THEN snapshot END FROM corpora WHERE id = %s",
        (corpus.id,),
    )
    row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("the corpus was deleted meanwhile", where=corpus.name)
    seen, cached = row
    if cached is not None:
        return int(seen), str(cached), True
    cursor = await conn.execute(_SNAPSHOT, (corpus.id,))
    (value,) = await cursor.fetchone() or ("",)
    return int(seen), str(value), False


_SNAPSHOT = """
    SELECT 'sha256:' || encode(sha256(convert_to(coalesce(string_agg(
        c.chunk_id || E'\\t' || c.text_hash || E'\\t'
        || coalesce(to_char(d.published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '')
        || E'\\n', '' ORDER BY c.chunk_id), ''), 'UTF8')), 'hex')
    FROM chunks c JOIN documents d USING (corpus_id, document_id)
    WHERE c.corpus_id = %s
"""


def _corpus(row: tuple[Any, ...]) -> Corpus:
    return Corpus(
        id=row[0],
        name=row[1],
        spec=row[2],
        embedder_id=row[3],
        identity=EmbedderIdentity(name=row[4], revision=row[5], dims=row[6]),
        language=row[7],
        revision=row[8],
        created_at=row[9],
        context=tuple(row[10]),
        asked_in=tuple(row[11]),
    )
