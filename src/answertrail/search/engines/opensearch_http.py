"""OpenSearch over HTTP: settings, retries, and its errors as ours."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import quote

from answertrail.errors import InputError, ServiceError
from answertrail.models.chat.failures import EndpointError, Reason
from answertrail.models.chat.retry import RetryPolicy, with_retries
from answertrail.search.engines.address import Address, read_address
from answertrail.search.engines.base import EngineDownError
from answertrail.search.engines.limits import check_whole
from answertrail.search.engines.server_names import prefix_of

URL_VARIABLE = "ANSWERTRAIL_OPENSEARCH_URL"
_INDEXING = ("method", "m", "ef_construction", "ef_search", "shards", "replicas")
_FACTS = ("server", "bm25_parameters")


@dataclass(frozen=True, slots=True)
class OpenSearchSettings:
    """Where OpenSearch is and how it is filled.

    `method` is the library that makes the graph: lucene (2.4 and later), or faiss (2.19 and later
    for cosines). `timeout` in seconds bounds one request. Credentials inside `url` are taken out
    of it and used when `user` is empty.
    """

    url: str = field(repr=False)
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    prefix: str = "answertrail"
    method: str = "lucene"
    m: int = 16
    ef_construction: int = 128
    ef_search: int = 128
    shards: int = 1
    replicas: int = 1
    timeout: float = 30.0
    address: Address = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise InputError for what OpenSearch would not take."""
        address = read_address(self.url, ("http", "https"), where=URL_VARIABLE, example="https://HOST:9200")
        object.__setattr__(self, "address", address)
        if self.method not in {"lucene", "faiss"}:
            raise InputError(f"no graph library {self.method!r}", hint="lucene or faiss")
        limits = {"m": (2, 100), "ef_construction": (2, 4096), "ef_search": (2, 10_000), "shards": (1, 1024)}
        limits["replicas"] = (0, 100)
        check_whole({name: (getattr(self, name), low, high) for name, (low, high) in limits.items()})

    @classmethod
    def from_environment(cls, env: Mapping[str, str] | None = None) -> OpenSearchSettings:
        """Read `ANSWERTRAIL_OPENSEARCH_URL`, `_USER` and `_PASSWORD`. Raises ServiceError when the URL is not set."""
        env = os.environ if env is None else env
        url = env.get(URL_VARIABLE) or ""
        if not url:
            raise ServiceError(
                "the address of OpenSearch is not set",
                where=URL_VARIABLE,
                hint=f"set {URL_VARIABLE} to https://HOST:9200",
            )
        user, password = (env.get(f"ANSWERTRAIL_OPENSEARCH_{name}") or "" for name in ("USER", "PASSWORD"))
        return cls(url=url, user=user, password=password, prefix=prefix_of(env))

    @classmethod
    def of(cls, values: Mapping[str, Any], env: Mapping[str, str] | None = None) -> OpenSearchSettings:
        """Take the address from the environment and how to index from what `as_json` gave, or a part of it.

        Raises InputError for an unknown name or a bad value.
        """
        if unknown := sorted(values.keys() - set(_INDEXING) - set(_FACTS)):
            raise InputError(f"opensearch has no setting {unknown[0]!r}", hint=f"known: {', '.join(_INDEXING)}")
        return replace(cls.from_environment(env), **{name: values[name] for name in _INDEXING if name in values})

    def as_json(self) -> dict[str, Any]:
        """Return how to index, as plain values."""
        return {name: getattr(self, name) for name in _INDEXING}

    @property
    def shown(self) -> str:
        """The address without what is secret in it."""
        return self.address.shown

    @property
    def login(self) -> tuple[str, str] | None:
        """User and password, None for a server that asks for neither."""
        return (self.user, self.password) if self.user else self.address.login


