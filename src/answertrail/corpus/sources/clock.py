"""Times as transcripts and captions write them, and as notes show them."""

from __future__ import annotations

import re

STAMP = r"(?:\d{1,3}:)?\d{1,3}:\d{2}(?:[.,]\d{1,3})?"
"""A clock time with at least minutes and seconds, as a regular expression without groups."""

_CLOCK = re.compile(r"(?:(?P<h>\d{1,4}):)?(?P<m>\d{1,4}):(?P<s>\d{1,2})(?:[.,](?P<f>\d{1,9})|:(?P<ms>\d{3}))?")


def seconds(text: str) -> float | None:
    """Return the seconds a clock time stands for, or None when it is no clock time.

    `1:02:03.5`, `62:03`, `00:01,250` and `0:0:1` are read. Seconds must be under 60, minutes too
    when hours are given; `00:00:11:890` is taken as milliseconds behind a colon.
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, secs = int(match["h"] or 0), int(match["m"]), int(match["s"])
    if secs >= 60 or (match["h"] is not None and minutes >= 60):
        return None
    fraction = match["f"] or match["ms"]
    if match["ms"] is not None and match["h"] is None:
        return None
    # Whole milliseconds divided once: 3600 + 0.1 + 0.02 added up would drift in the last bit.
    whole = (hours * 60 + minutes) * 60 + secs
    return float(f"{whole}.{fraction}") if fraction else float(whole)


def clock(value: float) -> str:
    """Write seconds as `MM:SS` or `H:MM:SS`, for notes and reasons."""
    total = int(value)
    hours, rest = divmod(total, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes:02d}:{secs:02d}"
