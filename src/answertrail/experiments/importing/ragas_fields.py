"""The columns of RAGAS-style rows, in both generations of their names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from answertrail.experiments.importing.imported import Fault
from answertrail.experiments.importing.rows import NAN, Row, texts_in

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "question": ("user_input", "question"),
    "answer": ("response", "answer"),
    "contexts": ("retrieved_contexts", "contexts"),
    "context_ids": ("retrieved_context_ids",),
    "reference": ("reference", "ground_truth", "ground_truths"),
    "reference_ids": ("reference_context_ids",),
    "run_id": ("run_id",),
    "repeat": ("repeat",),
}
READ = frozenset(name for names in COLUMNS.values() for name in names)
_HUMAN = frozenset({"human", "user"})
_AI = frozenset({"ai", "assistant"})


class Context(NamedTuple):
    """A retrieved passage: its id, given or made of its text, and its text where there is one."""

    id: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Sample:
    """What a row says. None is "the row does not say"; an empty list is "nothing was retrieved"."""

    question: str
    answer: str | None
    contexts: tuple[Context, ...] | None
    references: tuple[str, ...]
    reference_ids: tuple[str, ...]
    run_id: str | None
    repeat: int | None


class FieldError(ValueError):
    """A fault of one field of a row."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


def has_answer_column(row: Row) -> bool:
    """Whether a row has a place for an answer, filled or not: a column, or a conversation."""
    return (
        any(name in row.cells for name in COLUMNS["answer"]) or _conversation(row.cells.get("user_input")) is not None
    )


def sample_of(row: Row) -> Sample | list[Fault]:
    """Read a row, or return every fault of its fields. An answer that is null, empty or NaN is None."""
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    readers: Mapping[str, Any] = {
        "question": _question,
        "answer": _answer,
        "contexts": _contexts,
        "reference": _references,
        "reference_ids": _reference_ids,
        "run_id": _run_id,
        "repeat": _repeat,
    }
    for name, reader in readers.items():
        try:
            values[name] = reader(row.cells)
        except FieldError as error:
            faults.append(Fault(row.where, error.field, error.message))
    if faults:
        return faults
    return Sample(
        values["question"],
        values["answer"],
        values["contexts"],
        values["reference"],
        values["reference_ids"],
        values["run_id"],
        values["repeat"],
    )


def content_id(text: str) -> str:
    """Return an id of a passage that has none: `sha256:` and 16 hexadecimal digits of its text."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()[:16]}"


def _column(cells: Mapping[str, Any], what: str) -> tuple[str, Any]:
    """Return the column that has a value, with it. Raises FieldError when two have different ones."""
    names = COLUMNS[what]
    given = [(name, cells[name]) for name in names if cells.get(name) is not None]
    if not given:
        return names[0], None
    for name, value in given:
        if value is NAN:
            raise FieldError(name, "is NaN")
        if value != given[0][1]:
            raise FieldError(name, f"differs from {given[0][0]}")
    return given[0]


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FieldError(name, f"expected text, not {type(value).__name__}")
    if not value.strip():
        raise FieldError(name, "is empty")
    return value


def _question(cells: Mapping[str, Any]) -> str:
    name, value = _column(cells, "question")
    if value is None:
        raise FieldError(name, f"required column is missing (or {COLUMNS['question'][1]})")
    conversation = _conversation(value)
    if conversation is not None:
        said = _texts(name, conversation, _HUMAN)
        if not said:
            raise FieldError(name, f"no message of type {' or '.join(sorted(_HUMAN))} with text")
        return said[0]
    return _text(name, value)


def _answer(cells: Mapping[str, Any]) -> str | None:
    given = {name: cells.get(name) for name in COLUMNS["answer"]}
    name, value = _column({key: None if one is NAN else one for key, one in given.items()}, "answer")
    conversation = _conversation(cells.get("user_input"))
    if value is None and conversation is not None:
        said = _texts("user_input", conversation, _AI)
        return said[-1] if said else None
    return None if value is None or (isinstance(value, str) and not value.strip()) else _text(name, value)


def _conversation(value: Any) -> list[Any] | None:
    """Return the messages of a multi-turn row, also where CSV has printed them."""
    if isinstance(value, str) and value.lstrip().startswith("[{"):
        try:
            return texts_in(value)
        except ValueError:
            return None
    return value if isinstance(value, list) else None


def _texts(name: str, messages: list[Any], roles: frozenset[str]) -> list[str]:
    """Return the texts of one side of a conversation."""
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("content"), str):
            raise FieldError(f"{name}.{number}", "expected a message with a text as its content")
    return [one["content"] for one in messages if one.get("type", one.get("role")) in roles and one["content"].strip()]


def _list(name: str, value: Any) -> list[Any]:
    try:
        return texts_in(value)
    except ValueError as error:
        raise FieldError(name, str(error)) from None


def _ids(cells: Mapping[str, Any], what: str) -> tuple[str, list[str] | None]:
    name, value = _column(cells, what)
    if value is None:
        return name, None
    out = []
    for number, item in enumerate(_list(name, value)):
        if isinstance(item, bool) or not isinstance(item, str | int) or not str(item).strip():
            raise FieldError(f"{name}.{number}", "expected an id, a text or a whole number")
        out.append(str(item).strip())
    return name, out


def _contexts(cells: Mapping[str, Any]) -> tuple[Context, ...] | None:
    id_name, ids = _ids(cells, "context_ids")
    name, value = _column(cells, "contexts")
    if value is None:
        return None if ids is None else tuple(Context(one, None) for one in ids)
    texts = _list(name, value)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise FieldError(f"{name}.{number}", f"expected text, not {type(text).__name__}")
    if ids is None:
        return tuple(Context(content_id(text), text) for text in texts)
    if len(ids) != len(texts):
        raise FieldError(id_name, f"{len(ids)} ids for {len(texts)} contexts")
    known: dict[str, str] = {}
    for number, (one, text) in enumerate(zip(ids, texts, strict=True)):
        if known.setdefault(one, text) != text:
            raise FieldError(f"{id_name}.{number}", f"{one!r} stands for two different texts")
    return tuple(Context(one, text) for one, text in zip(ids, texts, strict=True))


def _references(cells: Mapping[str, Any]) -> tuple[str, ...]:
    name, value = _column(cells, "reference")
    if value is None or (isinstance(value, str) and name != "ground_truths" and not value.strip()):
        return ()
    if name != "ground_truths":
        return (_text(name, value),)
    return tuple(_text(f"{name}.{number}", item) for number, item in enumerate(_list(name, value)))


def _reference_ids(cells: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_ids(cells, "reference_ids")[1] or ()))


def _run_id(cells: Mapping[str, Any]) -> str | None:
    name, value = _column(cells, "run_id")
    return None if value is None else _text(name, value).strip()


def _repeat(cells: Mapping[str, Any]) -> int | None:
    name, value = _column(cells, "repeat")
    if value is None:
        return None
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        number = None
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise FieldError(name, f"expected a whole number from 0, not {value!r}")
    return number
