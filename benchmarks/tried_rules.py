"""Other rules for the search mode `fused`: each a function from what is known of a query to a score a passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.search.alike import POOL, lent
from answertrail.search.fusion import CHUNK_VOTE, DOCUMENT_VOTE, RRF_K, Fused, best, fuse_scores, idf
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import K1, B, LexicalIndex
from answertrail.search.modes import MODES
from answertrail.search.ranking import BOTH, Mode, Ranking, Signals
from answertrail.search.said_before import contexts
from answertrail.search.tokens import is_stop_word, words
from benchmarks.in_memory import Opened

BELIEVED, EXPANSION = 10, 20
"""Passages taken for relevant, and how many of their words are searched for (pseudo-relevance feedback)."""


class World:
    """A corpus, and what some rules need beside its index: made when first asked for."""

    def __init__(self, index: CorpusIndex, matrix: Vectors) -> None:
        self.index, self.rows, self.matrix = index, index.rows, np.nan_to_num(matrix)
        self.document_of: npt.NDArray[np.intp] = np.unique([r.document_id for r in self.rows], return_inverse=True)[1]
        self.everywhere = np.ones(len(self.rows), dtype=np.bool_)
        self._lexical: dict[tuple[float, float, int], LexicalIndex] = {}

    @classmethod
    async def opened(cls, corpus: Opened, embedder: Embedder) -> World:
        """Open a corpus of a set; an embedder that keeps its vectors makes none here."""
        index = corpus.fresh().index
        if not isinstance(index, CorpusIndex):
            raise TypeError("a set in memory is searched exactly")
        return cls(index, await embedder.embed([row.text for row in index.rows], "passage"))

    def lexical(self, k1: float, b: float, titles: int) -> LexicalIndex:
        """Return the index of the words with other parameters, the title counted so many times."""
        key = (k1, b, titles)
        if key not in self._lexical:
            further = [
                " ".join([row.title] * (titles - 1) + [said])
                for row, said in zip(self.rows, contexts(self.rows), strict=True)
            ]
            texts, tags = [row.text for row in self.rows], [row.language for row in self.rows]
            documents = [row.document_id for row in self.rows]
            self._lexical[key] = LexicalIndex.build(texts, tags, further, documents, k1=k1, b=b)
        return self._lexical[key]

    @cached_property
    def document_vectors(self) -> Vectors:
        """Return (documents, dims): the mean of the passages' vectors, of unit length."""
        out = np.zeros((int(self.document_of.max()) + 1, self.matrix.shape[1]), dtype=np.float32)
        np.add.at(out, self.document_of, self.matrix)
        out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
        return out


@dataclass(frozen=True)
class Asked:
    """A query, its vector, and its signals in a corpus as the search computes them; scores are by row."""

    query: str
    vector: npt.NDArray[np.float32]
    signals: Signals
    world: World

    @cached_property
    def cosines(self) -> Fused:
        """Return cosines in standard deviations above their mean."""
        return standard(self.signals.dense)

    @cached_property
    def bm25(self) -> Fused:
        """Return BM25 of the passages."""
        return self.signals.lexical.astype(np.float64)

    @property
    def passages(self) -> Fused:
        """Return BM25 of the passages times the query's weight."""
        return self.signals.weight * self.bm25

    @cached_property
    def documents(self) -> Fused:
        """Return weighted BM25 of each passage's document, 0 where nobody keeps it."""
        found = self.signals.documents
        return np.zeros(len(self.bm25)) if found is None else found.astype(np.float64)

    @cached_property
    def fused(self) -> Fused:
        """Return the scores of `fused` before passages lend each other theirs."""
        return self.fuse()

    def fuse(
        self,
        *,
        dense: Fused | None = None,
        bm25: Fused | None = None,
        passages: float = 1.0,
        documents: float = 1.0,
        short: bool = True,
    ) -> Fused:
        """Return fused scores of other cosines or BM25, their votes times a factor, short documents as long ones."""
        own = self.signals
        lexical = (own.lexical if bm25 is None else bm25) * passages
        return fuse_scores(
            own.dense if dense is None else dense.astype(np.float32),
            lexical.astype(np.float32),
            own.allowed,
            own.weight,
            (self.documents * documents).astype(np.float32),
            own.facts.short if short else None,
        )

    def lent(self, scores: Fused, pool: int = POOL, nearest: int | None = None) -> Fused:
        """Return scores after the best have lent each other theirs, as `fused` does."""
        first = best(scores, self.signals.rankable, pool)
        found = lent(Ranking(scores, self.signals.rankable), first, self.world.matrix[first], nearest)
        return np.asarray(found.scores, dtype=np.float64)

    @cached_property
    def share(self) -> float:
        """Return idf of the query's terms that the corpus has over that of all; 0 without a term."""
        rows = len(self.world.rows)
        held = list(self.world.index.lexical.terms(self.query).values())
        whole = sum(idf(rows, count) for count in held)
        return sum(idf(rows, count) for count in held if count) / whole if whole else 0.0

    @cached_property
    def believed(self) -> npt.NDArray[np.intp]:
        """Return the rows of the highest fused scores."""
        return best(self.fused, self.signals.rankable, BELIEVED)


