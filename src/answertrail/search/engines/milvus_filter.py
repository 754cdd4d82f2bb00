"""Filters as Milvus expressions.

Dates are whole microseconds since 1970 (UTC); a document without one has `UNDATED`, which any
bound leaves out. Text is quoted so that no id can end its own string.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from answertrail.errors import InputError
from answertrail.search.engines.server_dates import microseconds
from answertrail.search.hits import Filter

UNDATED = -(2**60)
"""Long before the year 1: every real date is above it."""

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def stored(at: datetime | None) -> int:
    """Return a date as it is stored."""
    return UNDATED if at is None else microseconds(at)


def quoted(text: str) -> str:
    """Return a string literal.

    Only what every version understands is escaped; other characters stand for themselves. Raises
    InputError for the null character, which no literal can hold.
    """
    if "\0" in text:
        raise InputError("an id with a null character cannot be searched for", where=repr(text))
    return f'"{text.translate(_ESCAPES)}"'


def any_of(field: str, values: Iterable[str]) -> str:
    """Say that the field is one of the values."""
    return f"{field} in [{_listed(values)}]"


def _listed(values: Iterable[str]) -> str:
    return ", ".join(quoted(value) for value in sorted(values))


def expression(within: Filter, *more: str) -> str:
    """Return the filter and what else must hold as one expression, empty when nothing is asked.

    Thousands of excluded ids are parsed by the server in milliseconds (docs/distributed.md).
    """
    parts = [part for part in more if part]
    if within.start is not None or within.end is not None:
        parts.append(f"published >= {microseconds(within.start) if within.start is not None else UNDATED + 1}")
    if within.end is not None:
        parts.append(f"published < {microseconds(within.end)}")
    if within.documents is not None:
        parts.append(any_of("document", within.documents))
    if within.exclude:
        parts.append(f"id not in [{_listed(within.exclude)}]")
    return " and ".join(f"({part})" for part in parts)
