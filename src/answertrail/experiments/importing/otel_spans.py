"""OTLP/JSON traces -> spans with plain attributes. Knows the encoding, nothing of generative models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from answertrail.errors import InputError
from answertrail.experiments.importing.imported import Fault
from answertrail.records import jsonl

_STATUS = {0: "unset", 1: "ok", 2: "error", "STATUS_CODE_UNSET": "unset", "STATUS_CODE_OK": "ok"}
_STATUS["STATUS_CODE_ERROR"] = "error"


class Event(NamedTuple):
    """Something noted during a span."""

    name: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Span:
    """One operation. Times are nanoseconds since 1970, None where the export has none."""

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: int | None
    end: int | None
    attributes: Mapping[str, Any]
    events: tuple[Event, ...]
    status: str
    message: str
    where: str

    @property
    def elapsed_ms(self) -> float | None:
        """How long it took; None without both times or when they run backwards."""
        if self.start is None or self.end is None or self.end < self.start:
            return None
        return (self.end - self.start) / 1e6


def read_spans(path: Path) -> tuple[list[Span], list[Fault], int]:
    """Return the spans of an export, the faults of those that cannot be read, and how many came twice.

    One JSON document with `resourceSpans`, a list of such documents, or one a line. A span that is
    there twice is kept once. Raises InputError when the file is none of these.
    """
    spans: dict[tuple[str, str], Span] = {}
    faults: list[Fault] = []
    doubled = 0
    for where, document in _documents(path, faults):
        for place, value in _raw_spans(document, where, faults):
            span = _span(value, place)
            if isinstance(span, Fault):
                faults.append(span)
            elif (span.trace_id, span.span_id) in spans:
                doubled += 1
            else:
                spans[span.trace_id, span.span_id] = span
    return list(spans.values()), faults, doubled


def _documents(path: Path, faults: list[Fault]) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8", where=str(path), hint="save the file as UTF-8") from None
    found: list[tuple[str, Any]]
    try:
        whole = jsonl.loads(text)
        found = list(_numbered(whole)) if isinstance(whole, list) else [("", whole)]
    except (ValueError, RecursionError) as problem:
        found = []
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2:
            raise InputError(f"not valid JSON: {problem}", where=str(path)) from None
        for number, line in lines:
            try:
                found.append((f"line {number}: ", jsonl.loads(line)))
            except (ValueError, RecursionError) as error:
                faults.append(Fault(f"line {number}", "line", f"not valid JSON: {error}"))
    for where, document in found:
        if isinstance(document, dict) and ("resourceSpans" in document or "resource_spans" in document):
            yield where, document
        else:
            faults.append(Fault(where.rstrip(": ") or "document", "resourceSpans", "required field is missing"))


def _numbered(documents: list[Any]) -> Iterator[tuple[str, Any]]:
    return ((f"document {number}: ", document) for number, document in enumerate(documents, 1))


def _raw_spans(document: dict[str, Any], where: str, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    for r, resource in _each(document, "resourceSpans", "resource_spans", where, faults):
        for s, scope in _each(resource, "scopeSpans", "scope_spans", r, faults):
            yield from _each(scope, "spans", "spans", s, faults)


def _each(parent: Any, name: str, other: str, where: str, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    before = f"{where}." if where and not where.endswith(": ") else where
    values = (parent.get(name, parent.get(other)) or []) if isinstance(parent, dict) else None
    if not isinstance(values, list):
        faults.append(Fault(where.rstrip(": ") or "document", name, "expected a list"))
        return
    for number, value in enumerate(values):
        yield f"{before}{name}[{number}]", value


def _span(value: Any, where: str) -> Span | Fault:
    if not isinstance(value, dict):
        return Fault(where, "span", f"expected an object, not {type(value).__name__}")
    ids: dict[str, str] = {}
    for name, other in (("traceId", "trace_id"), ("spanId", "span_id")):
        one = value.get(name, value.get(other))
        if not isinstance(one, str) or not one.strip():
            return Fault(where, name, "required field is missing")
        ids[name] = one.strip().lower()
    times: dict[str, int | None] = {}
    for name, other in (("startTimeUnixNano", "start_time_unix_nano"), ("endTimeUnixNano", "end_time_unix_nano")):
        try:
            times[name] = _nanoseconds(value.get(name, value.get(other)))
        except ValueError as error:
            return Fault(where, name, str(error))
    status = value.get("status") or {}
    if not isinstance(status, dict):
        return Fault(where, "status", f"expected an object, not {type(status).__name__}")
    try:
        attributes = attributes_of(value.get("attributes"))
        events = tuple(_event(item) for item in value.get("events") or [])
    except (ValueError, TypeError, AttributeError) as error:
        return Fault(where, "attributes", f"not OTLP attributes: {error}")
    parent = value.get("parentSpanId", value.get("parent_span_id"))
    return Span(
        ids["traceId"],
        ids["spanId"],
        parent.lower() if isinstance(parent, str) and parent.strip("0") else None,
        str(value.get("name", "")),
        times["startTimeUnixNano"],
        times["endTimeUnixNano"],
        attributes,
        events,
        _STATUS.get(status.get("code", 0), "unset"),
        str(status.get("message") or ""),
        where,
    )


def _event(item: dict[str, Any]) -> Event:
    return Event(str(item.get("name", "")), attributes_of(item.get("attributes")))


def _nanoseconds(value: Any) -> int | None:
    """OTLP writes 64-bit integers as text; 0 is "not set"."""
    if value in (None, "", 0, "0"):
        return None
    try:
        number = int(value) if isinstance(value, str | int) and not isinstance(value, bool) else -1
    except ValueError:
        number = -1
    if not 0 < number < 2**63:
        raise ValueError(f"expected nanoseconds since 1970, not {value!r}")
    return number


def attributes_of(items: Any) -> dict[str, Any]:
    """Return key-value pairs of OTLP as a plain mapping. Raises ValueError or TypeError on another shape."""
    if items is None:
        return {}
    if not isinstance(items, list):
        raise ValueError(f"expected a list of key and value, not {type(items).__name__}")
    return {str(item["key"]): _value(item.get("value")) for item in items}


def _value(union: Any) -> Any:
    if not isinstance(union, dict):
        raise ValueError(f"expected a value such as {{'stringValue': ...}}, not {union!r}")
    for kind, value in union.items():
        match kind:
            case "intValue" | "int_value":
                return int(value)
            case "arrayValue" | "array_value":
                return [_value(item) for item in (value or {}).get("values") or []]
            case "kvlistValue" | "kvlist_value":
                return attributes_of((value or {}).get("values"))
            case "stringValue" | "boolValue" | "doubleValue" | "bytesValue":
                return value
            case "string_value" | "bool_value" | "double_value" | "bytes_value":
                return value
    return None