async def ask(world: World, query: str, embedder: Embedder) -> Asked:
    """Compute the signals of a query once, by the search itself."""
    seen: list[Signals] = []

    def keep(signals: Signals) -> Ranking:
        seen.append(signals)
        return MODES["fused"].rank(signals)

    await world.index.search(query, mode=Mode("seen", BOTH, keep), k=1)
    return Asked(query, np.nan_to_num((await embedder.embed([query], "query"))[0]), seen[0], world)


Rule = Callable[[Asked], Fused]


@dataclass(frozen=True)
class Variant:
    """A rule, and in a sentence why it might be better. Where it `lends`, the best of its scores are exchanged."""

    rule: Rule
    why: str
    lends: bool = True

    def scores(self, asked: Asked) -> Fused:
        """Return a score a passage."""
        found = self.rule(asked)
        return asked.lent(found) if self.lends else found


def standard(values: npt.NDArray[np.floating]) -> Fused:
    """Return values in standard deviations above their mean, 0 for NaN and where all are equal."""
    out = values.astype(np.float64)
    known = out[~np.isnan(out)]
    if not len(known):
        return np.zeros(len(out))
    return np.nan_to_num((out - float(known.mean())) / (float(known.std()) or 1.0))


def weighted(passages: float = 1.0, documents: float = 1.0) -> Rule:
    """Return `fused` with the votes of the two BM25s times these."""
    return lambda asked: asked.fuse(passages=passages, documents=documents)


def documents_alone(asked: Asked) -> Fused:
    """Give the vote of passages to their documents."""
    return asked.fuse(passages=0.0, documents=CHUNK_VOTE / DOCUMENT_VOTE, short=False)


def exchanged(pool: int = POOL, nearest: int | None = None) -> Rule:
    """Return `fused` with others that lend."""
    return lambda asked: asked.lent(asked.fused, pool, nearest)


def lent_twice(asked: Asked) -> Fused:
    """Exchange the scores twice, so that they reach further."""
    return asked.lent(asked.lent(asked.fused))


def own_deviation(asked: Asked) -> Fused:
    """Put BM25 on the scale of its own deviation over the passages; it is sparse, so that is small."""
    by_its_own = asked.share * asked.bm25 / (float(asked.bm25.std()) or 1.0)
    return asked.cosines + by_its_own + DOCUMENT_VOTE * asked.documents


def share_squared(asked: Asked) -> Fused:
    """Let what the corpus does not know count twice against the words."""
    return asked.fuse(passages=asked.share, documents=asked.share)


def z_scores(asked: Asked) -> Fused:
    """Add standardised cosines and standardised BM25."""
    return asked.cosines + standard(asked.bm25)


def z_scores_by_share(asked: Asked) -> Fused:
    """Add standardised cosines and the matched share of standardised BM25."""
    return asked.cosines + asked.share * standard(asked.bm25)


def reciprocal_ranks(asked: Asked) -> Fused:
    """Add 1 / (60 + rank) over all passages; without a matched term there is no lexical vote."""
    return _reciprocal(asked.cosines) + np.where(asked.bm25 > 0, _reciprocal(asked.bm25), 0.0)


def _reciprocal(scores: Fused) -> Fused:
    out = np.empty(len(scores))
    out[np.argsort(-scores, kind="stable")] = 1.0 / (RRF_K + 1 + np.arange(len(scores)))
    return out


def comb_mnz(asked: Asked) -> Fused:
    """Add both scores between 0 and 1, times the number of rankings that have the passage."""
    return (_unit(asked.cosines) + _unit(asked.bm25)) * (1.0 + (asked.bm25 > 0))


def _unit(scores: Fused) -> Fused:
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / ((high - low) or 1.0)


def parameters(k1: float = K1, b: float = B, titles: int = 1) -> Rule:
    """Return `fused` over another BM25."""

    def rule(asked: Asked) -> Fused:
        index, own = asked.world.lexical(k1, b, titles), asked.signals
        scores, weight = index.scores(asked.query)
        return fuse_scores(own.dense, scores, own.allowed, weight, index.document_votes(asked.query), own.facts.short)

    return rule


def document_vectors(asked: Asked) -> Fused:
    """Return for each row the standardised cosine of its document, the mean of its passages' vectors."""
    return standard(asked.world.document_vectors @ asked.vector)[asked.world.document_of]


def whole_documents(asked: Asked) -> Fused:
    """Rank whole documents, by vector and by words; the passages only tell them apart."""
    return document_vectors(asked) + CHUNK_VOTE * asked.documents + 1e-6 * asked.fused


def moved_cosines(asked: Asked) -> Fused:
    """Move the query's vector halfway to the mean of the passages believed relevant."""
    moved: Fused = asked.world.matrix @ (asked.vector + asked.world.matrix[asked.believed].mean(axis=0))
    return moved


def rocchio(asked: Asked) -> Fused:
    """Feedback on the vector."""
    return asked.fuse(dense=moved_cosines(asked))


