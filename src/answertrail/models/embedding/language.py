"""Which languages a text is in, told by its letters and its commonest words.

Light and coarse on purpose: a script decides where it can, the commonest words of a language where
many share a script, and what cannot be told stays untold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from answertrail.errors import InputError
from answertrail.models.embedding.common_words import (
    COMMON_WORDS,
    ENGLISH_ALONE,
    ENGLISH_WORDS,
    EVERYDAY_ENGLISH,
    OWN_LETTERS,
)
from answertrail.models.embedding.language_names import LANGUAGE_NAMES, usual_code
from answertrail.models.embedding.scripts import SHARE, script_of, spread

UNKNOWN = "und"
"""The code of a language that is not known although its script is no common one."""

# A tenth of running English is these words; other languages in Latin letters stay well under it.
_ENGLISH_SHARE = 0.10
_LATIN_SHARE = 0.80
_WORD = re.compile(r"[^\W\d_]+")
_TAG = re.compile(r"[a-z]{2,3}")

# The commonest language of each script, by the first word of its letters' Unicode names.
_OF_SCRIPT = {
    "HANGUL": "ko", "CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "THAI": "th", "LAO": "lo", "KHMER": "km",
    "MYANMAR": "my", "HEBREW": "he", "DEVANAGARI": "hi", "BENGALI": "bn", "GURMUKHI": "pa", "GUJARATI": "gu",
    "ORIYA": "or", "TAMIL": "ta", "TELUGU": "te", "KANNADA": "kn", "MALAYALAM": "ml", "SINHALA": "si",
    "GREEK": "el", "ARMENIAN": "hy", "GEORGIAN": "ka", "ETHIOPIC": "am", "TIBETAN": "bo",
}  # fmt: skip
_SYLLABLES = frozenset({"ko", "zh", "ja"})
"""Languages of which one letter says as much as two or three of the others'."""
# Letters that only one of the languages of a script has, and that it cannot do without.
_CYRILLIC = (("uk", "іїєґ"), ("be", "ў"), ("sr", "јљњћђџ"), ("kk", "әғқңөұүһ"))
_ARABIC = (("ur", "ٹڈڑںےہ"), ("ps", "ځڅډړښېۍ"), ("fa", "پچژگیک"))
_TOLD_BY_SCRIPT = frozenset(_OF_SCRIPT.values()) - {"zh", "hi", "bn", "am"}
"""Languages that have a script to themselves, or nearly so."""


def language_name(code: str) -> str:
    """Return the English name of a language, or its code where that is all we have."""
    return "a language we cannot name" if code == UNKNOWN else LANGUAGE_NAMES.get(code, code)


def language_codes(setting: str) -> tuple[str, ...]:
    """Return the languages of a setting such as `zh,en`: primary subtags, sorted, each once.

    A three-letter or withdrawn code is the two-letter one of its language: `eng` is `en`. Raises
    InputError for what is no language tag.
    """
    codes = set()
    for part in setting.split(","):
        code = part.strip().replace("_", "-").split("-")[0].lower()
        if not _TAG.fullmatch(code):
            raise InputError(
                f"{part.strip()!r} is no language", hint="codes with commas between, such as en, zh, ko or pt-BR"
            )
        codes.add(usual_code(code))
    return tuple(sorted(codes))


def is_english(texts: Sequence[str]) -> bool:
    """Say whether a sample of the texts reads as English.

    True when at least 80 % of its letters are basic Latin and at least a tenth of its words
    are common English ones. A sample of under 20 words counts by its letters alone, and one
    without letters counts as English.
    """
    sample = spread(texts)
    words = _WORD.findall(sample.lower())
    letters = sum(len(word) for word in words)
    if letters == 0:
        return True
    latin = sum(character.isascii() for word in words for character in word)
    if latin < _LATIN_SHARE * letters:
        return False
    if len(words) < 20:
        return True
    return sum(word in ENGLISH_WORDS for word in words) >= _ENGLISH_SHARE * len(words)


