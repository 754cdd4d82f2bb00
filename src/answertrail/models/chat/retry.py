"""Ask again after a passing failure: bounded, at the pace the endpoint asks for."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from answertrail.models.chat.failures import EndpointError

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait, in seconds.

    `attempts` counts all calls, the first included. Without `Retry-After` the wait before call
    n + 1 is drawn from the upper half of `base * 2 ** (n - 1)`, at most `longest`: many runs that
    failed together do not come back together. A `Retry-After` beyond `patience` is not waited
    for; the error is raised at once and says how long it would have been.
    """

    attempts: int = 4
    base: float = 1.0
    longest: float = 20.0
    patience: float = 90.0
    sleep: Sleep = field(default=asyncio.sleep)
    jitter: Callable[[], float] = field(default=random.random)

    def wait(self, failed: int, retry_after: float | None) -> float:
        """Return the seconds to wait after `failed` failed calls."""
        if retry_after is not None:
            # A little more than asked: the window opens at that second for everyone.
            return retry_after + 0.25 * self.jitter()
        ceiling = min(self.longest, self.base * 2.0 ** (failed - 1))
        return ceiling * (0.5 + 0.5 * self.jitter())


async def with_retries(call: Callable[[], Awaitable[T]], policy: RetryPolicy) -> T:
    """Return what `call` returns; raise its last EndpointError when it will not come."""
    failed = 0
    while True:
        try:
            return await call()
        except EndpointError as error:
            failed += 1
            impatient = error.retry_after is not None and error.retry_after > policy.patience
            if impatient:
                error.hint = f"the endpoint asks to wait {error.retry_after:.0f} s"
            if not error.retryable or impatient or failed >= policy.attempts:
                if failed > 1:
                    error.message = f"{error.message} (after {failed} attempts)"
                raise
            await policy.sleep(policy.wait(failed, error.retry_after))
