"""Put the times of a source in order, or refuse them.

A citation links to a second, so a wrong time is worse than a missing document: what is clearly
a slip is repaired and noted, all else fails with its line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from answertrail.corpus.sources.clock import clock
from answertrail.corpus.sources.outcome import TimesFault

STEP_BACK_S = 10.0
"""A start at most this many seconds before the one above it is a slip and is moved up to it."""

_OUTLIER_SHARE = 0.05
_OUTLIER_RUN = 3
_MANY = 8
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Cue:
    """Some words with a time: `start` and `end` in seconds, `line` counts from 1.

    `end` None means the source does not say when it ends.
    """

    start: float
    end: float | None
    text: str
    speaker: str | None
    line: int


def sorted_cues(cues: Sequence[Cue]) -> tuple[list[Cue], list[str]]:
    """Order the cues of a caption file by start, stably.

    Raises TimesFault when the times start again (two recordings in one file): sorting would
    then make the cues talk over each other.
    """
    _refuse_one_start(cues)
    back = [later for earlier, later in pairwise(cues) if later.start < earlier.start]
    if not back:
        return list(cues), []
    ordered = sorted(cues, key=lambda cue: cue.start)
    far = [b for a, b in pairwise(cues) if a.start - b.start > 60]
    if far and _collisions(ordered) > _collisions(cues) + max(2.0, 0.1 * len(cues)):
        raise TimesFault(
            f"the times start again at {clock(far[0].start)}: two recordings in one file?",
            far[0].line,
        )
    lines = ", ".join(str(cue.line) for cue in back[:_SHOWN])
    more = ", ..." if len(back) > _SHOWN else ""
    return ordered, [f"{len(back)} cues out of order were sorted by start (line {lines}{more})"]


def kept_in_order(cues: Sequence[Cue]) -> tuple[list[Cue], list[str]]:
    """Keep the order of a transcript and repair starts that go backwards.

    A step back of at most `STEP_BACK_S` is moved up to the start before it. A larger one is
    repaired only when it is plainly one wrong stamp among right ones: no more than 5% of all,
    no more than 3 in a row. Raises TimesFault with the line otherwise.
    """
    _refuse_one_start(cues)
    starts = [cue.start for cue in cues]
    if all(a <= b for a, b in pairwise(starts)):
        return list(cues), []
    # Slips first: a start just below the highest so far moves up to it.
    raised: list[float] = []
    for start in starts:
        top = raised[-1] if raised else start
        raised.append(top if top - STEP_BACK_S <= start < top else start)
    wrong = _outside_longest_run(raised)
    if not _plain_slips(len(starts), wrong):
        earlier, later = next(
            ((a, b) for a, b in pairwise(cues) if a.start - b.start > STEP_BACK_S),
            (cues[0], cues[-1]),
        )
        raise TimesFault(
            f"the times go backwards, from {clock(earlier.start)} to {clock(later.start)}",
            later.line,
        )
    times = _between_neighbours(raised, wrong)
    out: list[Cue] = []
    notes: list[str] = []
    for cue, time in zip(cues, times, strict=True):
        if time == cue.start:
            out.append(cue)
            continue
        notes.append(f"line {cue.line}: {clock(cue.start)} is out of order; kept in place at {clock(time)}")
        end = cue.end if cue.end is not None and cue.end >= time else None
        out.append(replace(cue, start=time, end=end))
    if len(notes) > _SHOWN:
        notes = [*notes[:_SHOWN], f"and {len(notes) - _SHOWN} more times out of order"]
    return out, notes


def _between_neighbours(starts: Sequence[float], wrong: frozenset[int]) -> list[float]:
    """Move each wrong start to the nearest time between the right ones around it."""
    ceilings: list[float] = []
    ceiling = float("inf")
    for index in range(len(starts) - 1, -1, -1):
        if index not in wrong:
            ceiling = starts[index]
        ceilings.append(ceiling)
    out: list[float] = []
    floor = 0.0
    for start, ceiling in zip(starts, reversed(ceilings), strict=True):
        floor = max(floor, min(start, ceiling))
        out.append(floor)
    return out


def _refuse_one_start(cues: Sequence[Cue]) -> None:
    """Refuse times that do not rise: all the same, or one start for more than half of many."""
    # Turns of one cue share its times by right.
    starts = [cue.start for place, cue in enumerate(cues) if place == 0 or cue.line != cues[place - 1].line]
    if len(starts) <= 3:
        return
    common, count = Counter(starts).most_common(1)[0]
    if count < len(starts) and not (count > 0.5 * len(starts) and len(starts) >= _MANY):
        return
    some = f"all {count}" if count == len(starts) else f"{count} of {len(starts)}"
    line = next(cue.line for cue in cues if cue.start == common)
    raise TimesFault(f"{some} segments start at {clock(common)}: the times are not usable", line)


def _collisions(cues: Sequence[Cue]) -> int:
    return sum(a.end is not None and b.start < a.end - 0.25 for a, b in pairwise(cues))


def _plain_slips(count: int, wrong: frozenset[int]) -> bool:
    """True when the wrong starts are few and far between."""
    run = longest = 0
    for index in range(count):
        run = run + 1 if index in wrong else 0
        longest = max(longest, run)
    return len(wrong) <= _OUTLIER_SHARE * count and longest <= _OUTLIER_RUN


def _outside_longest_run(starts: Sequence[float]) -> frozenset[int]:
    """Return the indices that are not in one longest never-falling subsequence."""
    tails: list[float] = []
    tail_index: list[int] = []
    before = [-1] * len(starts)
    for index, start in enumerate(starts):
        place = bisect_right(tails, start)
        if place:
            before[index] = tail_index[place - 1]
        if place == len(tails):
            tails.append(start)
            tail_index.append(index)
        else:
            tails[place] = start
            tail_index[place] = index
    kept = set()
    at = tail_index[-1]
    while at >= 0:
        kept.add(at)
        at = before[at]
    return frozenset(range(len(starts))) - kept
