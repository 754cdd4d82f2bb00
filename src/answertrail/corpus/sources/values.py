"""What the fields of sidecars, front matter and metadata hold: texts, numbers, dates, or nothing usable."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.languages import language_code

YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}")


_SHOWN = 60
_NO_VALUE = frozenset({"", "-", "none", "null", "n/a", "unknown"})


def first_date(
    data: Mapping[str, Any], keys: tuple[str, ...], where: str
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Return the first of the fields that is a date, as a contract date, its name, and notes.

    A note for each field before it that holds something else; `where` says what they are fields of.
    """
    notes: list[str] = []
    for key in keys:
        value = data.get(key)
        found = contract_date(value)
        if found is not None:
            return found, key, tuple(notes)
        if value is not None and str(value).strip().lower() not in _NO_VALUE:
            shown = storable(" ".join(str(value).split()))
            shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
            notes.append(f"the {where} field {key}: {shown!r} cannot be read as a date; write it as YYYY-MM-DD")
    return None, None, tuple(notes)


def as_text(value: object) -> str | None:
    """Return a text or number as a text that can be stored; None for a blank one and anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = storable(str(value)).strip()
    return text or None


def as_texts(value: object, *, split: str | None = None) -> tuple[str, ...]:
    """Return the texts of a list, or of one text cut at `split`; blank ones are left out."""
    if isinstance(value, str):
        value = value.split(split) if split else [value]
    if not isinstance(value, list | tuple):
        return as_texts([value]) if isinstance(value, int | float) else ()
    return tuple(text for item in value if (text := as_text(item)) is not None)


def as_seconds(value: object) -> float | None:
    """Return a length in seconds, finite and above 0, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None


def picked(data: Mapping[str, Any], keys: tuple[str, ...], rename: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return those of the fields that are texts or whole numbers, some under another name."""
    out: dict[str, Any] = {}
    for key in keys:
        value = data.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            out[(rename or {}).get(key, key)] = storable(value) if isinstance(value, str) else value
    return out


def language_tag(text: str | None) -> str | None:
    """Return a language code from a tag however it is cased: `en-us`, `ZH_hans`, `pt-BR`."""
    if not text:
        return None
    first, *rest = re.split("[-_]", text.strip())
    parts = [p.upper() if len(p) == 2 else p.title() if len(p) == 4 else p for p in rest]
    return language_code("-".join([first.lower(), *parts])) or language_code(first.lower())


def storable(text: str) -> str:
    """Replace what no database or JSON file can hold: NUL and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text


def video_url(video_id: object) -> str | None:
    """The page of a YouTube video, when this is an id of one."""
    if isinstance(video_id, str) and YOUTUBE_ID.fullmatch(video_id):
        return f"https://www.youtube.com/watch?v={video_id}"
    return None
