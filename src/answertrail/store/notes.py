"""What was guessed or repaired in reading, as it was noted when each document came in."""

from __future__ import annotations

from typing import Any

from answertrail.store.connection import Database
from answertrail.store.rows import Corpus

_NOTES = """
    SELECT document_id, notes FROM source_items JOIN documents USING (corpus_id, document_id, source)
    WHERE corpus_id = %(corpus)s AND state = 'ok' AND notes <> '[]'
      AND (%(document)s::text IS NULL OR document_id = %(document)s)
    ORDER BY document_id
"""


async def of_documents(db: Database, corpus: Corpus) -> dict[str, tuple[Any, ...]]:
    """Map the documents with notes to these, in bytewise order of their ids; {} where nothing was noted.

    A document has the notes of the source that it is from, and none while that source cannot be read.
    """
    return await _notes(db, corpus, None)


async def of_document(db: Database, corpus: Corpus, document_id: str) -> tuple[Any, ...]:
    """Return the notes of one document; () when it has none or is not there."""
    return (await _notes(db, corpus, document_id)).get(document_id, ())


async def _notes(db: Database, corpus: Corpus, document_id: str | None) -> dict[str, tuple[Any, ...]]:
    async with db.transaction() as conn:
        cursor = await conn.execute(_NOTES, {"corpus": corpus.id, "document": document_id})
        return {found: tuple(notes) for found, notes in await cursor.fetchall()}
