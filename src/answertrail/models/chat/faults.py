"""pydantic-ai's exceptions as ours."""

from __future__ import annotations

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelTimeoutError,
)

from answertrail.models.chat.failures import EndpointError, Reason

# The order matters: the first class that fits gives the reason.
_REASONS: tuple[tuple[type[AgentRunError], Reason], ...] = (
    (ModelAuthenticationError, "auth"),
    (ModelNotFoundError, "missing"),
    (ModelContextWindowExceededError, "too_long"),
    (ModelRequestRejectedError, "rejected"),
    (ModelQuotaExceededError, "quota"),
    (ModelRateLimitError, "rate"),
    (ModelRequestTimeout, "timeout"),
    (ModelTimeoutError, "timeout"),
    (ModelConnectionError, "down"),
)

_HINTS: dict[Reason, str] = {
    "auth": "check the key and that it may use this model",
    "quota": "the account's credit is used up; topping it up is the only remedy",
    "rate": "lower the number of runs at a time, or wait",
    "down": "check that the server runs and its address is right",
    "timeout": "raise ANSWERTRAIL_CHAT_TIMEOUT (seconds)",
    "too_long": "the context window is full: lower the recipe's steps or hits per search",
}


def endpoint_error(error: AgentRunError, name: str) -> EndpointError:
    """Return our error for one of pydantic-ai's; `name` is the model's, as the user wrote it."""
    reason = _reason(error)
    http = error if isinstance(error, ModelHTTPError) else None
    status = http.status_code if http else None
    return EndpointError(
        _message(error, status),
        reason=reason,
        status=status,
        retry_after=error.retry_after if isinstance(error, ModelAPIError) else None,
        retryable=http.provider_retry_hint if http else None,
        where=name,
        hint=_HINTS.get(reason),
    )


def _reason(error: AgentRunError) -> Reason:
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, ModelHTTPError):
        # 408 and 409 are asked again by the providers' own clients too.
        passing = error.status_code >= 500 or error.status_code in {408, 409}
        return "down" if passing else "rejected"
    # What is left: a body that is not JSON, or JSON that is no reply.
    return "garbled"


def _message(error: AgentRunError, status: int | None) -> str:
    """Return one line with what the endpoint said, cut to 300 characters."""
    body = error.body if isinstance(error, ModelAPIError) else None
    said = _said(body) or str(error)
    said = " ".join(said.split())[:300]
    return f"HTTP {status}: {said}" if status is not None else said


def _said(body: object) -> str | None:
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            return str(inner["message"]) if inner.get("message") else None
        return str(inner)
    return str(body) if body else None
