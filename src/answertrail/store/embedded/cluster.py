"""Make, start and stop one Postgres cluster. Every call here is made under the start lock."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from psycopg.pq import Ping

from answertrail.errors import ServiceError
from answertrail.store.embedded.account import Account
from answertrail.store.embedded.binaries import MAJOR, Binaries
from answertrail.store.embedded.place import Place
from answertrail.store.embedded.postmaster import Postmaster, command_line, is_becoming, ping

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30.0
_ORPHANS_TIMEOUT_S = 10.0
_POLL_S = 0.01
_LONGEST_SOCKET = 103
_LOG_LIMIT = 10 * 1024 * 1024

# Light settings for a laptop. Commits stay synchronous: a run that was saved is saved.
TUNING: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "work_mem": "32MB",
    "maintenance_work_mem": "128MB",
    "jit": "off",
    "io_method": "sync",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "min_wal_size": "32MB",
    "max_wal_size": "512MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
}


def initialise(place: Place, binaries: Binaries) -> None:
    """Make the cluster when there is none; a half-made one of an earlier crash is cleared away.

    Raises ServiceError for a cluster of another Postgres version, a full disk, or a folder
    that may not be written.
    """
    for leftover in place.root.glob("data.new-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    version = _version(place.data)
    if version == str(MAJOR):
        return
    if version is not None:
        raise ServiceError(
            f"the database was made by Postgres {version}; this program brings Postgres {MAJOR}",
            where=str(place.data),
            hint="dump it with the older program, or move the folder away and ingest again",
        )
    draft = place.root / f"data.new-{secrets.token_hex(4)}"
    try:
        draft.mkdir(mode=0o700)
        _give(draft, place.account)
        _initdb(draft, place.account, binaries)
        draft.rename(place.data)
    except OSError as error:
        raise ServiceError(
            f"cannot make the database: {error.strerror or error}",
            where=str(error.filename or place.root),
            hint="check the disk's free space and the folder's owner",
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def start(place: Place, binaries: Binaries) -> Path:
    """Start the server unless it runs; return the folder of its socket once it answers.

    Handles what a crash leaves behind: a stale pid file, a pid file whose number another
    process has now, a server still starting or recovering, orphaned children of a killed one.
    Waits at most a minute, then raises ServiceError saying what to do.
    """
    began = time.monotonic()
    deadline = began + START_TIMEOUT_S
    found = _wait_for_running(place, began, deadline)
    if found is not None:
        return found
    _rotate(place.log)
    orphans_until = time.monotonic() + _ORPHANS_TIMEOUT_S
    while True:
        folder = socket_dir(place)
        # Names a dead server, whose number Postgres would again take for a running one.
        (folder / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
        pid = _launch(place, binaries, folder)
        while _is_server(pid, place):
            if ping(folder) == Ping.OK:
                return folder
            if time.monotonic() > deadline:
                raise _too_slow(place, pid)
            time.sleep(_POLL_S)
        tail = _tail(place.log)
        if "still in use" not in tail or time.monotonic() > orphans_until:
            raise _failed(place, tail)
        time.sleep(0.2)


def stop(place: Place, *, crash: bool = False) -> None:
    """Stop the server if it runs, disconnecting whoever is left; waits at most half a minute.

    With `crash` nothing is written out first, for data about to be deleted.
    """
    running = Postmaster.read(place.data)
    if running is None or running.pid is None or not running.is_alive():
        return
    gentle = () if crash else ((signal.SIGINT, STOP_TIMEOUT_S),)
    for sign, patience in (*gentle, (signal.SIGQUIT, 5.0)):
        try:
            os.kill(running.pid, sign)
        except ProcessLookupError:
            return
        until = time.monotonic() + patience
        while running.is_alive():
            if time.monotonic() > until:
                break
            time.sleep(_POLL_S)
        else:
            return


def _wait_for_running(place: Place, began: float, deadline: float) -> Path | None:
    """Return the socket folder of a server that runs, starts or recovers; None when none does."""
    while (found := Postmaster.read(place.data)) is not None:
        if not found.is_alive():
            # Left by a crash. Postgres would refuse it when the number is in use by another
            # process of the same user, or when the file is empty.
            (place.data / "postmaster.pid").unlink(missing_ok=True)
            return None
        if found.ping() == Ping.OK:
            return found.socket_dir
        _pause(began, deadline, place, found.pid)
    return None


def _pause(began: float, deadline: float, place: Place, pid: int | None) -> None:
    """Wait a little before asking again; every question costs a recovering server a process."""
    now = time.monotonic()
    if now > deadline:
        raise _too_slow(place, pid)
    time.sleep(_POLL_S if now - began < 0.5 else 10 * _POLL_S)


def _initdb(draft: Path, account: Account, binaries: Binaries) -> None:
    options = [f"--set={name}={value}" for name, value in TUNING.items()]
    if sys.platform == "linux":
        # As durable as a sync of each of its thousand files, and four times faster.
        options.append("--sync-method=syncfs")
        # The same when a crashed server recovers: 0.3 s instead of several.
        options.append("--set=recovery_init_sync_method=syncfs")
    done = _run(
        [
            str(binaries.initdb),
            f"--pgdata={draft}",
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            *options,
        ],
        account,
    )
    if done.returncode != 0:
        raise _failed(Place(draft, account), done.stderr)


def _launch(place: Place, binaries: Binaries, sockets: Path) -> int:
    """Start the server detached from us and from our terminal; return its process id.

    The shell in between makes it no child of ours: a killed child would stay in the process
    table, and Postgres would take its number for a running server.
    """
    done = _run(
        [
            "/bin/sh",
            "-c",
            '"$@" </dev/null >>"$0" 2>&1 & echo $!',
            str(place.log),
            str(binaries.postgres),
            "-D",
            str(place.data),
            "-k",
            str(sockets),
        ],
        place.account,
    )
    if not done.stdout.strip().isdigit():
        raise _failed(place, done.stderr)
    return int(done.stdout)


def _run(command: Sequence[str], account: Account) -> subprocess.CompletedProcess[str]:
    """Run a program as the server's user, with no more of our environment than it needs."""
    keep = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    me = account.is_me
    return subprocess.run(  # noqa: S603 - fixed programs, no shell words from outside
        command,
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        cwd="/",
        env={**environment, "LC_ALL": "C"},
        umask=0o077,
        start_new_session=True,
        user=None if me else account.uid,
        group=None if me else account.gid,
        extra_groups=None if me else [],
    )


