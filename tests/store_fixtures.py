"""Fixtures over a real Postgres: one server per test run, one empty database per test.

`settings` points at an empty, migrated database of its own and at an empty home; `database`
is an open `Database` on it. Tests that use `database` are async and marked
`@pytest.mark.asyncio` (module-wide: `pytestmark = pytest.mark.asyncio`).
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio
from psycopg import sql

from answertrail.settings import Settings
from answertrail.store import Database, connect, server

_TEMPLATE = "answertrail_template"
_numbers = itertools.count(1)
_free: list[str] = []


@pytest.fixture(scope="session")
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter: pytest's own are private, and root's server is another user."""
    folder = Path(tempfile.mkdtemp(prefix="answertrail-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def store_server(open_folder: Path) -> Iterator[server.Server]:
    """The server of this test run, with a migrated template database."""
    settings = Settings(home=open_folder / "server")
    running = server.attach(settings)
    try:
        # Nothing here must survive a crash of the machine, and syncing is most of a test's time.
        _execute(running, sql.SQL("ALTER SYSTEM SET fsync = off"))
        _execute(running, sql.SQL("SELECT pg_reload_conf()"))
        _execute(running, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_TEMPLATE)))
        asyncio.run(_migrate(Settings(home=open_folder / "template", database_url=running.conninfo(_TEMPLATE))))
        yield running
    finally:
        running.release()
        server.destroy(settings)


@pytest.fixture
def settings(store_server: server.Server, tmp_path: Path) -> Iterator[Settings]:
    # Making a database takes 0.3 to 0.9 s, emptying one 0.03 s.
    name = _free.pop() if _free else _copy_of_template(store_server)
    yield Settings(home=tmp_path / "home", database_url=store_server.conninfo(name))
    _empty(store_server, name)
    _free.append(name)


@pytest_asyncio.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    async with connect(settings) as db:
        yield db


def _copy_of_template(running: server.Server) -> str:
    name = f"test_{next(_numbers)}"
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    _execute(running, create.format(sql.Identifier(name), sql.Identifier(_TEMPLATE)))
    return name


def _empty(running: server.Server, name: str) -> None:
    with psycopg.connect(running.conninfo(name), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations'"
        ).fetchall()
        for (table,) in tables:
            if table.startswith("embedding_"):
                connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(table)))
        kept = [sql.Identifier(table) for (table,) in tables if not table.startswith("embedding_")]
        connection.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY CASCADE").format(sql.SQL(", ").join(kept)))


async def _migrate(settings: Settings) -> None:
    async with connect(settings):
        pass


def _execute(running: server.Server, statement: sql.Composable) -> None:
    with psycopg.connect(running.conninfo("postgres"), autocommit=True) as connection:
        connection.execute(statement)
