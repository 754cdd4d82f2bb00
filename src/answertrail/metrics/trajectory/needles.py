"""The recall analog: which gold evidence a trail retrieved, and which of it the answer cites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answertrail.metrics.ranking.gold import Gold
from answertrail.metrics.ranking.hits import spans_found
from answertrail.metrics.ranking.units import document_of
from answertrail.metrics.trajectory.trail import Trail
from answertrail.records import RunChunk

NOTHING_CITED = "the answer cites nothing"
NOT_SAID_CITED = "the run does not carry its statements"
NOT_SAID_RETRIEVED = "the run does not say what it retrieved"


@dataclass(frozen=True, slots=True)
class Facts:
    """A trail against its gold.

    `units` gold units, of which `surfaced` were retrieved and `cited_units` cited; `cited` distinct
    ids, of which `supporting` find at least one unit. None where the run does not say. One chunk
    can find several units and several chunks one, so `cited_units` and `supporting` are counted
    apart.
    """

    units: int
    surfaced: tuple[str, ...] | None
    cited_units: tuple[str, ...] | None
    cited: int | None
    supporting: int | None

    @property
    def f1(self) -> float | None:
        """2PR / (P + R) of precision `supporting / cited` and recall `cited_units / units`.

        0 when nothing is cited, or nothing cited supports: the recall is 0 then, whatever the
        precision. None when it is not known what was cited.
        """
        if self.cited is None or self.supporting is None or self.cited_units is None:
            return None
        if not self.supporting:
            return 0.0
        precision, recall = self.supporting / self.cited, len(self.cited_units) / self.units
        return 2 * precision * recall / (precision + recall)


def facts_of(trail: Trail, gold: Gold) -> Facts:
    """Hold a trail against the gold of its question; the order of ids and repeats of them change nothing.

    With gold of documents every id counts as its document, once.
    """
    surfaced = None if trail.retrieved is None else _found(trail, gold, trail.retrieved)
    if trail.cited is None:
        return Facts(gold.size, surfaced, None, None, None)
    supporting = [name for name in trail.cited if units_found(gold, name, trail.imported.get(name))]
    return Facts(gold.size, surfaced, _found(trail, gold, trail.cited), len(trail.cited), len(supporting))


def by_document(trail: Trail) -> Trail:
    """Return the trail with every id as its document, for gold of documents."""

    def document(name: str) -> str:
        chunk = trail.imported.get(name)
        return chunk.document_id if chunk else document_of(name)

    return Trail(
        trail.run_id,
        trail.question_id,
        trail.repeat,
        None if trail.retrieved is None else frozenset(map(document, trail.retrieved)),
        None if trail.cited is None else tuple(dict.fromkeys(map(document, trail.cited))),
        trail.searches,
        {},
    )


def units_found(gold: Gold, name: str, imported: RunChunk | None = None) -> frozenset[str]:
    """Return the names of the gold units that one retrieved or cited id finds.

    A `relevant` id is found by itself, and a document by each of its chunks. An evidence item is
    found when the chunk overlaps it: by the window its id names, or, for an imported chunk whose id
    names none, by its document and times `[start_s, end_s)`.
    """
    document = imported.document_id if imported else document_of(name)
    found = {unit for unit in (name, document) if unit in gold.grades}
    if imported is None:
        return frozenset(found.union(span.name for span in spans_found(gold, name)))
    for span in gold.spans.get(document, ()):
        start, end = imported.start_s, imported.end_s
        if span.start_s is None or span.end_s is None:
            found.add(span.name)
        elif start is not None and end is not None:
            point = span.start_s == span.end_s
            inside = start <= span.start_s < end if point else span.start_s < end and span.end_s > start
            if inside:
                found.add(span.name)
    return frozenset(found)


def _found(trail: Trail, gold: Gold, names: Iterable[str]) -> tuple[str, ...]:
    found: set[str] = set()
    for name in names:
        found |= units_found(gold, name, trail.imported.get(name))
    return tuple(sorted(found))
