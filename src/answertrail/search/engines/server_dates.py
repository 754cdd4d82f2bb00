"""Dates as search servers are given them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(at: datetime) -> int:
    """Return whole microseconds since 1970 (UTC): no date is rounded, so a bound falls where it should."""
    return (at.astimezone(UTC) - _EPOCH) // timedelta(microseconds=1)
