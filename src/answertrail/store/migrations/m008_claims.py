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
        PRIMARY KEY (corpus_id, stage, item)
    )
    """,
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Make the table."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
