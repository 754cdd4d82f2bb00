"""Chunks as search sees them, and what a search returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


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

    `score` is the mode's own; `dense` the cosine (-1 to 1) and `lexical` the BM25 score
    (0 and up), None where the mode did not compute them. `lines` are the cues or sentences the
    chunk's `text` was joined from.
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
    lines: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in rank order.

    `matching` counts the chunks the filter lets through and the mode can rank; there are
    exactly min(k, matching) hits. `held_back` counts those left out because they were excluded.
    `terms` maps each query term (stemmed) to the number of
    chunks of the whole corpus that hold it.
    """

    query: str
    mode: str
    hits: tuple[Hit, ...]
    matching: int
    chunks_in_corpus: int
    held_back: int = 0
    terms: Mapping[str, int] = field(default_factory=dict)
