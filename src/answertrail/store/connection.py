"""One way to the database: `async with connect(settings) as db`.

Embedded or remote, the caller sees a `Database` whose schema is up to date.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import TracebackType
from typing import Any, Self, TypeAlias

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from answertrail.errors import NotFoundError, ServiceError
from answertrail.settings import Settings
from answertrail.store import migrations, server

Connection: TypeAlias = AsyncConnection[tuple[Any, ...]]
Pool: TypeAlias = AsyncConnectionPool[Connection]

_CONNECT_TIMEOUT_S = 10
_POOL_SIZE = 10
_OLDEST_VECTOR = (0, 7)


class Database:
    """A migrated database and the pool of connections to it.

    An embedded server that dies is started again at the next use.
    """

    def __init__(self, pool: Pool, where: str, embedded: server.Server | None) -> None:
        self.pool = pool
        self.where = where
        self._embedded = embedded

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Yield a connection inside a transaction: committed at the end, undone by an exception.

        Raises ServiceError when the database is lost or full; what was done is then undone.
        """
        with translated(self.where):
            connection = await self._borrow()
            async with self._giving_back(connection), connection.transaction():
                yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        """Yield a connection on which all statements see the same state of the database."""
        async with self.transaction() as connection:
            await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection

    async def close(self) -> None:
        """Close all connections and leave the embedded server; closing twice is harmless."""
        await self.pool.close()
        if self._embedded is not None:
            await asyncio.to_thread(self._embedded.release)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _borrow(self) -> Connection:
        try:
            return await self.pool.getconn(timeout=_CONNECT_TIMEOUT_S)
        except PoolTimeout:
            if self._embedded is None:
                raise
            await asyncio.to_thread(self._embedded.ensure_running)
            return await self.pool.getconn(timeout=_CONNECT_TIMEOUT_S)

    @asynccontextmanager
    async def _giving_back(self, connection: Connection) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self.pool.putconn(connection)


