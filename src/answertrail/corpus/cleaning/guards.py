"""Whether a mended line may stand for what was captioned. A line that fails one guard stays as it was.

A slip of hearing sounds like what was said and touches few words. So: the length stays within 0.7
to 1.3, few words change, each change sounds alike, no word is added or dropped by itself, and
numbers, dates, negations and names stay, each in its place. Only the glossary permits more, and
only what it says.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from answertrail.corpus.cleaning.alignment import Alignment, Region, align, distance
from answertrail.corpus.cleaning.glossary import Glossary, Hit, Term
from answertrail.corpus.cleaning.word_lists import NEGATIVE_PREFIXES
from answertrail.corpus.cleaning.words import Word, joined, words_of

SHORTEST, LONGEST = 0.7, 1.3
SLACK_CHARS = 4
"""A line may always grow or shrink by so many characters: 0.3 of `im there` is less than an apostrophe and a stop."""
MOST_CHANGED = 0.4
"""The part of the words that may change; one word always may."""
MOST_UNLIKE = 0.5
"""The part of the letters of a stretch that may change, at most; beyond, it does not sound alike."""
_MARKS = set("[](){}<>♪♫")
_MOST_HITS = 6
_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the edit is kept, and why or why not, in words."""

    kept: bool
    reason: str


def judge(before: str, after: str, glossary: Glossary | None = None) -> Verdict:
    """Judge one edit. Both texts have single spaces between their words, and they differ."""
    fault = _of_the_text(before, after)
    if fault:
        return Verdict(False, fault)
    old, new = words_of(before), words_of(after)
    refused: list[tuple[int, str]] = []
    for said, terms in _readings(old, glossary or Glossary()):
        alignment = align(joined(said, new), joined(new, said))
        if alignment is None:
            return Verdict(False, "far too different from what was captioned")
        # What the glossary rewrites is measured as rewritten: `cube net ease` may become `K8s`.
        expected = len(before) + sum(len(term.written) - len(term.heard) for term in terms)
        fault = _of_the_words(alignment, max(len(said), len(new))) or _length(expected, len(after))
        if fault is None:
            return Verdict(True, _kept(alignment, terms, len(said)))
        refused.append((alignment.edits, fault))
    return Verdict(False, min(refused)[1])


def _readings(words: Sequence[Word], glossary: Glossary) -> Iterator[tuple[list[Word], tuple[Term, ...]]]:
    """Yield the line with all glossary terms put in, then with some, then as captioned."""
    hits = glossary.hits(words)
    sizes = range(len(hits), -1, -1) if len(hits) <= _MOST_HITS else (len(hits), 0)
    for size in sizes:
        for chosen in combinations(hits, size):
            yield _rewritten(words, chosen), tuple(hit.term for hit in chosen)


def _rewritten(words: Sequence[Word], hits: Sequence[Hit]) -> list[Word]:
    out: list[Word] = []
    place = 0
    for hit in hits:
        out += words[place : hit.begin]
        out += words_of(hit.term.written)
        place = hit.end
    return [*out, *words[place:]]


def _of_the_text(before: str, after: str) -> str | None:
    if not any(sign.isalnum() for sign in after):
        return "nothing was left of it"
    strange = {sign for sign in after if unicodedata.category(sign)[0] == "C"} - set(before)
    if strange:
        return f"a control character was added: U+{ord(min(strange)):04X}"
    if [sign for sign in before if sign in _MARKS] != [sign for sign in after if sign in _MARKS]:
        return "brackets or speaker marks changed"
    return None


def _length(before: int, after: int) -> str | None:
    if SHORTEST * before <= after <= LONGEST * before or abs(after - before) <= SLACK_CHARS:
        return None
    return f"length is {after / before:.2f} of what was captioned ({SHORTEST} to {LONGEST} is allowed)"


def _of_the_words(alignment: Alignment, words: int) -> str | None:
    for region in alignment.regions:
        if fault := _fixed(region):
            return fault
    for old, new in alignment.same:
        if old.name and _capitals_lost(old.text, new.text):
            return f"name changed: {old.text} -> {new.text}"
    allowed = max(1, int(MOST_CHANGED * words))
    if alignment.edits > allowed:
        return f"{alignment.edits} of {words} words changed (at most {allowed} may)"
    for region in alignment.regions:
        if fault := _meaning(region):
            return fault
    return None


def _fixed(region: Region) -> str | None:
    """Say which number, negation or name a changed stretch holds, on either side."""
    words = (*region.before, *region.after)
    for what, touched in (
        ("number or date", any(word.kind == "number" for word in words)),
        ("negation", any(word.kind == "negation" for word in words)),
        ("name", any(word.name for word in words)),
    ):
        if touched:
            return f"{what} changed: {_shown(region.before)} -> {_shown(region.after)}"
    return None


def _meaning(region: Region) -> str | None:
    old, new = _shown(region.before), _shown(region.after)
    if not region.before:
        return f"word added: {new}"
    if not region.after:
        return f"word dropped: {old}"
    if any(_turned_round(a.key, b.key) for a in region.before for b in region.after):
        return f"negation changed: {old} -> {new}"
    return None if _alike(region) else f"does not sound alike: {old} -> {new}"


def _turned_round(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if long == short + "less" or any(long == prefix + short for prefix in NEGATIVE_PREFIXES):
        return True
    pairs = ((one, other), (other, one))
    return any(a.endswith("ful") and b.endswith("less") and a[:-3] == b[:-4] for a, b in pairs)


def _alike(region: Region) -> bool:
    old = "".join(word.key for word in region.before)
    new = "".join(word.key for word in region.after)
    if all("\u3400" <= sign <= "\u9fff" or sign >= "\U00020000" for sign in old + new):
        # Letters of these scripts do not show the sound; one for one is all that can be asked.
        return len(old) == len(new)
    # Decomposed, so that a syllable of Hangul counts by its sounds and an accent as half a letter.
    first, second = (unicodedata.normalize("NFD", side) for side in (old, new))
    return distance(first, second) <= MOST_UNLIKE * max(len(first), len(second))


def _capitals_lost(old: str, new: str) -> bool:
    capitals = sum(sign.isupper() for sign in old)
    return not any(sign.isupper() or sign.istitle() for sign in new) or (
        capitals > 1 and old.isupper() and not new.isupper()
    )


def _kept(alignment: Alignment, terms: Sequence[Term], words: int) -> str:
    parts = []
    if alignment.edits:
        parts.append(f"{alignment.edits} of {words} words")
    if terms:
        parts.append("glossary: " + "; ".join(dict.fromkeys(map(str, terms))))
    return ", ".join(parts) or "capitals, punctuation or spaces only"


def _shown(words: Sequence[Word]) -> str:
    text = " ".join(word.text for word in words if word.text) or "(nothing)"
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "..."
