"""Find the layout of a stamped transcript in plain text or Markdown, and read it.

Three layouts, each asked for clear structure, never one accidental match:

- lines:   `[MM:SS] **Speaker**: text`, `[Speaker] [MM:SS] text`, `[0.00 --> 8.74] text`,
           `0:15 text`; most lines begin with a time; lines without one continue the line above.
- headers: `Speaker: 00:01:23` alone on a line (or only the time), the words below it.
- marks:   turns (`**Name:** text`) with a time in brackets here and there, escaped or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from answertrail.corpus.sources.clock import STAMP, seconds
from answertrail.corpus.sources.cues import MAX_LINES
from answertrail.corpus.sources.labels import ANONYMOUS, LABEL, known_labels, labelled, speaker_name
from answertrail.corpus.sources.marked import read_marked
from answertrail.corpus.sources.markup import folded
from answertrail.corpus.sources.order import Cue, kept_in_order
from answertrail.corpus.sources.outcome import SourceFault, TimesFault
from answertrail.corpus.sources.timed import Timed

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
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>|~&])")
_MAX_HEADER_CHARS = 120
_BEGINNING_S = 120.0


def read_stamped(text: str, *, markdown: bool, names: Iterable[str] = ()) -> Timed | None:
    """Read a stamped transcript, or return None when the text has no such layout.

    `names` are speakers known from elsewhere; they help to tell `Name: words` from words with a
    colon. Raises SourceFault with the line when the layout is clear and its times are not usable.
    """
    if text.count("\n") > MAX_LINES:
        return None
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = _arrow_lines(lines) or _stamped_lines(lines, names) or _headed(lines) or read_marked(lines)
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
            raise TimesFault(f"the time {match['start']} cannot be read", number)
        end = end if end is not None and end > start else None
        cues.append(_Growing(start, end, [match["text"]], None, number))
    ordered, notes = kept_in_order(_closed(cues))
    return Timed(tuple(ordered), tuple(notes), automatic=True)


def _stamped_lines(lines: Sequence[tuple[int, str]], names: Iterable[str]) -> Timed | None:
    matches = [_LINE.match(line) for _, line in lines]
    hits = sum(match is not None for match in matches)
    spoken_by = sum(
        match is not None and (match["who"] is not None or LABEL.match(match["text"]) is not None) for match in matches
    )
    if not _most(hits, len(lines)) and not (spoken_by >= 3 and spoken_by >= 0.1 * len(lines)):
        matches = [_BARE_LINE.match(line) for _, line in lines]
        times = [seconds(match["time"]) for match in matches if match is not None]
        if len(lines) < 2 or len(times) < 0.8 * len(lines) or not _begins(times):
            return None
    if not any(match is not None and match["text"] for match in matches):
        return None
    known = known_labels((match["text"] for match in matches if match is not None), names)
    cues: list[_Growing] = []
    for (number, line), match in zip(lines, matches, strict=True):
        if match is None:
            _continue(cues, number, line)
            continue
        start = seconds(match["time"])
        if start is None:
            raise TimesFault(f"the time {match['time']} cannot be read", number)
        groups = match.groupdict()
        who, text = groups.get("who"), match["text"]
        if who is None:
            who, text = labelled(text, known)
        cues.append(_Growing(start, None, [text], speaker_name(who), number))
    ordered, notes = kept_in_order(_closed(cues))
    speakers = {cue.speaker for cue in ordered if cue.speaker}
    bold = any(m is not None and LABEL.match(m["text"]) is not None for m in matches)
    anonymous = any(ANONYMOUS.fullmatch(name) for name in speakers)
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
                raise TimesFault(f"the time {match['time']} cannot be read", number)
            at = _Growing(start, None, [], speaker_name(match["who"]), number)
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
    named = bool(speakers) and not any(ANONYMOUS.fullmatch(name) for name in speakers)
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
        text = folded(" ".join(cue.texts))
        if text:
            out.append(Cue(cue.start, cue.end, text, cue.speaker, cue.line))
    if not out:
        raise SourceFault("the file holds times but no words")
    return out


def _most(hits: int, lines: int) -> bool:
    return hits >= min(2, lines) and hits >= 0.5 * lines and hits > 0


def _either(text: str) -> float | None:
    return seconds(text) if ":" in text else float(text)
