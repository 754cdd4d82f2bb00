"""Folders of the cache: written whole or not at all, and checked before they are read.

Beside its files a folder has a manifest that says which content they are for and what they hold.
One that a disk, a killed copy or another hand has changed is not believed, and is made again.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

BROKEN = (OSError, ValueError, LookupError, EOFError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error)
"""What reading a file may raise that is not what it should be."""

_MANIFEST = "manifest.json"
_MAKING = ".making-"
_ABANDONED_S = 3600.0


def is_whole(folder: Path) -> bool:
    """Say whether a folder has a manifest, and exactly the files that it names, with their checksums."""
    try:
        return bool(json.loads((folder / _MANIFEST).read_text(encoding="utf-8")) == _manifest(folder, folder.name))
    except BROKEN:
        return False


def _manifest(folder: Path, digest: str) -> dict[str, Any]:
    """Say which content the folder is for and what its files hold.

    CRC-32 is for the accidents a disk or a killed copy makes; it reads 2 GB a second.
    """
    files = sorted(path for path in folder.iterdir() if path.name != _MANIFEST)
    return {"digest": digest, "files": {path.name: _checksum(path) for path in files}}


def _checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            value = zlib.crc32(block, value)
    return value


def save(folder: Path, write: Callable[[Path], None]) -> None:
    """Have the files written into a new folder, and put it in place by an atomic rename.

    A full disk costs speed, not the search: then there is no folder.
    """
    scratch: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=_MAKING, dir=folder.parent))
        write(scratch)
        (scratch / _MANIFEST).write_text(json.dumps(_manifest(scratch, folder.name)), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        scratch.replace(folder)
    except OSError:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def newest_first(parent: Path) -> list[Path]:
    """Return what was made in a folder, the newest first, and remove what killed processes left half made.

    What cannot be removed, because another process has it open on Windows, stays till next time.
    """
    aged: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for path in parent.iterdir():
            with contextlib.suppress(OSError):
                aged.append((path.stat().st_mtime, path))
    aged.sort(reverse=True)
    remove(path for at, path in aged if path.name.startswith(".") and at < time.time() - _ABANDONED_S)
    return [path for _, path in aged if not path.name.startswith(".")]


def remove(folders: Iterable[Path]) -> None:
    """Remove folders, as far as that can be done."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
