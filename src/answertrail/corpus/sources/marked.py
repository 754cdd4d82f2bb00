"""Read transcripts whose turns carry a time here and there: times between two are shared out by length."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from answertrail.corpus.sources.clock import STAMP, seconds
from answertrail.corpus.sources.labels import LABEL, speaker_name
from answertrail.corpus.sources.markup import folded
from answertrail.corpus.sources.order import Cue, kept_in_order
from answertrail.corpus.sources.outcome import TimesFault
from answertrail.corpus.sources.timed import Timed

# `\[06:04\]`, `[1:02:03]`, with hundredths or video frames; `[12:34](...)` is a link, not a mark.
_MARK = re.compile(rf"\\?\[(?P<time>{STAMP})(?::\d{{2}})?\\?\](?!\()")
_ONLY_JOINER = re.compile(r"\s*(?:to|-|–|—)?\s*")
_TURNS_FOR_ONE_MARK = 10

_TYPICAL_CHARS_PER_S = 14.0
"""English speech at about 150 words a minute."""


@dataclass(slots=True)
class _Piece:
    """Words of one speaker between two marks; `at` and `end` count the characters before and with it."""

    texts: list[str]
    speaker: str | None
    line: int
    at: int
    end: int
    marked: bool


def read_marked(lines: Sequence[tuple[int, str]]) -> Timed | None:
    """Read turns with marks from (line number, line) pairs; None when there are too few of either.

    Raises SourceFault with the line when a mark is no time.
    """
    turns = sum(LABEL.match(line) is not None for _, line in lines)
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
    total = pieces[-1].end
    line = _Timeline(places, times, total)
    cues = tuple(Cue(line.start(p.at), line.end(p.end), " ".join(p.texts), p.speaker, p.line) for p in pieces)
    coarse = not all(piece.marked for piece in pieces)
    return Timed(cues, tuple(notes), named=turns >= 3, coarse=coarse)


def _pieces_and_marks(lines: Sequence[tuple[int, str]]) -> tuple[list[_Piece], list[Cue]]:
    """Cut turns at their marks. A mark is a Cue whose `end` is its place in characters."""
    pieces: list[_Piece] = []
    marks: list[Cue] = []
    speaker: str | None = None
    place = 0
    for number, line in lines:
        label = LABEL.match(line)
        new_turn = label is not None
        rest = line
        if label is not None:
            speaker, rest = speaker_name(label["name"]), label["text"]
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
                    raise TimesFault(f"the time {stamps[index - 1]} cannot be read", number)
                marks.append(Cue(time, float(place), "", None, number))
            text = folded(word)
            if not text:
                continue
            at_mark = bool(marks) and marks[-1].end == place
            if pieces and not new_turn and not at_mark and pieces[-1].speaker == speaker:
                pieces[-1].texts.append(text)
                place += 1 + len(text)
                pieces[-1].end = place
            else:
                pieces.append(_Piece([text], speaker, number, place, place + len(text), at_mark))
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
