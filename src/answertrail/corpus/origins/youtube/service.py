"""YouTube's Data API over HTTP: one question, asked again when it can help, and what refusals mean."""

from __future__ import annotations

import email.utils
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import httpx2

from answertrail.errors import NotFoundError, ServiceError
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.retry import RetryPolicy, with_retries

KEY_VARIABLE = "YOUTUBE_API_KEY"
KEY_HINT = (
    f'set {KEY_VARIABLE}: make a project at console.cloud.google.com, enable "YouTube Data API v3" and create an'
    " API key (free); docs/youtube.md has the steps. A single video works without"
)
_QUOTA = frozenset({"quotaExceeded", "dailyLimitExceeded", "dailyLimitExceededUnreg"})
_RATE = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_TIMEOUT_S = 30.0


def utc_now() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Service:
    """Where the API is and how it is asked. `transport` replaces the network, for tests."""

    base_url: str
    key: str | None = field(repr=False)
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    transport: httpx2.AsyncBaseTransport | None = None
    clock: Callable[[], datetime] = utc_now

    async def get(self, method: str, **query: str) -> dict[str, Any]:
        """Return the answer of one method, such as `videos`.

        Raises NotFoundError for what does not exist or is not public, ServiceError without a key
        and when the key, the quota or the network fail.
        """
        if not self.key:
            raise ServiceError("listing channels and playlists needs a YouTube API key", where="YouTube", hint=KEY_HINT)
        if not self.key.isascii() or not self.key.isprintable():
            raise ServiceError("the key holds characters that no key has", where=KEY_VARIABLE, hint="copy it again")
        address = f"{self.base_url.rstrip('/')}/{method}"
        try:
            # The key goes into a header: addresses end up in logs.
            return await self._ask(address, query, {"X-Goog-Api-Key": self.key})
        except EndpointError as error:
            # What the API says to a request without a key: some relay has dropped the header.
            if error.reason != "auth" or "unregistered callers" not in error.message:
                raise
        return await self._ask(address, {**query, "key": self.key}, {})

    async def get_page(self, address: str, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the JSON object at an open address, without the key; raises like `get`."""
        return await self._ask(address, query, {})

    async def _ask(self, url: str, query: Mapping[str, str], headers: Mapping[str, str]) -> dict[str, Any]:
        async def once() -> dict[str, Any]:
            # A client a call: its connections belong to one event loop.
            async with httpx2.AsyncClient(transport=self.transport, timeout=_TIMEOUT_S, verify=_tls()) as client:
                try:
                    response = await client.get(url, params=dict(query), headers=dict(headers))
                except httpx2.TimeoutException:
                    raise EndpointError("no answer in time", reason="timeout", where="YouTube") from None
                except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                    said = (str(error) or type(error).__name__).replace(self.key or "\0", "***")
                    raise EndpointError(
                        f"no connection: {said}", reason="down", where="YouTube", hint="is this machine online?"
                    ) from None
            return self._read(response)

        return await with_retries(once, self.policy)

    def _read(self, response: httpx2.Response) -> dict[str, Any]:
        try:
            data = response.json()
        except ValueError:
            data = None
        if response.status_code == 200:
            if isinstance(data, dict):
                return data
            raise EndpointError("the answer is no JSON object", reason="garbled", where="YouTube")
        raise self._refusal(response, data)

    def _refusal(self, response: httpx2.Response, data: object) -> ServiceError | NotFoundError:
        status = response.status_code
        error = data.get("error") if isinstance(data, dict) else None
        error = error if isinstance(error, dict) else {}
        reasons = {str(e.get("reason")) for e in error.get("errors") or () if isinstance(e, dict)}
        said = " ".join(str(error.get("message") or response.reason_phrase).split())[:300]
        if self.key:
            said = said.replace(self.key, "***")
        message = f"HTTP {status}: {said}"
        if reasons & _QUOTA:
            reset = quota_reset(self.clock())
            return EndpointError(
                f"the day's quota of the API key is used up; it is renewed at {reset:%Y-%m-%d %H:%M} UTC"
                " (midnight in California)",
                reason="quota",
                status=status,
                where="YouTube",
                hint="what was fetched is kept; run the same command after that time",
            )
        if reasons & _RATE or status == 429:
            return EndpointError(
                message, reason="rate", status=status, retry_after=retry_after(response.headers), where="YouTube"
            )
        if status == 404 or "playlistItemsNotAccessible" in reasons:
            return NotFoundError(message, where="YouTube", hint="is it public or unlisted, and spelled right?")
        if status >= 500 or status == 408:
            return EndpointError(
                message, reason="down", status=status, retry_after=retry_after(response.headers), where="YouTube"
            )
        if status in (400, 401, 403):
            hint = f'check {KEY_VARIABLE}, and that its project has "YouTube Data API v3" enabled'
            return EndpointError(message, reason="auth", status=status, where="YouTube", hint=hint)
        return EndpointError(message, reason="rejected", status=status, where="YouTube")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a server asks to wait, by a number or a date; None when it does not say."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return min(max(0.0, float(value)), 7 * 86400.0)
    except ValueError:
        pass
    try:
        at = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0.0, (at - utc_now()).total_seconds()), 7 * 86400.0)


def quota_reset(now: datetime) -> datetime:
    """Return the next midnight in California, in UTC: the hour at which quotas are renewed."""
    pacific: tzinfo
    try:
        pacific = ZoneInfo("America/Los_Angeles")
    except ZoneInfoNotFoundError:
        # Without a time zone database the winter hour: in summer the quota is renewed an hour before.
        pacific = timezone(timedelta(hours=-8))
    there = now.astimezone(pacific)
    midnight = datetime(there.year, there.month, there.day, tzinfo=pacific) + timedelta(days=1)
    return midnight.astimezone(UTC)


@cache
def _tls() -> ssl.SSLContext:
    """Return the one TLS context: reading the certificates takes longer than the rest."""
    return httpx2.create_ssl_context()
