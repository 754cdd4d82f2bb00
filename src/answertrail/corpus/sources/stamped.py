"""Find the layout of a stamped transcript in plain text or Markdown, and read it.

Four layouts, each asked for clear structure, never one accidental match:

- lines:   `[MM:SS] **Speaker**: text`, `[Speaker] [MM:SS] text`, `[0.00 --> 8.74] text`,
           `0:15 text`; most lines begin with a time; lines without one continue the line above.
- headers: `Speaker: 00:01:23` alone on a line (or only the time), the words below it.
- marks:   turns (`**Name:** text`) with a time in brackets here and there, escaped or not.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from answertrail.corpus.sources.captions import Timed
from answertrail.corpus.sources.clock import STAMP, seconds
from answertrail.corpus.sources.order import Cue, kept_in_order
from answertrail.corpus.sources.outcome import SourceFault

_ARROW = re.compile(
    rf"\s*[\[(]\s*(?P<start>{STAMP}|\d+(?:\.\d+)?)\s*-->\s*(?P<end>{STAMP}|\d+(?:\.\d+)?)\s*[\])]"
    r"\s*(?P<text>.*)"
)
_LINE = re.compile(rf"\s*(?:\[(?P<who>[^\[\]]{{1,60}})\]\s*)?[\[(]\s*(?P<time>{STAMP})\s*[\])](?!\()\s*(?P<text>.*)")
_BARE_LINE = re.compile(rf"\s*(?P<time>{STAMP})(?:\s*[-–—|]\s*|\s+)(?P<text>\S.*)")
_HEADER = re.compile(
    r"\s*(?:[*_]{0,2}(?P<who>[^\W\d_][^\n\[\]()*:]{0,59}?)\s*:?[*_]{0,2}\s*[:,\-–—]?\s*(?:0:\s*)?)?"
    r"[\[(]?(?P<time>\d{1,3}[:.]\d{2}[:.]\d{2}|\d{1,3}:\d{2})[\])]?\s*:?\s*"
)
_LABEL = re.compile(r"\s*\*\*(?P<name>[^*\n]{1,80}?)\s*(?::\s*\*\*|\*\*\s*:)\s*(?P<text>.*)")
_PLAIN_LABEL = re.compile(r"(?P<name>[^\s:\[\]*][^:\[\]*\n]{0,39}):\s+(?P<text>.*)")
_ANONYMOUS = re.compile(r"(?:speaker|spk|sprecher|locuteur)[ _-]?(?:\d{1,3}|[a-z])", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"unknown|unidentified", re.IGNORECASE)
# `\[06:04\]`, `[1:02:03]`, with hundredths or video frames; `[12:34](...)` is a link, not a mark.
_MARK = re.compile(rf"\\?\[(?P<time>{STAMP})(?::\d{{2}})?\\?\](?!\()")
_ONLY_JOINER = re.compile(r"\s*(?:to|-|–|—)?\s*")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>|~&])")
_MAX_HEADER_CHARS = 120
_TURNS_FOR_ONE_MARK = 10
_BEGINNING_S = 120.0

_TYPICAL_CHARS_PER_S = 14.0
"""English speech at about 150 words a minute."""


def read_stamped(text: str, *, markdown: bool, names: Iterable[str] = ()) -> Timed | None:
    """Read a stamped transcript, or return None when the text has no such layout.

    `names` are speakers known from elsewhere; they help to tell `Name: words` from words with a
    colon. Raises SourceFault with the line when the layout is clear and its times are not usable.
    """
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = _arrow_lines(lines) or _stamped_lines(lines, names) or _headed(lines) or _marked(lines)
    if found is None or not markdown:
        return found
    cues = tuple(Cue(c.start, c.end, _ESCAPE.sub(r"\1", c.text), c.speaker, c.line) for c in found.cues)
    return Timed(cues, found.notes, found.language, found.automatic, found.named, found.coarse)


def _arrow_lines(lines: Sequence[tuple[int, str]]) -> Timed | None:
    """Lines with start and end, as Whisper prints them: seconds or clock times."""
    hits = sum(_ARROW.match(line) is not None for _, line in lines)
    if not _most(hits, len(lines)):
        return None
    cues: list[_Growing] = []
    for number, line in lines:
        match = _ARROW.match(line)
        if match is None:
            _continue(cues, number, line)
            continue
        start, end = _either(match["start"]), _either(match["end"])
        if start is None:
            raise SourceFault(f"the time {match['start']} cannot be read", number)
        end = end if end is not None and end >= start else None
        cues.append(_Growing(start, end, [match["text"]], None, number))
    ordered, notes = kept_in_order(_closed(cues))
    return Timed(tuple(ordered), tuple(notes), automatic=True)


def _stamped_lines(lines: Sequence[tuple[int, str]], names: Iterable[str]) -> Timed | None:
    matches = [_LINE.match(line) for _, line in lines]
    hits = sum(match is not None for match in matches)
    labelled = sum(
        match is not None and (match["who"] is not None or _LABEL.match(match["text"]) is not None) for match in matches
    )
    if not _most(hits, len(lines)) and not (labelled >= 3 and labelled >= 0.1 * len(lines)):
        matches = [_BARE_LINE.match(line) for _, line in lines]
        times = [seconds(match["time"]) for match in matches if match is not None]
        if len(lines) < 2 or len(times) < 0.8 * len(lines) or not _begins(times):
            return None
    if not any(match is not None and match["text"] for match in matches):
        return None
    known = _known_labels(matches, names)
    cues: list[_Growing] = []
    for (number, line), match in zip(lines, matches, strict=True):
        if match is None:
            _continue(cues, number, line)
            continue
        start = seconds(match["time"])
        if start is None:
            raise SourceFault(f"the time {match['time']} cannot be read", number)
        groups = match.groupdict()
        who, text = groups.get("who"), match["text"]
        if who is None:
            who, text = _labelled(text, known)
        cues.append(_Growing(start, None, [text], _name(who), number))
    ordered, notes = kept_in_order(_closed(cues))
    speakers = {cue.speaker for cue in ordered if cue.speaker}
    bold = any(m is not None and _LABEL.match(m["text"]) is not None for m in matches)
    anonymous = any(_ANONYMOUS.fullmatch(name) for name in speakers)
    return Timed(
        tuple(ordered),
        tuple(notes),
        automatic=anonymous and not bold,
        named=bold,
    )


def _headed(lines: Sequence[tuple[int, str]]) -> Timed | None:
    matches = [_header(line) for _, line in lines]
    hits = sum(match is not None for match in matches)
    if hits < 3 or hits < 0.1 * len(lines) or not _are_turns(matches):
        return None
    cues: list[_Growing] = []
    # A heading was not said by anyone: it stands alone, at the time of what follows it.
    headings: list[_Growing] = []
    for (number, line), match in zip(lines, matches, strict=True):
        heading = None if match is not None else _heading(line)
        if heading is not None:
            headings.append(_Growing(0.0, None, [heading], None, number))
            continue
        at = cues[-1] if cues else _Growing(0.0, None, [], None, number)
        if match is not None:
            start = seconds(match["time"].replace(".", ":"))
            if start is None:
                raise SourceFault(f"the time {match['time']} cannot be read", number)
            at = _Growing(start, None, [], _name(match["who"]), number)
        elif cues and not headings:
            at.texts.append(line)
            continue
        else:
            # Words below a heading without a time of their own go on where the turn was.
            at = _Growing(at.start, None, [line], at.speaker, number)
        cues.extend(replace(one, start=at.start) for one in headings)
        headings = []
        cues.append(at)
    last = cues[-1].start
    cues.extend(replace(one, start=last) for one in headings)
    ordered, notes = kept_in_order(_closed(cues))
    speakers = {cue.speaker for cue in ordered if cue.speaker}
    named = bool(speakers) and not any(_ANONYMOUS.fullmatch(name) for name in speakers)
    return Timed(tuple(ordered), tuple(notes), named=named)


def _are_turns(matches: Sequence[re.Match[str] | None]) -> bool:
    """Tell turns of speech from a timetable (`Lunch: 12:30`).

    Words stand below most headers. Times without hours could be times of day: then names come
    back, or, where there are none, the first time is near zero.
    """
    headers = [match for match in matches if match is not None]
    followed = sum(a is not None and b is None for a, b in pairwise(matches))
    if followed < 0.7 * (len(headers) - 1):
        return False
    if sum(len(re.split("[:.]", match["time"])) == 3 for match in headers) > 0.5 * len(headers):
        return True
    names = [match["who"] for match in headers if match["who"]]
    if len(names) > 0.5 * len(headers):
        return len(set(names)) <= 0.7 * len(names)
    return _begins([seconds(match["time"].replace(".", ":")) for match in headers])


def _begins(times: Sequence[float | None]) -> bool:
    """True when the first time is one at which a recording begins."""
    return bool(times) and times[0] is not None and times[0] <= _BEGINNING_S


def _header(line: str) -> re.Match[str] | None:
    stripped = line.strip()
    # Long lines are speech; skipping them also bounds the work of the expression.
    if not stripped or len(stripped) > _MAX_HEADER_CHARS or stripped[-1] not in "0123456789)]:":
        return None
    return _HEADER.fullmatch(stripped)


def _heading(line: str) -> str | None:
    stripped = line.strip()
    text = stripped.lstrip("#")
    if not text.startswith(" ") or not 1 <= len(stripped) - len(text) <= 6:
        return None
    return text.strip().rstrip("#").strip() or None


@dataclass(slots=True)
class _Piece:
    """Words of one speaker between two marks; `at` counts the characters before it."""

    text: str
    speaker: str | None
    line: int
    at: int
    marked: bool


def _marked(lines: Sequence[tuple[int, str]]) -> Timed | None:
    turns = sum(_LABEL.match(line) is not None for _, line in lines)
    count = sum(len(_MARK.findall(line)) for _, line in lines)
    # One mark alone is believed only among many turns.
    if count == 0 or (turns < 3 and count < 5) or (count == 1 and turns < _TURNS_FOR_ONE_MARK):
        return None
    pieces, marks = _pieces_and_marks(lines)
    if not pieces or not marks:
        return None
    ordered, notes = kept_in_order(marks)
    # Marks and pieces were gathered in step: a mark's `end` holds its place in characters.
    places = [mark.end or 0.0 for mark in marks]
    times = [mark.start for mark in ordered]
    if times[-1] <= 0 or (len(times) > 1 and times[-1] <= times[0]):
        return None
    total = pieces[-1].at + len(pieces[-1].text)
    line = _Timeline(places, times, total)
    cues = tuple(Cue(line.start(p.at), line.end(p.at + len(p.text)), p.text, p.speaker, p.line) for p in pieces)
    coarse = not all(piece.marked for piece in pieces)
    return Timed(cues, tuple(notes), named=turns >= 3, coarse=coarse)


def _pieces_and_marks(lines: Sequence[tuple[int, str]]) -> tuple[list[_Piece], list[Cue]]:
    """Cut turns at their marks. A mark is a Cue whose `end` is its place in characters."""
    pieces: list[_Piece] = []
    marks: list[Cue] = []
    speaker: str | None = None
    place = 0
    for number, line in lines:
        label = _LABEL.match(line)
        new_turn = label is not None
        rest = line
        if label is not None:
            speaker, rest = _name(label["name"]), label["text"]
        parts = _MARK.split(rest)
        words, stamps = parts[::2], parts[1::2]
        if stamps and all(_ONLY_JOINER.fullmatch(word) for word in words):
            # A line of marks alone, as `**Break:** [16:18] to [16:30]`: nothing was said.
            words = ["" for _ in words]
        for index, word in enumerate(words):
            fresh = index > 0
            if fresh:
                time = seconds(stamps[index - 1])
                if time is None:
                    raise SourceFault(f"the time {stamps[index - 1]} cannot be read", number)
                marks.append(Cue(time, float(place), "", None, number))
            text = " ".join(word.split())
            if not text:
                continue
            at_mark = bool(marks) and marks[-1].end == place
            if pieces and not new_turn and not at_mark and pieces[-1].speaker == speaker:
                pieces[-1].text += " " + text
                place += 1 + len(text)
            else:
                pieces.append(_Piece(text, speaker, number, place, at_mark))
                place += len(text)
            new_turn = False
    return pieces, marks


class _Timeline:
    """Maps a place in the text to a time: linear by length between two marks."""

    def __init__(self, places: Sequence[float], times: Sequence[float], total: int) -> None:
        # A single mark is held against the beginning: place 0 at time 0.
        first_place, first_time = (places[0], times[0]) if len(times) > 1 else (0.0, 0.0)
        rate = (places[-1] - first_place) / (times[-1] - first_time)
        # A break of many minutes or two marks close together would give an absurd speed.
        rate = min(max(rate, 0.5 * _TYPICAL_CHARS_PER_S), 2 * _TYPICAL_CHARS_PER_S)
        self._places = [0.0, *places]
        self._times = [max(0.0, min(times[0], times[0] - places[0] / rate)), *times]
        if total > places[-1]:
            self._places.append(float(total))
            self._times.append(times[-1] + (total - places[-1]) / rate)

    def start(self, place: float) -> float:
        """The time of what begins at a place: a mark right there counts."""
        right = bisect_right(self._places, place)
        return self._between(right - 1, right, place)

    def end(self, place: float) -> float:
        """The time of what ends at a place: the first mark right there closes it."""
        left = bisect_left(self._places, place)
        return self._between(left - 1, left, place)

    def _between(self, left: int, right: int, place: float) -> float:
        left, right = max(left, 0), min(right, len(self._places) - 1)
        span = self._places[right] - self._places[left]
        if span <= 0:
            return self._times[right]
        share = (place - self._places[left]) / span
        return round(self._times[left] + share * (self._times[right] - self._times[left]), 3)


@dataclass(slots=True)
class _Growing:
    """A cue whose text may go on in the next lines."""

    start: float
    end: float | None
    texts: list[str]
    speaker: str | None
    line: int


def _continue(cues: list[_Growing], number: int, line: str) -> None:
    if cues:
        cues[-1].texts.append(line)
    else:
        # Words above the first time belong to the beginning; dropping them would lose words.
        cues.append(_Growing(0.0, None, [line], None, number))


def _closed(cues: Iterable[_Growing]) -> list[Cue]:
    out = []
    for cue in cues:
        text = " ".join(" ".join(cue.texts).split())
        if text:
            out.append(Cue(cue.start, cue.end, text, cue.speaker, cue.line))
    if not out:
        raise SourceFault("the file holds times but no words")
    return out


def _most(hits: int, lines: int) -> bool:
    return hits >= min(2, lines) and hits >= 0.5 * lines and hits > 0


def _either(text: str) -> float | None:
    return seconds(text) if ":" in text else float(text)


def _name(who: str | None) -> str | None:
    return " ".join(who.split()).strip("*_: ") or None if who else None


def _known_labels(matches: Iterable[re.Match[str] | None], names: Iterable[str]) -> frozenset[str]:
    """Names that may stand before a colon without bold: known ones, or used as a label twice."""
    bold: set[str] = set()
    plain: Counter[str] = Counter()
    for match in matches:
        if match is None:
            continue
        label = _LABEL.match(match["text"])
        if label is not None:
            bold.add(label["name"].casefold())
            continue
        simple = _PLAIN_LABEL.match(match["text"])
        if simple is not None and len(simple["name"].split()) <= 4:
            plain[simple["name"].casefold()] += 1
    twice = {name for name, count in plain.items() if count >= 2}
    return frozenset(bold | twice | {name.casefold() for name in names})


def _labelled(text: str, known: frozenset[str]) -> tuple[str | None, str]:
    label = _LABEL.match(text)
    if label is not None:
        return label["name"], label["text"]
    simple = _PLAIN_LABEL.match(text)
    if simple is None:
        return None, text
    name = simple["name"].strip()
    if name.casefold() in known or _ANONYMOUS.fullmatch(name) or _PLACEHOLDER.fullmatch(name):
        return name, simple["text"]
    return None, text
