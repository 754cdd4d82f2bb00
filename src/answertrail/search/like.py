"""The words by which a passage finds others like it: its rarest (pseudo-relevance feedback).

Later talk of a thing often leaves its name out and keeps what it is made of: the brass bell, not the
"Mothlight rota". A passage's rarest words find such talk where the question's own words do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from answertrail.search.tokens import base_language, character_pairs, is_stop_word, stem, words

MOST = 20
"""Words that make a query. Of 8, 12, 20, 30 and all, 20 found most."""


def telling_words(text: str, language: str | None, held: Mapping[str, int]) -> str:
    """Return the rarest words of a passage as spelt, rarest first, ties by spelling; empty where none will do.

    `held` maps each term of the text to the number of chunks that hold it. A word that only this
    passage has finds nothing else and is left out, and so are numbers, stop words, and what is not in `held`.
    """
    rare: dict[str, tuple[int, str]] = {}
    for spelt, term in _terms(text, base_language(language)):
        if held.get(term, 0) > 1:
            rare.setdefault(term, (held[term], spelt))
    return " ".join(spelt for _, spelt in sorted(rare.values())[:MOST])


def _terms(text: str, language: str) -> Iterator[tuple[str, str]]:
    for word in words(text):
        if pairs := character_pairs(word):
            yield from zip(pairs, pairs, strict=True)
        elif not word[:1].isdigit() and not is_stop_word(word, language):
            yield word, stem(word, language)
