"""What a question asks for: its content words, its names, its dates, and the slot to be filled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from .dates import Period, periods
from .text import Word, content_stems, is_content, normalise, words


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
    numbers: tuple[str, ...]
    periods: tuple[Period, ...]
    slots: tuple[Slot, ...]
    unit: tuple[str, ...]
    measured: str
    trajectory: bool
    parts: tuple[str, ...]


_MONEY = r"(?:cost|price|fee|pay|paid|charge|raise|fund|invest|spend|spent|worth|salary|revenue|budget|put in|bill|grant|donat|bounty|reward)"
_SLOT_RULES: tuple[tuple[Slot, re.Pattern[str]], ...] = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        (
            Slot.SHARE,
            r"\b(?:what|which) (?:\w+ )?(?:percent\w*|share|fraction|proportion)\b|\bhow (?:large|big) a (?:share|part)\b",
        ),
        (
            Slot.DURATION,
            r"\bhow (?:long|fast|quickly|soon|old)\b|\bwhat(?: is)? the (?:longest|shortest)\b",
        ),
        (
            Slot.MONEY,
            rf"\bhow much\b(?=.*\b{_MONEY})|\b(?:what|which) (?:\w+ ){{0,2}}(?:fee|price|cost|sum|amount|salary|budget)\b(?! (?:problem|issue|model))|\bwhat (?:do|does|did|would) .*\b(?:charge|cost)\b",
        ),
        (
            Slot.COUNT,
            r"\bhow (?:many|much|often|far|large|big|tall|heavy)\b|\bwhat(?: is| was| are| were)? the (?:total|number|size|count|maximum|minimum|version|speed|rate)\b|\b(?:what|which) (?:number|version|size|block height|temperature)\b",
        ),
        (
            Slot.WHEN,
            r"\bwhen (?:did|was|were|is|will|does|do|has|had|would|should|can|could)\b|\b(?:what|which|in which|on which|at which) (?:year|month|day|date|quarter)\b",
        ),
        (Slot.WHO, r"\bwho(?:m|se)?\b"),
        (Slot.WHERE, r"\bwhere\b|\bin (?:which|what) (?:city|country|place|town)\b"),
        (Slot.WHY, r"\bwhy\b|\bwhat (?:was the |is the )?reason\b"),
        (
            Slot.WHICH,
            r"\b(?:which|what) (?!(?:is|are|was|were|do|does|did|has|had|have|can|could|would|will|should|made|makes|got|the|a|an|happen\w*|kept|sets?)\b)[a-z]",
        ),
        (Slot.HOW, r"\bhow\b(?! (?:many|much|long|often|far|fast|large|big|old|soon|quickly))"),
        (
            Slot.YES_NO,
            r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should)\b",
        ),
    )
)
NUMERIC = frozenset({Slot.COUNT, Slot.MONEY, Slot.SHARE, Slot.DURATION})
"""Slots that only a figure fills."""

_CHANGE = re.compile(
    r"\bhow\b.*\b(?:change|changed|shift|shifted|evolve|evolved|develop|developed|grow|grew|progress|progressed|move on|move from|go between|went between|differ over)\b"
    r"|\bover (?:time|the (?:years|months|course|decades?|life))\b|\bat different (?:times|moments|points|stages)\b"
    r"|\b(?:history|timeline|evolution|trajectory) of\b|\bfrom (?:early |mid-?|late |\w+ )?(?:19|20)\d\d (?:to|until|through)\b"
    r"|\bbetween\b.*\b(?:19|20)\d\d and\b.*\b(?:19|20)\d\d\b|\bhow far along\b|\bover (?:its|his|her|their) (?:first|last)\b|\bsince (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\b[Hh]ow (?:many ((?:[\w'-]+ ?){1,4})|much ([A-Z]{2,6})\b)")
_CLAUSE = re.compile(
    r"(?:,|;)?\s+(?:and|but)\s+(?=(?:which|what|when|where|who|why|how|whether|did|does|do|is|was|were|of what)\b)|[;?]\s+",
    re.IGNORECASE,
)


def analyse(question: str) -> Question:
    """Take `question` apart. An empty question has no stems and the slot WHAT."""
    text = normalise(question).strip()
    found = words(text)
    return Question(
        text=text,
        stems=content_stems(text),
        names=_names(text, found),
        numbers=tuple(w.raw for w in found if w.raw[0].isdigit()),
        periods=periods(text),
        slots=_slots(text),
        unit=_unit(text),
        measured=_measured(text),
        trajectory=bool(_CHANGE.search(text)) or len(periods(text)) >= 3,
        parts=tuple(p.strip(" ?,;") for p in _CLAUSE.split(text) if p.strip(" ?,;")),
    )


_RELATIVE = re.compile(
    r"(?<=[a-z] )(?:who|whose|whom|when|where|which|that)\b(?= \w+)(?<!and who)(?<!and when)(?<!and where)(?<!and which)"
    r"(?<!in which)(?<!at which)(?<!on which)(?<!to which)(?<!of which)(?<!for which)(?<!with which)(?<!by which)",
    re.IGNORECASE,
)
"""A pronoun inside a clause ("somebody who took a loan") asks nothing."""


def _slots(text: str) -> tuple[Slot, ...]:
    asked = _RELATIVE.sub("_", text)
    out = [slot for slot, rule in _SLOT_RULES if rule.search(asked)]
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
    found = _UNIT.search(text)
    if not found:
        return ()
    out: list[str] = []
    for word in words(found[1] or found[2]):
        if not is_content(word):
            break
        out.append(word.stem)
    return tuple(out[:2])


_MEASURED = re.compile(
    r"\bwhat(?: is| was| are| were)? the (?:total|overall|average|current|full|exact|maximum|minimum|highest|lowest) (\w+)",
    re.IGNORECASE,
)


def _measured(text: str) -> str:
    """The stem of the noun in "what is the total NOUN"; empty when there is none."""
    found = _MEASURED.search(text)
    return next((w.stem for w in words(found[1]) if is_content(w)), "") if found else ""
