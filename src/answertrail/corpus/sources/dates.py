"""Turn dates as files write them into contract dates, without guessing."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_tz

from answertrail.records import instant

_COMPACT_ZONE = re.compile(r"(.*T.*)([+-]\d{2})(\d{2})?")
_LOOSE = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?( ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?")
_FORMS = ("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d")
_CLOCK = re.compile(r"\d:\d\d")
_ZONE = re.compile(r"[+-]\d{4}|[\d:.]+|UTC?|GMT|Z", re.IGNORECASE)
_NAMED_ZONE = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?[A-Za-z][A-Za-z_/]{0,40}")
_LONGEST = 100
# Seconds of an instant, from 1973 to 2100; a smaller number is a year, a count, anything.
_LEAST_EPOCH, _END_EPOCH = 100_000_000, 4_102_444_800
# Milliseconds, from 2001 on: twelve digits are more likely a day with hours and minutes.
_LEAST_MS = 1_000_000_000_000


def contract_date(value: object) -> str | None:
    """Turn a date as sidecars write it into a contract date, or None when it is none.

    Epoch seconds (from 1973 on) and milliseconds (from 2001 on), `20240614`, ISO dates and instants,
    `2013-06-07 18:46` (no zone: taken as UTC), `01-Oct-2000`, the dates of mail and feeds, and
    YAML's own dates are read. A year or a month is no date.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, datetime):
        at = value if value.tzinfo else value.replace(tzinfo=UTC)
        try:
            return _stamp(at.astimezone(UTC))
        except OverflowError:
            return None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float):
        return _epoch(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = value.strip()
    if re.fullmatch(r"\d{8}", text):
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    elif re.fullmatch(r"[0-9]{9,10}|[0-9]{13}", text):
        return _epoch(int(text))
    return _checked(text) or _loose_date(text) or mail_date(text)


def mail_date(text: str) -> str | None:
    """Read a date of RFC 822, as feeds and mail write it.

    Without a zone, or with `-0000`, it is UTC. Of a zone that is not one of the standard's (`CET`,
    `IST`, `GMT+2`) only the day is kept: its offset would be a guess.
    """
    try:
        parts = parsedate_tz(text)
    except (ValueError, IndexError, TypeError):
        return None
    if parts is None:
        return None
    year, month, day, hour, minute, second = parts[:6]
    zone = text.split()[-1]
    try:
        at = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        if _CLOCK.search(text) is None or not (_ZONE.fullmatch(zone) or (zone.isalpha() and parts[9])):
            return at.date().isoformat()
        return _checked(_stamp(at.replace(tzinfo=timezone(timedelta(seconds=parts[9] or 0)))))
    except (ValueError, OverflowError):
        return None


def _checked(text: str) -> str | None:
    try:
        instant(text)
    except ValueError:
        return None
    return text


def _stamp(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _loose_date(text: str) -> str | None:
    compact = _COMPACT_ZONE.fullmatch(text)
    if compact is not None and (found := _checked(f"{compact[1]}{compact[2]}:{compact[3] or '00'}")):
        return found
    match = _LOOSE.fullmatch(text)
    if match is not None:
        zone = (match[3] or "Z").strip().replace("UTC", "Z").replace("GMT", "Z")
        zone = zone if zone == "Z" or ":" in zone else f"{zone[:3]}:{zone[3:]}"
        clock = match[2] if len(match[2]) > 5 else f"{match[2]}:00"
        return _checked(f"{match[1]}T{clock}{zone}")
    named = _NAMED_ZONE.fullmatch(text)
    if named is not None:
        # Most names of zones mean several offsets.
        return _checked(named[1])
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    return None


def _epoch(value: float) -> str | None:
    if value >= 19000000 and value <= 21001231 and value == int(value):
        # YAML reads an unquoted 20240614 as a number.
        return contract_date(str(int(value)))
    if not math.isfinite(value):
        return None
    if _LEAST_MS <= value < _END_EPOCH * 1000:
        value = value / 1000
    if not _LEAST_EPOCH <= value < _END_EPOCH:
        return None
    return _stamp(datetime.fromtimestamp(int(value), UTC))
