"""From timed cues to the segments of a document, held against the length that is stated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answertrail.corpus.sources.clock import clock
from answertrail.corpus.sources.order import Cue
from answertrail.corpus.sources.outcome import TimesFault
from answertrail.corpus.sources.values import storable
from answertrail.records import Segment

PAST_END_S = 5.0
"""Captions may run this long (or 1%) past the stated length: lengths are rounded."""


def segment_of(cue: Cue) -> Segment:
    """Return a cue as a segment of `document/1`."""
    values: dict[str, Any] = {"start_s": cue.start, "text": storable(cue.text)}
    if cue.end is not None:
        values["end_s"] = cue.end
    if cue.speaker:
        values["speaker"] = storable(cue.speaker)
    return Segment(**values)


def length_of(stated: float | None, cues: Sequence[Cue]) -> tuple[float | None, list[str]]:
    """Hold the times against the stated length in seconds; return the length and notes.

    A start far past the end means that the times, or the length, belong to something else:
    TimesFault. A little past is rounding, and then the times are believed.
    """
    if stated is None:
        return None, []
    slack = max(PAST_END_S, 0.01 * stated)
    late = next((cue for cue in cues if cue.start > stated + slack), None)
    if late is not None:
        raise TimesFault(
            f"starts at {clock(late.start)}, after the end of the recording ({clock(stated)})",
            late.line,
        )
    # A cue that begins where the recording is said to end was said in it, for some time.
    begins = (cue.start if cue.start < stated else cue.start + 1.0 for cue in cues)
    last = max(max(start, min(cue.end or 0.0, stated + slack)) for start, cue in zip(begins, cues, strict=True))
    if last <= stated:
        return stated, []
    return last, [f"the times run {last - stated:.1f} s past the stated length; it is extended"]
