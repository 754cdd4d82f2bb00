"""The words of a caption line, as the guards compare them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from answertrail.corpus.cleaning.word_lists import (
    COMMON,
    NEGATION_PART,
    NEGATIONS,
    NOT_OF,
    NUMBER_COMPOUND,
    NUMBERS,
    WITHOUT_APOSTROPHE,
)

Kind = Literal["word", "number", "negation"]

_APOSTROPHES = "'’ʼ＇"
_SIGNS = "-−+±"
_MONEY = "$€£¥₩₹"
_AFTER_DIGIT = _MONEY + "%‰°"
_OPENERS = set('.!?…。！？:;"“”„«»¿¡—–>♪[(') | {"‹", "›"}
# Scripts that set no spaces between words: each letter with its marks is a word.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)  # fmt: skip
_MOST_JOINED = 6


@dataclass(frozen=True, slots=True)
class Word:
    """A word. `key` is what is compared: case folded, composed, without apostrophes.

    `name`: written with a capital that a mere beginning of a sentence does not explain. `don't` is
    two words, `do` and `not`; words of one spelling count as one whatever their apostrophes.
    """

    key: str
    text: str
    kind: Kind = "word"
    name: bool = False

    @property
    def fixed(self) -> bool:
        """Whether no edit may touch it."""
        return self.kind != "word" or self.name


def words_of(text: str) -> list[Word]:
    """Return the words of a text in order. Punctuation is none; `C++`, `$5`, `20%` and `-3` are whole words."""
    out: list[Word] = []
    last = 0
    for begin, end in _spans(text):
        gap = text[last:begin]
        opens = not out or any(sign in _OPENERS for sign in gap)
        last = end
        out += _read(text[begin:end], opens=opens, before=out[-1] if out else None)
    return out


def fold(text: str) -> str:
    """Return a text as words are compared: composed, case folded, apostrophes left out."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return "".join(sign for sign in folded if sign not in _APOSTROPHES)


def joined(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    """Join words that the other text writes as one: `data base` and `database`, `a w s` and `AWS`.

    Numbers and negations are never joined: `not able` is not `notable`. Nor is a name with a word
    that is none.
    """
    whole = {word.key for word in others if word.kind == "word" and len(word.key) > 1}
    out: list[Word] = []
    place = 0
    while place < len(words):
        run = _run(words, place, whole)
        parts = words[place : place + run]
        out.append(parts[0] if run == 1 else _join(parts))
        place += run
    return out


def _run(words: Sequence[Word], place: int, whole: set[str]) -> int:
    """Return how many words from here on are one word of the other text: 1 when they are not."""
    best, key = 1, ""
    for length, word in enumerate(words[place : place + _MOST_JOINED], 1):
        if word.kind != "word":
            break
        key += word.key
        names = sum(part.name for part in words[place : place + length])
        if length > 1 and key in whole and names in {0, length}:
            best = length
    return best


def _join(parts: Sequence[Word]) -> Word:
    text = "".join(part.text for part in parts)
    return Word("".join(part.key for part in parts), text, name=any(part.name for part in parts))


def _read(text: str, *, opens: bool, before: Word | None) -> list[Word]:
    # In a number an apostrophe is a digit's business: 5'6 is not 56.
    digits = any(sign.isnumeric() for sign in text)
    key = unicodedata.normalize("NFC", text.casefold()) if digits else fold(text)
    stem = _negated(text, key)
    if stem is not None:
        # Both belong to the negation, so that neither is joined to a word beside it; the text is told once.
        return [Word(stem, "", "negation"), Word("not", text, "negation")]
    word = Word(key, text, _kind(text, key, before))
    return [replace(word, name=_is_name(text, key, opens=opens))]


def _negated(text: str, key: str) -> str | None:
    """Return what is negated by `n't` or by `cannot`, None where nothing is."""
    if key == "cannot":
        return "can"
    if key in WITHOUT_APOSTROPHE:
        return WITHOUT_APOSTROPHE[key]
    straight = "".join("'" if sign in _APOSTROPHES else sign for sign in text.casefold())
    if straight.endswith("n't") and len(straight) > 3:
        return NOT_OF.get(straight[:-3], straight[:-3])
    return None


def _kind(text: str, key: str, before: Word | None) -> Kind:
    if any(sign.isnumeric() for sign in text) or key in NUMBERS or NUMBER_COMPOUND.fullmatch(key):
        return "number"
    if key in {"am", "a.m"} and before is not None and before.kind == "number":
        return "number"
    elided = len(text) > 2 and text[0] in "nN" and text[1] in _APOSTROPHES
    if elided or key in NEGATIONS or NEGATION_PART.fullmatch(key):
        return "negation"
    return "word"


def _is_name(text: str, key: str, *, opens: bool) -> bool:
    if not any(sign.isupper() or sign.istitle() for sign in text):
        return False
    if text[0] == "I" and (len(text) == 1 or text[1] in _APOSTROPHES or text in {"Im", "Ive"}):
        return False
    capital_only = not any(sign.isupper() for sign in text[1:])
    return not (opens and capital_only and key in COMMON)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    place = 0
    while place < len(text):
        if not _in_word(text[place]):
            place += 1
            continue
        begin, place = place, place + 1
        if _unspaced(text[begin]):
            while place < len(text) and unicodedata.category(text[place])[0] == "M":
                place += 1
        else:
            place = _end(text, place)
        yield _with_signs(text, begin), place


def _end(text: str, place: int) -> int:
    while place < len(text):
        sign = text[place]
        if _in_word(sign) and not _unspaced(sign):
            place += 1
        elif place + 1 < len(text) and _binds(text[place - 1], sign, text[place + 1]):
            place += 2
        else:
            break
    if place < len(text) and text[place - 1].isdigit() and text[place] in _AFTER_DIGIT:
        return place + 1
    while place < len(text) and text[place] in "+#":
        place += 1
    return place


def _binds(before: str, sign: str, after: str) -> bool:
    """Whether a sign stands inside a word: `don't`, `3.5`, `1,000`, `2:30`, `node.js`, `AT&T`."""
    if not _in_word(after) or _unspaced(after):
        return False
    if sign in _APOSTROPHES or sign in ".&\u200c\u200d":
        return True
    return sign in ",:/" and before.isdigit() and after.isdigit()


def _with_signs(text: str, begin: int) -> int:
    """Take the sign and the currency before a number into it."""
    if text[begin].isdigit():
        if begin and text[begin - 1] in _MONEY:
            begin -= 1
        if begin and text[begin - 1] in _SIGNS and (begin == 1 or not _in_word(text[begin - 2])):
            begin -= 1
    return begin


def _in_word(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LMN"


def _unspaced(sign: str) -> bool:
    return ord(sign) >= _UNSPACED[0][0] and any(first <= ord(sign) <= last for first, last in _UNSPACED)
