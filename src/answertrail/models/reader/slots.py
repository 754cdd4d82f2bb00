"""Mentions in a text that could fill a question's slot: figures with their unit, and dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .question import Question, Slot
from .text import Word

_NUMBER_WORDS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|dozens?|couple"
)
_FIGURE = rf"(?:\d[\d,.]*(?:[kmbKMB]\b|bn\b)?|\b(?:{_NUMBER_WORDS})\b)"
_CURRENCY = r"dollars?|euros?|bucks?|cents?|pounds?|usd|eur|grand|francs?|yen|won|tokens?|coins?|credits?|shares?"
_MONEY = re.compile(
    rf"[$\u20ac\u00a3\u00a5]\s?\d|{_FIGURE}(?:[\s-](?:{_NUMBER_WORDS}|us|of)){{0,3}}[\s-](?:{_CURRENCY})\b",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"\d\s?%|{_FIGURE}[\s-](?:\w+[\s-])?per\s?cent\w*|\b(?:half|a third|two thirds|a quarter)\b", re.IGNORECASE
)
_TIME = r"(?:milli|micro|nano)?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|blocks?|ms)"
_DURATION = re.compile(
    rf"(?:{_FIGURE}|\b(?:a|an|few|couple of))"
    rf"(?:[\s-](?:{_NUMBER_WORDS}|to|or|and|a|half|more|\d[\d,.]*)){{0,4}}[\s-]{_TIME}\b",
    re.IGNORECASE,
)
_FIGURES = re.compile(_FIGURE, re.IGNORECASE)
_YEAR = re.compile(r"^(?:19|20)\d\d[.,]?$")
_WHEN = re.compile(
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|yesterday|tomorrow|today|(?:19|20)\d\d|spring|summer|autumn|winter|quarter|q[1-4]|"
    r"(?:last|next|this) (?:week|month|year)|(?:weeks?|months?|years?|days?) (?:ago|later))\b",
    re.IGNORECASE,
)


def mentions(question: Question, slot: Slot, text: str, found: Sequence[Word]) -> tuple[int, ...]:
    """Character offsets in `text` where something of the kind `slot` asks for is said.

    `found` are the words of `text`. Slots that any passage may fill (what, how, which, who, ...)
    have no mentions: only figures and dates can be told by their form in a raw transcript.
    """
    if slot is Slot.MONEY:
        return _counted(question, text, found) if question.unit else _starts(_MONEY, text)
    if slot is Slot.SHARE:
        return _starts(_SHARE, text)
    if slot is Slot.DURATION:
        return _starts(_DURATION, text)
    if slot is Slot.COUNT:
        return (
            *_counted(question, text, found),
            *(() if question.unit or question.measured else _starts(_MONEY, text)),
        )
    if slot is Slot.WHEN:
        return _starts(_WHEN, text)
    return ()


def _starts(pattern: re.Pattern[str], text: str) -> tuple[int, ...]:
    return tuple(m.start() for m in pattern.finditer(text))


def _counted(question: Question, text: str, found: Sequence[Word]) -> tuple[int, ...]:
    """Figures; where the question names what is counted, only those with it close by.

    "How many racks" wants "racks" within three words after the figure; "the total supply" wants
    "supply" within eight words on either side.
    """
    out: list[int] = []
    for match in _FIGURES.finditer(text):
        if _YEAR.match(match.group()) or match.group().casefold() == "one":
            continue
        after = [w.stem for w in found if w.start >= match.end()]
        before = [w.stem for w in found if w.end <= match.start()]
        if question.unit and question.unit[0] not in after[:3]:
            continue
        if question.measured and question.measured not in (*before[-8:], *after[:8]):
            continue
        out.append(match.start())
    return tuple(out)


def near(found: Sequence[Word], offsets: Iterable[int], reach: int) -> tuple[frozenset[str], ...]:
    """For each offset, the stems of the words within `reach` words of it."""
    starts = [w.start for w in found]
    out: list[frozenset[str]] = []
    for offset in offsets:
        at = sum(1 for s in starts if s < offset)
        out.append(frozenset(w.stem for w in found[max(0, at - reach) : at + reach]))
    return tuple(out)
