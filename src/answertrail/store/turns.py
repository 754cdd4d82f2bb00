"""Who is at a corpus's next state: many build it together, one publishes it when all have ended.

Locks of one connection for each ingest: Postgres lets go of them when its process dies.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psycopg
from psycopg import AsyncConnection

from answertrail.store.connection import Connection, Database, translated

# Any number that nothing else in the database uses for an advisory lock of two numbers.
_SPACE = 0x616E78


class Turn:
    """One ingest's part in what will be called `name`: it builds, at a copy it relies on, and may publish at last."""

    def __init__(self, connection: Connection, where: str, name: str) -> None:
        self._connection = connection
        self._where = where
        self._name = name
        self._copy: str | None = None

    async def build(self) -> None:
        """Be one of those that build; waits while one publishes."""
        await self._lock("pg_advisory_lock_shared", self._name)

    @asynccontextmanager
    async def entering(self, copy: str) -> AsyncIterator[None]:
        """Be the only one that looks at what was left in this copy before relying on it; waits for others that do."""
        gate = f"{copy}\n"  # no corpus has such a name
        await self._lock("pg_advisory_lock", gate)
        try:
            yield
        finally:
            with suppress(psycopg.Error):
                await self._connection.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", (_SPACE, gate))

    async def rely_on(self, copy: str) -> None:
        """Let nobody take this copy for left behind until this turn comes to publish; waits while one drops it."""
        await self._lock("pg_advisory_lock_shared", copy)
        self._copy = copy

    async def publish(self) -> None:
        """Build no longer, and be the only one at `name`; waits until all who build it have ended, or died."""
        await self._lock("pg_advisory_unlock_shared", self._name)
        await self._lock("pg_advisory_lock", self._name)
        if self._copy is not None:  # till now: another that publishes must know that someone comes after it
            await self._lock("pg_advisory_unlock_shared", self._copy)

    async def _lock(self, function: str, name: str) -> None:
        with translated(self._where):
            await self._connection.execute(f"SELECT {function}(%s, hashtext(%s))", (_SPACE, name))


@asynccontextmanager
async def building(db: Database, name: str) -> AsyncIterator[Turn]:
    """Be one of those that build what will be called `name`; waits while one publishes."""
    with translated(db.where):
        connection = await AsyncConnection.connect(
            str(db.pool.conninfo), autocommit=True, connect_timeout=10, keepalives_idle=60
        )
    try:
        turn = Turn(connection, db.where, name)
        await turn.build()
        yield turn
    finally:
        with suppress(psycopg.Error):  # at once: the server takes a moment to notice a closed connection
            await connection.execute("SELECT pg_advisory_unlock_all()")
        await connection.close()


async def is_left(conn: Connection, copy: str) -> bool:
    """Whether no living ingest relies on this copy; if so, none can begin to before the caller's transaction ends."""
    cursor = await conn.execute("SELECT pg_try_advisory_xact_lock(%s, hashtext(%s))", (_SPACE, copy))
    row = await cursor.fetchone()
    return row is not None and bool(row[0])
