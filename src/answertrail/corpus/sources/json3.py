"""Read YouTube's `json3` timed text: events in ms, each with pieces of text.

Automatic captions give each word a piece and an offset and repeat nothing, so nothing has to be
collapsed. The text is plain: no markup, and no entities beyond those of JSON itself.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from answertrail.corpus.sources.layers import without_layers
from answertrail.corpus.sources.markup import folded
from answertrail.corpus.sources.order import Cue, sorted_cues
from answertrail.corpus.sources.outcome import SourceFault, TimesFault
from answertrail.corpus.sources.timed import Timed
from answertrail.corpus.sources.turns import turns

MAX_CHARS = 32 * 1024 * 1024
"""Twelve hours of speech, word by word, are about 13 MB."""

MAX_VALUES = 2_000_000
"""Objects and lists in one file; twelve hours of speech have about 200,000."""

_LIVE_CHAT = "replayChatItemAction"
_AUTOMATIC = re.compile(r'"(?:acAsrConf|tOffsetMs|aAppend)"\s*:')
_DIGITS = re.compile(r"[0-9]{1,12}")
_PIECE = re.compile(r'"utf8"\s*:\s*"((?:[^"\\]|\\.)*+)"')


@dataclass(frozen=True, slots=True)
class _Event:
    """An event with words: `start` and `end` in seconds, `number` counts all events from 1."""

    start: float
    end: float | None
    text: str
    number: int


def read_json3(text: str) -> Timed:
    """Read the text of a `.json3` file. Raises SourceFault, with the number of the event to blame."""
    events = _events(text)
    automatic = looks_automatic(text)
    notes: list[str] = []
    spoken = list(_spoken(events, notes))
    if not spoken:
        raise SourceFault("the file holds no captions")
    if automatic:
        spoken = _closed_at_the_next(spoken)
    cues = [
        Cue(event.start, event.end, words, speaker, event.number)
        for event in spoken
        for speaker, words in turns(event.text.split("\n"), automatic=automatic)
    ]
    if not cues:
        raise SourceFault("the file holds no captions")
    try:
        ordered, repairs = sorted_cues(cues)
    except SourceFault as fault:
        raise TimesFault(f"event {fault.line}: {fault.reason}") from None
    ordered, layers = without_layers(ordered)
    notes.extend(note.replace("(line ", "(event ", 1) for note in (*repairs, *layers))
    return Timed(tuple(ordered), tuple(notes), automatic=automatic, by_word=automatic)


def looks_automatic(text: str) -> bool:
    """True when (the beginning of) a file has what only speech recognition writes: words with offsets."""
    return _AUTOMATIC.search(text) is not None


def pieces(text: str) -> str:
    """Return the words of (the beginning of) a file, roughly, for a comparison with another one."""
    return re.sub(r"\\[nrt]", " ", "".join(_PIECE.findall(text)))


def _events(text: str) -> Sequence[Any]:
    if len(text) > MAX_CHARS:
        raise SourceFault(f"json3 is read up to {MAX_CHARS // 2**20} million characters; this has {len(text)}")
    if text.count("{") + text.count("[") > MAX_VALUES:
        raise SourceFault(f"more than {MAX_VALUES} JSON values: not a caption track")
    if _LIVE_CHAT in text:
        raise SourceFault("a live chat, not captions")
    try:
        track = json.loads(text)
    except json.JSONDecodeError as error:
        raise SourceFault(f"not valid JSON: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise SourceFault(f"not valid JSON: {error}") from None
    events = track.get("events") if isinstance(track, dict) else None
    if not isinstance(events, list):
        raise SourceFault("not a json3 caption track: expected an object with a list of events")
    return events


def _spoken(events: Sequence[Any], notes: list[str]) -> Iterator[_Event]:
    """Yield the events with words; those that cannot be read are counted in a note."""
    unread: list[int] = []
    unended: list[int] = []
    for number, event in enumerate(events, 1):
        if not isinstance(event, dict):
            unread.append(number)
            continue
        pieces = [piece for piece in _list(event.get("segs")) if isinstance(piece, dict)]
        texts = [piece["utf8"] for piece in pieces if isinstance(piece.get("utf8"), str)]
        # The track's own event and the line breaks of rolling captions hold no words.
        if not folded("".join(texts)):
            continue
        begin = _seconds(event.get("tStartMs"))
        if begin is None:
            unread.append(number)
            continue
        duration = _seconds(event.get("dDurationMs"))
        end = begin + duration if duration else None
        if end is None:
            unended.append(number)
        start = begin + _first_offset(pieces)
        yield _Event(start, end if end is None or end > start else None, "".join(texts), number)
    # The count would be wrong if it were refused before all is seen.
    _told(unread, "events that cannot be read, left out", notes)
    _told(unended, "events without a length; their ends are taken as unknown", notes)
    if len(unread) > max(3, 0.1 * len(events)):
        raise SourceFault(f"event {unread[0]}: the events cannot be read")


def _first_offset(pieces: Sequence[Mapping[str, Any]]) -> float:
    for piece in pieces:
        if isinstance(piece.get("utf8"), str) and piece["utf8"].strip():
            return _seconds(piece.get("tOffsetMs")) or 0.0
    return 0.0


def _closed_at_the_next(events: Sequence[_Event]) -> list[_Event]:
    """An automatic row stays on the screen while the next is spoken; its words end where that begins."""
    out: list[_Event] = []
    following = math.inf
    for event in reversed(events):
        if event.end is not None and event.start < following < event.end:
            event = replace(event, end=following)
        out.append(event)
        following = event.start
    return out[::-1]


def _seconds(value: object) -> float | None:
    """Milliseconds as seconds; None for what is no time within 9999 hours, a negative one for one."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value / 1000 if 0 <= value < 36_000_000_000 else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _told(numbers: Sequence[int], what: str, notes: list[str]) -> None:
    if numbers:
        shown = ", ".join(map(str, numbers[:3])) + (", ..." if len(numbers) > 3 else "")
        notes.append(f"{len(numbers)} x {what} (event {shown})")
