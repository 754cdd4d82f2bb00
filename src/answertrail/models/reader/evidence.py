"""What the searches brought back: tool results as typed values, and the pool they make together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .text import normalise


@dataclass(frozen=True)
class Hit:
    """One chunk as a search returned it. Seconds are from the start of the recording."""

    id: str
    document_id: str
    text: str
    title: str = ""
    date: str | None = None
    start_s: float | None = None
    end_s: float | None = None
    speakers: tuple[str, ...] = ()
    score: float = 0.0
    dense: float | None = None
    lexical: float | None = None


@dataclass(frozen=True)
class SearchResult:
    """One search and its hits, best first. `terms` is None where the mode has no lexical side."""

    query: str
    hits: tuple[Hit, ...] = ()
    matching: int | None = None
    chunks_in_corpus: int | None = None
    held_back: int = 0
    terms: tuple[tuple[str, int], ...] | None = None
    date_from: str | None = None
    date_to: str | None = None


def parse_result(payload: Mapping[str, object], arguments: Mapping[str, object] | None = None) -> SearchResult:
    """A `search_transcripts` result (decoded JSON) as a value; unknown or odd fields are left out.

    `arguments` are those of the tool call, from which the dates asked for are read. A hit without
    an id or without text is dropped, since it could not be cited.
    """
    hits = tuple(h for h in map(_hit, _items(payload.get("hits"))) if h.id and h.text.strip())
    raw_terms = payload.get("terms")
    terms = None
    if raw_terms is not None:
        terms = tuple((str(t.get("term", "")), int(_number(t.get("chunks")) or 0)) for t in _items(raw_terms))
    asked = arguments or {}
    return SearchResult(
        query=str(payload.get("query") or asked.get("query") or ""),
        hits=hits,
        matching=_whole(payload.get("matching")),
        chunks_in_corpus=_whole(payload.get("chunks_in_corpus")),
        held_back=_whole(payload.get("held_back")) or 0,
        terms=terms,
        date_from=_text(asked.get("from")),
        date_to=_text(asked.get("to")),
    )


def _items(value: object) -> list[Mapping[str, object]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, (list, tuple)) else []


def _hit(raw: Mapping[str, object]) -> Hit:
    names = raw.get("speakers")
    speakers = tuple(str(n) for n in names) if isinstance(names, (list, tuple)) else ()
    return Hit(
        id=str(raw.get("id") or ""),
        document_id=str(raw.get("document_id") or str(raw.get("id") or "").rpartition(":")[0]),
        text=normalise(str(raw.get("text") or "")),
        title=normalise(str(raw.get("title") or "")),
        date=_text(raw.get("date")),
        start_s=_number(raw.get("start_s")),
        end_s=_number(raw.get("end_s")),
        speakers=speakers,
        score=_number(raw.get("score")) or 0.0,
        dense=_number(raw.get("dense")),
        lexical=_number(raw.get("lexical")),
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _whole(value: object) -> int | None:
    number = _number(value)
    return None if number is None else int(number)


def _text(value: object) -> str | None:
    return str(value)[:10] if isinstance(value, str) and value else None


@dataclass(frozen=True)
class Pool:
    """Every chunk seen in this run, in the order first seen, with what the searches said of it.

    `frequency` maps a stem to the number of chunks of the corpus that hold it; `size` is the number
    of chunks in the corpus (at least the number seen).
    """

    hits: tuple[Hit, ...] = ()
    frequency: Mapping[str, int] = field(default_factory=dict)
    size: int = 0

    def by_id(self) -> dict[str, Hit]:
        """The chunks by their ids."""
        return {h.id: h for h in self.hits}


def gather(results: Sequence[SearchResult]) -> Pool:
    """The pool of all results; a chunk that came back twice is kept as it first came."""
    seen: dict[str, Hit] = {}
    frequency: dict[str, int] = {}
    size = 0
    for result in results:
        size = max(size, result.chunks_in_corpus or 0)
        for term, chunks in result.terms or ():
            frequency[term] = max(frequency.get(term, 0), chunks)
        for hit in result.hits:
            seen.setdefault(hit.id, hit)
    return Pool(tuple(seen.values()), frequency, max(size, len(seen)))


def adjacent(pool: Mapping[str, Hit], hit: Hit) -> Hit | None:
    """The window that follows `hit` in the same document, when it was seen too.

    Only timed chunks have one: their ids end in a five-digit second and lie on a 30-second grid.
    """
    document, _, tail = hit.id.rpartition(":")
    if len(tail) != 5 or not tail.isdigit():
        return None
    return pool.get(f"{document}:{int(tail) + 30:05d}")
