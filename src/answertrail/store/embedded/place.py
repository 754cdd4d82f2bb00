"""Where the embedded server's files are.

Usually `<home>/postgres`. Root's home is often a private folder that the server's user cannot
enter; nothing private is opened for it. The files then go to `/var/lib/answertrail/<name>` and
`<home>/postgres/location` says so, so that a moved home keeps its data and a removed one starts
afresh. `ANSWERTRAIL_PGDATA` overrides both.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from answertrail.errors import ServiceError
from answertrail.settings import Settings
from answertrail.store.embedded.account import SYSTEM_USER, Account, account_for, can_reach

SHARED = Path("/var/lib/answertrail")
OVERRIDE = "ANSWERTRAIL_PGDATA"


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of one embedded server and the user who owns its data."""

    root: Path
    account: Account

    @property
    def data(self) -> Path:
        """Postgres's data folder, 0700, owned by `account`."""
        return self.root / "data"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.data / "server.log"

    @property
    def start_lock(self) -> Path:
        """Held exclusively by whoever starts or stops the server."""
        return self.root / "start.lock"

    @property
    def clients_lock(self) -> Path:
        """Held shared by every process that uses the server."""
        return self.root / "clients.lock"


def peek(settings: Settings) -> Path | None:
    """Return the folder an earlier start has chosen, without making anything; None if none."""
    override = os.environ.get(OVERRIDE)
    if override:
        return Path(override).expanduser().absolute()
    pointer = _pointer(settings)
    if pointer.exists():
        return _read_pointer(pointer)
    usual = settings.home / "postgres"
    return usual if (usual / "data").exists() else None


def locate(settings: Settings) -> Place:
    """Return the server's place, made when missing.

    Raises ServiceError when it cannot be made, or when the server's user cannot enter it.
    """
    try:
        return _locate(settings)
    except OSError as error:
        raise ServiceError(
            f"cannot make the database folder: {error.strerror or error}",
            where=str(error.filename or settings.home),
            hint="make it writable, or set ANSWERTRAIL_HOME to a folder that is",
        ) from None


def _locate(settings: Settings) -> Place:
    chosen = peek(settings)
    if chosen is None:
        usual = settings.home / "postgres"
        usual.mkdir(parents=True, exist_ok=True)
        if can_reach(account_for(usual / "data"), usual):
            chosen = usual
        else:
            chosen = _record(_pointer(settings), _shared_name(settings.home))
    # Symlinks are resolved so that every process names, and checks, the same folder.
    root = chosen.resolve()
    _make_open(root)
    account = account_for(root / "data")
    if not can_reach(account, root):
        raise ServiceError(
            f"the database's user ({SYSTEM_USER}, uid {account.uid}) cannot enter its folder",
            where=str(root),
            hint=f"set {OVERRIDE} to a folder whose parents others may enter; "
            "answertrail does not open private folders by itself",
        )
    return Place(root, account)


def _shared_name(home: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    return SHARED / f"{digest}-{secrets.token_hex(4)}"


def _pointer(settings: Settings) -> Path:
    return settings.home / "postgres" / "location"


def _record(pointer: Path, target: Path) -> Path:
    """Write the pointer once; of several processes at the same instant one wins."""
    draft = pointer.with_name(f".location-{secrets.token_hex(4)}")
    draft.write_text(f"{target}\n", encoding="utf-8")
    try:
        os.link(draft, pointer)
    except FileExistsError:
        return _read_pointer(pointer)
    finally:
        draft.unlink()
    return target


def _read_pointer(pointer: Path) -> Path:
    target = Path(pointer.read_text(encoding="utf-8").strip())
    if not target.is_absolute():
        raise ServiceError(
            "does not hold the path of the database folder",
            where=str(pointer),
            hint="put the path back, or remove the file to start with an empty database",
        )
    return target


def _make_open(root: Path) -> None:
    """Make missing folders enterable by others whatever the umask; leave existing ones alone."""
    missing = [folder for folder in (root, *root.parents) if not folder.exists()]
    for folder in reversed(missing):
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        if os.geteuid() == 0:
            folder.chmod(0o755)
