"""Read a JSON Lines file of `document/1`: a bad line fails alone, the others load."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answertrail.corpus.sources.loading import MAX_LINE_BYTES, raw_lines
from answertrail.corpus.sources.order import Cue, kept_in_order
from answertrail.corpus.sources.outcome import Failure, Read, SourceFault
from answertrail.errors import InputError
from answertrail.records import Document, Segment
from answertrail.records.jsonl import parse_line

_LOOK_AT_LINES = 20
_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def holds_documents(path: Path) -> bool:
    """True when one of the first lines is a `document/1`, sound or not.

    Raises SourceFault when the file cannot be read.
    """
    seen = 0
    for _, raw in raw_lines(path):
        if raw is None or not raw.strip():
            continue
        if b'"document/1"' in raw:
            return True
        seen += 1
        if seen >= _LOOK_AT_LINES:
            return False
    return False


def read_documents(path: Path, source: str) -> Iterator[Read | Failure]:
    """Yield one document or Failure for each line that is not blank."""
    first_line: dict[str, int] = {}
    number = 0
    try:
        for number, raw in raw_lines(path):
            if raw is not None and not raw.strip():
                continue
            try:
                yield _line(raw, number, source, first_line)
            except SourceFault as fault:
                yield Failure(source, number, fault.reason)
            except InputError as error:
                yield Failure(source, number, error.message)
    except SourceFault as fault:
        yield Failure(source, fault.line, fault.reason)
        return
    if number == 0:
        yield Failure(source, None, "the file is empty")


def _line(raw: bytes | None, number: int, source: str, first_line: dict[str, int]) -> Read:
    if raw is None:
        raise SourceFault(f"the line is longer than {MAX_LINE_BYTES // 2**20} MB")
    try:
        text = raw.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceFault(f"byte {error.start} of the line is not UTF-8") from None
    document = parse_line(Document, text, where=f"{source}:{number}")
    if _ESCAPED.search(text):
        _refuse_unstorable(document)
    if document.id in first_line:
        raise SourceFault(f"id {document.id!r} was already given on line {first_line[document.id]}")
    checked, notes = _in_order(document)
    first_line[document.id] = number
    if not any(text.split() for text in (document.text or "", *(s.text for s in document.segments or ()))):
        notes.append("the document holds no words")
    return Read(checked, tuple(notes), f"{source}:{number}")


def _refuse_unstorable(document: Document) -> None:
    """NUL and lone surrogates are legal in JSON and impossible in a database."""
    text = _strings(document.as_json())
    if "\0" in text:
        raise SourceFault("a text holds a NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise SourceFault("a text holds half a surrogate pair") from None


def _strings(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(_strings(item) for pair in value.items() for item in pair)
    if isinstance(value, list):
        return "".join(map(_strings, value))
    return ""


def _in_order(document: Document) -> tuple[Document, list[str]]:
    """Check and repair the times of a timed document. Raises SourceFault naming the segment."""
    segments = document.segments
    if segments is None:
        return document, []
    for place, segment in enumerate(segments):
        if segment.end_s is not None and segment.end_s < segment.start_s:
            raise SourceFault(f"segments.{place}: end_s is before start_s")
        if document.duration_s is not None and segment.start_s > document.duration_s:
            raise SourceFault(f"segments.{place}: start_s is after duration_s")
    cues = [Cue(s.start_s, s.end_s, "", None, place) for place, s in enumerate(segments)]
    try:
        ordered, notes = kept_in_order(cues)
    except SourceFault as fault:
        raise SourceFault(f"segments.{fault.line}: {fault.reason}") from None
    if not notes:
        return document, []
    repaired = [
        segment if cue.start == segment.start_s else _moved(segment, cue)
        for segment, cue in zip(segments, ordered, strict=True)
    ]
    said = [note.replace("line ", "segments.", 1) for note in notes]
    return document.model_copy(update={"segments": repaired}), said


def _moved(segment: Segment, cue: Cue) -> Segment:
    values: dict[str, Any] = {"start_s": cue.start, "text": segment.text}
    if cue.end is not None:
        values["end_s"] = cue.end
    if segment.speaker is not None:
        values["speaker"] = segment.speaker
    return Segment(**values)
