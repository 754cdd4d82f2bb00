"""Caps on money and tokens, checked before a call is sent, and the status of a run they end."""

from __future__ import annotations

from typing import Any

from answertrail.agent.ask import Limits
from answertrail.agent.ledger import Ledger
from answertrail.records.run import Status


class EndedError(Exception):
    """The run ends here with this status; never leaves the loop."""

    def __init__(self, status: Status, kind: str, message: str) -> None:
        super().__init__(message)
        self.status: Status = status
        self.error: dict[str, Any] = {"kind": kind, "message": message}


def check_caps(limits: Limits, ledger: Ledger, phase: str) -> None:
    """Raise EndedError when another call may pass a cap; what cannot be added up passes none."""
    cap = limits.max_cost_usd
    if cap is not None and ledger.cost_usd is None and not limits.allow_unknown_price:
        raise EndedError("over_budget", "cost_unknown", "the cost of a call is not known, so the cap cannot be kept")
    if cap is not None and ledger.known_usd + ledger.dearest_usd > cap:
        spent = f"{ledger.known_usd:.4f} USD spent"
        raise EndedError("over_budget", "cost_cap", f"{spent}; another {phase} call may pass the cap of {cap:g}")
    if limits.max_tokens is not None and ledger.tokens >= limits.max_tokens:
        raise EndedError("over_budget", "token_cap", f"{ledger.tokens} tokens used of {limits.max_tokens}")


def enough_left(limits: Limits, ledger: Ledger, turns: int, calls: int) -> bool:
    """Whether so many more calls fit the caps, each as dear as the dearest and as long as the mean so far."""
    cap = limits.max_cost_usd
    money = cap is None or ledger.known_usd + calls * ledger.dearest_usd <= cap
    per_turn = ledger.tokens / max(turns, 1)
    return money and (limits.max_tokens is None or ledger.tokens + calls * per_turn <= limits.max_tokens)
