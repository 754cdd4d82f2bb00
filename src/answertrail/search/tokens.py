"""Language-aware tokens for lexical search and support checks.

Words are cut by Unicode letters and digits, folded (NFC, case, width, Latin and Arabic marks and
variants of letters, digits of any script) and stemmed by Snowball where the language has a stemmer.
A word in a script its text's
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

from answertrail.models.embedding.language_names import usual_code

_DENSE_SCRIPT = (
    # Letters and signs alone: digits are numbers, and a full stop or a middle dot ends a run.
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"  # Thai, Lao
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u1000-\u103f\u104c-\u108f\u109a-\u109d"  # Khmer, Burmese
    "\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"  # Burmese
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
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
# Full and half width, and the mathematical alphabets: the same letters in another dress.
_DRESSED = re.compile("[\uff01-\uffef\U0001d400-\U0001d7ff]+")
# Soft hyphens and joiners say how a word is drawn. The non-joiner does so in Indian scripts, while in
# Persian it parts words; the space of no width parts words where a script has none of another kind.
_INVISIBLE = re.compile(
    rf"[\u00ad\u200d\u2060\ufeff]|(?<=[\u0900-\u0dff])\u200c|(?<=[{_DENSE_SCRIPT}])\u200b(?=[{_DENSE_SCRIPT}])"
)
# Variants that keyboards mix up, and tatweel, which only makes a word longer.
_ARABIC_VARIANTS = str.maketrans({"ى": "ي", "ی": "ي", "ک": "ك", "ـ": None})
# "and" before an article: Snowball takes off one of the two, never both. Parents begin likewise.
_ARABIC_AND = re.compile(r"^(?:و(?!الد)|ف)(?=(?:ال|بال|كال|لل)\w{3})")
# Latin letters whose stroke is no mark to Unicode.
_STROKES = str.maketrans(
    {"đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n", "æ": "ae", "œ": "oe", "þ": "th"}
)

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
    """Return the primary subtag of a BCP-47 tag in lower case, `en` for `eng`; None and empty count as English."""
    return usual_code((tag or "en").replace("_", "-").split("-")[0].lower() or "en")


def words(text: str) -> list[str]:
    """Cut text into raw tokens, case kept: words, numbers, and runs of scripts without spaces."""
    return _TOKEN.findall(text if text.isascii() else _plain(text))


def _plain(text: str) -> str:
    """Return the text in NFC, without what only changes how it is drawn."""
    bare = _DRESSED.sub(lambda run: unicodedata.normalize("NFKC", run[0]), _INVISIBLE.sub("", text))
    return unicodedata.normalize("NFC", bare)


def index_tokens(text: str, language: str | None) -> list[str]:
    """Return the tokens under which a text is indexed, in order, stop words included."""
    code = base_language(language)
    out: list[str] = []
    for word in words(text):
        if _DENSE.match(word):
            out.extend(word)
            out.extend(word[i : i + 2] for i in range(len(word) - 1))
        elif token := stem(word, code):
            out.append(token)
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
        if stems := tuple(dict.fromkeys(filter(None, (stem(word, code) for code in codes)))):
            target[stems] = None
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
    """Fold and stem one word; a number loses its thousands commas and is written in 0 to 9.

    Empty for a word of signs that are not read, such as a lone tatweel.
    """
    folded = _POSSESSIVE.sub("", word.casefold().replace("’", "'"))
    if folded[:1].isdigit():
        plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in folded)
        return re.sub(r",(?=\d{3}(?:\D|$))", "", plain)
    if unicodedata.name(folded[:1], "").startswith("ARABIC"):
        folded = _ARABIC_AND.sub("", folded.translate(_ARABIC_VARIANTS))
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
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_STROKES)


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
