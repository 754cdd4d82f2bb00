"""What a question asks for: its content words, its names, its dates, and the slot to be filled."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from . import cues
from .dates import Period, date_texts, periods
from .text import Word, content_stems, is_content, normalise, stem, words


class Slot(StrEnum):
    """The kind of thing the answer has to contain."""

    COUNT = "count"
    MONEY = "money"
    SHARE = "share"
    DURATION = "duration"
    WHEN = "when"
    WHO = "who"
    WHICH = "which"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    YES_NO = "yes_no"
    WHAT = "what"


@dataclass(frozen=True)
class Question:
    """A question taken apart. `names` are stems of capitalised or oddly spelt words; `unit` holds
    the stems of the thing counted ("how many *racks*"), `measured` the stem of the quantity ("the total
    *supply*", or empty); `parts` are the clauses joined by "and"."""

    text: str
    stems: tuple[str, ...]
    names: tuple[str, ...]
    periods: tuple[Period, ...]
    slots: tuple[Slot, ...]
    unit: tuple[str, ...]
    measured: str
    trajectory: bool
    parts: tuple[str, ...]

    def topic(self) -> Question:
        """The same question about its subject alone: without words of change and without dates.

        A question that has nothing else stays as it is.
        """
        dated = {w.stem for period in date_texts(self.text) for w in words(period)}
        kept = tuple(s for s in self.stems if s not in _CHANGE_STEMS and s not in dated)
        return replace(self, stems=kept) if kept else self


_CHANGE_STEMS = frozenset(stem(w) for w in cues.CHANGE_WORDS)

NUMERIC = frozenset({Slot.COUNT, Slot.MONEY, Slot.SHARE, Slot.DURATION})
"""Slots that only a figure fills."""


def analyse(question: str) -> Question:
    """Take `question` apart. An empty question has no stems and the slot WHAT."""
    text = normalise(question).strip()
    found = words(text)
    return Question(
        text=text,
        stems=content_stems(text),
        names=_names(text, found),
        periods=periods(text),
        slots=_slots(text),
        unit=_unit(text),
        measured=_measured(text),
        trajectory=bool(cues.CHANGE.search(text)) or len(periods(text)) >= 3,
        parts=tuple(p.strip(" ?,;") for p in cues.CLAUSE.split(text) if p.strip(" ?,;")),
    )


def _slots(text: str) -> tuple[Slot, ...]:
    asked = cues.RELATIVE.sub("_", text)
    out = [Slot(name) for name, rule in cues.SLOTS if rule.search(asked)]
    if Slot.MONEY in out or Slot.SHARE in out:
        out = [s for s in out if s is not Slot.COUNT]
    return tuple(out) or (Slot.WHAT,)


def _names(text: str, found: tuple[Word, ...]) -> tuple[str, ...]:
    """Words spelt as names: a capital or digit inside, or a capital that does not open a sentence."""
    out: list[str] = []
    for word in found:
        if not is_content(word):
            continue
        before = text[: word.start].rstrip()
        opens = not before or before[-1] in ".!?:"
        inner = any(c.isupper() for c in word.raw[1:]) or (
            any(c.isdigit() for c in word.raw) and any(c.isalpha() for c in word.raw)
        )
        odd = text[word.end : word.end + 2] == "()"
        if inner or odd or (word.raw[0].isupper() and not opens):
            out.append(word.stem)
    dates = {w.stem for p in _DATE_WORDS.finditer(text) for w in words(p.group())}
    return tuple(s for s in dict.fromkeys(out) if s not in dates)


_DATE_WORDS = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)


def _unit(text: str) -> tuple[str, ...]:
    """The stems of what follows "how many", or of a ticker after "how much"; else empty."""
    found = cues.UNIT.search(text)
    if not found:
        return ()
    out: list[str] = []
    for word in words(found[1] or found[2]):
        if not is_content(word):
            break
        out.append(word.stem)
    return tuple(out[:2])


def _measured(text: str) -> str:
    """The stem of the noun in "what is the total NOUN"; empty when there is none."""
    found = cues.MEASURED.search(text)
    return next((w.stem for w in words(found[1]) if is_content(w)), "") if found else ""
