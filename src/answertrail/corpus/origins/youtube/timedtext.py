"""YouTube's own caption XML into cues: every word kept, also what looks like a tag.

Two forms are in use: `<transcript><text start= dur=>` in seconds with its text escaped twice, and
`<timedtext><body><p t= d=>` in milliseconds, words in `<s>`, escaped once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from answertrail.corpus.sources.facts import storable
from answertrail.corpus.sources.markup import plain
from answertrail.corpus.sources.order import Cue, sorted_cues
from answertrail.corpus.sources.outcome import SourceFault

_HTML = re.compile(r"\s*(?:<!doctype\s+html|<html|<head|<body)", re.IGNORECASE)
_MARK = re.compile(r"\[[^\[\]]{0,60}\]|\([^()]{0,60}\)|♪")

SPARSEST_PER_MINUTE = 15.0
"""Letters a minute below which a track is no record of speech: about three words."""
JUDGED_FROM_S = 60.0
"""Shorter recordings may hold a word or two and be whole."""


def looks_like_html(text: str) -> bool:
    """True for a web page: an error, a question whether one is human, never captions."""
    return _HTML.match(text) is not None


def parse_timedtext(text: str) -> tuple[list[Cue], list[str]]:
    """Return cues in order of start, and notes of what was repaired; `line` counts cues from 1.

    Raises SourceFault for what is not caption XML, and when no word is in it.
    """
    if looks_like_html(text):
        raise SourceFault("a web page came in place of captions")
    root = _parsed(text)
    if root.tag == "transcript":
        found = list(_seconds_form(root))
    elif root.tag == "timedtext":
        found = list(_milliseconds_form(root))
    else:
        raise SourceFault(f"not captions: the XML holds <{str(root.tag)[:40]}>")
    untimed = sum(cue is None for cue in found)
    cues = [cue for cue in found if cue is not None]
    if not cues:
        raise SourceFault("the captions hold no words")
    ordered, notes = sorted_cues(cues)
    if untimed:
        notes.append(f"{untimed} captions without a usable time were left out")
    return ordered, notes


def _parsed(text: str) -> Element:
    from defusedxml import DefusedXmlException, ElementTree

    try:
        root: Element = ElementTree.fromstring(text, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise SourceFault(f"the captions are no well-formed XML: {str(error)[:100]}") from None
    return root


def _seconds_form(root: Element) -> Iterator[Cue | None]:
    for place, element in enumerate(root.iter("text"), 1):
        words = _folded(plain("".join(element.itertext())))
        if words:
            yield _cue(words, element.get("start"), element.get("dur"), 1.0, place)


def _milliseconds_form(root: Element) -> Iterator[Cue | None]:
    for place, element in enumerate(root.iter("p"), 1):
        words = _folded("".join(element.itertext()))
        if words:
            yield _cue(words, element.get("t"), element.get("d"), 1000.0, place)


def _cue(words: str, start: str | None, duration: str | None, scale: float, place: int) -> Cue | None:
    at = _number(start)
    if at is None:
        return None
    long = _number(duration)
    # Divided once at the end: sums of thousandths drift in the last bit.
    end = None if long is None else round((at + long) / scale, 3)
    return Cue(round(at / scale, 3), end, words, None, place)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value < 1e9 else None


def _folded(text: str) -> str:
    return storable(" ".join(text.split()))


def is_sparse(cues: list[Cue], duration_s: float | None) -> bool:
    """True when there are too few letters for the length to be speech; sound marks do not count."""
    length = duration_s or max(cue.end or cue.start for cue in cues)
    if length < JUDGED_FROM_S:
        return False
    letters = sum(sum(c.isalnum() for c in _MARK.sub("", cue.text)) for cue in cues)
    return letters < SPARSEST_PER_MINUTE * length / 60
