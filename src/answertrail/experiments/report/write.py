"""A report written to a file; the name's ending says in which form."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from answertrail.errors import InputError
from answertrail.experiments.report.html import html
from answertrail.experiments.report.markdown import markdown
from answertrail.experiments.report.model import Report


def as_json_text(report: Report) -> str:
    """Return the whole report as JSON, nothing left out."""
    return json.dumps(report.as_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


FORMS: Mapping[str, Callable[[Report], str]] = {".html": html, ".md": markdown, ".json": as_json_text}


def form_of(path: Path) -> Callable[[Report], str]:
    """Return the form a file name asks for. Raises InputError naming the endings there are."""
    found = FORMS.get(path.suffix.lower())
    if found is None:
        raise InputError(
            f"a report cannot be written as {path.suffix!r}" if path.suffix else "the file name has no ending",
            where=str(path),
            hint=f"end the name in {', '.join(FORMS)}",
        )
    return found


def write(path: Path, report: Report) -> int:
    """Write a report by an atomic rename and return its size in bytes.

    Raises InputError as `form_of`, and where the disk refuses.
    """
    # A title or a file name that is no UTF-8 comes from the system with signs no file can hold.
    data = form_of(path)(report).encode("utf-8", "replace")
    path = path.resolve()
    draft = path.with_name(f".{uuid.uuid4().hex}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None
    finally:
        with suppress(OSError):  # Where the folder is none, there is no draft either.
            draft.unlink(missing_ok=True)
    return len(data)
