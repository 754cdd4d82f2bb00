"""The gold units of a question: what a perfect list would hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import fsum, log2
from operator import mul

from answertrail.metrics.measured import Ineligible
from answertrail.metrics.ranking.units import Span, UnitKind, document_of
from answertrail.records.question import Question, Relevant

_DISCOUNTS = (0.0, *(1 / log2(rank + 1) for rank in range(1, 2001)))


def discount(rank: int) -> float:
    """Return 1 / log2(rank + 1)."""
    return _DISCOUNTS[rank] if rank < len(_DISCOUNTS) else 1 / log2(rank + 1)


def gain_sum(gains: Iterable[float], ranks: Iterable[int]) -> float:
    """Return the sum of gain x discount(rank), rounded once, so that a perfect list reaches 1 exactly."""
    return fsum(map(mul, gains, map(discount, ranks)))


@dataclass(frozen=True, slots=True)
class Gold:
    """Gold units of one question: ids with their grades, and evidence spans (grade 1) by document.

    `gains` are all grades, largest first: the ideal list.
    """

    question_id: str
    grades: Mapping[str, float]
    spans: Mapping[str, tuple[Span, ...]]
    gains: tuple[float, ...]

    @property
    def size(self) -> int:
        """How many units there are."""
        return len(self.gains)

    @property
    def names(self) -> tuple[str, ...]:
        """The units by name: spans first."""
        return (*(span.name for rows in self.spans.values() for span in rows), *self.grades)

    def ideal(self, k: int) -> float:
        """Return the discounted gain of the best possible k first: sum of grade / log2(rank + 1)."""
        return gain_sum(self.gains[:k], range(1, k + 1))


def gold_of(
    question: Question, unit: UnitKind = "chunk", document: Callable[[str], str] = document_of
) -> Gold | Ineligible:
    """Return the gold units of a question for rankings of a unit, or why it has none.

    chunk: each evidence item and each `relevant` id; document: the distinct documents of both,
    a chunk id in `relevant` counting as its document, at its best grade; node: `relevant` ids.
    `document` says which document an id of `relevant` names, where its form alone misleads.
    Exact repeats are one unit. A grade of 0 says "judged, not relevant" and makes no unit.
    Ineligible: an unanswerable question, and one without a unit. Raises ValueError when one id is
    given two grades.
    """
    if question.tier == "unanswerable":
        return Ineligible(question.question_id, "unanswerable: it has no supporting unit to find")
    grades = _grades(question.relevant or (), document if unit == "document" else None)
    spans = list(dict.fromkeys(evidence_spans(question))) if unit != "node" else []
    if unit == "document":
        for span in spans:
            grades[span.document_id] = max(grades.get(span.document_id, 0), 1)
        spans = []
    return gold_units(question.question_id, grades, spans, empty=_no_unit(question, unit))


def evidence_gold(question: Question) -> Gold | Ineligible:
    """Return the evidence items alone, for the measures at a budget. Ineligible as `gold_of`."""
    if question.tier == "unanswerable":
        return Ineligible(question.question_id, "unanswerable: it has no supporting unit to find")
    return gold_units(question.question_id, {}, dict.fromkeys(evidence_spans(question)), empty="no evidence item")


def evidence_spans(question: Question) -> list[Span]:
    """Return a question's evidence in its order. A lone start is a point; a lone end begins at 0."""
    out = []
    for item in question.evidence or ():
        start, end = item.start_s, item.end_s
        if end is None:
            end = start
        elif start is None:
            start = 0.0
        out.append(Span(item.document_id, start, end))
    return out


def gold_units(
    question_id: str, grades: Mapping[str, float], spans: Iterable[Span] = (), *, empty: str = "no gold unit"
) -> Gold | Ineligible:
    """Return gold of plain parts: ids with grades (0 and below make no unit), and distinct spans."""
    kept = {name: grade for name, grade in grades.items() if grade > 0}
    by_document: dict[str, list[Span]] = {}
    count = 0
    for span in spans:
        by_document.setdefault(span.document_id, []).append(span)
        count += 1
    if not kept and not count:
        return Ineligible(question_id, empty)
    gains = tuple(sorted((*kept.values(), *[1] * count), reverse=True))
    return Gold(question_id, kept, {name: tuple(rows) for name, rows in by_document.items()}, gains)


def _grades(relevant: Iterable[Relevant], document: Callable[[str], str] | None) -> dict[str, float]:
    given: dict[str, float] = {}
    for item in relevant:
        grade = 1 if item.grade is None else item.grade
        if given.setdefault(item.id, grade) != grade:
            raise ValueError(f"relevant id {item.id!r} has two grades, {given[item.id]:g} and {grade:g}")
    if document is None:
        return given
    documents: dict[str, float] = {}
    for name, grade in given.items():
        whole = document(name)
        documents[whole] = max(documents.get(whole, 0), grade)
    return documents


def _no_unit(question: Question, unit: UnitKind) -> str:
    if question.evidence and unit == "node":
        return "no gold unit: evidence spans are no nodes"
    if question.relevant:
        return "no gold unit: every relevant id has grade 0"
    return "no gold unit: neither evidence nor relevant ids"