def _is_server(pid: int, place: Place) -> bool:
    line = command_line(pid)
    return str(place.data) in line or (not line and is_becoming(pid))


def socket_dir(place: Place) -> Path:
    """Return a private folder whose socket path the system can take (about 100 bytes)."""
    if len(os.fsencode(place.data / ".s.PGSQL.5432")) <= _LONGEST_SOCKET:
        return place.data
    digest = hashlib.sha256(os.fsencode(place.data)).hexdigest()[:10]
    base = Path(tempfile.gettempdir())
    if len(os.fsencode(base)) > 60 or not place.account.is_me:
        base = Path("/tmp")  # noqa: S108 - the folder below is checked to be ours and private
    folder = base / f"answertrail-{place.account.uid}-{digest}"
    try:
        folder.mkdir(mode=0o700)
        _give(folder, place.account)
    except FileExistsError:
        pass
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != place.account.uid or status.st_mode & 0o077:
        raise ServiceError(
            "the folder for the database's socket is not private to the database's user",
            where=str(folder),
            hint="remove it, or set ANSWERTRAIL_HOME to a shorter path",
        )
    return folder


def _give(folder: Path, account: Account) -> None:
    if not account.is_me:
        os.chown(folder, account.uid, account.gid)


def _version(data: Path) -> str | None:
    try:
        return (data / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None


def _rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))


def _tail(log: Path, lines: int = 12) -> str:
    try:
        text = log.read_bytes()[-4000:].decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def _too_slow(place: Place, pid: int | None) -> ServiceError:
    return ServiceError(
        f"the database server (process {pid}) runs but did not answer within "
        f"{START_TIMEOUT_S:.0f} s; it may be recovering from a crash, or be stopped",
        where=str(place.log),
        hint=f"wait and try again; if it stays so, end process {pid} and run the command again",
    )


def _failed(place: Place, output: str) -> ServiceError:
    fatal = [line for line in output.splitlines() if "FATAL" in line or "error:" in line]
    reason = fatal[-1].split("FATAL:")[-1].split("error:")[-1].strip() if fatal else output.strip()
    hint = "the log says more; `answertrail doctor` checks the usual causes"
    if "No space left" in output:
        hint = "free some disk space and run the command again"
    elif "ermission denied" in output or "Read-only file system" in output:
        hint = "the folder must be writable by the database's user"
    elif "still in use" in output:
        hint = "processes of a killed server are still running; end them and try again"
    return ServiceError(
        f"the database server did not start: {reason or 'it gave no reason'}",
        where=str(place.log if place.log.exists() else place.root),
        hint=hint,
    )
