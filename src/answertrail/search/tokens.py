"""Language-aware tokens for lexical search and support checks.

Words are cut by Unicode letters and digits, folded (NFC, case, Latin and Arabic marks, digits of
any script) and stemmed by Snowball where the language has a stemmer. A word in a script its text's
language is not written in (an English name in a Korean talk) is taken for the common language of
its own script. Runs of Han, kana, Hangul, Thai, Lao, Khmer and Burmese, which put no space where a
word ends, become single characters and overlapping pairs; a query uses the pairs alone, so that
one shared character is not evidence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from threading import Lock

_DENSE_SCRIPT = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Thai, Lao, Khmer, Burmese
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
    "\uac00-\ud7af\u1100-\u11ff\u3130-\u318f"  # Hangul
)
# Vowel signs and other marks belong to the word, but are no word characters to `re`.
_MARKS = "".join(
    chr(c) for c in (*range(0x300, 0xE00), *range(0xF00, 0x1000)) if unicodedata.category(chr(c)) in {"Mn", "Mc"}
)
_TOKEN = re.compile(
    rf"[{_DENSE_SCRIPT}]+|\d+(?:[.,]\d+)*|[^\W\d_{_DENSE_SCRIPT}](?:[^\W_{_DENSE_SCRIPT}]|[{_MARKS}]|['’](?=[^\W\d_]))*"
)
_DENSE = re.compile(rf"[{_DENSE_SCRIPT}]")
_POSSESSIVE = re.compile(r"['’]s?$")

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "fi": "finnish", "fr": "french", "hu": "hungarian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nl": "dutch", "no": "norwegian", "nb": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish",
}  # fmt: skip
_STOP_LISTS = {
    "da": "DANISH", "de": "GERMAN", "en": "EN_PLUS", "es": "SPANISH", "fr": "FRENCH",
    "it": "ITALIAN", "nl": "DUTCH", "no": "NORWEGIAN", "pt": "PORTUGUESE", "ru": "RUSSIAN",
    "sv": "SWEDISH", "tr": "TURKISH",
}  # fmt: skip


_SCRIPTS = {
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "ky", "mn", "tg"), ("CYRILLIC",)),
    **dict.fromkeys(("sr", "kk", "uz", "az", "tk"), ("CYRILLIC", "LATIN")),
    **dict.fromkeys(("ar", "fa", "ur", "ps", "sd", "ug"), ("ARABIC",)),
    **dict.fromkeys(("hi", "mr", "ne", "sa"), ("DEVANAGARI",)),
    **dict.fromkeys(("he", "yi"), ("HEBREW",)),
    **dict.fromkeys(("ko", "zh", "ja", "th", "lo", "km", "my", "bo", "ka", "hy", "am"), ()),
    **dict.fromkeys(("bn", "as", "gu", "pa", "or", "te", "kn", "ml", "si"), ()),
    "el": ("GREEK",), "ta": ("TAMIL",),
}  # fmt: skip
"""Scripts a language is written in, as Unicode names begin, where that is not Latin alone."""
_OF_SCRIPT = {"LATIN": "en", "CYRILLIC": "ru", "ARABIC": "ar", "GREEK": "el", "TAMIL": "ta"}


_QUESTION_WORDS = frozenset({"many", "much", "would", "could", "shall", "may", "might", "must"})
"""English words that ask and carry no content, beside the list of bm25s."""


def base_language(tag: str | None) -> str:
    """Return the primary subtag of a BCP-47 tag in lower case; None and empty count as English."""
    return (tag or "en").replace("_", "-").split("-")[0].lower() or "en"


def words(text: str) -> list[str]:
    """Cut text into raw tokens, case kept: words, numbers, and runs of scripts without spaces."""
    return _TOKEN.findall(unicodedata.normalize("NFC", text))


def index_tokens(text: str, language: str | None) -> list[str]:
    """Return the tokens under which a text is indexed, in order, stop words included."""
    code = base_language(language)
    out: list[str] = []
    for word in words(text):
        if _DENSE.match(word):
            out.extend(word)
            out.extend(word[i : i + 2] for i in range(len(word) - 1))
        else:
            out.append(stem(word, code))
    return out


def query_tokens(text: str, languages: Iterable[str]) -> list[str]:
    """Return the distinct tokens a query is looked up by, in order of appearance; see `query_terms`."""
    return list(dict.fromkeys(token for term in query_terms(text, languages) for token in term))


def query_terms(text: str, languages: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the distinct terms of a query in order of appearance, each as the tokens it may be indexed by.

    A word is one term: every language of the corpus gives its stem. A pair of characters of a
    script without spaces is a term too. A word that is a stop word, or an English question word,
    in any of the languages is dropped unless nothing else is left.
    """
    codes = sorted({base_language(code) for code in languages}) or ["en"]
    kept: dict[tuple[str, ...], None] = {}
    dropped: dict[tuple[str, ...], None] = {}
    for word in words(text):
        if pairs := character_pairs(word):
            kept.update(dict.fromkeys((pair,) for pair in pairs))
            continue
        target = dropped if any(is_stop_word(word, code) for code in codes) else kept
        target[tuple(dict.fromkeys(stem(word, code) for code in codes))] = None
    return list(kept or dropped)


def character_pairs(word: str) -> list[str]:
    """Return the overlapping pairs of a run of a script without spaces; nothing for other words.

    A run of one character is its own pair.
    """
    if not _DENSE.match(word):
        return []
    return [word[i : i + 2] for i in range(len(word) - 1)] or [word]


def is_stop_word(word: str, language: str = "en") -> bool:
    """Whether a word carries no content in a language with a known list."""
    folded = word.casefold().replace("’", "'")
    stops = _stop_words(_language_of(folded, language))
    return folded in stops or _POSSESSIVE.sub("", folded) in stops


_STEMMING = Lock()
"""A stemmer keeps the word it works on in itself: two threads at once give each other's stems."""


@lru_cache(maxsize=400_000)
def stem(word: str, language: str = "en") -> str:
    """Fold and stem one word; a number loses its thousands commas and is written in 0 to 9."""
    folded = _POSSESSIVE.sub("", word.casefold().replace("’", "'"))
    if folded[:1].isdigit():
        plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in folded)
        return re.sub(r",(?=\d{3}(?:\D|$))", "", plain)
    stemmer = _stemmer(_language_of(folded, language))
    if stemmer is None:
        return _fold_marks(folded)
    with _STEMMING:
        stemmed = stemmer.stemWord(folded)
    return _fold_marks(stemmed)


def _language_of(word: str, language: str) -> str:
    """Return the language of a text, or that of the word's script where the two do not go together."""
    script = "LATIN" if word[:1].isascii() else unicodedata.name(word[:1], "").split(" ")[0]
    if script in _SCRIPTS.get(language, ("LATIN",)):
        return language
    return _OF_SCRIPT.get(script, language)


def _fold_marks(word: str) -> str:
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFKD", word)
    script = unicodedata.name(decomposed[0], "")
    if not script.startswith(("LATIN", "ARABIC", "HEBREW")):
        return word
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=64)
def _stemmer(language: str):  # type: ignore[no-untyped-def]  # snowballstemmer ships no types
    import snowballstemmer

    name = _STEMMERS.get(language)
    return snowballstemmer.stemmer(name) if name else None


@lru_cache(maxsize=64)
def _stop_words(language: str) -> frozenset[str]:
    from bm25s import stopwords

    name = _STOP_LISTS.get(language)
    listed = frozenset(getattr(stopwords, f"STOPWORDS_{name}")) if name else frozenset()
    return listed | _QUESTION_WORDS if language == "en" else listed
