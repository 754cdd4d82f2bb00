"""What became of every source: one row each, so that nothing is dropped in silence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from psycopg import sql

from answertrail.store import corpora, embeddings
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus, ItemState, SourceItem

_SELECT = (
    "SELECT source, state, fingerprint, document_id, line, reason, notes, seen_at"
    " FROM source_items WHERE corpus_id = %s"
)

# A line that came to give another document is no longer where this one is from.
_OWNER = " AND document_id = %s AND source = (SELECT source FROM documents WHERE corpus_id = %s AND document_id = %s)"


async def source_items(db: Database, corpus: Corpus) -> dict[str, SourceItem]:
    """Return all rows by source, in bytewise order; {} for a new corpus."""
    async with db.transaction() as conn:
        return await source_items_in(conn, corpus)


async def source_items_in(conn: Connection, corpus: Corpus) -> dict[str, SourceItem]:
    """Return what `source_items` does, as the caller's transaction sees it."""
    cursor = await conn.execute(_SELECT + " ORDER BY source", (corpus.id,))
    return {row[0]: _item(row) for row in await cursor.fetchall()}


async def rows_of(db: Database, corpus: Corpus, source: str) -> tuple[SourceItem, ...]:
    """Return the row of one source and those of its bad lines, in bytewise order; () when it has none."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            # Bytewise, `;` is what follows `:`, so that this is one range of the key.
            _SELECT + " AND (source = %s OR source >= %s AND source < %s) ORDER BY source",
            (corpus.id, source, f"{source}:", f"{source};"),
        )
        found = [_item(row) for row in await cursor.fetchall()]
        return tuple(item for item in found if item.source == source or item.source == f"{source}:{item.line}")


async def documents_of(db: Database, corpus: Corpus, file: str) -> dict[str, str]:
    """Map the documents that the lines of a file gave, and no other source since, to their sources, `FILE:LINE`."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT document_id, source FROM source_items JOIN documents USING (corpus_id, document_id, source)"
            " WHERE corpus_id = %s AND source >= %s AND source < %s AND state = 'ok' ORDER BY document_id",
            (corpus.id, f"{file}:", f"{file};"),
        )
        return dict(await cursor.fetchall())


async def owner_in(conn: Connection, corpus: Corpus, document_id: str) -> SourceItem | None:
    """Return the row of the source that gave a document last, whatever became of it since; None when there is none.

    Holds the corpus against other writers until the transaction ends.
    """
    await corpora.lock(conn, corpus)
    cursor = await conn.execute(_SELECT + _OWNER, (corpus.id, document_id, corpus.id, document_id))
    row = await cursor.fetchone()
    return None if row is None else _item(row)


async def failures(db: Database, corpus: Corpus) -> tuple[SourceItem, ...]:
    """Return the sources that failed and were not mended since, in bytewise order."""
    async with db.transaction() as conn:
        cursor = await conn.execute(_SELECT + " AND state = 'failed' ORDER BY source", (corpus.id,))
        return tuple(_item(row) for row in await cursor.fetchall())


async def record_ok(
    conn: Connection,
    corpus: Corpus,
    source: str,
    *,
    document_id: str | None,
    fingerprint: str | None = None,
    notes: Sequence[Any] = (),
) -> None:
    """Record that a source gave a document; an earlier failure of it is thereby mended.

    `document_id` None is for a file of many documents, each of which has a row of its own.
    """
    await _put(conn, corpus, source, "ok", fingerprint, document_id, None, None, notes)


async def record_failed(
    conn: Connection,
    corpus: Corpus,
    source: str,
    reason: str,
    *,
    line: int | None = None,
    fingerprint: str | None = None,
    document_id: str | None = None,
    notes: Sequence[Any] = (),
) -> None:
    """Record that a source could not be read. What it gave before stays searchable."""
    await _put(conn, corpus, source, "failed", fingerprint, document_id, line, reason, notes)