class _Connecting:
    """What `connect` returns: await it, or enter it with `async with`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._database: Database | None = None

    def __await__(self) -> Generator[Any, None, Database]:
        return _connect(self._settings).__await__()

    async def __aenter__(self) -> Database:
        self._database = await self
        return self._database

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._database is not None:
            await self._database.close()


def connect(settings: Settings) -> _Connecting:
    """Open the database of these settings and bring its schema up to date.

    Use `async with connect(settings) as db:`, or `db = await connect(settings)` and `db.close()`.
    Raises ServiceError (exit code 3) when the server cannot be started or reached, refuses the
    password, or lacks pgvector; MismatchError when a newer program has used the database.
    """
    return _Connecting(settings)


async def _connect(settings: Settings) -> Database:
    if settings.database_url:
        return await _open(settings.database_url, None)
    _forget_other_servers()
    embedded = await asyncio.to_thread(server.attach, settings)
    try:
        return await _open(embedded.conninfo(), embedded)
    except BaseException:
        await asyncio.to_thread(embedded.release)
        raise


def _forget_other_servers() -> None:
    """Drop libpq's environment variables: they speak of the user's own server, not of ours.

    A connection string cannot overrule them all (PGSERVICE, PGHOSTADDR, PGOPTIONS).
    """
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


async def _open(conninfo: str, embedded: server.Server | None) -> Database:
    where = describe(conninfo)
    with translated(where):
        try:
            await _prepare(conninfo)
        except psycopg.OperationalError as error:
            if embedded is None or "does not exist" not in str(error):
                raise
            await _create_database(embedded)
            await _prepare(conninfo)

    async def check(connection: Connection) -> None:
        try:
            await AsyncConnectionPool.check_connection(connection)
        except psycopg.OperationalError:
            if embedded is not None:
                await asyncio.to_thread(embedded.ensure_running)
            raise

    pool: Pool = AsyncConnectionPool(
        conninfo,
        min_size=1,
        max_size=_POOL_SIZE,
        open=False,
        configure=_configure,
        check=check,
        kwargs={"connect_timeout": _CONNECT_TIMEOUT_S},
        name="answertrail",
    )
    await pool.open()
    return Database(pool, where, embedded)


async def _prepare(conninfo: str) -> None:
    """Migrate over a connection of its own, which also gives the plain error of a bad address."""
    connection = await AsyncConnection.connect(conninfo, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S)
    async with connection:
        await _need_vector(connection)
        await migrations.migrate(connection)


async def _need_vector(connection: Connection) -> None:
    found = await _vector_version(connection)
    if found is None:
        try:
            await connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.errors.UniqueViolation:
            pass  # another process made it at the same instant
        except psycopg.Error as error:
            raise ServiceError(
                f"the database has no pgvector extension: {first_line(error)}",
                where="database",
                hint="install pgvector 0.7 or newer on the server and, as its administrator, "
                "run CREATE EXTENSION vector in this database",
            ) from None
        found = await _vector_version(connection)
    if found is None or found < _OLDEST_VECTOR:
        raise ServiceError(
            f"the database's pgvector is too old: {found}",
            where="database",
            hint="update pgvector to 0.7 or newer: ALTER EXTENSION vector UPDATE",
        )


async def _vector_version(connection: Connection) -> tuple[int, ...] | None:
    cursor = await connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    row = await cursor.fetchone()
    return tuple(int(part) for part in row[0].split(".")[:2]) if row else None


async def _create_database(embedded: server.Server) -> None:
    connection = await AsyncConnection.connect(embedded.conninfo("postgres"), autocommit=True)
    async with connection:
        # Another process may have made it at the same instant.
        with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
            await connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(server.DATABASE)))


async def _configure(connection: Connection) -> None:
    # The user's PGTZ, PGDATESTYLE or PGCLIENTENCODING must not change what is read back.
    await connection.execute("SET TIME ZONE 'UTC'")
    await connection.execute("SET DateStyle TO ISO")
    await connection.execute("SET client_encoding TO 'UTF8'")
    await register_vector_async(connection)
    await connection.commit()


@contextmanager
def translated(where: str) -> Generator[None]:
    """Turn a lost, full or unreachable database into a ServiceError that names no password.

    A row of a corpus that was deleted under its writer becomes a NotFoundError.
    """
    try:
        yield
    except PoolTimeout:
        raise ServiceError(
            "no connection to the database became free or could be made in time",
            where=where,
            hint="is the server up? `answertrail doctor` checks it",
        ) from None
    except psycopg.errors.ForeignKeyViolation as error:
        if "corpus_id" not in (error.diag.constraint_name or ""):
            raise
        raise NotFoundError("the corpus was deleted meanwhile", hint="what was read of it went with it") from None
    except psycopg.OperationalError as error:
        raise ServiceError(f"the database failed: {first_line(error)}", where=where, hint=_hint(error)) from error


def describe(conninfo: str) -> str:
    """Name a database by host, port and name, without user or password.

    Raises ServiceError for an address that cannot be read; the address is not repeated.
    """
    try:
        parts = conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError:
        raise ServiceError(
            "the database address cannot be read",
            where="ANSWERTRAIL_DATABASE_URL",
            hint="expected postgresql://user:password@host:port/database",
        ) from None
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    return f"{host}:{parts.get('port') or 5432}/{parts.get('dbname') or ''}"


def first_line(error: Exception) -> str:
    """Return the last informative line of libpq's message; it never holds the password."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].removeprefix("connection failed: ") if lines else type(error).__name__


def _hint(error: psycopg.OperationalError) -> str:
    text = str(error)
    if "password" in text or "authentication" in text:
        return "check user and password in ANSWERTRAIL_DATABASE_URL"
    if isinstance(error, psycopg.errors.DiskFull) or "No space left" in text:
        return "free some disk space on the database's disk and try again"
    if "does not exist" in text:
        return "create the database on the server first"
    return "is the server up and reachable? `answertrail doctor` checks it"
