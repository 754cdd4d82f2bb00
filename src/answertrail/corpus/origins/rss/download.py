"""Get one file over HTTP: bounded in size and time, asked again when that can help."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

import httpx2

from answertrail.corpus.origins.rss.reach import OutOfReachError, Reach
from answertrail.corpus.origins.youtube.service import retry_after
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.retry import RetryPolicy, with_retries

_WAIT_S = 30.0
_LONGEST_S = 300.0
_MOST_REDIRECTS = 10
_AGENT = "answertrail (podcast transcripts)"
_ACCEPT = "application/rss+xml, application/xml;q=0.9, text/vtt, application/x-subrip, application/json, */*;q=0.5"


@dataclass(frozen=True, slots=True)
class Body:
    """What an address gave: the bytes, the charset it was sent with, and the address after redirects."""

    content: bytes
    address: str
    charset: str | None = None


@dataclass(frozen=True, slots=True)
class Download:
    """How the files of one feed are got.

    `home` is the feed's address as the user typed it, None for a saved one. A name and password in
    it are sent to that scheme, host and port and to no other; and only there may an address of a
    private network be (`Reach`). `transport` replaces the network, for tests.
    """

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    transport: httpx2.AsyncBaseTransport | None = None
    home: str | None = None
    reach: Reach = field(init=False)

    def __post_init__(self) -> None:
        """Remember the host that the user typed."""
        object.__setattr__(self, "reach", Reach(self.home))

    async def get(self, address: str, limit: int) -> Body:
        """Return what is at an http or https address, of at most `limit` bytes.

        Raises EndpointError: `missing` (404, 410), `auth` (401, 403), `rate` (429), `down`,
        `timeout`, `rejected` (OutOfReachError for what a feed may not name), and `too_long` for a
        body over the limit. A name and password in the address itself are not used.
        """
        return await with_retries(lambda: self._once(address, limit), self.policy)

    async def _once(self, address: str, limit: int) -> Body:
        where = at = shown(address)
        try:
            async with (
                asyncio.timeout(_LONGEST_S),
                # A client a call: its connections belong to one event loop.
                httpx2.AsyncClient(
                    transport=self.transport,
                    timeout=_WAIT_S,
                    verify=_tls(),
                    headers={"User-Agent": _AGENT, "Accept": _ACCEPT},
                ) as client,
            ):
                # Redirects are followed here, for each is checked, and no body of one is read.
                for _ in range(_MOST_REDIRECTS + 1):
                    await self.reach.check(at)
                    async with client.stream("GET", at, auth=self._login(at)) as response:
                        if not response.has_redirect_location:
                            return await _body(response, at, limit, where)
                        at = shown(urljoin(at, response.headers["Location"]))
                raise EndpointError("too many redirects", reason="rejected", where=where)
        except OutOfReachError as error:
            error.where = where
            raise
        except (httpx2.TimeoutException, TimeoutError):
            raise EndpointError("no answer in time", reason="timeout", where=where) from None
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, ValueError) as error:
            raise EndpointError(f"not an address to read from: {error}", reason="rejected", where=where) from None
        except httpx2.HTTPError as error:
            said = str(error) or type(error).__name__
            raise EndpointError(f"no connection: {said}", reason="down", where=where) from None

    def _login(self, address: str) -> tuple[str, str] | None:
        """Return the name and password the user typed, for an address on the same server."""
        if self.home is None:
            return None
        home = urlsplit(self.home)
        if home.username is None or _server(self.home) != _server(address):
            return None
        return unquote(home.username), unquote(home.password or "")


def _server(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


async def _body(response: httpx2.Response, at: str, limit: int, where: str) -> Body:
    if response.status_code != 200:
        raise _refusal(response, where)
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > limit:
            raise EndpointError(f"larger than {limit // 2**20} MB", reason="too_long", where=where)
        parts.append(part)
    return Body(b"".join(parts), at, response.charset_encoding)


def _refusal(response: httpx2.Response, where: str) -> EndpointError:
    status = response.status_code
    message = f"HTTP {status}: {response.reason_phrase}".rstrip(": ")
    wait = retry_after(response.headers)
    if status in (404, 410):
        return EndpointError(message, reason="missing", status=status, where=where)
    if status in (401, 402, 403):
        return EndpointError(message, reason="auth", status=status, where=where)
    if status == 429:
        return EndpointError(message, reason="rate", status=status, retry_after=wait, where=where)
    if status >= 500 or status == 408:
        return EndpointError(message, reason="down", status=status, retry_after=wait, where=where)
    return EndpointError(message, reason="rejected", status=status, where=where)


def shown(address: str) -> str:
    """Return an address as messages and rows may hold it: without a name and password."""
    try:
        parts = urlsplit(address)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit(parts._replace(netloc=host))
    except ValueError:
        return "an address that cannot be read"


@cache
def _tls() -> ssl.SSLContext:
    """Return the one TLS context: reading the certificates takes longer than the rest."""
    return httpx2.create_ssl_context()
