"""BM25 over the chunks of a corpus (bm25s, Lucene's variant, k1 = 1.2, b = 0.6).

A chunk is indexed by its text and by its context, such as the title and the speakers: half a minute
of speech seldom says whose and on what occasion it is. Beside the chunks their whole documents are
indexed, for `document_votes`.

Scores are computed for every chunk, so filters and ties are exact: no candidate pool.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.language import languages_of
from answertrail.models.embedding.scripts import SHARE, script_shares, scripts_of
from answertrail.search.fusion import idf, lexical_weight
from answertrail.search.tokens import base_language, index_tokens, query_terms

Scores = npt.NDArray[np.float32]

K1, B = 1.2, 0.6
"""Chosen on development sets (docs/search.md): a larger b prefers the shortest passages, headings among them."""
_DOCUMENTS = "documents."
FOREIGN = 0.25
"""What is left of the weight of a query in a script the corpus is not written in (docs/search.md, Languages)."""


class LexicalIndex:
    """BM25 scores by row. `languages` are those of the indexed documents, `native` their scripts."""

    def __init__(
        self,
        bm25: object,
        vocabulary: Mapping[str, int],
        spoken: Sequence[int],
        languages: Sequence[str],
        rows: int,
        documents: tuple[object, Sequence[int]] | None = None,
        native: Collection[str] = (),
    ) -> None:
        self._bm25 = bm25
        # An array once and for all: made for every search it takes longer than the search.
        self._documents = None if documents is None else (documents[0], np.asarray(documents[1], dtype=np.intp))
        self._native = frozenset(native)
        self._vocabulary = vocabulary
        self._spoken = spoken
        self.languages = tuple(languages)
        self.rows = rows

    @classmethod
    def build(
        cls,
        texts: Sequence[str],
        languages: Sequence[str | None],
        contexts: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        k1: float = K1,
        b: float = B,
    ) -> LexicalIndex:
        """Index one text per row; `languages` gives each row's tag (None counts as English).

        `contexts` are further words a row is found by, none when left out; `documents` names the
        document each row is of. `k1` and `b` are BM25's.
        """
        vocabulary: dict[str, int] = {}
        spoken: list[int] = []
        ids: list[list[int]] = []
        own: list[list[int]] = []
        heads: list[list[int]] = []
        for text, language, context in zip(texts, languages, contexts or [""] * len(texts), strict=True):
            row = [vocabulary.setdefault(token, len(vocabulary)) for token in index_tokens(text, language)]
            around = [vocabulary.setdefault(token, len(vocabulary)) for token in index_tokens(context, language)]
            spoken.extend([0] * (len(vocabulary) - len(spoken)))
            for token in set(row):
                spoken[token] += 1
            ids.append(around + row)
            own.append(row)
            heads.append(around)
        tags = sorted({language or "en" for language in languages})
        whole = None
        if documents is not None and vocabulary:
            number: dict[str, int] = {}
            of = [number.setdefault(name, len(number)) for name in documents]
            joined: list[list[int]] = [[] for _ in number]
            for place, head, tokens in zip(of, heads, own, strict=True):
                # The title counts once, however many chunks it stands above.
                joined[place].extend(tokens if joined[place] else head + tokens)
            whole = (_bm25(joined, vocabulary, k1, b), of)
        bm25, native = _bm25(ids, vocabulary, k1, b), native_scripts(texts, languages)
        return cls(bm25, vocabulary, spoken, tags, len(ids), whole, native)

    def terms(self, query: str) -> dict[str, int]:
        """Map each distinct query term to the number of rows whose text, context apart, holds it.

        Of the stems that several languages give a word those the corpus has, else the first.
        """
        out: dict[str, int] = {}
        for term in _terms_of(query, self.languages):
            for token in [token for token in term if token in self._vocabulary] or term[:1]:
                out[token] = self._spoken[self._vocabulary[token]] if token in self._vocabulary else 0
        return out

    def scores(self, query: str) -> tuple[Scores, float]:
        """Return BM25 of every row (0 where no term matches) and the query's weight, see `lexical_weight`.

        A term the corpus has never seen counts with the largest idf, one with several stems by the
        most frequent. The weight is 0 for a query without terms, and a quarter for one in a script
        the corpus is not written in: what the two share are names at best, and names are everywhere.
        """
        return self._scored(query, self._bm25, self.rows)

    def document_votes(self, query: str) -> Scores | None:
        """Return for every row BM25 of its whole document times the weight among documents.

        None where documents were not indexed, or there is but one.
        """
        if self._documents is None:
            return None
        bm25, of = self._documents
        count = int(of.max(initial=0)) + 1
        if count < 2:
            return None
        scores, weight = self._scored(query, bm25, count)
        votes: Scores = (scores * np.float32(weight))[of]
        return votes

    def _scored(self, query: str, bm25: object, rows: int) -> tuple[Scores, float]:
        terms = _terms_of(query, self.languages)
        known = list(dict.fromkeys(self._vocabulary[t] for term in terms for t in term if t in self._vocabulary))
        if not known:
            return np.zeros(rows, dtype=np.float32), 0.0
        raw: npt.NDArray[np.float32] = bm25.get_scores_from_ids(known)  # type: ignore[attr-defined]
        held = [max(self._frequency(t, bm25) for t in term) for term in terms]
        weight = lexical_weight((idf(rows, n), n / rows) for n in held)
        return raw.astype(np.float32, copy=False), weight * language_factor(query, self._native)

    def _frequency(self, term: str, bm25: object) -> int:
        index = self._vocabulary.get(term)
        if index is None:
            return 0
        pointers = bm25.scores["indptr"]  # type: ignore[attr-defined]
        return int(pointers[index + 1] - pointers[index])

    def save(self, folder: Path) -> None:
        """Write the index into an existing folder."""
        import json

        facts = {"languages": self.languages, "rows": self.rows, "vocabulary": self._vocabulary, "spoken": self._spoken}
        facts["scripts"] = sorted(self._native)
        if self._vocabulary:
            self._bm25.save(str(folder), show_progress=False)  # type: ignore[attr-defined]
        if self._documents is not None:
            whole, of = self._documents
            facts["documents"] = of.tolist()
            # One folder for all files, as whoever checks it expects.
            whole.save(str(folder), show_progress=False, **_names(_DOCUMENTS))  # type: ignore[attr-defined]
        (folder / "lexical.json").write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Read what `save` wrote, memory-mapped."""
        import json

        import bm25s

        facts = json.loads((folder / "lexical.json").read_text(encoding="utf-8"))
        vocabulary: dict[str, int] = facts["vocabulary"]
        bm25 = bm25s.BM25.load(str(folder), load_vocab=False, mmap=True) if vocabulary else bm25s.BM25()
        whole = None
        if "documents" in facts:
            whole = (
                bm25s.BM25.load(str(folder), load_vocab=False, mmap=True, **_names(_DOCUMENTS)),
                facts["documents"],
            )
        return cls(bm25, vocabulary, facts["spoken"], facts["languages"], facts["rows"], whole, facts["scripts"])


