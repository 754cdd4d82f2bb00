"""Chunks as search sees them, and what a search returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from answertrail.search.coverage import Coverage
from answertrail.search.links import at_second
from answertrail.search.translated import Translated

_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk with what is shown of its document. Times and duration in seconds."""

    id: str
    document_id: str
    title: str
    published_at: datetime | None
    url: str | None
    language: str | None
    duration_s: float | None
    start_s: float | None
    end_s: float | None
    text: str
    lines: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """Which chunks may match. `start` and `end` bound `published_at`, half-open `[start, end)`.

    With a bound set, documents without a date do not match. `documents` None means any.
    `exclude` lists chunk ids already shown.
    """

    start: datetime | None = None
    end: datetime | None = None
    documents: frozenset[str] | None = None
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk at its rank.

    `score` is the mode's own and never rises along the hits; `dense` the cosine (-1 to 1) and
    `lexical` the BM25 score (0 and up), None where the mode did not compute them. `relevance` is
    what the order was made by where `score` only gives the order: the fused score (near,
    timeline, diverse), or the reranker's for the chunks it read.
    `lines` are the cues or sentences the chunk's `text` was joined from.
    """

    chunk_id: str
    document_id: str
    title: str
    published_at: datetime | None
    start_s: float | None
    end_s: float | None
    url: str | None
    text: str
    score: float
    dense: float | None = None
    lexical: float | None = None
    relevance: float | None = None
    lines: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in rank order.

    `matching` counts the chunks the filter lets through and the mode can rank; there are
    exactly min(k, matching) hits. `held_back` counts those left out because they were excluded.
    `terms` maps each query term (stemmed) to the number of chunks of the whole corpus that hold
    it. `undated_left_out` counts the documents that only a date bound left out, having no date.
    `coverage` tells of every period, None for a mode without periods. `engine` holds the vectors;
    `fallback` says why it answered by another way than its own, None when it did not. `warnings`
    are sentences for who asked: a query in a language the embedder does not read, a translation
    that could not be had. `translated` is what the query was put into, None where that was not asked.
    `reworded` was searched as one with it, and so was `like`: by the ids of passages, the words of each.
    """

    query: str
    mode: str
    hits: tuple[Hit, ...]
    matching: int
    chunks_in_corpus: int
    held_back: int = 0
    terms: Mapping[str, int] = field(default_factory=dict)
    undated_left_out: int = 0
    coverage: Coverage | None = None
    engine: str = "exact"
    fallback: str | None = None
    warnings: tuple[str, ...] = ()
    translated: Translated | None = None
    reworded: tuple[str, ...] = ()
    like: Mapping[str, str] = field(default_factory=dict)

    @property
    def dated(self) -> tuple[Hit, ...]:
        """The hits in date order, by document and by place in it; the undated last."""
        return tuple(in_date_order(self.hits))


def hit_of(
    row: ChunkRow,
    score: float,
    *,
    dense: float | None = None,
    lexical: float | None = None,
    relevance: float | None = None,
) -> Hit:
    """Return a chunk as a hit of this score, its link leading to the second at which it begins."""
    return Hit(
        chunk_id=row.id,
        document_id=row.document_id,
        title=row.title,
        published_at=row.published_at,
        start_s=row.start_s,
        end_s=row.end_s,
        url=at_second(row.url, row.start_s),
        text=row.text,
        score=score,
        dense=dense,
        lexical=lexical,
        relevance=relevance,
        lines=row.lines,
        speakers=row.speakers,
    )


def in_date_order(hits: Iterable[Hit]) -> list[Hit]:
    """Sort hits by date, document and place in the document; the undated come last."""
    return sorted(hits, key=lambda hit: (hit.published_at or _LAST, hit.document_id, offset_of(hit.chunk_id)))


def offset_of(chunk_id: str) -> int:
    """Return where a chunk begins in its document: seconds of timed text, characters of untimed.

    0 for an id that does not end in a number; the document's own id may hold `:`.
    """
    tail = chunk_id.rpartition(":")[2]
    return int(tail) if tail.isascii() and tail.isdigit() else 0