class OpenSearch:
    """Sends requests. What may pass is asked again by `policy`: 429, 502 to 504, no connection, no answer in time."""

    def __init__(self, settings: OpenSearchSettings, policy: RetryPolicy | None = None) -> None:
        self.settings = settings
        self.policy = policy or RetryPolicy(attempts=5, base=0.5)
        self._held: tuple[asyncio.AbstractEventLoop, Any] | None = None

    async def ask(
        self,
        verb: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        params: Mapping[str, str] | None = None,
        missing: bool = False,
    ) -> Any:
        """Send one request and return the answer; None for a 404 when it may be `missing`.

        Raises EngineDownError when nobody answers, ServiceError when the server refuses.
        """
        try:
            return await with_retries(lambda: self._once(verb, path, body, params or {}), self.policy)
        except EndpointError as error:
            if missing and error.status == 404:
                return None
            if error.reason in {"down", "timeout", "rate", "garbled"}:
                raise EngineDownError(error.message, where=error.where, hint=error.hint) from error
            raise ServiceError(error.message, where=error.where, hint=error.hint) from error

    async def _once(
        self, verb: str, path: str, body: Mapping[str, Any] | bytes | None, params: Mapping[str, str]
    ) -> Any:
        import httpx2

        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        headers = {"content-type": kind} if content is not None else {}
        try:
            answer = await self._client().request(
                verb, self.settings.shown + path, content=content, headers=headers, params=dict(params)
            )
        except httpx2.TimeoutException as error:
            raise self._error("OpenSearch gave no answer in time", "timeout") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._error(f"no connection to OpenSearch: {type(error).__name__}", "down") from error
        if answer.status_code >= 400:
            wait = answer.headers.get("retry-after", "")
            raise self._error(
                f"OpenSearch answers {answer.status_code}: {_said(answer.text)}",
                _reason(answer.status_code),
                status=answer.status_code,
                retry_after=float(wait) if wait.isdigit() else None,
            )
        try:
            return answer.json()
        except ValueError as error:
            raise self._error(f"not the answer of an OpenSearch server: {answer.text[:80]!r}", "garbled") from error

    def _error(
        self, said: str, reason: Reason, *, status: int | None = None, retry_after: float | None = None
    ) -> EndpointError:
        hints = {
            "auth": "check ANSWERTRAIL_OPENSEARCH_USER and ANSWERTRAIL_OPENSEARCH_PASSWORD, and what that user may do",
            "rate": "the server is overloaded; try again later",
            "down": f"check that OpenSearch runs there and that {URL_VARIABLE} is right",
            "timeout": "check that the server is not overloaded",
            "garbled": f"check {URL_VARIABLE}",
        }
        for secret in (self.settings.password, (self.settings.login or ("", ""))[1], self.settings.address.secret):
            said = said.replace(secret, "***") if secret else said
        where, hint = self.settings.shown, hints.get(reason)
        return EndpointError(said, reason=reason, status=status, retry_after=retry_after, where=where, hint=hint)

    def _client(self) -> Any:
        """Return the client of the running event loop: connections cannot leave theirs."""
        import httpx2

        loop = asyncio.get_running_loop()
        if self._held is None or self._held[0] is not loop:
            made = httpx2.AsyncClient(verify=_tls(), timeout=self.settings.timeout, auth=self.settings.login)
            self._held = (loop, made)
        return self._held[1]

    async def close(self) -> None:
        """Let go of the connections."""
        held, self._held = self._held, None
        if held is not None and held[0] is asyncio.get_running_loop():
            await held[1].aclose()


def path_of(*parts: str) -> str:
    """Return a path of which no part can be read as two."""
    return "".join("/" + quote(part, safe="*_-.,") for part in parts)


def _reason(status: int) -> Reason:
    if status in {401, 403}:
        return "auth"
    if status == 404:
        return "missing"
    if status == 429:
        return "rate"
    return "down" if status in {502, 503, 504} else "rejected"


def _said(text: str) -> str:
    """Return the reason an error answer gives, in one short line."""
    try:
        error = json.loads(text)["error"]
        said = error if isinstance(error, str) else f"{error.get('type')}: {error.get('reason')}"
    except (ValueError, KeyError, TypeError, AttributeError):
        said = text
    said = " ".join(str(said).split())
    return said if len(said) <= 300 else said[:300] + "..."


@cache
def _tls() -> Any:
    import httpx2

    return httpx2.create_ssl_context()
