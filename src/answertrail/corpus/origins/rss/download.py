"""Get one file over HTTP: bounded in size and time, asked again when that can help."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urlsplit, urlunsplit

import httpx2

from answertrail.corpus.origins.youtube.service import retry_after
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.retry import RetryPolicy, with_retries

_WAIT_S = 30.0
_LONGEST_S = 300.0
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
    """How files are got. `transport` replaces the network, for tests."""

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    transport: httpx2.AsyncBaseTransport | None = None

    async def get(self, address: str, limit: int) -> Body:
        """Return what is at an http or https address, of at most `limit` bytes.

        Raises EndpointError: `missing` (404, 410), `auth` (401, 403), `rate` (429), `down`,
        `timeout`, `rejected`, and `too_long` for a body over the limit.
        """
        return await with_retries(lambda: self._once(address, limit), self.policy)

    async def _once(self, address: str, limit: int) -> Body:
        where = shown(address)
        try:
            async with (
                asyncio.timeout(_LONGEST_S),
                # A client a call: its connections belong to one event loop.
                httpx2.AsyncClient(
                    transport=self.transport,
                    timeout=_WAIT_S,
                    verify=_tls(),
                    follow_redirects=True,
                    max_redirects=10,
                    headers={"User-Agent": _AGENT, "Accept": _ACCEPT},
                ) as client,
                client.stream("GET", address) as response,
            ):
                if response.status_code != 200:
                    raise _refusal(response, where)
                parts: list[bytes] = []
                size = 0
                async for part in response.aiter_bytes():
                    size += len(part)
                    if size > limit:
                        raise EndpointError(f"larger than {limit // 2**20} MB", reason="too_long", where=where)
                    parts.append(part)
                return Body(b"".join(parts), str(response.url), response.charset_encoding)
        except (httpx2.TimeoutException, TimeoutError):
            raise EndpointError("no answer in time", reason="timeout", where=where) from None
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.TooManyRedirects) as error:
            raise EndpointError(f"not an address to read from: {error}", reason="rejected", where=where) from None
        except httpx2.HTTPError as error:
            said = str(error) or type(error).__name__
            raise EndpointError(f"no connection: {said}", reason="down", where=where) from None


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
