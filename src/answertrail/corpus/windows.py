"""Cut timed text into windows of 30 seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from answertrail.corpus.source_sentences import clause_spans, sentence_spans
from answertrail.records.chunk import Chunk, TimePrecision
from answertrail.records.document import Document

WINDOW_S = 30
LONG_SENTENCE_S = 60.0
"""A sentence is cut at clauses or words only when its share of the time is longer than this."""

_TYPICAL_CHARS_PER_S = 14.0
_SLOW_FACTOR = 3.0
_MIN_PART_WORDS = 8


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one segment gives to one window."""

    start: float
    end: float
    text: str
    speaker: str | None
    interpolated: bool


def windows(document: Document) -> list[Chunk]:
    """Return the chunks of a timed document, in order of their start.

    The grid is 30 s from 0. A segment belongs to the window in which it starts; empty windows
    make no chunk. A segment longer than 30 s is cut at sentence ends, its time shared out by
    length; a sentence with a share over 60 s is cut at clauses or words too. The words of all
    chunks in order are the words of all segments in order, for segments in order of start.
    Chunks with a piece of a cut segment, and all chunks of a document whose
    `meta.time_precision` is `interpolated`, say so.
    """
    coarse = (document.meta or {}).get("time_precision") == "interpolated"
    grid: dict[int, list[_Piece]] = {}
    for piece in _pieces(document):
        grid.setdefault(int(piece.start // WINDOW_S) * WINDOW_S, []).append(piece)
    return [_chunk(document, ordinal, start, grid[start], coarse=coarse) for ordinal, start in enumerate(sorted(grid))]


def _chunk(document: Document, ordinal: int, start: int, pieces: Sequence[_Piece], *, coarse: bool) -> Chunk:
    lines = tuple(piece.text for piece in pieces)
    last = max(piece.end for piece in pieces)
    if document.duration_s is not None:
        last = min(last, document.duration_s)
    precision: TimePrecision = "interpolated" if coarse or any(piece.interpolated for piece in pieces) else "cue"
    return Chunk(
        id=f"{document.id}:{start:05d}",
        document_id=document.id,
        ordinal=ordinal,
        text=" ".join(lines),
        lines=lines,
        speakers=tuple(dict.fromkeys(piece.speaker for piece in pieces if piece.speaker)),
        start_s=float(start),
        end_s=max(float(start), min(float(start + WINDOW_S), last)),
        time_precision=precision,
    )


def _pieces(document: Document) -> Iterator[_Piece]:
    segments = [s for s in document.segments or () if s.text.split()]
    for place, segment in enumerate(segments):
        text = " ".join(segment.text.split())
        start = segment.start_s
        following = segments[place + 1].start_s if place + 1 < len(segments) else None
        end = segment.end_s
        if end is None:
            end = _likely_end(start, len(text), following, document.duration_s)
        # Pieces of a segment must start before the next segment does, or words change places.
        until = end if following is None else min(end, max(start, following))
        if until - start <= WINDOW_S:
            yield _Piece(start, end, text, segment.speaker, interpolated=False)
            continue
        yield from _cut(start, until, text, segment.speaker)


def _likely_end(start: float, length: int, following: float | None, duration: float | None) -> float:
    """When a segment without an end is over: at the next start, unless a long silence lies between."""
    natural = length / _TYPICAL_CHARS_PER_S
    if following is not None and following >= start:
        gap = following - start
        return following if gap <= _SLOW_FACTOR * natural + WINDOW_S / 3 else start + natural * 1.5
    end = start + natural
    return min(end, duration) if duration is not None and duration > start else end


def _cut(start: float, end: float, text: str, speaker: str | None) -> Iterator[_Piece]:
    """Share the time of a long segment out by length; one piece for each window it reaches."""
    rate = (end - start) / len(text)

    def at(place: int) -> float:
        return min(start + place * rate, end)

    parts = [part for span in sentence_spans(text) for part in _parts(text, span, rate)]
    begin, window = parts[0][0], int(start // WINDOW_S)
    for (_, last), (part, _) in pairwise(parts):
        here = int(at(part) // WINDOW_S)
        if here != window:
            yield _Piece(at(begin), at(last), text[begin:part].rstrip(), speaker, interpolated=True)
            begin, window = part, here
    # A segment that stays in one window keeps the times it came with.
    yield _Piece(at(begin), end, text[begin:], speaker, interpolated=begin > 0)


def _parts(text: str, span: tuple[int, int], rate: float) -> list[tuple[int, int]]:
    """Leave a sentence whole, or cut one of over 60 s into parts of at most about 30 s."""
    begin, end = span
    if (end - begin) * rate <= LONG_SENTENCE_S:
        return [span]
    room = WINDOW_S / rate
    parts: list[tuple[int, int]] = []
    for clause in clause_spans(text, begin, end):
        parts.extend(_words(text, clause, room))
    return _joined(text, parts, room)


def _words(text: str, span: tuple[int, int], room: float) -> list[tuple[int, int]]:
    """Cut a clause that is longer than `room` characters at white space."""
    begin, end = span
    out = []
    while end - begin > room:
        gap = text.rfind(" ", begin + 1, begin + max(2, int(room)))
        if gap < 0:
            gap = text.find(" ", begin + 1, end)
        if gap < 0:
            break
        out.append((begin, gap))
        begin = gap + 1
    out.append((begin, end))
    return out


def _joined(text: str, parts: list[tuple[int, int]], room: float) -> list[tuple[int, int]]:
    """Join short neighbours: a part has at least 8 words where the sentence has them."""
    out: list[tuple[int, int]] = []
    for begin, end in parts:
        if out:
            first, last = out[-1]
            short = len(text[first:last].split()) < _MIN_PART_WORDS
            if short or end - first <= room:
                out[-1] = (first, end)
                continue
        out.append((begin, end))
    if len(out) > 1 and len(text[out[-1][0] : out[-1][1]].split()) < _MIN_PART_WORDS:
        last_end = out.pop()[1]
        out[-1] = (out[-1][0], last_end)
    return out
