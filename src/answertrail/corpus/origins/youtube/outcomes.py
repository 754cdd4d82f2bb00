"""When a video that gave no words is looked at again, by reason."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from answertrail.corpus.origins.base import Withheld, WithheldKind

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)

WAITS: Mapping[WithheldKind, timedelta | None] = {
    "too_short": None,
    "disabled": None,
    "no_captions_yet": _DAY,
    "no_captions_in_languages": 30 * _DAY,
    "members_only": 7 * _DAY,
    "age_restricted": 30 * _DAY,
    "live": 3 * _HOUR,
    "upcoming": _DAY,
    "private": 30 * _DAY,
    "unavailable": 30 * _DAY,
    "not_captions": 7 * _DAY,
    "empty_body": _HOUR,
    "network": 0.25 * _HOUR,
    "blocked": _HOUR,
    "other": _DAY,
}
"""None: the answer is final."""

FAULTS: frozenset[WithheldKind] = frozenset({"empty_body", "network", "blocked", "not_captions", "other"})
"""Not a state of the video: something went wrong on the way."""

FRESH = 2 * _DAY
"""A video this new may get its captions within hours."""
FRESH_WAIT = 6 * _HOUR


def withheld(kind: WithheldKind, reason: str, now: datetime, *, wait: timedelta | None = None) -> Withheld:
    """Return the outcome with the time of the next look; `wait` overrides the kind's own."""
    after = wait if wait is not None else WAITS[kind]
    return Withheld(kind, reason, retry_at=None if after is None else now + after, failed=kind in FAULTS)
