"""Why a call to a model endpoint failed, and whether asking again can help."""

from __future__ import annotations

from typing import Literal

from answertrail.errors import ServiceError

Reason = Literal["auth", "quota", "rate", "down", "timeout", "garbled", "rejected", "too_long", "missing"]

PASSING: frozenset[Reason] = frozenset({"rate", "down", "timeout", "garbled"})
"""Reasons that may go away by themselves."""


class EndpointError(ServiceError):
    """A model endpoint did not give a usable answer.

    `status` is the HTTP status, None when there was none. `retry_after` is the number of seconds
    the endpoint asked to wait, None when it did not say.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: Reason,
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.reason = reason
        self.status = status
        self.retry_after = retry_after
        # The endpoint's own word (`x-should-retry`) goes before ours.
        self.retryable = reason in PASSING if retryable is None else retryable
