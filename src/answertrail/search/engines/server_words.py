"""The words of a chunk in a dress that every server's analyzer leaves alone.

Servers cut and stem text in their own ways, each different, few of them right for Korean or Thai.
So they are given our tokens, as small ASCII letters and digits, and have only to split at spaces:
all engines then find the same chunks by the same words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from answertrail.search.engines.base import EngineRow
from answertrail.search.fusion import idf, lexical_weight
from answertrail.search.tokens import index_tokens, query_terms

_LONGEST = 39


def dressed(token: str) -> str:
    """Return a token as an ASCII word: itself behind a `t` where it is one, else `x` and a hash of it.

    At most 40 characters, where some analyzers cut. Two tokens share a hash once in 2**64.
    """
    if token.isascii() and token.isalnum() and token == token.lower() and len(token) <= _LONGEST:
        return "t" + token
    return "x" + hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def words_of(row: EngineRow) -> list[str]:
    """Return the words that a chunk is found by, those of its context first."""
    tokens = (*index_tokens(row.context, row.language), *index_tokens(row.text, row.language))
    return [dressed(token) for token in tokens]


def joined(words: Sequence[str], most_bytes: int) -> tuple[str, bool]:
    """Return the words as one text of at most that many bytes, and whether some were left out at the end."""
    text = " ".join(words)
    if len(text) <= most_bytes:
        return text, False
    return text[: text.rindex(" ", 0, most_bytes + 1)], True


def terms_of(query: str, languages: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the query's terms (see `query_terms`), each as the plain tokens it may be indexed by."""
    return query_terms(query, languages)


def distinct(terms: Iterable[Sequence[str]]) -> list[str]:
    """Return the tokens of all terms, each once, in order of appearance."""
    return list(dict.fromkeys(token for term in terms for token in term))


def weight_of(terms: Sequence[Sequence[str]], holding: Mapping[str, int], rows: int) -> float:
    """Return the weight of a query's BM25, as `LexicalIndex.scores` has it (`fusion.lexical_weight`).

    `holding` says how many rows hold a token. 0 for a query without terms.
    """
    held = [max(holding.get(token, 0) for token in term) for term in terms]
    return lexical_weight((idf(rows, n), n / max(rows, 1)) for n in held)


def told(terms: Sequence[Sequence[str]], holding: Mapping[str, int]) -> dict[str, int]:
    """Map each term's tokens to the rows that hold them; of several stems those that any row holds, else the first."""
    out: dict[str, int] = {}
    for term in terms:
        for token in [token for token in term if holding.get(token)] or term[:1]:
            out[token] = holding.get(token, 0)
    return out
