"""Which system user runs the server, and what that user can reach.

Postgres refuses to run as root. Started by root it therefore runs as a user of its own, and
nothing is ever opened for that user: what it cannot reach is placed or copied elsewhere.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from answertrail.errors import ServiceError

SYSTEM_USER = "answertrail"


@dataclass(frozen=True, slots=True)
class Account:
    """A system user, by number, with its main group."""

    uid: int
    gid: int

    @property
    def is_me(self) -> bool:
        """Whether this process already runs as that user."""
        return self.uid == os.geteuid()


def account_for(data: Path) -> Account:
    """Return the user the server of this data folder runs as.

    An ordinary user runs it as itself. Root runs it as the folder's owner, or, before there is
    a folder, as the system user `answertrail`, which is made when missing.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    try:
        owner = data.stat()
    except OSError:
        return _system_account()
    if owner.st_uid == 0:
        return _system_account()
    return Account(owner.st_uid, owner.st_gid)


def can_reach(account: Account, path: Path) -> bool:
    """Tell whether the user may enter every folder down to `path`, by the mode bits.

    A `path` that is a file must also be readable. What does not exist cannot be reached.
    """
    real = path.resolve()
    try:
        final = real.stat()
        folders = list(real.parents)
        if stat.S_ISDIR(final.st_mode):
            folders.insert(0, real)
        elif not _allows(account, final, 0o4):
            return False
        return all(_allows(account, folder.stat(), 0o1) for folder in folders)
    except OSError:
        return False


def _allows(account: Account, status: os.stat_result, bit: int) -> bool:
    if account.uid == 0:
        return True
    if status.st_uid == account.uid:
        return bool(status.st_mode & (bit << 6))
    if status.st_gid == account.gid:
        return bool(status.st_mode & (bit << 3))
    return bool(status.st_mode & bit)


def _system_account() -> Account:
    found = _lookup(SYSTEM_USER)
    if found is None and sys.platform == "darwin":
        found = _lookup("_postgres")
    if found is None:
        _make_system_user()
        found = _lookup(SYSTEM_USER)
    if found is None:
        raise ServiceError(
            "Postgres does not run as root and the system user it would run as cannot be made",
            where=SYSTEM_USER,
            hint=f"run as an ordinary user, or make the user: useradd --system {SYSTEM_USER}",
        )
    return found


def _lookup(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def _make_system_user() -> None:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd is None:
        return
    # The exit code is not looked at: another process may have made the user meanwhile.
    subprocess.run(  # noqa: S603 - fixed programs, no shell words from outside
        [
            useradd,
            "--system",
            "--no-create-home",
            "--home-dir",
            "/nonexistent",
            "--shell",
            "/usr/sbin/nologin",
            SYSTEM_USER,
        ],
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