def model_bm25(asked: Asked) -> Fused:
    """RM3: half the query's words, half the likeliest of a relevance model of the passages believed relevant."""
    belief = np.exp(asked.fused[asked.believed] - asked.fused[asked.believed].max())
    model: Counter[str] = Counter()
    for place, part in zip(asked.believed, belief / belief.sum(), strict=True):
        row = asked.world.rows[place]
        said = [word.casefold() for word in words(row.text) if not word[0].isdigit()]
        said = [word for word in said if not is_stop_word(word, row.language or "en")]
        for word in said:
            model[word] += part / len(said)
    likeliest = model.most_common(EXPANSION)
    whole = sum(part for _, part in likeliest)
    index = asked.world.index.lexical
    # BM25 of a query is a sum over its terms, that of a model an average: hence the number of terms.
    terms = max(1, len(index.terms(asked.query)))
    out = asked.bm25 / 2
    for word, part in likeliest:
        out = out + terms * part / whole / 2 * index.scores(word)[0]
    return out


def rm3(asked: Asked) -> Fused:
    """Feedback on the words."""
    return asked.fuse(bm25=model_bm25(asked))


def rm3_and_rocchio(asked: Asked) -> Fused:
    """Feedback on both."""
    return asked.fuse(dense=moved_cosines(asked), bm25=model_bm25(asked))


def near_in_document(asked: Asked) -> Fused:
    """Add a fifth of the scores of the passages before and after, as the mode `near` does."""
    facts, padded = asked.signals.facts, np.append(asked.fused, 0.0)
    out: Fused = asked.fused + 0.2 * (padded[facts.before] + padded[facts.after])
    return out


BASE = "fused"
VARIANTS: Mapping[str, Variant] = {
    BASE: Variant(lambda asked: asked.fused, "the default"),
    "cosines alone": Variant(lambda asked: asked.cosines, "one of its parts", lends=False),
    "BM25 alone": Variant(lambda asked: asked.bm25, "another of its parts", lends=False),
    "without likeness": Variant(lambda asked: asked.fused, "no score is lent", lends=False),
    "short documents like long ones": Variant(lambda asked: asked.fuse(short=False), "one part less"),
    "without either": Variant(lambda asked: asked.fuse(short=False), "two parts less", lends=False),
    "without votes of documents": Variant(weighted(documents=0.0), "one part less"),
    "likeness among 20": Variant(exchanged(20), "the very first are the likeliest", lends=False),
    "likeness among 30": Variant(exchanged(30), "the first are the likeliest", lends=False),
    "likeness among 50": Variant(exchanged(50), "more of them know more", lends=False),
    "likeness among 40, to 6": Variant(exchanged(40, 6), "the most alike tell most", lends=False),
    "likeness among 40, to 10": Variant(exchanged(40, 10), "more of them know more", lends=False),
    "likeness among 40, to 4": Variant(exchanged(40, 4), "the most alike tell most", lends=False),
    "likeness among 100": Variant(exchanged(100, 8), "what is like the best may stand further down", lends=False),
    "likeness twice": Variant(lent_twice, "what is like a like one", lends=False),
    "documents × 3": Variant(weighted(documents=3.0), "what a talk is about may tell more"),
    "documents in place of passages": Variant(
        documents_alone, "in a document of one or two passages both BM25s say the same"
    ),
    "passages × 2": Variant(weighted(2.0), "words may tell more than meaning"),
    "passages × 1/2": Variant(weighted(0.5), "meaning may tell more than words"),
    "BM25 by its own deviation": Variant(own_deviation, "what stands out of the corpus is seen in the scores"),
    "share squared": Variant(share_squared, "a query the corpus half knows may be worth less than half"),
    "z-scores": Variant(z_scores, "the usual fusion of scores"),
    "z-scores by share": Variant(z_scores_by_share, "the same, without a vote for words the corpus lacks"),
    "reciprocal ranks": Variant(reciprocal_ranks, "ranks need no common scale"),
    "CombMNZ": Variant(comb_mnz, "what both find is more likely meant"),
    "k1 1.2, b 0.75": Variant(parameters(b=0.75), "Lucene's values"),
    "k1 1.5, b 0.75": Variant(parameters(1.5, 0.75), "the default until it was measured on paragraphs"),
    "k1 0.9, b 0.4": Variant(parameters(0.9, 0.4), "Anserini's values"),
    "k1 2, b 0.75": Variant(parameters(2.0, 0.75), "repeats tell more in short abstracts"),
    "title twice": Variant(parameters(titles=2), "a title says what all of the text is about"),
    "document's vector added": Variant(
        lambda asked: asked.fused + document_vectors(asked), "documents vote by their words, so by their meaning too"
    ),
    "whole documents": Variant(whole_documents, "gold is of documents, and cutting them may lose something"),
    "Rocchio": Variant(rocchio, "the best passages are near others that are meant"),
    "RM3": Variant(rm3, "the best passages have the words the query lacks"),
    "RM3 and Rocchio": Variant(rm3_and_rocchio, "both"),
    "near in document": Variant(near_in_document, "what is told over several passages is meant together"),
}
