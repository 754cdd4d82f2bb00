"""Searching on in the words of a passage that was found (pseudo-relevance feedback).

Later talk of a thing often leaves its name out and keeps what it is made of: the brass bell, not the
"Mothlight rota". A passage's rarest words find such talk where the question's own words do not. How
rare a word is only a search tells (its `terms`), so a passage is first probed with all of its words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from .text import Word, is_content, words

KEYWORDS = 20
"""How many of a passage's words make a query. Of 8, 12, 20, 30 and all, 20 found most."""
LONGEST_PROBE = 1000
"""Characters a query may have."""
PROBED = 0.7
"""The share of a passage's words whose frequency must be known before its rarest are chosen."""


def _candidates(text: str) -> dict[str, Word]:
    found: dict[str, Word] = {}
    for word in words(text):
        if is_content(word) and not word.raw.isdigit():
            found.setdefault(word.stem, word)
    return found


def probe_query(texts: Sequence[str]) -> str:
    """The content words of passages, each once and at most 1,000 characters; numbers left out."""
    out, size = [], 0
    for word in {s: w for text in reversed(texts) for s, w in _candidates(text).items()}.values():
        size += len(word.raw) + 1
        if size > LONGEST_PROBE:
            break
        out.append(word.raw)
    return " ".join(out)


def is_probed(text: str, frequency: Mapping[str, int]) -> bool:
    """Whether the frequency of most words of a passage is known; a passage without words is."""
    stems = _candidates(text)
    return sum(s in frequency for s in stems) >= PROBED * len(stems)


def keyword_query(text: str, frequency: Mapping[str, int], size: int) -> str:
    """The rarest words of a passage, rarest first, ties by spelling; empty where none will do.

    A word only this passage has finds nothing else and is left out, as is one of unknown frequency.
    `size` is the number of chunks of the corpus.
    """
    rare = [
        (-math.log(1 + size / (1 + frequency[s])), w.raw)
        for s, w in _candidates(text).items()
        if frequency.get(s, 0) > 1
    ]
    return " ".join(raw for _, raw in sorted(rare)[:KEYWORDS])


def feedback_words(
    texts: Sequence[tuple[float, str]], frequency: Mapping[str, int], size: int, drop: Collection[str]
) -> str:
    """The words that tell several passages from the rest of the corpus, most telling first (RM3).

    `texts` are (score, text). A word's weight is its rarity times the scores of the passages that have
    it (Abdul-Jaleel and others 2004, each word counted once a passage). Stems in `drop` are left out.
    """
    weight: dict[str, float] = {}
    raw: dict[str, str] = {}
    for score, text in texts:
        for stem, word in _candidates(text).items():
            if frequency.get(stem, 0) > 1 and stem not in drop:
                weight[stem] = weight.get(stem, 0.0) + score * math.log(1 + size / (1 + frequency[stem]))
                raw.setdefault(stem, word.raw)
    return " ".join(raw[stem] for stem in sorted(weight, key=lambda s: (-weight[s], s))[:KEYWORDS])
