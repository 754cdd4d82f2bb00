"""Read WebVTT, SRT and SBV into raw cues, tolerantly, remembering line numbers.

One parser for the three: what files in the wild get wrong (no header, no index, no blank line,
commas for points, arrows in notes) does not respect the border between the formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from answertrail.corpus.sources.clock import clock, seconds
from answertrail.corpus.sources.outcome import SourceFault, TimesFault

_TIMES = re.compile(
    r"\s*(?P<start>-?\d{1,4}(?::\d{1,3}){1,3}(?:[.,]\d{1,9})?)"
    r"\s*(?:-{1,2}>|[–—→]>?)\s*"
    r"(?P<end>-?\d{1,4}(?::\d{1,3}){1,3}(?:[.,]\d{1,9})?)?(?P<rest>.*)"
)
_SBV_TIMES = re.compile(r"\s*(?P<start>\d{1,3}:\d{1,2}:\d{1,2}\.\d{1,3}),(?P<end>\d{1,3}:\d{1,2}:\d{1,2}\.\d{1,3})\s*")
_LIKE_TIMES = re.compile(r"\s*-?\d+[:.,]\d\S*\s*-{1,2}>")
_LIKE_SBV = re.compile(r"\s*\d{1,2}:\d{1,2}:\S{1,8},\d{1,2}:\d{1,2}:\S{1,8}\s*$")
# A comment may hold anything, arrows too; `STYLE` above times is a cue with an odd id.
_COMMENT = re.compile(r"NOTE(?:[ \t]|$)")
_STYLE = re.compile(r"(?:STYLE|REGION)(?:[ \t:]|$)")
_HEADER_FIELD = re.compile(r"(?P<key>[A-Za-z-]+):\s*(?P<value>\S.*)")
_SHOWN = 3
MAX_LINES = 5_000_000
"""A day of captions has 200,000; what has more is refused before each line becomes an object."""


@dataclass(frozen=True, slots=True)
class RawCue:
    """A cue as written: times in seconds, raw text lines with markup, line from 1.

    `end` None: it could not be read, or came before the start.
    """

    start: float
    end: float | None
    lines: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class CueFile:
    """What a caption file holds: cues in file order, header fields, what was repaired."""

    cues: tuple[RawCue, ...]
    header: dict[str, str]
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Open:
    """A cue still being read."""

    start: float
    end: float | None
    line: int
    index: int | None
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _State:
    vtt: bool
    sbv: bool
    cues: list[_Open] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    unread: list[int] = field(default_factory=list)
    loose: list[int] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    no_end: list[int] = field(default_factory=list)
    negative: list[int] = field(default_factory=list)


Line = tuple[int, str]


def parse(text: str, *, suffix: str) -> CueFile:
    """Parse the text of a caption file; `suffix` is `.vtt`, `.srt` or `.sbv`.

    Raises SourceFault when no cue with a time is found, when more times are unreadable than slips
    explain (over 10%, at least 4), and for more than `MAX_LINES` lines.
    """
    if text.count("\n") > MAX_LINES:
        raise SourceFault(f"more than {MAX_LINES:,} lines: not a caption file")
    headed = text.lstrip().startswith("WEBVTT")
    state = _State(vtt=headed or suffix == ".vtt", sbv=suffix == ".sbv")
    for block in _blocks(text):
        _block(state, block)
    _refuse(state, headed=headed)
    notes = _notes(state)
    if suffix == ".vtt" and not headed:
        notes.insert(0, "no WEBVTT header")
    cues = tuple(RawCue(c.start, c.end, tuple(c.lines), c.line) for c in state.cues)
    return CueFile(cues, state.header, tuple(notes))


def _blocks(text: str) -> Iterator[list[Line]]:
    """Yield runs of lines between empty lines; lines of spaces belong to the run and are dropped.

    YouTube's rolling captions fill the second row with one space: that is not the cue's end.
    """
    block: list[Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removeprefix("\ufeff")
        if line == "":
            if block:
                yield block
                block = []
        elif not line.isspace():
            block.append((number, line))
    if block:
        yield block


def _block(state: _State, block: list[Line]) -> None:
    first = block[0][1]
    if not state.cues and first.lstrip().startswith("WEBVTT"):
        block = _header(state, block)
    elif state.vtt and _is_skipped(state, block):
        return
    at = [i for i, (_, line) in enumerate(block) if _times_like(state, line)]
    if not at:
        _untimed(state, block)
        return
    _before_times(state, block[: at[0]])
    for place, begin in enumerate(at):
        last = place + 1 == len(at)
        body = block[begin + 1 : None if last else at[place + 1]]
        index = _number(block[begin - 1][1]) if begin else None
        _timed(state, block[begin], index)
        if not last and body and _number(body[-1][1]) == _next_index(state):
            # No empty line between two cues: the number above the times is the next index.
            body = body[:-1]
        if state.cues:
            state.cues[-1].lines.extend(line for _, line in body)
        else:
            state.orphans.extend(number for number, _ in body)


def _header(state: _State, block: list[Line]) -> list[Line]:
    """Read the header's fields; return what follows when the empty line after it is missing."""
    for place, (_, line) in enumerate(block):
        if _times_like(state, line):
            return block[place:]
        match = _HEADER_FIELD.match(line)
        if match:
            state.header.setdefault(match["key"].lower(), match["value"].strip())
    return []


