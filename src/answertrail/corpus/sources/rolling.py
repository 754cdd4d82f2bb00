"""Collapse rolling captions, so that every spoken word appears once.

YouTube's automatic captions show two rows: the row just spoken moves up and is repeated as the
first row of the next cue, and between them a cue of about 10 ms shows the finished row alone.
Converted to SRT the word times are lost and the repeats stay. Some tools also join the two rows
into one, and live captions grow word by word: there the repeats are the words at the seam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

FINISHING_S = 0.02
"""A cue this short shows a finished row; nobody reads a line in 20 ms."""

_CARRIED_SHARE = 0.3
_SEAM_SHARE = 0.4
_LEAST_SEAMS = 3


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows a cue shows, folded and not empty; `fresh[i]`: row i has word times, so is new."""

    start: float
    end: float | None
    rows: tuple[str, ...]
    fresh: tuple[bool, ...]


def fresh_rows(cues: Sequence[Rows]) -> tuple[list[tuple[str, ...]] | None, str]:
    """Return for each cue the rows that are new in it, and a note; None when nothing rolls."""
    if is_rolling(cues):
        fresh = collapsed(cues)
        shown, kept = sum(len(cue.rows) for cue in cues), sum(map(len, fresh))
        return fresh, f"rolling captions: {shown - kept} of {shown} rows were repeats"
    words = [" ".join(cue.rows).split() for cue in cues]
    if has_seams(words):
        seams = [0, *(_seam(before, now) for before, now in pairwise(words))]
        fresh = [(" ".join(now[seam:]),) if seam < len(now) else () for now, seam in zip(words, seams, strict=True)]
        return fresh, f"growing captions: {sum(seams)} of {sum(map(len, words))} words were repeats"
    return None, ""


def is_rolling(cues: Sequence[Rows]) -> bool:
    """True when rows are carried over from cue to cue as rolling captions do.

    A chorus repeats whole cues and adds nothing; rolling adds a new row under the carried one,
    or has finishing cues. At least two such cues (one where there are word times) and 30% of all.
    """
    carried = adding = finishing = 0
    word_times = any(any(cue.fresh) for cue in cues)
    before: tuple[str, ...] = ()
    timed = False
    for cue in cues:
        count = _carried(before, cue)
        if count:
            carried += 1
            if count < len(cue.rows):
                adding += 1
            elif _finishes(cue, timed=timed):
                finishing += 1
        before, timed = cue.rows, any(cue.fresh)
    if carried < _CARRIED_SHARE * (len(cues) - 1):
        return False
    return adding + finishing >= (1 if word_times else 2)


def collapsed(cues: Sequence[Rows]) -> list[tuple[str, ...]]:
    """Return for each cue the rows that are new in it; often none."""
    out: list[tuple[str, ...]] = []
    before: tuple[str, ...] = ()
    for cue in cues:
        out.append(cue.rows[_carried(before, cue) :])
        before = cue.rows
    return out


def has_seams(cues: Sequence[Sequence[str]]) -> bool:
    """True when cue after cue begins with the last words of the one before and goes on.

    At least three, and 40% of all; one word counts only when it was the whole cue. People do
    repeat themselves across cues, but not in every other one.
    """
    count = 0
    for before, now in pairwise(cues):
        seam = _seam(before, now)
        count += 0 < seam < len(now) and (seam > 1 or seam == len(before))
    return count >= _LEAST_SEAMS and count >= _SEAM_SHARE * (len(cues) - 1)


def _finishes(cue: Rows, *, timed: bool) -> bool:
    """True for a cue too short to read, or one that shows words again that came with word times before."""
    short = cue.end is not None and cue.end - cue.start <= FINISHING_S
    return short or (timed and any(" " in row for row in cue.rows))


def _carried(before: tuple[str, ...], cue: Rows) -> int:
    """How many of the cue's first rows are the last rows of the cue before; never a timed row."""
    limit = min(len(before), len(cue.rows))
    for place, fresh in enumerate(cue.fresh[:limit]):
        if fresh:
            limit = place
            break
    for count in range(limit, 0, -1):
        if before[-count:] == cue.rows[:count]:
            return count
    return 0


def _seam(before: Sequence[str], now: Sequence[str]) -> int:
    """How many of the first words are the last words of the cue before, in time linear in both."""
    if not before or not now:
        return 0
    # The failure function of Knuth, Morris and Pratt, run over `now` and then over `before`.
    fallback = [0] * len(now)
    length = 0
    for place in range(1, len(now)):
        while length and now[place] != now[length]:
            length = fallback[length - 1]
        length += now[place] == now[length]
        fallback[place] = length
    length = 0
    for word in before:
        if length == len(now):
            length = fallback[length - 1]
        while length and word != now[length]:
            length = fallback[length - 1]
        length += word == now[length]
    return length