def languages_of(text: str) -> tuple[str, ...]:
    """Return the languages that a quarter or more of a text's letters are in, the largest part first.

    A letter of Hangul, Han or kana weighs as much as two. Words in Latin letters are one language,
    left out where it cannot be told (few words, none of them a common one). `und` stands for a
    script of which we know no language. Ties in alphabetical order.
    """
    weights: dict[str, float] = {}
    by_script: dict[str, list[str]] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        for script, letters in _runs(word):
            by_script.setdefault(script, []).append(letters)
    for script, words in by_script.items():
        code = _language(script, words)
        weights[code] = weights.get(code, 0.0) + sum(map(len, words)) * (2 if code in _SYLLABLES else 1)
    if "ja" in weights:  # Han beside kana is Japanese
        weights["ja"] += weights.pop("zh", 0.0)
    total = sum(weights.values())
    kept = sorted((-weight, code) for code, weight in weights.items() if weight >= SHARE * total)
    return tuple(code for _, code in kept if code)


def corpus_languages(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the languages of a corpus by a sample of its texts: English, or what `languages_of` says of it."""
    return ("en",) if is_english(texts) else languages_of(spread(texts))


def is_evident(text: str, code: str) -> bool:
    """Say whether a text is in one of its `languages_of` beyond what names and borrowed words make up.

    A script is enough. In Latin letters a third of the words must be common ones of the language or
    have letters that English lacks, with three different common ones among them, or two and a word
    with such a letter, and none that only English has: "la la land" and "El Niño and La Niña" are
    not Spanish.
    """
    if code not in COMMON_WORDS:
        return True
    runs = (run for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()) for run in _runs(word))
    words = [letters for script, letters in runs if script == "LATIN"]
    common, own = COMMON_WORDS[code], frozenset(OWN_LETTERS.get(code, ""))
    lettered = {word for word in words if not own.isdisjoint(word)}
    signs = 0 if ENGLISH_ALONE.intersection(words) else sum(word in common or word in lettered for word in words)
    return 3 * signs >= len(words) and len(common.intersection(words)) + (len(lettered) > 0) >= 3


def is_certain(code: str) -> bool:
    """Say whether a language that `languages_of` tells has a script to itself, so that it is no other."""
    return code in _TOLD_BY_SCRIPT


def _runs(word: str) -> list[tuple[str, str]]:
    """Cut a word where its script changes: `GPT를` is one of Latin and one of Hangul."""
    runs: list[tuple[str, str]] = []
    for character in word:
        script = script_of(character)
        if runs and runs[-1][0] == script:
            runs[-1] = (script, runs[-1][1] + character)
        else:
            runs.append((script, character))
    return runs


def _language(script: str, words: Sequence[str]) -> str:
    """Return the language of the words of one script; empty where Latin letters do not tell."""
    if script == "LATIN":
        return _latin_language(words)
    if script in ("CYRILLIC", "ARABIC"):
        usual, others = ("ru", _CYRILLIC) if script == "CYRILLIC" else ("ar", _ARABIC)
        # One foreign name does not make a text foreign: such letters are in every third word.
        for code, letters in others:
            if 10 * sum(any(letter in word for letter in letters) for word in words) >= len(words):
                return code
        return usual
    return _OF_SCRIPT.get(script, UNKNOWN)


def _latin_language(words: Sequence[str]) -> str:
    """Return the language whose common words and letters are met most often; empty where too few are.

    English needs one of its words; another language two signs, more than English has, and in a long
    text in at least one word of thirty.
    """
    english = sum(word in EVERYDAY_ENGLISH for word in words)
    signs = {code: _signs(words, code) for code in COMMON_WORDS}
    best = max(signs, key=lambda code: signs[code])
    if signs[best] >= 2 and signs[best] > english and 30 * signs[best] >= len(words):
        return best
    return "en" if english else ""


def _signs(words: Sequence[str], code: str) -> int:
    common, own = COMMON_WORDS[code], frozenset(OWN_LETTERS.get(code, ""))
    return sum((word in common) + (not own.isdisjoint(word)) for word in words)
