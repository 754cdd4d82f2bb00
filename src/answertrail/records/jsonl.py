"""Read and write JSON Lines of the contract, strictly.

Every fault names file, line and field and says what was expected.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pydantic import ValidationError

from answertrail.errors import InputError
from answertrail.records.base import Record
from answertrail.records.document import Document
from answertrail.records.judgement import Label, Pair, Verdict
from answertrail.records.question import Question
from answertrail.records.resolution import Resolution
from answertrail.records.retrieval import RetrievalRun
from answertrail.records.run import Run

MAX_DEPTH = 200
R = TypeVar("R", bound=Record)

RECORDS: Mapping[str, type[Record]] = {
    "document/1": Document,
    "question/1": Question,
    "retrieval_run/1": RetrievalRun,
    "run/1": Run,
    "verdict/1": Verdict,
    "pair/1": Pair,
    "label/1": Label,
    "resolution/1": Resolution,
}


_LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\u0085\u2028\u2029"}


def loads(text: str) -> Any:
    """Parse JSON as the contract wants it: no NaN, no Infinity, no key given twice.

    Nor a number too large to be finite, nor half a surrogate pair: neither can be written again.
    Raises ValueError.
    """
    value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique)
    if _depth_exceeds(value, MAX_DEPTH):
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    if "\\ud" in text or "\\uD" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("a text holds half of a surrogate pair") from None
    return value


def _depth_exceeds(value: Any, limit: int) -> bool:
    """Whether arrays and objects nest deeper than `limit`; what reads so deep may not be writable."""
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        if not level:
            return False
        level = [
            item
            for outer in level
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
    return bool(level)


def parse(kind: type[R], value: object, *, where: str) -> R:
    """Check one JSON value against a record type; raise InputError listing each fault."""
    if isinstance(value, dict) and "schema" not in value:
        raise InputError("schema: required field is missing", where=where, hint="see docs/formats.md")
    try:
        return kind.model_validate(value, context={"json": True}, by_alias=True, by_name=False)
    except ValidationError as error:
        raise InputError(faults(error), where=where, hint="see docs/formats.md") from None


def parse_line(kind: type[R], line: str, *, where: str) -> R:
    """Parse one line of a JSON Lines file."""
    try:
        value = loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", where=where) from None
    return parse(kind, value, where=where)


def read(path: Path, kind: type[R]) -> Iterator[R]:
    """Yield the records of a file in order; blank lines are skipped.

    Raises InputError at the first fault, with `file:line`.
    """
    for number, line in numbered_lines(path):
        yield parse_line(kind, line, where=f"{path}:{number}")


def numbered_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of a UTF-8 file without blank lines.

    Lines end at a newline only, as JSON Lines has it; a byte-order mark is dropped.
    """
    try:
        with Path(path).open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                try:
                    line = raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise InputError(
                        f"byte {error.start} of the line is not UTF-8",
                        where=f"{path}:{number}",
                        hint="save the file as UTF-8",
                    ) from None
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None


def dumps(record: Record) -> str:
    """Return one line of JSON without the newline; text is kept readable (no ASCII escapes).

    The three signs some readers take for a line end are escaped all the same.
    """
    return json.dumps(record.as_json(), ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)


def write(path: Path, records: Iterable[Record]) -> int:
    """Write records to `path` by an atomic rename and return how many.

    Links are followed. A device or a pipe is written to as it is. Raises OSError, naming `path`.
    """
    target = path.resolve()
    draft = target.with_name(f".{uuid.uuid4().hex}.draft")
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="\n") as stream:
                return _write_lines(stream, records)
        target.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="\n") as stream:
            count = _write_lines(stream, records)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(target)
    except OSError as error:
        # The draft's name means nothing to whoever asked for the file.
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    return count


def _write_lines(stream: TextIO, records: Iterable[Record]) -> int:
    count = 0
    for record in records:
        stream.write(dumps(record) + "\n")
        count += 1
    return count


def faults(error: ValidationError) -> str:
    """Render pydantic's findings as `field: what was expected`, joined by semicolons."""
    return "; ".join(f"{field}: {message}" for field, message in findings(error))


def findings(error: ValidationError) -> list[tuple[str, str]]:
    """Return pydantic's findings as (field, what was expected)."""
    found = []
    for item in error.errors():
        field = ".".join(str(part) for part in item["loc"]) or "record"
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            message = "unknown field; free-form matter goes under meta"
        elif item["type"] == "missing":
            message = "required field is missing"
        found.append((field, message))
    return found


def _refuse_constant(token: str) -> object:
    raise ValueError(f"{token} is not JSON")


def _finite(token: str) -> float:
    value = float(token)
    if math.isinf(value):
        raise ValueError(f"{token[:40]} is too large a number")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"key {key!r} is given twice")
            seen.add(key)
    return out
