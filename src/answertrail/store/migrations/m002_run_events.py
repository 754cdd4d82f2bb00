"""A run's events, appended as they happen, so that a killed process loses nothing."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

_STATEMENTS = (
    # The counter in the run's row numbers events without a gap and without a race.
    "ALTER TABLE runs ADD COLUMN event_count integer NOT NULL DEFAULT 0",
    """
    CREATE TABLE run_events (
        run_id text COLLATE "C" NOT NULL REFERENCES runs ON DELETE CASCADE,
        seq integer NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        is_snapshot boolean NOT NULL,
        event json NOT NULL,
        PRIMARY KEY (run_id, seq)
    )
    """,
    "CREATE INDEX run_events_snapshots ON run_events (run_id, seq) WHERE is_snapshot",
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Make the table."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
