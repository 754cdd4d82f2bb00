"""Which worker has which item in hand, and until when."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

_STATEMENTS = (
    """
    CREATE TABLE claims (
        corpus_id integer NOT NULL REFERENCES corpora ON DELETE CASCADE,
        stage text COLLATE "C" NOT NULL,
        item text COLLATE "C" NOT NULL,
        worker text NOT NULL,
        until timestamptz NOT NULL,
        watched boolean NOT NULL DEFAULT false,
        PRIMARY KEY (corpus_id, stage, item)
    )
    """,
    # The embedding stage walks the corpus in this order, so that a round costs what it returns.
    "CREATE INDEX chunks_embedded_hash ON chunks (corpus_id, (coalesce(embedded_hash, text_hash)))",
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Make the table and the index."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
