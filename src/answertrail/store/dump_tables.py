"""The tables of a corpus that are written row by row: their columns in order, as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from answertrail.errors import InputError

Kind = Literal["text", "texts", "integer", "number", "truth", "json", "instant"]
"""What a column holds. In JSON an instant is a text in UTC, `2026-11-30T08:15:00.123456Z`."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; with `optional` it may be NULL, and is then left out of the JSON object."""

    name: str
    kind: Kind
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of a table of the store beside `corpus_id`, and by which its rows are ordered.

    `at_once` is how many rows are held in memory together.
    """

    name: str
    columns: Sequence[Column]
    order: str
    at_once: int = 100


def _of(kind: Kind, names: str, *, optional: bool = False) -> tuple[Column, ...]:
    return tuple(Column(name, kind, optional) for name in names.split())


CHUNKS = Table(
    "chunks",
    (
        *_of("text", "chunk_id document_id"),
        *_of("integer", "ordinal"),
        *_of("number", "start_s end_s", optional=True),
        *_of("integer", "char_start char_end", optional=True),
        *_of("text", "text"),
        *_of("texts", "lines speakers"),
        *_of("text", "time_precision context", optional=True),
        *_of("text", "text_hash"),
        *_of("text", "embedded_hash", optional=True),
    ),
    "document_id, ordinal",
)
SOURCE_ITEMS = Table(
    "source_items",
    (
        *_of("text", "source state"),
        *_of("text", "fingerprint document_id", optional=True),
        *_of("integer", "line", optional=True),
        *_of("text", "reason", optional=True),
        *_of("json", "notes"),
        *_of("instant", "seen_at"),
    ),
    "source",
)
ORIGIN_ITEMS = Table(
    "origin_items",
    (
        *_of("text", "origin item_id"),
        *_of("json", "listing"),
        *_of("instant", "listed_at"),
        *_of("instant", "gone_at", optional=True),
    ),
    "origin, item_id",
)
FETCHED_ITEMS = Table(
    "fetched_items",
    (*_of("text", "origin item_id"), *_of("json", "document notes"), *_of("instant", "fetched_at")),
    "origin, item_id",
    at_once=20,
)
WITHHELD_ITEMS = Table(
    "withheld_items",
    (
        *_of("text", "origin item_id state kind reason"),
        *_of("instant", "retry_at", optional=True),
        *_of("integer", "attempts"),
        *_of("text", "wish", optional=True),
        *_of("instant", "seen_at"),
    ),
    "origin, item_id",
)
CLEANINGS = Table(
    "cleanings",
    (
        *_of("text", "document_id raw_hash model prompt_version glossary_hash"),
        *_of("integer", "lines changed refused"),
        *_of("instant", "cleaned_at"),
    ),
    "document_id",
)
CLEANING_EDITS = Table(
    "cleaning_edits",
    (
        *_of("text", "document_id"),
        *_of("integer", "ordinal"),
        *_of("text", "before after"),
        *_of("truth", "kept"),
        *_of("text", "reason"),
    ),
    "document_id, ordinal",
)
CLEANING_BATCHES = Table(
    "cleaning_batches",
    (
        *_of("text", "batch_key"),
        *_of("texts", "texts", optional=True),
        *_of("text", "reason"),
        *_of("instant", "asked_at"),
    ),
    "batch_key",
)
TABLES = (
    CHUNKS,
    SOURCE_ITEMS,
    ORIGIN_ITEMS,
    FETCHED_ITEMS,
    WITHHELD_ITEMS,
    CLEANINGS,
    CLEANING_EDITS,
    CLEANING_BATCHES,
)
"""In an order in which each may refer to the ones before, and to documents."""

_TYPES: Mapping[Kind, tuple[type, ...]] = {
    "text": (str,),
    "texts": (list,),
    "integer": (int,),
    "number": (float, int),
    "truth": (bool,),
    "json": (dict, list),
    "instant": (str,),
}
_WORDS: Mapping[Kind, str] = {
    "text": "a text",
    "texts": "a list of texts",
    "integer": "a whole number",
    "number": "a number",
    "truth": "true or false",
    "json": "an object or a list",
    "instant": "an instant in UTC, such as 2026-11-30T08:15:00Z",
}


def as_json(table: Table, row: Sequence[Any]) -> dict[str, Any]:
    """Return a row as a JSON object; what is NULL is left out."""
    return {
        column.name: instant_text(value) if column.kind == "instant" else value
        for column, value in zip(table.columns, row, strict=True)
        if value is not None
    }


def as_row(table: Table, value: Any, *, where: str) -> list[Any]:
    """Return a JSON object as a row for COPY; InputError names the field that is not what it must be."""
    if not isinstance(value, dict):
        raise InputError("expected a JSON object", where=where)
    if unknown := sorted(set(value) - {column.name for column in table.columns}):
        raise InputError(f"{unknown[0][:60]}: unknown field", where=where)
    return [_value(column, value.get(column.name), where) for column in table.columns]


def _value(column: Column, value: Any, where: str) -> Any:
    if value is None and column.optional:
        return None
    kind = column.kind
    right = isinstance(value, _TYPES[kind]) and (kind == "truth") == isinstance(value, bool)
    if kind == "texts":
        right = right and all(isinstance(part, str) for part in value)
    if not right:
        raise InputError(f"{column.name}: expected {_WORDS[kind]}", where=where)
    if kind == "json":
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    return instant_of(value, column.name, where) if kind == "instant" else value


def instant_text(moment: datetime) -> str:
    """Return an instant as it is written, with as many digits as it has."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def instant_of(text: str, name: str, where: str) -> datetime:
    """Read what `instant_text` writes; InputError names the field."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InputError(f"{name}: expected {_WORDS['instant']}", where=where)
