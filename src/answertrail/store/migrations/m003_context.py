"""What is embedded with a chunk's text: a setting of the corpus, and its outcome for each chunk."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

_STATEMENTS = (
    "ALTER TABLE corpora ADD COLUMN context text[] NOT NULL DEFAULT '{}'",
    # Both empty where the text alone is embedded, as in every corpus made before.
    'ALTER TABLE chunks ADD COLUMN context text, ADD COLUMN embedded_hash text COLLATE "C"',
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Add the columns."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
