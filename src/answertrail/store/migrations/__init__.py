"""Numbered changes of the schema, applied in order, one transaction each.

A migration is a module `mNNN_name` with `async def apply(connection)`. Never edit one that was
released; add another and list it here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from psycopg import AsyncConnection

from answertrail.errors import MismatchError
from answertrail.store.migrations import (
    m001_initial,
    m002_run_events,
    m003_context,
    m004_search_indexes,
    m005_asked_in,
    m006_origins,
    m007_cleaning,
    m008_claims,
)

Apply: TypeAlias = Callable[[AsyncConnection[Any]], Awaitable[None]]

MIGRATIONS: Sequence[tuple[str, Apply]] = (
    ("m001_initial", m001_initial.apply),
    ("m002_run_events", m002_run_events.apply),
    ("m003_context", m003_context.apply),
    ("m004_search_indexes", m004_search_indexes.apply),
    ("m005_asked_in", m005_asked_in.apply),
    ("m006_origins", m006_origins.apply),
    ("m007_cleaning", m007_cleaning.apply),
    ("m008_claims", m008_claims.apply),
)

# Any number that nothing else in the database uses for an advisory lock.
_LOCK = 0x616E7377


async def applied(connection: AsyncConnection[Any]) -> list[str]:
    """Return the names of the applied migrations in order; [] for an empty database."""
    cursor = await connection.execute("SELECT to_regclass('schema_migrations') IS NOT NULL")
    row = await cursor.fetchone()
    if row is None or not row[0]:
        return []
    cursor = await connection.execute("SELECT name FROM schema_migrations ORDER BY name")
    return [name for (name,) in await cursor.fetchall()]


async def migrate(connection: AsyncConnection[Any], steps: Sequence[tuple[str, Apply]] = MIGRATIONS) -> list[str]:
    """Apply what is missing and return its names; processes that come together take turns.

    Takes a connection in autocommit. Raises MismatchError for a database that knows a migration
    this program does not: it was used by a newer one.
    """
    if _missing(await applied(connection), steps) == []:
        return []
    done: list[str] = []
    await connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
    try:
        for name, apply in _missing(await applied(connection), steps):
            async with connection.transaction():
                await connection.execute(
                    "CREATE TABLE IF NOT EXISTS schema_migrations"
                    " (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
                )
                await apply(connection)
                await connection.execute("INSERT INTO schema_migrations (name) VALUES (%s)", (name,))
            done.append(name)
    finally:
        await connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
    return done


def _missing(have: Sequence[str], steps: Sequence[tuple[str, Apply]]) -> list[tuple[str, Apply]]:
    unknown = sorted(set(have) - {name for name, _ in steps})
    if unknown:
        raise MismatchError(
            f"the database was used by a newer answertrail (it has {', '.join(unknown)})",
            where="schema_migrations",
            hint="update answertrail, or use another ANSWERTRAIL_HOME or database",
        )
    return [step for step in steps if step[0] not in have]
