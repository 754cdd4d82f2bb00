"""Speakers at the beginning of a line: `**Name:** words`, `Name: words`, `SPEAKER_01: words`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

LABEL = re.compile(r"\s*\*\*(?P<name>[^*\n]{1,80}?)\s*(?::\s*\*\*|\*\*\s*:)\s*(?P<text>.*)")
_PLAIN_LABEL = re.compile(r"(?P<name>[^\s:\[\]*][^:\[\]*\n]{0,39}):(?:\s+(?P<text>.*)|$)")
ANONYMOUS = re.compile(r"(?:speaker|spk|sprecher|locuteur)[ _-]?(?:\d{1,3}|[a-z])", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"unknown|unidentified", re.IGNORECASE)


def speaker_name(who: str | None) -> str | None:
    """The name without its marks; None when nothing is left."""
    return " ".join(who.split()).strip("*_: ") or None if who else None


def known_labels(texts: Iterable[str], names: Iterable[str]) -> frozenset[str]:
    """Names that may stand before a colon without bold: known ones, or used as a label twice."""
    bold: set[str] = set()
    plain: Counter[str] = Counter()
    for text in texts:
        label = LABEL.match(text)
        if label is not None:
            bold.add(label["name"].casefold())
            continue
        simple = _PLAIN_LABEL.match(text)
        if simple is not None and len(simple["name"].split()) <= 4:
            plain[simple["name"].casefold()] += 1
    twice = {name for name, count in plain.items() if count >= 2}
    return frozenset(bold | twice | {name.casefold() for name in names})


def labelled(text: str, known: frozenset[str]) -> tuple[str | None, str]:
    """Return (label or None, the words after it); only known, numbered and placeholder names count without bold."""
    label = LABEL.match(text)
    if label is not None:
        return label["name"], label["text"]
    simple = _PLAIN_LABEL.match(text)
    if simple is None:
        return None, text
    name = simple["name"].strip()
    if name.casefold() in known or ANONYMOUS.fullmatch(name) or _PLACEHOLDER.fullmatch(name):
        return name, simple["text"] or ""
    return None, text
