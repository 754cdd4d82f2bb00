"""Which scripts a text is written in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_SAMPLE_CHARACTERS = 20_000
_WORD = re.compile(r"[^\W\d_]+")
SHARE = 0.25
"""The part of a text's letters from which on a language or a script counts as one it is in."""

_FAMILY = {"CJK": "HAN", "IDEOGRAPHIC": "HAN", "HIRAGANA": "HAN", "KATAKANA": "HAN"}
"""Scripts that one language writes side by side, under one name."""
_OTHER_SCRIPT_SHARE = 0.10


def script_shares(text: str) -> dict[str, float]:
    """Return the share of each script in the letters of a text, 0 to 1; nothing for a text without letters.

    Han and kana are one; a letter of theirs or of Hangul weighs as much as two. A script goes by the
    first word of its letters' Unicode names.
    """
    weights: dict[str, int] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        for character in word:
            script = script_of(character)
            script = _FAMILY.get(script, script)
            weights[script] = weights.get(script, 0) + (2 if script in ("HAN", "HANGUL") else 1)
    total = sum(weights.values())
    return {script: weight / total for script, weight in weights.items()}


def scripts_of(texts: Sequence[str]) -> frozenset[str]:
    """Return the scripts that texts are written in, by a sample of them, named as `script_shares` does.

    Latin counts from a quarter of the letters on, since names and code stand in texts of any
    language; others from a tenth. Korean is written in Han as well.
    """
    shares = script_shares(spread(texts))
    found = {
        script for script, share in shares.items() if share >= (SHARE if script == "LATIN" else _OTHER_SCRIPT_SHARE)
    }
    return frozenset(found | {"HAN"} if "HANGUL" in found else found)


@lru_cache(maxsize=20_000)
def script_of(character: str) -> str:
    """Return the script of a letter: the first word of its Unicode name; Latin for ASCII."""
    return "LATIN" if character.isascii() else unicodedata.name(character, "").split(" ")[0].split("-")[0]


def spread(texts: Sequence[str]) -> str:
    """Return at most 20,000 characters taken evenly from the whole sequence."""
    if not texts:
        return ""
    wanted = min(len(texts), 200)
    each = _SAMPLE_CHARACTERS // wanted
    return "\n".join(texts[index * len(texts) // wanted][:each] for index in range(wanted))
