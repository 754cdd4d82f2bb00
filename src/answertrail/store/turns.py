"""Who is at a corpus's next state: many build it together, one publishes it when all have ended.

A lock of a connection each: Postgres lets go of it when its process dies.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psycopg
from psycopg import AsyncConnection

from answertrail.store.connection import Database, translated

# Any number that nothing else in the database uses for an advisory lock of two numbers.
_SPACE = 0x616E78


@asynccontextmanager
async def building(db: Database, name: str) -> AsyncIterator[None]:
    """Be one of those that build what will be called `name`; waits while one publishes."""
    async with _holding(db, name, "pg_advisory_lock_shared"):
        yield


@asynccontextmanager
async def publishing(db: Database, name: str) -> AsyncIterator[None]:
    """Be the only one at `name`; waits until all who build it have ended, or died."""
    async with _holding(db, name, "pg_advisory_lock"):
        yield


@asynccontextmanager
async def _holding(db: Database, name: str, lock: str) -> AsyncIterator[None]:
    with translated(db.where):
        connection = await AsyncConnection.connect(
            str(db.pool.conninfo), autocommit=True, connect_timeout=10, keepalives_idle=60
        )
    try:
        with translated(db.where):
            await connection.execute(f"SELECT {lock}(%s, hashtext(%s))", (_SPACE, name))
        yield
    finally:
        with suppress(psycopg.Error):
            await connection.close()
