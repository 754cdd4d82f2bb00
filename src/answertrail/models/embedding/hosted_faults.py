"""The openai client's exceptions as ours."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

import openai

from answertrail.models.chat.failures import EndpointError, Reason
from answertrail.models.embedding.hosted_spec import HostedSpec


def endpoint_error(error: openai.OpenAIError, spec: HostedSpec) -> EndpointError:
    """Return our error for one of the client's, without the key that was sent."""
    if isinstance(error, openai.APIStatusError):
        reason = _reason(error)
        said = " ".join(str(error.message).split()).replace(spec.api_key, "***")[:300]
        return EndpointError(
            f"HTTP {error.status_code}: {said}",
            reason=reason,
            status=error.status_code,
            retry_after=retry_after(error.response.headers),
            where=spec.name,
            hint=_hint(reason, spec),
        )
    if isinstance(error, openai.APITimeoutError):
        return EndpointError("no answer in time", reason="timeout", where=spec.name, hint=_hint("timeout", spec))
    if isinstance(error, openai.APIConnectionError):
        said = str(error.__cause__ or error) or type(error.__cause__).__name__
        return EndpointError(
            f"no connection: {said}",
            reason="down",
            where=spec.name,
            hint=_hint("down", spec),
        )
    return EndpointError(str(error)[:300], reason="garbled", where=spec.name)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds an endpoint asks to wait: a number or a date; None when it does not say."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    except (KeyError, ValueError):
        return None


def _reason(error: openai.APIStatusError) -> Reason:
    status = error.status_code
    if status in (401, 403):
        return "auth"
    if status == 404:
        return "missing"
    if status == 429:
        return "quota" if error.code == "insufficient_quota" else "rate"
    # 408 and 409 are what the providers' own clients repeat too.
    return "down" if status >= 500 or status in (408, 409) else "rejected"


def _hint(reason: Reason, spec: HostedSpec) -> str | None:
    hints: dict[Reason, str] = {
        "auth": f"check {spec.key_variable} and that it may use {spec.model}",
        "quota": "the account's credit is used up; topping it up is the only remedy",
        "rate": "wait, or ingest less at a time; what was embedded so far is kept",
        "down": f"check that the server at {spec.base_url} runs",
        "timeout": f"check that the server at {spec.base_url} is not overloaded",
    }
    return hints.get(reason)