def native_scripts(texts: Sequence[str], tags: Sequence[str | None]) -> frozenset[str]:
    """Return the scripts texts are written in (`scripts_of`), told for the texts of each tag by themselves."""
    groups: dict[str, list[str]] = {}
    for text, tag in zip(texts, tags, strict=True):
        groups.setdefault(base_language(tag) if tag else "", []).append(text)
    return frozenset(script for group in groups.values() for script in scripts_of(group))


@lru_cache(maxsize=64)
def language_factor(query: str, native: frozenset[str]) -> float:
    """Return 0.25 for a query in other scripts than the corpus, else 1.

    That is one under a quarter of whose letters are in a native script, and which is more than a
    name: its language can be told.
    """
    if not native or not languages_of(query):
        return 1.0
    shared = sum(share for script, share in script_shares(query).items() if script in native)
    return 1.0 if shared >= SHARE else FOREIGN


# A search asks for them three times: for chunks, for documents, and to tell which terms it had.
@lru_cache(maxsize=64)
def _terms_of(query: str, languages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(query_terms(query, languages))


def _bm25(ids: Sequence[Sequence[int]], vocabulary: Mapping[str, int], k1: float, b: float) -> object:
    import bm25s

    bm25 = bm25s.BM25(method="lucene", k1=k1, b=b)
    if vocabulary:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bm25.index((ids, vocabulary), show_progress=False, create_empty_token=False)
    return bm25


def _names(prefix: str) -> dict[str, str]:
    """Return the file names of a second index in the same folder."""
    return {
        f"{part}_name": f"{prefix}{part}.{'json' if part in ('vocab', 'params') else 'npy'}"
        for part in ("data", "indices", "indptr", "vocab", "params", "nnoc")
    }
