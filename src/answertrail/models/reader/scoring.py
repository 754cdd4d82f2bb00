"""How well each chunk, and its document, answers the question; everything on one scale per question."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .evidence import Hit, Pool, adjacent
from .question import Question
from .text import covered, words

Embed = Callable[[list[str]], npt.NDArray[np.float32]]
"""Texts to L2-normalised rows, the corpus's own embedder."""

SIMILARITY_SPREAD = 0.1
"""Weight of one standard deviation of similarity (within the question's own pool), against 1 for
covering every word of the question. Standardising makes embedders comparable."""
DOCUMENT_WEIGHT, BEFORE_WEIGHT = 0.5, 0.5
"""What the document's score and the window before add to a chunk's own."""


@dataclass(frozen=True)
class Scored:
    """A chunk with its scores. `coverage` is the idf-weighted share of the question's words in the
    text, title and speakers, 0 to 1; `similarity` is standardised in the pool (0 without any)."""

    hit: Hit
    coverage: float
    similarity: float
    cosine: float | None
    base: float
    total: float


@dataclass(frozen=True)
class Ranking:
    """Chunks best first; `documents` best first with their scores; `weights` per question stem."""

    chunks: tuple[Scored, ...]
    documents: tuple[tuple[str, float], ...]
    weights: Mapping[str, float]
    stems: Mapping[str, frozenset[str]]


def idf_weights(question: Question, pool: Pool) -> dict[str, float]:
    """ln(1 + N / (1 + n)) for each question stem; n from the search's `terms`, else from the pool."""
    seen: dict[str, int] = {}
    for hit in pool.hits:
        for s in stems_of(hit):
            seen[s] = seen.get(s, 0) + 1
    known = pool.frequency
    size = pool.size if known else max(1, len(pool.hits))
    return {s: math.log(1 + size / (1 + known.get(s, seen.get(s, 0)))) for s in question.stems}


@lru_cache(maxsize=4096)
def stems_of(hit: Hit) -> frozenset[str]:
    """Stems of a chunk's text, title and speakers."""
    return frozenset(w.stem for w in words(f"{hit.text} {hit.title} {' '.join(hit.speakers)}"))


def similarities(question: Question, hits: Sequence[Hit], embed: Embed | None) -> list[float | None]:
    """The cosine each search reported for its hit; the embedder only fills in those that are missing.

    Searches differ a little in their query, which was measured to make no difference to the answers;
    embedding every chunk again would cost seconds.
    """
    known: list[float | None] = [h.dense for h in hits]
    missing = [i for i, value in enumerate(known) if value is None]
    if embed is None or not missing:
        return known
    vectors = np.asarray(embed([question.text, *(hits[i].text for i in missing)]), dtype=np.float64)
    for i, cosine in zip(missing, vectors[1:] @ vectors[0], strict=True):
        known[i] = float(cosine)
    return known


def standardise(values: Sequence[float | None]) -> list[float]:
    """(x - mean) / deviation over the known values; unknown ones, and all when equal, are 0."""
    known = np.array([v for v in values if v is not None], dtype=np.float64)
    if known.size < 2 or float(known.std()) == 0.0:
        return [0.0 for _ in values]
    mean, deviation = float(known.mean()), float(known.std())
    return [0.0 if v is None else (v - mean) / deviation for v in values]


def rank(question: Question, pool: Pool, embed: Embed | None) -> Ranking:
    """Score every chunk of the pool; ties break by chunk id. An empty pool gives an empty ranking."""
    weights = idf_weights(question, pool)
    stems = {h.id: stems_of(h) for h in pool.hits}
    present = frozenset().union(*stems.values()) if stems else frozenset()
    heard = {s: w for s, w in weights.items() if s in present}
    cosines = similarities(question, pool.hits, embed)
    spread = standardise(cosines)
    coverage = {h.id: covered(heard, stems[h.id]) for h in pool.hits}
    base = {h.id: SIMILARITY_SPREAD * z + coverage[h.id] for h, z in zip(pool.hits, spread, strict=True)}
    documents = _documents(pool, heard, stems, base)
    before = _before(pool, base)
    scored = [
        Scored(
            hit=h,
            coverage=coverage[h.id],
            similarity=z,
            cosine=c,
            base=base[h.id],
            total=base[h.id] + BEFORE_WEIGHT * before.get(h.id, 0.0) + DOCUMENT_WEIGHT * documents[h.document_id],
        )
        for h, z, c in zip(pool.hits, spread, cosines, strict=True)
    ]
    return Ranking(
        chunks=tuple(sorted(scored, key=lambda s: (-s.total, s.hit.id))),
        documents=tuple(sorted(documents.items(), key=lambda d: (-d[1], d[0]))),
        weights=weights,
        stems=stems,
    )


def _documents(
    pool: Pool, weights: dict[str, float], stems: Mapping[str, frozenset[str]], base: Mapping[str, float]
) -> dict[str, float]:
    """Best chunk, plus half the words covered by the document as a whole, plus a little of the next two."""
    groups: dict[str, list[Hit]] = {}
    for hit in pool.hits:
        groups.setdefault(hit.document_id, []).append(hit)
    out: dict[str, float] = {}
    for document, hits in groups.items():
        best = sorted((base[h.id] for h in hits), reverse=True)
        union = frozenset().union(*(stems[h.id] for h in hits))
        out[document] = best[0] + 0.5 * covered(weights, union) + 0.15 * sum(best[1:3])
    return out


def _before(pool: Pool, base: Mapping[str, float]) -> dict[str, float]:
    """For each chunk whose preceding window was seen: the base score of that window."""
    known = pool.by_id()
    out: dict[str, float] = {}
    for hit in pool.hits:
        following = adjacent(known, hit)
        if following is not None:
            out[following.id] = base[hit.id]
    return out
