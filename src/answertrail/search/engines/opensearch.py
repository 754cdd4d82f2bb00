"""Filling OpenSearch with a corpus: an index a snapshot, an alias a corpus.

Create, load in bulk, count, move the alias, drop the old index: in this order, so that whatever
fails, the alias points at what it pointed at before. Never run against a server: the requests are
checked against the published API (docs/distributed.md).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from answertrail.errors import InputError, ServiceError
from answertrail.models.chat.retry import RetryPolicy
from answertrail.search.engines.base import (
    Built,
    EngineDownError,
    IndexBuildError,
    NoIndexError,
    Progress,
    Source,
    StaleIndexError,
)
from answertrail.search.engines.opensearch_bodies import (
    EVERYTHING,
    HAS_VECTOR,
    bulk_lines,
    index_body,
    languages_body,
    swap_body,
)
from answertrail.search.engines.opensearch_engine import OPENSEARCH, OpenSearchEngine
from answertrail.search.engines.opensearch_http import OpenSearch, OpenSearchSettings, path_of
from answertrail.search.engines.server_names import alias_of, new_place, read_place
from answertrail.search.lexical import K1, B

_BULK_BYTES = 5_000_000
_MOST_REPEATS = 5
_HINT = "`answertrail corpus index CORPUS --engine opensearch` makes it"


class OpenSearchKind:
    """Makes, opens and drops indexes."""

    name = OPENSEARCH

    def __init__(self, settings: OpenSearchSettings, policy: RetryPolicy | None = None) -> None:
        self.settings = settings
        self._policy = policy

    def _server(self) -> OpenSearch:
        return OpenSearch(self.settings, self._policy)

    async def build(self, source: Source, progress: Progress | None = None) -> Built:
        """Load a new index and count it.

        Raises IndexBuildError when a row is refused, the count is not that of the source or the
        server fails on the way; the index is then dropped.
        """
        server, began = self._server(), time.perf_counter()
        place = new_place(self.settings.prefix, source)
        try:
            try:
                version = (await server.ask("GET", "/"))["version"]["number"]
                await self._fill(server, place, source, progress or (lambda *_: None))
                rows, vectors = await _counted(server, place)
                if (rows, vectors) != (source.rows, source.vectors):
                    raise IndexBuildError(
                        f"OpenSearch holds {rows:,} chunks, {vectors:,} with a vector; "
                        f"the corpus has {source.rows:,} and {source.vectors:,}",
                        where=place,
                        hint="nothing was changed; index it again",
                    )
            except BaseException:
                # A server that is gone keeps it until the next sweep.
                with contextlib.suppress(ServiceError):
                    await server.ask("DELETE", path_of(place), missing=True)
                raise
        except EngineDownError as error:
            raise IndexBuildError(
                f"loading was not completed: {error.message}", where=error.where, hint=error.hint
            ) from error
        finally:
            await server.close()
        settings = {**self.settings.as_json(), "server": str(version), "bm25_parameters": [K1, B]}
        return Built(place, rows, vectors, time.perf_counter() - began, None, settings)

    async def _fill(self, server: OpenSearch, place: str, source: Source, told: Progress) -> None:
        one = self.settings
        body = index_body(
            source.dims,
            method=one.method,
            m=one.m,
            ef_construction=one.ef_construction,
            ef_search=one.ef_search,
            shards=one.shards,
            replicas=one.replicas,
        )
        try:
            await server.ask("PUT", path_of(place), body)
        except ServiceError as error:
            # The name is ours alone: it was made by a request whose answer was lost.
            if "resource_already_exists_exception" not in error.message:
                raise
        done = 0
        async for batch in source.batches(500):
            for lines in _requests(bulk_lines(batch)):
                await _load(server, place, lines)
            done += len(batch)
            told("loading", done, source.rows)
        told("indexing", 0, source.rows)
        await server.ask("POST", path_of(place, "_refresh"))
        told("indexing", source.rows, source.rows)

    async def publish(self, source: Source, built: Built) -> None:
        """Point the alias of the corpus at the index, in one request."""
        server, alias = self._server(), alias_of(self.settings.prefix, source.corpus_id)
        try:
            held = await server.ask("GET", path_of("_alias", alias), missing=True) or {}
            await server.ask("POST", "/_aliases", swap_body(alias, built.place, held))
        finally:
            await server.close()

    async def sweep(self, corpus_id: int, keep: Collection[str]) -> list[str]:
        """Drop the corpus's indexes but those named; their aliases go with them."""
        server, alias = self._server(), alias_of(self.settings.prefix, corpus_id)
        gone: list[str] = []
        try:
            params = {"format": "json", "h": "index"}
            for one in await server.ask("GET", path_of("_cat", "indices", f"{alias}_*"), params=params):
                place = read_place(one["index"])
                if place is not None and place.alias == alias and one["index"] not in keep:
                    await server.ask("DELETE", path_of(one["index"]), missing=True)
                    gone.append(one["index"])
        finally:
            await server.close()
        return sorted(gone)

    async def open(self, place: str, dims: int) -> OpenSearchEngine:
        """Open an index that holds what its name says."""
        named = read_place(place)
        if named is None:
            raise InputError("this is not the name of an index made here", where=place, hint=_HINT)
        server = self._server()
        try:
            mapping = await server.ask("GET", path_of(place, "_mapping"), missing=True)
            if mapping is None:
                raise NoIndexError("the corpus's index is not in OpenSearch", where=place, hint=_HINT)
            held = int(mapping[place]["mappings"]["properties"]["vector"]["dimension"])
            if held != dims:
                raise StaleIndexError(
                    f"the index holds vectors of {held} dimensions, the embedder makes {dims}", where=place, hint=_HINT
                )
            rows, vectors = await _counted(server, place)
            if (rows, vectors) != (named.rows, named.vectors):
                raise NoIndexError(
                    f"the index holds {rows:,} of {named.rows:,} chunks and {vectors:,} of {named.vectors:,} vectors",
                    where=place,
                    hint=f"loading was never finished, or rows were taken out; {_HINT}",
                )
            answer = await server.ask("POST", path_of(place, "_search"), languages_body())
        except BaseException:
            await server.close()
            raise
        languages = sorted(str(one["key"]) for one in answer["aggregations"]["languages"]["buckets"])
        return OpenSearchEngine(server, place, dims=dims, rows=rows, languages=languages)


