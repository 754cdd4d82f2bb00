"""Collapse rolling captions, so that every spoken word appears once.

YouTube's automatic captions show two rows: the row just spoken moves up and is repeated as the
first row of the next cue, and between them a cue of about 10 ms shows the finished row alone.
Converted to SRT the word times are lost and the repeats stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FINISHING_S = 0.02
"""A cue this short shows a finished row; nobody reads a line in 20 ms."""

_CARRIED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows a cue shows, folded and not empty; `fresh[i]`: row i has word times, so is new."""

    start: float
    end: float | None
    rows: tuple[str, ...]
    fresh: tuple[bool, ...]


def is_rolling(cues: Sequence[Rows]) -> bool:
    """True when rows are carried over from cue to cue as rolling captions do.

    A chorus repeats whole cues and adds nothing; rolling adds a new row under the carried one,
    or has finishing cues. At least two such cues (one where there are word times) and 30% of all.
    """
    carried = adding = finishing = 0
    word_times = any(any(cue.fresh) for cue in cues)
    before: tuple[str, ...] = ()
    for cue in cues:
        count = _carried(before, cue)
        if count:
            carried += 1
            if count < len(cue.rows):
                adding += 1
            elif cue.end is not None and cue.end - cue.start <= FINISHING_S:
                finishing += 1
        before = cue.rows
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
