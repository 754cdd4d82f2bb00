"""Which unit a set of rankings is scored in: chunks, documents or nodes; and which document an id names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import get_args

from answertrail.errors import InputError
from answertrail.metrics.ranking.units import UnitKind, document_of, place_of
from answertrail.records import Question, RetrievalRun


def ranking_unit(questions: Iterable[Question], rankings: Sequence[RetrievalRun], wanted: str | None) -> UnitKind:
    """Return the unit wanted, or the one that rankings and gold have in common.

    The unit is the rankings' own; where they are of chunks (or do not say), every ranked id is a
    chunk id and a `relevant` id is none, the gold names documents and the unit is `document`.
    Raises InputError for an unknown unit, rankings of different units, and rankings that cannot be
    read in the unit wanted: only chunks can be turned into another unit, and only into documents.
    """
    if wanted is not None and wanted not in get_args(UnitKind):
        raise InputError(f"no unit {wanted!r}", where="--unit", hint="choose chunk, document or node")
    given = {row.unit for row in rankings if row.unit is not None}
    if len(given) > 1 and wanted is None:
        raise InputError(
            f"rankings of different units: {', '.join(sorted(given))}", hint="say which with --unit, such as document"
        )
    own: UnitKind = next(iter(given), "chunk")
    if wanted is None:
        return "document" if own == "chunk" and _gold_names_documents(questions, rankings) else own
    unit: UnitKind = "chunk" if wanted == "chunk" else "document" if wanted == "document" else "node"
    for row in rankings:
        if row.unit not in (None, unit, "chunk" if unit == "document" else unit):
            raise InputError(
                f"a ranking of {row.unit}s cannot be scored by {unit}",
                where=f"question {row.question_id}, mode {row.mode}",
            )
    return unit


def document_namer(
    questions: Iterable[Question], rankings: Iterable[RetrievalRun], documents: Collection[str] = ()
) -> Callable[[str], str]:
    """Return what tells the document that a `relevant` id names, for a collection whose ids may look like chunk ids.

    An id that is known as a document stays: one of `documents`, of the evidence, or ranked (the
    documents of ranked chunks). Where documents of this collection look like chunk ids
    (`PMID:1234567`), so does one that nobody found, and it stays as well. Any other chunk id counts
    as its document.
    """
    known = {*documents, *(span.document_id for question in questions for span in question.evidence or ())}
    for row in rankings:
        known.update(entry.id if row.unit == "document" else document_of(entry.id) for entry in row.ranked)
    alike = any(place_of(name) for name in known)

    def named(name: str) -> str:
        whole = document_of(name)
        if name in known:
            return name
        return name if alike and whole not in known and place_of(whole) is None else whole

    return named


def chunk_rankings(row: RetrievalRun) -> bool:
    """Whether a ranking is one of chunks: it says so, or says nothing and its ids are chunk ids."""
    return row.unit == "chunk" or (row.unit is None and all(place_of(entry.id) for entry in row.ranked))


def _gold_names_documents(questions: Iterable[Question], rankings: Sequence[RetrievalRun]) -> bool:
    relevant = [item.id for question in questions for item in question.relevant or ()]
    if not any(place_of(name) is None for name in relevant):
        return False
    ranked = any(row.ranked for row in rankings)
    return ranked and all(place_of(entry.id) for row in rankings for entry in row.ranked)
