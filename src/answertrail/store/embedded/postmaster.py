"""What `postmaster.pid` says, and whether it is still true."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

PORT = 5432


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A server as its pid file names it; it may be long dead.

    `socket_dir` is None while the server has not opened its socket yet. `pid` is None in a
    file that was cut off by a crash.
    """

    data: Path
    pid: int | None
    socket_dir: Path | None

    @classmethod
    def read(cls, data: Path) -> Postmaster | None:
        """Return what the pid file says, None when there is no file."""
        try:
            lines = (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return None
        first = lines[0].strip() if lines else ""
        socket = lines[4].strip() if len(lines) > 4 else ""
        return cls(
            data=data,
            pid=int(first) if first.isdigit() else None,
            socket_dir=Path(socket) if socket else None,
        )

    def is_alive(self) -> bool:
        """Tell whether the process exists and is a server of this folder.

        After a reboot the number may belong to any process; a dead child that nobody has
        collected does not count as alive.
        """
        if self.pid is None:
            return False
        command = command_line(self.pid)
        return "postgres" in command and str(self.data) in command

    def ping(self) -> Ping:
        """Ask the server whether it takes connections; NO_RESPONSE without a socket."""
        return ping(self.socket_dir) if self.socket_dir else Ping.NO_RESPONSE


def ping(socket_dir: Path) -> Ping:
    """Ask whatever listens in this folder; takes 0.2 ms when nothing does."""
    return Ping(PGconn.ping(conninfo(socket_dir, "postgres", connect_timeout=2).encode()))


def conninfo(socket_dir: Path, database: str, **more: int) -> str:
    """Return the connection string of a database of the embedded server."""
    return make_conninfo("", host=str(socket_dir), port=PORT, user="postgres", dbname=database, **more)


def is_becoming(pid: int) -> bool:
    """Tell whether a process lives that has no command line yet: Linux shows none for an instant of `exec`."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def command_line(pid: int) -> str:
    """Return a process's command line, "" when it is gone or a zombie."""
    if Path("/proc/self/cmdline").exists():
        try:
            raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return ""
        return raw.replace(b"\0", b" ").decode(errors="surrogateescape")
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    found = subprocess.run(  # noqa: S603 - fixed programs, no shell words from outside
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return found.stdout.strip()
