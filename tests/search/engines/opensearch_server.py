"""A local HTTP server that answers as OpenSearch is documented to, checks every request, and fails on demand.

It is no OpenSearch: it shows that the adapter's requests have the published shape and that its
handling of answers and faults is right, not that a server would do the same.
"""

from __future__ import annotations

import base64
import fnmatch
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import jsonschema
import numpy as np

from tests.search.engines import opensearch_shapes as shapes


class RefusedError(Exception):
    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.kind, self.reason = status, kind, reason


@dataclass
class Index:
    body: dict[str, Any]
    written: dict[str, dict[str, Any]] = field(default_factory=dict)
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=set)

    @property
    def fields(self) -> dict[str, Any]:
        return self.body["mappings"]["properties"]


Fault = Callable[[str, str], "tuple[int, dict[str, Any], dict[str, str]] | None"]


class OpenSearchServer:
    """`faults` are asked before each request and may answer in its place; `seen` lists verb, path and body."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.indices: dict[str, Index] = {}
        self.seen: list[tuple[str, str, Any]] = []
        self.faults: list[Fault] = []
        self.item_faults: list[Callable[[str], dict[str, Any] | None]] = []
        self.login: tuple[str, str] | None = None
        self.near: Callable[[int], int] = lambda k: k
        self.lock = threading.Lock()

    def answer(
        self, verb: str, path: str, params: dict[str, str], kind: str, raw: bytes
    ) -> tuple[int, Any, dict[str, str]]:
        parts = [unquote(part) for part in path.strip("/").split("/") if part]
        for fault in list(self.faults):
            if (said := fault(verb, path)) is not None:
                return said
        if "_bulk" in parts:
            _need(
                kind == "application/x-ndjson" and raw.endswith(b"\n"), "a bulk body is NDJSON and ends in a new line"
            )
            body: Any = [json.loads(line) for line in raw.splitlines()]
        else:
            _need(not raw or kind == "application/json", f"content type {kind!r}")
            body = json.loads(raw) if raw else None
        self.seen.append((verb, path, body))
        known = next((shapes.PARAMETERS[part] for part in parts if part in shapes.PARAMETERS), set())
        _need(set(params) <= known, f"unknown parameters {sorted(set(params) - known)}")
        return 200, self._route(verb, parts, body, params), {}

    def _route(self, verb: str, parts: list[str], body: Any, params: dict[str, str]) -> Any:
        match (verb, *parts):
            case ("GET",):
                return {"version": {"distribution": "opensearch", "number": "3.1.0"}}
            case ("POST", "_aliases"):
                return self._swap(body)
            case ("GET", "_alias", name):
                held = {one: {"aliases": {name: {}}} for one, index in self.indices.items() if name in index.aliases}
                if not held:
                    raise RefusedError(404, "alias_missing", f"alias [{name}] missing")
                return held
            case ("GET", "_cat", "indices", pattern):
                return [{"index": name} for name in self.indices if fnmatch.fnmatch(name, pattern)]
            case ("PUT", name):
                return self._create(name, body)
            case ("DELETE", name):
                self._index(name)
                _need("*" not in name, "wildcard deletes are off (action.destructive_requires_name)")
                del self.indices[name]
                return {"acknowledged": True}
            case ("GET", name, "_mapping"):
                return {name: {"mappings": self._index(name).body["mappings"]}}
            case ("POST", name, "_bulk"):
                return self._bulk(self._index(name), body)
            case ("POST", name, "_refresh"):
                index = self._index(name)
                index.shown = dict(index.written)
                return {"_shards": {"total": 1, "successful": 1, "failed": 0}}
            case ("POST", name, "_count"):
                _check(body, "COUNT_BODY")
                return {"count": len(self._scores(self._index(name), body["query"]))}
            case ("POST", name, "_search"):
                _check(body, "SEARCH")
                return self._search(self._index(name), body)
        raise RefusedError(400, "illegal_argument_exception", f"no handler found for uri {parts} and method {verb}")

    def _index(self, name: str) -> Index:
        found = self.indices.get(name) or next((i for i in self.indices.values() if name in i.aliases), None)
        if found is None:
            raise RefusedError(404, "index_not_found_exception", f"no such index [{name}]")
        return found

    def _create(self, name: str, body: Any) -> Any:
        _check(body, "CREATE")
        _need(re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,254}", name) is not None, f"invalid index name [{name}]")
        if name in self.indices:
            raise RefusedError(400, "resource_already_exists_exception", f"index [{name}] already exists")
        similarities = {"BM25", *body["settings"]["index"].get("similarity", {})}
        for one in body["mappings"]["properties"].values():
            _need(one.get("similarity", "BM25") in similarities, "unknown similarity")
        self.indices[name] = Index(body)
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _swap(self, body: Any) -> Any:
        _check(body, "ALIASES")
        after = {name: set(index.aliases) for name, index in self.indices.items()}
        for action in body["actions"]:
            ((kind, one),) = action.items()
            if one["index"] not in after:
                raise RefusedError(404, "index_not_found_exception", f"no such index [{one['index']}]")
            _need(one["alias"] not in self.indices, "an index exists with the same name as the alias")
            held = after[one["index"]]
            held.add(one["alias"]) if kind == "add" else held.discard(one["alias"])
        for name, aliases in after.items():
            self.indices[name].aliases = aliases
        return {"acknowledged": True}

    def _bulk(self, index: Index, lines: list[Any]) -> Any:
        _need(len(lines) % 2 == 0, "each action has a document")
        items = []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            _check(action, "BULK_ACTION")
            name = action["index"]["_id"]
            fault = next((said for fault in self.item_faults if (said := fault(name)) is not None), None)
            fault = fault or _wrong_document(index, document)
            if fault is None:
                index.written[name] = document
            items.append({"index": {"_index": "x", "_id": name, "status": 201, **({} if fault is None else fault)}})
        return {"took": 1, "errors": any(item["index"]["status"] >= 400 for item in items), "items": items}

    def _search(self, index: Index, body: Any) -> Any:
        if "query" not in body:
            scores = dict.fromkeys(index.shown, 1.0)
        elif "hybrid" in body["query"]:
            scores = self._hybrid(index, body)
        else:
            scores = self._scores(index, body["query"])
        sort = body.get("sort", [{"_score": {"order": "desc"}}])
        hits = [(_sort_key(name, score, index.shown[name], sort), name, score) for name, score in scores.items()]
        hits.sort(key=lambda hit: [_directed(v, s) for v, s in zip(hit[0], sort, strict=True)])
        if "search_after" in body:
            after = [_directed(v, s) for v, s in zip(body["search_after"], sort, strict=True)]
            hits = [hit for hit in hits if [_directed(v, s) for v, s in zip(hit[0], sort, strict=True)] > after]
        shown = [
            {
                "_id": name,
                "_score": score,
                "sort": key,
                "_source": {f: v for f, v in index.shown[name].items() if f in body["_source"]},
            }
            for key, name, score in hits[: body.get("size", 10)]
        ]
        total = {} if body.get("track_total_hits") is False else {"total": {"value": len(scores), "relation": "eq"}}
        out: dict[str, Any] = {"took": 1, "timed_out": False, "hits": {**total, "hits": shown}}
        if "aggs" in body:
            out["aggregations"] = {name: {"buckets": self._buckets(index, one)} for name, one in body["aggs"].items()}
        return out

    def _buckets(self, index: Index, aggregation: Any) -> list[dict[str, Any]]:
        if "filters" in aggregation:
            return [{"doc_count": len(self._scores(index, query))} for query in aggregation["filters"]["filters"]]
        counts = Counter(document[aggregation["terms"]["field"]] for document in index.shown.values())
        return [{"key": key, "doc_count": count} for key, count in counts.most_common(aggregation["terms"]["size"])]

    def _hybrid(self, index: Index, body: Any) -> dict[str, float]:
        (processor,) = body["search_pipeline"]["phase_results_processors"]
        weights = processor["normalization-processor"]["combination"]["parameters"]["weights"]
        queries = body["query"]["hybrid"]["queries"]
        _need(len(weights) == len(queries) and abs(sum(weights) - 1) < 1e-9, "one weight a query, together 1")
        out: dict[str, float] = Counter()
        for weight, query in zip(weights, queries, strict=True):
            scores = self._scores(index, query)
            low, high = min(scores.values(), default=0), max(scores.values(), default=0)
            for name, score in scores.items():
                out[name] += weight * (1.0 if high == low else max(0.001, (score - low) / (high - low)))
        return dict(out)

    def _scores(self, index: Index, query: Any) -> dict[str, float]:
        ((kind, one),) = query.items()
        documents = index.shown
        match kind:
            case "match_all":
                return dict.fromkeys(documents, 1.0)
            case "exists":
                return {name: 1.0 for name, document in documents.items() if one["field"] in document}
            case "term" | "terms" | "range":
                ((at, value),) = one.items()
                value = _wanted(kind, value)
                _need(at in index.fields, f"no field {at}")
                return {name: 1.0 for name, document in documents.items() if _holds(document.get(at), kind, value)}
            case "match":
                return _bm25(documents, one)
            case "bool":
                return self._bool(index, one)
            case "knn":
                ((at, asked),) = one.items()
                allowed = self._scores(index, asked.get("filter", {"match_all": {}}))
                found = _cosines(index, at, asked["vector"], allowed)
                best = sorted(found, key=lambda name: -found[name])[: self.near(asked["k"])]
                return {name: (1 + found[name]) / 2 for name in best}
            case "script_score":
                params = one["script"]["params"]
                found = _cosines(index, params["field"], params["query_value"], self._scores(index, one["query"]))
                return {name: 1 + cosine for name, cosine in found.items()}
        raise RefusedError(400, "parsing_exception", f"unknown query [{kind}]")

    def _bool(self, index: Index, one: Any) -> dict[str, float]:
        scored = [self._scores(index, query) for query in one.get("must", [])]
        kept = set(index.shown)
        for found in (*scored, *(self._scores(index, query) for query in one.get("filter", []))):
            kept &= set(found)
        for query in one.get("must_not", []):
            kept -= set(self._scores(index, query))
        if one.get("should"):
            either = [set(self._scores(index, query)) for query in one["should"]]
            kept &= set().union(*either)
        return {name: sum(found[name] for found in scored) for name in kept}


def _wrong_document(index: Index, document: dict[str, Any]) -> dict[str, Any] | None:
    def said(kind: str, reason: str) -> dict[str, Any]:
        return {"status": 400, "error": {"type": kind, "reason": reason}}

    for name, value in document.items():
        one = index.fields.get(name)
        if one is None:
            return said("strict_dynamic_mapping_exception", f"introduction of [{name}] is not allowed")
        wanted = {"keyword": str, "text": str, "long": int, "knn_vector": list}[one["type"]]
        if not isinstance(value, wanted):
            return said("mapper_parsing_exception", f"failed to parse field [{name}]")
        if wanted is list and (len(value) != one["dimension"] or not any(value)):
            return said("mapper_parsing_exception", "a vector of another dimension, or of zeros")
    return None


def _wanted(kind: str, value: Any) -> Any:
    if kind != "terms":
        return value
    _need(all(isinstance(one, str) for one in value), "a keyword is a string")
    return set(value)


def _holds(value: Any, kind: str, wanted: Any) -> bool:
    if kind == "range":
        tests = {
            "gte": lambda a, b: a >= b,
            "gt": lambda a, b: a > b,
            "lt": lambda a, b: a < b,
            "lte": lambda a, b: a <= b,
        }
        return value is not None and all(tests[name](value, bound) for name, bound in wanted.items())
    if kind == "terms":
        return value in wanted
    return value is not None and wanted["value"] in value.split(" ")


def _bm25(documents: dict[str, dict[str, Any]], one: Any) -> dict[str, float]:
    ((at, asked),) = one.items()
    words = {name: document[at].split() for name, document in documents.items()}
    mean = sum(map(len, words.values())) / max(1, len(words))
    out: dict[str, float] = {}
    for word in dict.fromkeys(asked["query"].split()):
        holding = [name for name, held in words.items() if word in held]
        idf = math.log(1 + (len(words) - len(holding) + 0.5) / (len(holding) + 0.5))
        for name in holding:
            often = words[name].count(word)
            out[name] = out.get(name, 0) + idf * often / (often + 1.2 * (0.4 + 0.6 * len(words[name]) / mean))
    return out


def _cosines(index: Index, at: str, vector: list[float], allowed: Any) -> dict[str, float]:
    _need(
        index.fields[at]["type"] == "knn_vector" and len(vector) == index.fields[at]["dimension"],
        "query vector has invalid dimension",
    )
    names = [name for name in allowed if at in index.shown[name]]
    if not names:
        return {}
    matrix = np.array([index.shown[name][at] for name in names], dtype=np.float32)
    return dict(zip(names, (matrix @ np.array(vector, dtype=np.float32)).tolist(), strict=True))


def _sort_key(name: str, score: float, document: dict[str, Any], sort: Any) -> list[Any]:
    return [score if "_score" in one else document[next(iter(one))] for one in sort]


def _directed(value: Any, sort: Any) -> Any:
    ((_, how),) = sort.items()
    return -value if how["order"] == "desc" else value


def _need(held: bool, reason: str) -> None:
    if not held:
        raise RefusedError(400, "illegal_argument_exception", reason)


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(getattr(shapes, name))


def _check(body: Any, name: str) -> None:
    error = next(_validator(name).iter_errors(body), None)
    if error is not None:
        raise RefusedError(400, "parsing_exception", error.message[:200])


@contextmanager
def running_opensearch() -> Iterator[OpenSearchServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            url = urlsplit(self.path)
            wanted = (
                None if server.login is None else "Basic " + base64.b64encode(":".join(server.login).encode()).decode()
            )
            headers: dict[str, str] = {}
            try:
                if wanted is not None and self.headers.get("authorization") != wanted:
                    raise RefusedError(
                        401, "security_exception", f"no permissions; tried {self.headers.get('authorization')}"
                    )
                with server.lock:
                    kind = self.headers.get("content-type", "")
                    status, body, headers = server.answer(self.command, url.path, dict(parse_qsl(url.query)), kind, raw)
            except RefusedError as error:
                status, body = (
                    error.status,
                    {"error": {"type": error.kind, "reason": error.reason}, "status": error.status},
                )
            if status == 0:
                self.close_connection = True
                return
            said = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {
                **headers,
                "content-type": "application/json",
                "content-length": str(len(said)),
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST = do_PUT = do_DELETE = do  # noqa: N815 -- the names http.server calls

        def log_message(self, *args: Any) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    server = OpenSearchServer(f"http://127.0.0.1:{httpd.server_port}")
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()
