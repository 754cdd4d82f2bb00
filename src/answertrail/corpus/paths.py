"""Files as sources name them: which file a source is of, and what can be told of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from answertrail.corpus.sources.loading import display

_OF_A_LINE = re.compile(r"(.+\.(?:jsonl|ndjson)):[0-9]+", re.IGNORECASE | re.DOTALL)
_ORIGINS = ("youtube:", "rss:")
_ESCAPED = re.compile(rb"\\x([89a-f][0-9a-f])")


def file_of(source: str, line: int | None = None) -> str:
    """Return the file of a source: those of a document/1 file and of a bad line are `FILE:LINE`."""
    if line is not None:
        return source.removesuffix(f":{line}")
    of_a_line = _OF_A_LINE.fullmatch(source)
    return of_a_line[1] if of_a_line else source


def of_origin(source: str) -> bool:
    """Whether a source is an item of a channel, playlist, video or feed, and no file."""
    return source.startswith(_ORIGINS)


def within(file: str, roots: Sequence[str]) -> bool:
    """Whether a file is one of the roots or below one."""
    return any(file == display(root) or file.startswith(display(root).rstrip(os.sep) + os.sep) for root in roots)


def is_a(file: str, kind: Callable[[int], bool]) -> bool:
    """Whether a file is there and of this kind (`stat.S_ISREG` and the like); False when that cannot be told."""
    try:
        return kind(Path(file).stat().st_mode)
    except (OSError, ValueError):
        return False


def exists(file: str) -> bool:
    """Whether there is a file of this displayed name; True when that cannot be told."""
    # `display` shows bytes that are no UTF-8 as `\xNN`, which another name may hold as it is.
    for name in {os.fsencode(file), _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), os.fsencode(file))}:
        try:
            os.lstat(name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            pass
        return True
    return False
