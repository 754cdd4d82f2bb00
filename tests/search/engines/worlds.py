"""Corpora for the engines: the same rows behind `CorpusIndex` and behind `EngineIndex`."""

from __future__ import annotations

import numpy as np

from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.exact import ExactVectors, LocalWords
from answertrail.search.engines.index import EngineIndex
from answertrail.search.engines.rows import HeldRows
from answertrail.search.index import CorpusIndex
from tests.search.worlds import TinyEmbedder, index_of


def catalogue_of(rows, matrix) -> Catalogue:
    return Catalogue.of(
        (
            row.id,
            row.document_id,
            row.published_at.timestamp() if row.published_at else None,
            not np.isnan(matrix[at]).any(),
            row.text,
            row.start_s is not None,
        )
        for at, row in enumerate(rows)
    )


def both(rows, embedder: TinyEmbedder, vectors=None) -> tuple[CorpusIndex, EngineIndex]:
    """Return the index that scores every row and one over the exact engine."""
    whole = index_of(rows, embedder, vectors)
    table = sorted(rows, key=lambda row: row.id)
    matrix = whole._matrix
    catalogue = catalogue_of(table, matrix)
    words = whole.lexical
    engine = ExactVectors(catalogue, matrix)
    return whole, EngineIndex(catalogue, engine, LocalWords(catalogue, words), HeldRows(table, matrix), embedder)


def clustered(rng: np.random.Generator, rows: int, dims: int, centres: int = 60) -> np.ndarray:
    """Unit vectors in clusters of unlike size, as texts have them; uniform noise has no neighbours."""
    middles = rng.normal(size=(centres, dims))
    weights = rng.dirichlet(np.full(centres, 0.5))
    out = middles[rng.choice(centres, size=rows, p=weights)] + 0.6 * rng.normal(size=(rows, dims))
    return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)
