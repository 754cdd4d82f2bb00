"""Rows of a table export: JSON Lines, one JSON list, or CSV. NaN is kept apart, never read as a number."""

from __future__ import annotations

import ast
import csv
import io
import json
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from answertrail.errors import InputError
from answertrail.experiments.importing.imported import Fault


class _NotANumber:
    def __repr__(self) -> str:
        return "NaN"


NAN: Final = _NotANumber()


class Row(NamedTuple):
    """A row and where it stands."""

    where: str
    number: int
    cells: dict[str, Any]


def row_number(fault: Fault) -> int:
    """Return the row or line a fault is in, to list faults in the order of the file."""
    return int(fault.where.rpartition(" ")[2])


def read_rows(path: Path) -> tuple[list[Row], list[Fault]]:
    """Return the rows of a file and the faults of those that are none.

    CSV by its ending `.csv`; else one JSON list of objects or one object a line. Raises InputError
    when the file cannot be read, is not UTF-8, or is neither.
    """
    try:
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8", where=str(path), hint="save the file as UTF-8") from None
    if path.suffix.lower() == ".csv":
        return _csv(text, path)
    if text.lstrip().startswith("["):
        return _list(text, path)
    return _lines(text)


def _lines(text: str) -> tuple[list[Row], list[Fault]]:
    rows: list[Row] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            value = _loads(line)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(where, "line", f"not valid JSON: {error}"))
            continue
        if isinstance(value, dict):
            rows.append(Row(where, number, value))
        else:
            faults.append(Fault(where, "line", f"expected an object, not {type(value).__name__}"))
    return rows, faults


def _list(text: str, path: Path) -> tuple[list[Row], list[Fault]]:
    try:
        values = _loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", where=str(path)) from None
    rows = [Row(f"row {number}", number, value) for number, value in enumerate(values, 1) if isinstance(value, dict)]
    faults = [
        Fault(f"row {number}", "row", f"expected an object, not {type(value).__name__}")
        for number, value in enumerate(values, 1)
        if not isinstance(value, dict)
    ]
    return rows, faults


def _csv(text: str, path: Path) -> tuple[list[Row], list[Fault]]:
    """CSV has no types: an empty cell is an absent one, `nan` is NaN, all else is text."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    rows: list[Row] = []
    faults: list[Fault] = []
    try:
        names = reader.fieldnames or []
        if len(set(names)) != len(names):
            raise InputError("a column is given twice", where=f"{path}:1", hint="give every column its own name")
        for number, cells in enumerate(reader, 1):
            where = f"row {number}"
            if None in cells or None in cells.values():
                faults.append(Fault(where, "row", f"expected {len(names)} cells"))
            else:
                rows.append(Row(where, number, {name: _cell(cell) for name, cell in cells.items() if cell != ""}))
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", where=f"{path}:{reader.line_num}") from None
    return rows, faults


def _cell(cell: str) -> Any:
    return NAN if cell.strip().lower() == "nan" else cell


def _loads(text: str) -> Any:
    value = json.loads(text, parse_constant=_constant)
    if "\\ud" in text.lower():
        try:
            json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("a text holds half of a surrogate pair") from None
    return value


def _constant(name: str) -> Any:
    if name == "NaN":
        return NAN
    raise ValueError(f"{name} is not JSON")


def texts_in(cell: Any) -> list[Any]:
    """Return the list a cell holds; CSV prints lists as JSON or as Python does.

    Raises ValueError for anything else, and for strings with no comma between them, which is how
    numpy prints an array: reading those would glue the texts together.
    """
    if isinstance(cell, list):
        return cell
    if not isinstance(cell, str):
        raise ValueError(f"expected a list of texts, not {type(cell).__name__}")
    for parse in (json.loads, _literal):
        try:
            value = parse(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list | tuple):
            return list(value)
    raise ValueError('expected a list of texts, such as ["one", "two"]; a JSON Lines export keeps lists whole')


def _literal(text: str) -> Any:
    strings = 0
    for token in _tokens(text):
        strings = strings + 1 if token.type == tokenize.STRING else strings * (token.type == tokenize.NL)
        if strings > 1:
            raise ValueError("strings without a comma between them")
    return ast.literal_eval(text)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, IndentationError) as error:
        raise ValueError(str(error)) from None
