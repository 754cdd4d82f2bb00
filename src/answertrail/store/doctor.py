"""Checks of the store for `answertrail doctor`: each says what it found and what to do."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg

from answertrail.errors import AnswerTrailError
from answertrail.settings import Settings
from answertrail.store import migrations
from answertrail.store.connection import connect, describe

_LEAST_FREE = 500 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `ok` None means that it could not be made, and `detail` says why.

    `hint` says what to do when `ok` is False.
    """

    name: str
    ok: bool | None
    detail: str
    hint: str | None = None


async def check_store(settings: Settings) -> list[Check]:
    """Look at the home, the embedded server and the database; never raises for what it finds.

    What is on disk is looked at before the server is started, so that the leavings of a crash
    are reported as found; starting then mends them.
    """
    checks = [_guarded("home", lambda: _home(settings)), _guarded("disk space", lambda: _disk(settings))]
    if settings.database_url is None:
        checks += await asyncio.to_thread(_embedded, settings)
    checks += await _database(settings)
    return checks


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except AnswerTrailError as error:
        return Check(name, False, error.message, error.hint)
    except OSError as error:
        return Check(name, False, f"{error.filename}: {error.strerror}", "check the folder's owner and mode")


def _home(settings: Settings) -> Check:
    existing = _nearest(settings.home)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Check("home", False, f"{existing} cannot be written", "set ANSWERTRAIL_HOME to a folder that can")
    there = "can be written" if existing == settings.home else f"will be made in {existing}"
    return Check("home", True, f"{settings.home} {there}")


def _disk(settings: Settings) -> Check:
    free = shutil.disk_usage(_nearest(settings.home)).free
    detail = f"{free / 1e9:.1f} GB free at {_nearest(settings.home)}"
    return Check("disk space", free >= _LEAST_FREE, detail, "free at least 0.5 GB")


def _embedded(settings: Settings) -> list[Check]:
    if sys.platform == "win32":
        return [Check("server", None, "the package's own server management is used on Windows")]
    return [
        _guarded("server programs", _programs),
        _guarded("server folder", lambda: _folder(settings)),
        _guarded("server users", lambda: _lock(settings, "clients")),
        _guarded("start lock", lambda: _lock(settings, "start")),
        _guarded("server process", lambda: _process(settings)),
    ]


def _programs() -> Check:
    from importlib.metadata import version

    from answertrail.store.embedded.binaries import DISTRIBUTION, MAJOR, packaged

    return Check("server programs", True, f"Postgres {MAJOR} of {DISTRIBUTION} {version(DISTRIBUTION)} at {packaged()}")


def _folder(settings: Settings) -> Check:
    from answertrail.store.embedded.place import peek

    root = peek(settings)
    if root is None:
        return Check("server folder", True, "none yet; the first start makes it (about a second)")
    unfinished = [path.name for path in root.glob("data.new-*")]
    if unfinished:
        return Check("server folder", True, f"{root}, with an unfinished {unfinished[0]} the next start clears away")
    return Check("server folder", True, str(root))


def _lock(settings: Settings, which: str) -> Check:
    from answertrail.store.embedded.locks import FileLock
    from answertrail.store.embedded.place import peek

    name = "server users" if which == "clients" else "start lock"
    root = peek(settings)
    if root is None or not (root / f"{which}.lock").exists():
        return Check(name, True, "free")
    with FileLock(root / f"{which}.lock") as lock:
        if lock.acquire(timeout_s=0.5):
            return Check(name, True, "free")
    if which == "clients":
        return Check(name, True, "another answertrail process uses the server")
    return Check(name, False, "held by another process", "end the answertrail process that hangs while starting")


def _process(settings: Settings) -> Check:
    from psycopg.pq import Ping

    from answertrail.store.embedded.place import peek
    from answertrail.store.embedded.postmaster import Postmaster

    root = peek(settings)
    found = Postmaster.read((root / "data").resolve()) if root else None
    if found is None:
        return Check("server process", True, "not running")
    if not found.is_alive():
        return Check("server process", True, f"a stale pid file (process {found.pid}); the next start clears it away")
    answer = found.ping()
    if answer == Ping.OK:
        return Check("server process", True, f"running as process {found.pid}")
    return Check(
        "server process",
        False,
        f"process {found.pid} does not take connections ({answer.name.lower()}); it starts, recovers or hangs",
        f"wait a minute; if it stays so, end process {found.pid}",
    )


async def _database(settings: Settings) -> list[Check]:
    try:
        async with connect(settings) as db, db.transaction() as conn:
            names = await migrations.applied(conn)
            cursor = await conn.execute(
                "SELECT current_setting('server_version'),"
                " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
            )
            row = await cursor.fetchone()
            assert row is not None
            return [
                Check("database", True, f"Postgres {row[0]} at {db.where}"),
                Check("migrations", True, f"up to date ({names[-1]})"),
                Check("pgvector", True, str(row[1])),
            ]
    except AnswerTrailError as error:
        where = f"{error.where}: " if error.where else ""
        return [Check("database", False, f"{where}{error.message}", error.hint)]
    except psycopg.Error as error:
        where = describe(settings.database_url) if settings.database_url else "embedded"
        return [Check("database", False, f"{where}: {error}", "this is unexpected; please report it")]


def _nearest(path: Path) -> Path:
    """Return the folder itself or its nearest parent that exists."""
    return next((folder for folder in (path, *path.parents) if folder.exists()), Path("/"))
