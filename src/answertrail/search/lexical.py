"""BM25 over the chunks of a corpus (bm25s, Lucene's variant, k1 = 1.5, b = 0.75).

A chunk is indexed by its text and by its context, the title and the speakers: half a minute of
speech seldom says whose and on what occasion it is.

Scores are computed for every chunk, so filters and ties are exact: no candidate pool.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from answertrail.search.tokens import index_tokens, query_terms

Scores = npt.NDArray[np.float32]


class LexicalIndex:
    """BM25 scores by row. `languages` are those of the indexed documents."""

    def __init__(
        self, bm25: object, vocabulary: Mapping[str, int], spoken: Sequence[int], languages: Sequence[str], rows: int
    ) -> None:
        self._bm25 = bm25
        self._vocabulary = vocabulary
        self._spoken = spoken
        self.languages = tuple(languages)
        self.rows = rows

    @classmethod
    def build(
        cls, texts: Sequence[str], languages: Sequence[str | None], contexts: Sequence[str] | None = None
    ) -> LexicalIndex:
        """Index one text per row; `languages` gives each row's tag (None counts as English).

        `contexts` are further words a row is found by, none when left out.
        """
        import bm25s

        vocabulary: dict[str, int] = {}
        spoken: list[int] = []
        ids: list[list[int]] = []
        for text, language, context in zip(texts, languages, contexts or [""] * len(texts), strict=True):
            row = [vocabulary.setdefault(token, len(vocabulary)) for token in index_tokens(text, language)]
            around = [vocabulary.setdefault(token, len(vocabulary)) for token in index_tokens(context, language)]
            spoken.extend([0] * (len(vocabulary) - len(spoken)))
            for token in set(row):
                spoken[token] += 1
            ids.append(around + row)
        bm25 = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        if vocabulary:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                bm25.index((ids, vocabulary), show_progress=False, create_empty_token=False)
        return cls(bm25, vocabulary, spoken, sorted({language or "en" for language in languages}), len(ids))

    def terms(self, query: str) -> dict[str, int]:
        """Map each distinct query term to the number of rows whose text, context apart, holds it.

        Of the stems that several languages give a word those the corpus has, else the first.
        """
        out: dict[str, int] = {}
        for term in query_terms(query, self.languages):
            for token in [token for token in term if token in self._vocabulary] or term[:1]:
                out[token] = self._spoken[self._vocabulary[token]] if token in self._vocabulary else 0
        return out

    def scores(self, query: str) -> tuple[Scores, float]:
        """Return BM25 of every row (0 where no term matches) and the matched share of the query.

        The share is idf of the query's terms the corpus knows over idf of all its terms, 0 to 1;
        a term the corpus has never seen counts with the largest idf, one with several stems by the
        most frequent. It is 0 for a query without terms.
        """
        terms = query_terms(query, self.languages)
        known = list(dict.fromkeys(self._vocabulary[t] for term in terms for t in term if self._frequency(t)))
        if not known:
            return np.zeros(self.rows, dtype=np.float32), 0.0
        raw: npt.NDArray[np.float32] = self._bm25.get_scores_from_ids(known)  # type: ignore[attr-defined]
        held = [max(self._frequency(t) for t in term) for term in terms]
        weights = [float(np.log1p((self.rows - n + 0.5) / (n + 0.5))) for n in held]
        total = sum(weights)
        share = sum(w for w, n in zip(weights, held, strict=True) if n) / total if total else 0.0
        return raw.astype(np.float32, copy=False), share

    def _frequency(self, term: str) -> int:
        index = self._vocabulary.get(term)
        if index is None:
            return 0
        pointers = self._bm25.scores["indptr"]  # type: ignore[attr-defined]
        return int(pointers[index + 1] - pointers[index])

    def save(self, folder: Path) -> None:
        """Write the index into an existing folder."""
        import json

        if self._vocabulary:
            self._bm25.save(str(folder), show_progress=False)  # type: ignore[attr-defined]
        facts = {"languages": self.languages, "rows": self.rows, "vocabulary": self._vocabulary, "spoken": self._spoken}
        (folder / "lexical.json").write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Read what `save` wrote, memory-mapped."""
        import json

        import bm25s

        facts = json.loads((folder / "lexical.json").read_text(encoding="utf-8"))
        vocabulary: dict[str, int] = facts["vocabulary"]
        bm25 = bm25s.BM25.load(str(folder), load_vocab=False, mmap=True) if vocabulary else bm25s.BM25()
        return cls(bm25, vocabulary, facts["spoken"], facts["languages"], facts["rows"])
