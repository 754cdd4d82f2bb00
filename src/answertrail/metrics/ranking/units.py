"""Unit ids as the contract writes them: which document a chunk is of, and which seconds it covers."""

from __future__ import annotations

from typing import Literal, NamedTuple

UnitKind = Literal["chunk", "document", "node"]

WINDOW_S = 30
_TIMED = (5, 6)  # five digits; six only beyond 99,999 seconds
_UNTIMED = 7


class Place(NamedTuple):
    """A chunk's document, and the start of its window; None for an untimed chunk."""

    document_id: str
    start_s: int | None


class Span(NamedTuple):
    """An evidence item: a document, and the seconds `[start_s, end_s]` where it is timed."""

    document_id: str
    start_s: float | None
    end_s: float | None

    @property
    def name(self) -> str:
        """`DOCUMENT@START-END`, or the document alone."""
        if self.start_s is None:
            return self.document_id
        return f"{self.document_id}@{self.start_s:g}-{self.end_s:g}"


def place_of(unit_id: str) -> Place | None:
    """Read a chunk id, split from the right since a document id may hold `:`; None if it is no chunk id."""
    document, _, tail = unit_id.rpartition(":")
    if not document or not (tail.isascii() and tail.isdigit()):
        return None
    if len(tail) in _TIMED:
        return Place(document, int(tail))
    return Place(document, None) if len(tail) == _UNTIMED else None


def document_of(unit_id: str) -> str:
    """Return the document of a chunk id; any other id is a document already."""
    place = place_of(unit_id)
    return unit_id if place is None else place.document_id


def covers(place: Place, span: Span, *, neighbours: bool = False) -> bool:
    """Whether a chunk finds an evidence item of the same document.

    An item without times is found by every chunk of its document, a timed one by the window
    `[S, S + 30)` it overlaps; a span of no length lies in the window it falls into. With
    `neighbours` the windows before and after count as well. An untimed chunk finds no timed item.
    """
    if span.start_s is None or span.end_s is None:
        return True
    if place.start_s is None:
        return False
    reach = WINDOW_S if neighbours else 0
    low, high = place.start_s - reach, place.start_s + WINDOW_S + reach
    if span.start_s == span.end_s:
        return low <= span.start_s < high
    return span.start_s < high and span.end_s > low
