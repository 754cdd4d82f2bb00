"""What a model changed in automatic captions: one row a document, one row an edit, the raw text kept."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

_STATEMENTS = (
    # The words as captioned, where cleaning changed them; NULL where `text` is as captioned.
    "ALTER TABLE segments ADD COLUMN raw_text text",
    """
    CREATE TABLE cleanings (
        corpus_id integer NOT NULL,
        document_id text COLLATE "C" NOT NULL,
        raw_hash text NOT NULL,
        model text NOT NULL,
        prompt_version text NOT NULL,
        glossary_hash text NOT NULL,
        lines integer NOT NULL,
        changed integer NOT NULL,
        refused integer NOT NULL,
        cleaned_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus_id, document_id),
        FOREIGN KEY (corpus_id, document_id) REFERENCES documents ON DELETE CASCADE
    )
    """,
    # A line of a batch that got no usable reply has `after` as `before`.
    """
    CREATE TABLE cleaning_edits (
        corpus_id integer NOT NULL,
        document_id text COLLATE "C" NOT NULL,
        ordinal integer NOT NULL,
        before text NOT NULL,
        after text NOT NULL,
        kept boolean NOT NULL,
        reason text NOT NULL,
        PRIMARY KEY (corpus_id, document_id, ordinal),
        FOREIGN KEY (corpus_id, document_id) REFERENCES cleanings ON DELETE CASCADE
    )
    """,
    # Replies that were paid for, kept past their document, so that a run that was killed, a changed
    # glossary or a changed file pays only for batches it has not asked before. `texts` is NULL for
    # a batch that got no usable reply; `reason` says why.
    """
    CREATE TABLE cleaning_batches (
        corpus_id integer NOT NULL REFERENCES corpora ON DELETE CASCADE,
        batch_key text COLLATE "C" NOT NULL,
        texts text[],
        reason text NOT NULL,
        asked_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus_id, batch_key),
        CHECK (texts IS NOT NULL OR reason <> '')
    )
    """,
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Make the column and the tables."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
