"""The languages in which questions will be asked of a corpus."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection


async def apply(connection: AsyncConnection[Any]) -> None:
    """Add the column; of a corpus made before nothing is known."""
    await connection.execute("ALTER TABLE corpora ADD COLUMN asked_in text[] NOT NULL DEFAULT '{}'")