def _is_skipped(state: _State, block: list[Line]) -> bool:
    first = block[0][1]
    if _COMMENT.match(first):
        return True
    return _STYLE.match(first) is not None and not _is_times(state, block[1:2])


def _is_times(state: _State, lines: list[Line]) -> bool:
    return bool(lines) and _times_like(state, lines[0][1])


def _times_like(state: _State, line: str) -> bool:
    if state.sbv and (_SBV_TIMES.fullmatch(line) or _LIKE_SBV.match(line)):
        return True
    return ">" in line and (_LIKE_TIMES.match(line) is not None or _TIMES.match(line) is not None)


def _before_times(state: _State, lines: list[Line]) -> None:
    """Handle what stands above the times in their block: an index, an id, or stray words."""
    if not lines:
        return
    # The last line above the times is the index, or in WebVTT an id of any form.
    if state.vtt or _number(lines[-1][1]) is not None:
        lines = lines[:-1]
    _untimed(state, lines)


def _untimed(state: _State, lines: list[Line]) -> None:
    """Keep words that have no times of their own with the cue above them."""
    if lines and state.cues and _number(lines[0][1]) == _next_index(state):
        # An index whose times are missing; remember it so that the next index is known.
        state.cues[-1].index = _number(lines[0][1])
        lines = lines[1:]
    if not lines:
        return
    if not state.cues:
        # In WebVTT that is header matter (styles with empty lines in them); elsewhere words.
        if not state.vtt:
            state.orphans.extend(number for number, _ in lines)
        return
    state.loose.append(lines[0][0])
    state.cues[-1].lines.extend(line for _, line in lines)


def _timed(state: _State, at: Line, index: int | None) -> None:
    number, line = at
    match = (_SBV_TIMES.fullmatch(line) if state.sbv else None) or _TIMES.match(line)
    start = _signed(match["start"]) if match else None
    if match is None or start is None:
        state.unread.append(number)
        if state.cues:
            state.cues[-1].index = index
        return
    end = _signed(match["end"]) if match["end"] else None
    if start < 0:
        state.negative.append(number)
        start = 0.0
    if end is not None and end < start:
        end = None
    if end is None:
        state.no_end.append(number)
    state.cues.append(_Open(start, end, number, index))


def _signed(text: str) -> float | None:
    value = seconds(text.removeprefix("-"))
    return None if value is None else (-value if text.startswith("-") else value)


def _number(line: str) -> int | None:
    stripped = line.strip()
    return int(stripped) if stripped.isascii() and stripped.isdigit() and len(stripped) < 8 else None


def _next_index(state: _State) -> int:
    index = state.cues[-1].index if state.cues else None
    return len(state.cues) + 1 if index is None else index + 1


def _refuse(state: _State, *, headed: bool) -> None:
    if state.unread and len(state.unread) > max(3, 0.1 * len(state.cues)):
        raise TimesFault("the times cannot be read", state.unread[0])
    if any(cue.lines for cue in state.cues):
        return
    if state.unread:
        raise TimesFault("the times cannot be read", state.unread[0])
    if headed or state.cues:
        raise SourceFault("the file holds no captions")
    raise SourceFault("no cue with a time was found")


def _notes(state: _State) -> list[str]:
    notes: list[str] = []
    for lines, what in (
        (state.unread, "times that cannot be read; the words are kept with the cue above"),
        (state.loose, "words without times of their own; kept with the cue above"),
        (state.orphans, "lines above the first cue, left out"),
        (state.no_end, "cue ends that are missing, unreadable or before the start; taken as unknown"),
        (state.negative, f"starts below zero; taken as {clock(0)}"),
    ):
        if lines:
            shown = ", ".join(map(str, lines[:_SHOWN])) + (", ..." if len(lines) > _SHOWN else "")
            notes.append(f"{len(lines)} x {what} (line {shown})")
    return notes