def _requests(lines: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Cut the rows of a batch into requests of at most 5 MB, a longer row alone."""
    request: list[bytes] = []
    size = 0
    for line in lines:
        if request and size + len(line) > _BULK_BYTES:
            yield request
            request, size = [], 0
        request.append(line)
        size += len(line)
    if request:
        yield request


async def _load(server: OpenSearch, place: str, lines: list[bytes]) -> None:
    """Send rows, and those again that the server had no room for; ids make that safe."""
    for attempt in range(1, _MOST_REPEATS + 1):
        answer = await server.ask("POST", path_of(place, "_bulk"), b"".join(lines))
        items: list[dict[str, Any]] = [item["index"] for item in answer["items"]]
        if len(items) != len(lines):
            raise IndexBuildError(f"OpenSearch answers for {len(items)} of {len(lines)} rows", where=place)
        refused = [item for item in items if item["status"] >= 400 and item["status"] != 429]
        if refused:
            error = refused[0].get("error") or {}
            raise IndexBuildError(
                f"OpenSearch refuses {len(refused)} of {len(lines)} rows: "
                f"{error.get('type')}: {str(error.get('reason'))[:200]}",
                where=str(refused[0].get("_id")),
                hint="nothing was changed",
            )
        lines = [line for line, item in zip(lines, items, strict=True) if item["status"] == 429]
        if not lines:
            return
        if attempt < _MOST_REPEATS:
            await server.policy.sleep(server.policy.wait(attempt, None))
    raise IndexBuildError(
        f"OpenSearch has no room for {len(lines)} rows (429)", where=place, hint="index it again when it is less busy"
    )


async def _counted(server: OpenSearch, place: str) -> tuple[int, int]:
    counts = [
        int((await server.ask("POST", path_of(place, "_count"), {"query": query}))["count"])
        for query in (EVERYTHING, HAS_VECTOR)
    ]
    return counts[0], counts[1]


__all__ = ["OPENSEARCH", "OpenSearchEngine", "OpenSearchKind", "OpenSearchSettings"]
