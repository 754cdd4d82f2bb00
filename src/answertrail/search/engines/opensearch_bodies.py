"""The requests to OpenSearch, as plain values (https://docs.opensearch.org, 2.10 and later).

Dates are whole microseconds since 1970 (UTC); a chunk without a date or a vector has no such
field, so a range or a neighbour search never meets it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from answertrail.search.engines.base import EngineRow, IndexBuildError, Vector
from answertrail.search.engines.server_dates import microseconds
from answertrail.search.engines.server_words import dressed, words_of
from answertrail.search.hits import Filter
from answertrail.search.lexical import K1, B
from answertrail.search.tokens import base_language

Body = dict[str, Any]

MOST = 10_000
"""The most rows in one answer (`index.max_result_window`), and the most neighbours."""

_MOST_TERMS = 65_536
"""The most values in one `terms` clause (`index.max_terms_count`)."""

_MOST_ID_BYTES = 512
HAS_VECTOR: Body = {"exists": {"field": "vector"}}
EVERYTHING: Body = {"match_all": {}}


def index_body(
    dims: int, *, method: str, m: int, ef_construction: int, ef_search: int, shards: int, replicas: int
) -> Body:
    """Return settings and mapping of a new index. `method` is the library that makes the graph, lucene or faiss."""
    vector = {
        "type": "knn_vector",
        "dimension": dims,
        "method": {
            "name": "hnsw",
            "space_type": "cosinesimil",
            "engine": method,
            "parameters": {"m": m, "ef_construction": ef_construction},
        },
    }
    words = {"type": "text", "analyzer": "whitespace", "similarity": "answertrail", "norms": True}
    return {
        "settings": {
            "index": {
                "number_of_shards": shards,
                "number_of_replicas": replicas,
                "refresh_interval": "-1",
                "knn": True,
                "knn.algo_param.ef_search": ef_search,
                "similarity": {"answertrail": {"type": "BM25", "k1": K1, "b": B}},
            }
        },
        "mappings": {
            "dynamic": "strict",
            "properties": {
                "chunk": {"type": "keyword"},
                "document": {"type": "keyword"},
                "language": {"type": "keyword"},
                "published": {"type": "long"},
                "draw": {"type": "keyword"},
                "words": words,
                "vector": vector,
            },
        },
    }


def bulk_lines(rows: Iterable[EngineRow]) -> list[bytes]:
    """Return for each row its two lines of a bulk request: what to do, and the document.

    Raises IndexBuildError for an id that OpenSearch cannot hold.
    """
    out = []
    for row in rows:
        if len(row.id.encode()) > _MOST_ID_BYTES:
            raise IndexBuildError(
                "OpenSearch cannot hold this id", where=row.id[:80], hint=f"ids of at most {_MOST_ID_BYTES} bytes"
            )
        document: Body = {
            "chunk": row.id,
            "document": row.document_id,
            "language": base_language(row.language),
            "draw": hashlib.md5(row.id.encode(), usedforsecurity=False).hexdigest(),
            "words": " ".join(words_of(row)),
        }
        if row.published_at is not None:
            document["published"] = microseconds(row.published_at)
        if row.vector is not None:
            document["vector"] = row.vector.astype(float).tolist()
        out.append(b"".join(_line(part) for part in ({"index": {"_id": row.id}}, document)))
    return out


def _line(value: Body) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def filters(within: Filter) -> Body:
    """Return the filter as a query."""
    must: list[Body] = []
    bounds: Body = {}
    if within.start is not None:
        bounds["gte"] = microseconds(within.start)
    if within.end is not None:
        bounds["lt"] = microseconds(within.end)
    if bounds:
        must.append({"range": {"published": bounds}})
    if within.documents is not None:
        must.append(one_of("document", within.documents))
    without = [one_of("chunk", part) for part in _parts(sorted(within.exclude))]
    return {"bool": {"filter": must, "must_not": without}} if must or without else EVERYTHING


def one_of(field: str, values: Iterable[str]) -> Body:
    """Say that a field is one of the values, which may be more than one clause takes."""
    parts = [{"terms": {field: part}} for part in _parts(sorted(values))] or [{"terms": {field: []}}]
    return parts[0] if len(parts) == 1 else {"bool": {"should": parts, "minimum_should_match": 1}}


def _parts(values: Sequence[str]) -> list[list[str]]:
    return [list(values[begin : begin + _MOST_TERMS]) for begin in range(0, len(values), _MOST_TERMS)]


def both(*parts: Body) -> Body:
    """Return what matches all parts, without a score."""
    return {"bool": {"filter": [part for part in parts if part != EVERYTHING]}}


def near_query(vector: Vector, k: int, where: Body) -> Body:
    """Ask the graph for the k nearest among what a filter lets through."""
    return {"knn": {"vector": {"vector": vector.astype(float).tolist(), "k": k, "filter": where}}}


def exact_query(vector: Vector, where: Body) -> Body:
    """Score every vector that a filter lets through."""
    params = {"field": "vector", "query_value": vector.astype(float).tolist(), "space_type": "cosinesimil"}
    script = {"lang": "knn", "source": "knn_score", "params": params}
    return {"script_score": {"query": both(HAS_VECTOR, where), "script": script}}


def words_query(tokens: Sequence[str], where: Body) -> Body:
    """Score by BM25 what holds any of the tokens and passes a filter."""
    match = {"match": {"words": {"query": " ".join(map(dressed, tokens)), "operator": "or"}}}
    return {"bool": {"must": [match], "filter": [] if where == EVERYTHING else [where]}}


def best_body(query: Body, size: int, fields: Sequence[str], *, counted: bool = False) -> Body:
    """Ask for the best of a query, equal scores in chunk id order."""
    return {
        "size": size,
        "query": query,
        "_source": list(fields),
        "sort": [{"_score": {"order": "desc"}}, {"chunk": {"order": "asc"}}],
        "track_total_hits": counted,
    }


def drawn_body(size: int, after: Sequence[Any] | None, fields: Sequence[str]) -> Body:
    """Ask for chunks with a vector by the lowest hash of their id, a page at a time."""
    body: Body = {
        "size": size,
        "query": both(HAS_VECTOR),
        "_source": list(fields),
        "sort": [{"draw": {"order": "asc"}}, {"chunk": {"order": "asc"}}],
        "track_total_hits": False,
    }
    return body if after is None else {**body, "search_after": list(after)}


def holders_body(tokens: Sequence[str]) -> Body:
    """Count the chunks that hold each token; the answer has the counts in the order asked."""
    each = [{"term": {"words": {"value": dressed(token)}}} for token in tokens]
    return {"size": 0, "track_total_hits": False, "aggs": {"holding": {"filters": {"filters": each}}}}


def languages_body() -> Body:
    """List the languages of the chunks."""
    return {"size": 0, "track_total_hits": False, "aggs": {"languages": {"terms": {"field": "language", "size": 1000}}}}


def hybrid_body(tokens: Sequence[str], vector: Vector, k: int, where: Body, weights: tuple[float, float]) -> Body:
    """Let the server fuse words and vectors: scores of each to 0..1 (min-max), then their weighted mean.

    `weights` are those of words and of vectors, together 1. The pipeline is of this request alone.
    """
    mean = {"technique": "arithmetic_mean", "parameters": {"weights": list(weights)}}
    processor = {"normalization-processor": {"normalization": {"technique": "min_max"}, "combination": mean}}
    return {
        "size": k,
        "query": {"hybrid": {"queries": [words_query(tokens, where), near_query(vector, k, where)]}},
        "_source": ["chunk"],
        "search_pipeline": {"phase_results_processors": [processor]},
    }


def swap_body(alias: str, new: str, old: Iterable[str]) -> Mapping[str, Any]:
    """Move an alias in one step: all actions of one request take effect together."""
    away = [{"remove": {"index": name, "alias": alias}} for name in sorted(old) if name != new]
    return {"actions": [*away, {"add": {"index": new, "alias": alias}}]}
