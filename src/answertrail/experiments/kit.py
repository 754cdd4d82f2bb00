"""The evaluation kit written to a folder."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from importlib import resources
from pathlib import Path, PurePosixPath

from answertrail.errors import InputError

MANIFEST = ".answertrail-kit.json"
"""Name of the file that tells, in a folder the kit was written to, which files are the kit's own."""


def files() -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield every file of the kit with its content, by path."""
    with resources.as_file(resources.files("answertrail.kit")) as root:
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts:
                yield PurePosixPath(path.relative_to(root).as_posix()), path.read_bytes()


def write_kit(out: Path) -> tuple[int, int]:
    """Write the kit into a folder; return how many files were written and how many were there already.

    Files that an earlier version of the kit wrote and nobody changed since are brought up to date.
    Raises InputError, and writes nothing, where any other file is in the way.
    """
    if out.exists() and not out.is_dir():
        raise InputError("is a file, not a folder", where=str(out))
    kit, todo = dict(files()), []
    written_before = _manifest(out)
    for name, content in kit.items():
        path = out / name
        if not os.path.lexists(path):
            todo.append(name)
            continue
        found = path.read_bytes() if path.is_file() else None
        if found == content:
            continue
        if found is None or path.is_symlink() or written_before.get(str(name)) != _digest(found):
            raise InputError(
                "is there already and is not the kit's",
                where=str(path),
                hint="nothing was written; choose an empty folder, or remove the file",
            )
        todo.append(name)
    try:
        for name in todo:
            _write(out / name, kit[name])
        manifest = {str(name): _digest(content) for name, content in kit.items()}
        _write(out / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(error.filename or out)) from None
    return len(todo), len(kit) - len(todo)


def _manifest(out: Path) -> dict[str, str]:
    """Return the digests of what an earlier version wrote here; none where that cannot be read."""
    try:
        found = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{uuid.uuid4().hex}.draft")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
