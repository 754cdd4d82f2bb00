"""Where a dump is put: a draft beside it that is locked while it is written, then a rename.

The lock goes with its process, however that dies, so the next dump to the same name can tell a
draft that nobody writes any more and remove it.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from answertrail.corpus.dump_reader import DumpFile
from answertrail.errors import InputError, MismatchError

# A draft's name may be no longer than the system allows, however long that of the target is.
_SHOWN_CHARS = 40


def check_target(path: Path) -> None:
    """Raise InputError where there is something that is no dump: it is not replaced. An empty file may be."""
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return
    try:
        if not path.is_file():
            raise InputError("not a regular file")
        with DumpFile(path):
            pass
    except MismatchError:
        return  # of a newer format
    except InputError:
        raise InputError(
            "there is a file of this name that is no dump of a corpus, or a damaged one; it is left as it is",
            where=str(path),
            hint="give another name, or remove the file first",
        ) from None


@contextmanager
def draft_of(target: Path) -> Iterator[IO[bytes]]:
    """Yield a stream; what was written to it is at `target` afterwards, or nothing is, when an error was raised.

    Missing folders are made, and drafts of this target whose writers are dead removed first.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_left(target)
    draft, stream, locked = _new_draft(target)
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if locked:
                draft.replace(target)
        if not locked:  # Windows has no such locks, and cannot rename what is open
            draft.replace(target)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _new_draft(target: Path) -> tuple[Path, IO[bytes], bool]:
    while True:
        draft = target.with_name(f".{target.name[:_SHOWN_CHARS]}.{uuid.uuid4().hex}.draft")
        stream = draft.open("xb")
        locked = _lock(stream)
        # Before it was locked another dump may have taken it for one that was left.
        if locked is not False and draft.exists():
            return draft, stream, bool(locked)
        stream.close()


def _remove_left(target: Path) -> None:
    name = re.compile(rf"\.{re.escape(target.name[:_SHOWN_CHARS])}\.[0-9a-f]{{32}}\.draft")
    for path in target.parent.iterdir():
        if name.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            with suppress(OSError), path.open("rb") as stream:
                if _lock(stream):
                    path.unlink()


def _lock(stream: IO[bytes]) -> bool | None:
    """Lock a file; False when another process has it, None where there are no such locks."""
    try:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True
