"""Lines of a transcript into batches for the model, each with neighbours it may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_NEIGHBOUR_CHARS = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One caption line: its place among the document's segments, and its words with single spaces between."""

    ordinal: int
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines to be cleaned, and the lines before and after them, which are only read."""

    lines: tuple[Line, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def lines_of(texts: Sequence[str]) -> list[Line]:
    """Return the lines that hold a letter or a digit; there is nothing to mend in a row of notes or dashes."""
    folded = (" ".join(text.split()) for text in texts)
    return [Line(place, text) for place, text in enumerate(folded) if any(sign.isalnum() for sign in text)]


def batches(lines: Sequence[Line], *, size: int, neighbours: int, characters: int) -> list[Batch]:
    """Cut lines into batches, in order; each line is in exactly one.

    A batch ends after `size` lines, or before the line that would bring it over `characters`; one
    line alone may be longer. The neighbours are up to `neighbours` lines next to it on each side, of
    a long one the 200 characters nearest to it.
    """
    starts = _starts(lines, size, characters)
    out = []
    for begin, end in pairwise([*starts, len(lines)]):
        out.append(
            Batch(
                tuple(lines[begin:end]),
                tuple(line.text[-_NEIGHBOUR_CHARS:] for line in lines[max(0, begin - neighbours) : begin]),
                tuple(line.text[:_NEIGHBOUR_CHARS] for line in lines[end : end + neighbours]),
            )
        )
    return out


def _starts(lines: Sequence[Line], size: int, characters: int) -> list[int]:
    starts: list[int] = []
    held = 0
    for place, line in enumerate(lines):
        if not starts or place - starts[-1] == size or held + len(line.text) > characters:
            starts.append(place)
            held = 0
        held += len(line.text)
    return starts
