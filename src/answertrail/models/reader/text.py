"""Words, stems and sentences: what the reader counts when it compares texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import snowballstemmer

_STOP = frozenset(
    word
    for line in (
        # articles, conjunctions, prepositions
        "a an the and or but if then than so of to in on at by for with from into onto over under about between",
        "during through as",
        # verbs that help others
        "is are was were be been being am do does did done doing have has had having will would shall should can",
        "could may might must not no nor",
        # pronouns
        "it its they them their there here this that these those he she his her him i me my we us our you your",
        # question words and what they count
        "who whom whose which what when where why how many much",
        # adverbs that say little
        "also just very",
        # what is left of contractions
        "s t d ll re ve m don doesn didn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn",
    )
    for word in line.split()
)
"""English function and question words: they match everywhere and mean nothing to a search."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['\u2019][^\W_{_CJK}]+)*")
_CJK_ONLY = re.compile(rf"[{_CJK}]")
_ENDS = re.compile(r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*\s+|(?<=[\u3002\uff01\uff1f])")
_ABBREVIATION = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|vs|e\.g|i\.e|etc)\.$")
_STEMMER = snowballstemmer.stemmer("english")
_STEMMING = Lock()
"""The stemmer keeps the word it works on in itself: two threads at once give each other's stems."""


@dataclass(frozen=True)
class Word:
    """One word of a text: its spelling, its stem, and where it stands (characters)."""

    raw: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The English Snowball stem of a casefolded word; words of other scripts come back as is."""
    with _STEMMING:
        return str(_STEMMER.stemWord(word))


def normalise(text: str) -> str:
    """NFC; nothing else, so that offsets still point into the text that is quoted."""
    return unicodedata.normalize("NFC", text)


def words(text: str) -> tuple[Word, ...]:
    """Every word of `text`, function words too; runs of CJK or Hangul give overlapping bigrams."""
    out: list[Word] = []
    for found in _WORD.finditer(text):
        raw, start = found.group(), found.start()
        if _CJK_ONLY.match(raw):
            step = 2 if len(raw) > 1 else 1
            for i in range(max(1, len(raw) - 1)):
                piece = raw[i : i + step]
                out.append(Word(piece, piece, start + i, start + i + step))
            continue
        folded = re.sub(r"['\u2019]s$", "", raw.casefold())
        out.append(Word(raw, stem(folded), start, found.end()))
    return tuple(out)


def is_content(word: Word) -> bool:
    """Whether a word says what a text is about: not an English function or question word."""
    folded = word.raw.casefold().replace("\u2019", "'")
    return folded not in _STOP and folded.split("'")[0] not in _STOP


def content_stems(text: str) -> tuple[str, ...]:
    """The stems of the content words of `text`, each once, in order; empty for an empty text."""
    return tuple(dict.fromkeys(w.stem for w in words(text) if is_content(w)))


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Spans (start, end) of the sentences of one line, without the white space around them."""
    spans: list[tuple[int, int]] = []
    begin = 0
    for found in _ENDS.finditer(text):
        if _ABBREVIATION.search(text[begin : found.start()]):
            continue
        spans.append((begin, found.end()))
        begin = found.end()
    spans.append((begin, len(text)))
    return tuple(trimmed for trimmed in (_trim(text, a, b) for a, b in spans) if trimmed[0] < trimmed[1])


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def count_words(text: str) -> int:
    """How many words a text has; a CJK or Hangul bigram counts as one."""
    return len(words(text))


def covered(weights: dict[str, float], stems: Iterable[str]) -> float:
    """The share of the total weight whose stems occur in `stems`, 0 to 1; 0 when there is no weight."""
    total = sum(weights.values())
    if total <= 0:
        return 0.0
    present = set(stems)
    return sum(w for s, w in weights.items() if s in present) / total