async def record_skipped(
    conn: Connection,
    corpus: Corpus,
    source: str,
    reason: str,
    *,
    fingerprint: str | None = None,
    document_id: str | None = None,
    notes: Sequence[Any] = (),
) -> None:
    """Record that a source was left out on purpose, and why."""
    await _put(conn, corpus, source, "skipped", fingerprint, document_id, None, reason, notes)


async def forget(conn: Connection, corpus: Corpus, source: str) -> bool:
    """Drop the row of a source that is gone; its document stays. Return whether there was one."""
    cursor = await conn.execute("DELETE FROM source_items WHERE corpus_id = %s AND source = %s", (corpus.id, source))
    return cursor.rowcount > 0


async def forget_lines(conn: Connection, corpus: Corpus, file: str, *, but: Sequence[str]) -> None:
    """Drop the rows of the lines of a file, `FILE:LINE`, except those named; the documents stay."""
    await conn.execute(
        "DELETE FROM source_items s WHERE corpus_id = %s AND source >= %s AND source < %s"
        # `FILE:` may also begin the name of another file.
        " AND substr(source, %s) ~ '^[0-9]+$'"
        " AND NOT EXISTS (SELECT FROM unnest(%s::text[]) AS kept (source) WHERE kept.source = s.source)",
        (corpus.id, f"{file}:", f"{file};", len(file) + 2, list(but)),
    )


async def states(db: Database, corpus: Corpus) -> dict[str, int]:
    """Count what there is, as `states_in`."""
    async with db.transaction() as conn:
        return await states_in(conn, corpus)


async def states_in(conn: Connection, corpus: Corpus) -> dict[str, int]:
    """Count what there is: documents `embedded` and `chunked`, sources `failed` and `skipped`.

    A document is `embedded` when each of its chunks has a vector or is known to have none, and
    `chunked` before. All four keys are always there.
    """
    query = sql.SQL(
        """
        WITH lacking AS (
            SELECT DISTINCT c.document_id {lacking}
        )
        SELECT (SELECT count(*) FROM documents WHERE corpus_id = %(corpus)s),
               (SELECT count(*) FROM lacking),
               (SELECT count(*) FROM source_items WHERE corpus_id = %(corpus)s AND state = 'failed'),
               (SELECT count(*) FROM source_items WHERE corpus_id = %(corpus)s AND state = 'skipped')
        """
    ).format(lacking=embeddings.lacking(corpus))
    cursor = await conn.execute(query, {"corpus": corpus.id, "embedder": corpus.embedder_id})
    row = await cursor.fetchone()
    assert row is not None
    documents, chunked, failed, skipped = row
    return {"embedded": documents - chunked, "chunked": chunked, "failed": failed, "skipped": skipped}


async def cleaned_count(db: Database, corpus: Corpus) -> int:
    """Count the documents whose captions a model has been over."""
    async with db.transaction() as conn:
        row = await (await conn.execute("SELECT count(*) FROM cleanings WHERE corpus_id = %s", (corpus.id,))).fetchone()
    assert row is not None
    return int(row[0])


async def _put(
    conn: Connection,
    corpus: Corpus,
    source: str,
    state: ItemState,
    fingerprint: str | None,
    document_id: str | None,
    line: int | None,
    reason: str | None,
    notes: Sequence[Any],
) -> None:
    await conn.execute(
        """
        INSERT INTO source_items
            (corpus_id, source, state, fingerprint, document_id, line, reason, notes)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (corpus_id, source) DO UPDATE SET
            state = excluded.state, fingerprint = excluded.fingerprint, line = excluded.line,
            document_id = coalesce(excluded.document_id, source_items.document_id),
            reason = excluded.reason, notes = excluded.notes, seen_at = now()
        """,
        (corpus.id, source, state, fingerprint, document_id, line, reason, json.dumps(list(notes))),
    )


def _item(row: tuple[Any, ...]) -> SourceItem:
    return SourceItem(
        source=row[0],
        state=row[1],
        fingerprint=row[2],
        document_id=row[3],
        line=row[4],
        reason=row[5],
        notes=tuple(row[6]),
        seen_at=row[7],
    )
