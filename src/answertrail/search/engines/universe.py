"""A small corpus that stands for the whole one, so that every mode can rank an engine's candidates.

The modes take scores of all chunks (`Signals`). An engine gives those of the best few. So the
modes are handed the candidates, and beside them *stand-ins*: a fixed sample of the corpus, which
tells how scores are spread. Only candidates are ever returned.

Candidates are the best of the corpus, so with them the sample is too good. The stand-ins are
moved and drawn together, so that mean and spread of all rows are those of the sample alone. Of a
corpus no larger than the sample nothing is moved: there the scores are the exact ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from answertrail.search.engines.catalogue import Catalogue, Mask, Places
from answertrail.search.fusion import short_documents
from answertrail.search.hits import Filter
from answertrail.search.ranking import Facts, Signals

SAMPLE = 4096
"""Rows of the sample. 4,096 give a mean to within 0.03 standard deviations (two standard errors)."""

_ENOUGH = 32

Cosines = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What the engines said of some chunks, by place in id order.

    `dense` is the cosine (NaN without a vector), `lexical` BM25 (0 without a match), `weight`
    what a point of BM25 is worth, `documents` the weighted BM25 of whole documents by id (None
    where nobody keeps it).
    """

    places: Places
    dense: npt.NDArray[np.float32]
    lexical: npt.NDArray[np.float32]
    weight: float
    documents: Mapping[str, float] | None = None

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        chunks: Collection[str],
        dense: Mapping[str, float],
        lexical: Mapping[str, float],
        weight: float,
        documents: Mapping[str, float] | None = None,
    ) -> Candidates:
        """Put together what is known of each of these chunks by its id."""
        places = catalogue.places(chunks)
        ids = [catalogue.ids[place] for place in places.tolist()]
        return cls(
            places,
            np.array([dense.get(chunk, np.nan) for chunk in ids], dtype=np.float32),
            np.array([lexical.get(chunk, 0.0) for chunk in ids], dtype=np.float32),
            weight,
            documents,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Universe:
    """Rows for the modes: candidates first, in id order, then stand-ins, then one marker a document.

    A marker has no scores and is never ranked; by it every document's period is known.
    """

    signals: Signals
    places: Places
    candidates: int

    @property
    def returnable(self) -> Mask:
        """The rows that may be returned."""
        return np.arange(len(self.signals.dense)) < self.candidates


def universe(
    catalogue: Catalogue,
    found: Candidates,
    sample: tuple[Places, npt.NDArray[np.float32]],
    within: Filter,
    *,
    everywhere: bool = False,
) -> Universe:
    """Build it. `sample` are places and their cosines with the query, NaN where that has no vector.

    Which rows it has follows from the places alone, so that of two wordings of a query it is the same.

    `everywhere` says that scores are those of the whole corpus and not of what the filter lets
    through. Mean and spread are taken of the sample's rows that the filter lets through, or of
    all when fewer than 32 are.
    """
    documents = catalogue.allowed_documents(within)
    stand_ins, cosines = _stand_ins(catalogue, found, sample, documents, everywhere)
    size = len(found.places)
    markers = np.arange(len(catalogue.documents), dtype=np.intp)
    rest = len(stand_ins) + len(markers)
    number = np.concatenate([catalogue.document_of[found.places], stand_ins, markers]).astype(np.intp)
    dense = np.concatenate([found.dense, cosines.astype(np.float32), np.full(len(markers), np.nan, dtype=np.float32)])
    lexical = np.concatenate([found.lexical, np.zeros(rest, dtype=np.float32)])
    shown = np.zeros(size + rest, dtype=np.bool_)
    shown[:size] = np.isin(found.places, catalogue.places(within.exclude))
    published = catalogue.published[number]
    facts = Facts(
        published,
        number,
        _beside(catalogue.before, found.places, size + rest),
        _beside(catalogue.after, found.places, size + rest),
        _short(catalogue, found.places, size + rest),
        within.start.timestamp() if within.start is not None else None,
        within.end.timestamp() if within.end is not None else None,
        catalogue.undated_left_out(within)[number],
    )
    votes = None
    if found.documents is not None:
        by_number = np.zeros(len(catalogue.documents), dtype=np.float32)
        for name, vote in found.documents.items():
            by_number[catalogue.numbers[name]] = vote
        votes = by_number[number]
    signals = Signals(dense, lexical, found.weight, documents[number], shown, facts, votes)
    return Universe(signals, found.places, size)


def _stand_ins(
    catalogue: Catalogue,
    found: Candidates,
    sample: tuple[Places, npt.NDArray[np.float32]],
    documents: Mask,
    everywhere: bool,
) -> tuple[Places, Cosines]:
    """Return the documents of the sampled rows that are no candidates, and cosines that make mean and spread right."""
    places, cosines = sample
    counted = np.ones(len(documents), dtype=np.bool_) if everywhere else documents
    mine = counted[catalogue.document_of[found.places]] & catalogue.has_vector[found.places]
    candidates = found.dense[mine]
    held = int(catalogue.vectors_of[counted].sum())
    if held <= len(candidates) or not len(places):
        return places[:0], np.zeros(0)
    numbers = catalogue.document_of[places]
    inside = counted[numbers]
    all_inside = int(inside.sum()) == held
    if not all_inside and inside.sum() < _ENOUGH:
        # Rows of other documents stand in, under the number of one that counts.
        numbers = np.where(inside, numbers, np.flatnonzero(counted)[0])
        inside = np.ones_like(inside)
    drawn = cosines[inside].astype(np.float64)
    new = inside & ~np.isin(places, found.places)
    values = cosines[new].astype(np.float64)
    if not all_inside and len(values):
        values = matched(values, candidates.astype(np.float64), float(drawn.mean()), float(drawn.var()))
    return numbers[new].astype(np.intp), values


def matched(values: Cosines, fixed: Cosines, mean: float, variance: float) -> Cosines:
    """Move and stretch `values` so that, together with `fixed`, they have this mean and variance.

    When `fixed` alone spread wider than that, `values` become one number and only the mean is right.
    """
    total = len(values) + len(fixed)
    own_mean = (total * mean - float(fixed.sum())) / len(values)
    own_square = (total * variance - float(((fixed - mean) ** 2).sum())) / len(values)
    own_variance = own_square - (own_mean - mean) ** 2
    spread = float(values.std())
    if own_variance <= 0 or spread == 0:
        return np.full(len(values), own_mean)
    moved: Cosines = own_mean + (values - float(values.mean())) * (own_variance**0.5 / spread)
    return moved


def _short(catalogue: Catalogue, places: Places, size: int) -> Places:
    """Return the numbers of short documents for the candidates alone: stand-ins are of no document in particular."""
    out = np.full(size, -1, dtype=np.intp)
    out[: len(places)] = short_documents(catalogue.document_of[places].astype(np.intp), catalogue.chunks_of)
    return out


def _beside(neighbour: Places, places: Places, size: int) -> Places:
    """Return for each row that of the neighbour of its chunk, -1 where that is no candidate. `places` are in order."""
    out = np.full(size, -1, dtype=np.intp)
    if len(places):
        wanted = neighbour[places]
        rows = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
        out[: len(places)] = np.where(places[rows] == wanted, rows, -1)
    return out
