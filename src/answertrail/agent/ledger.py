"""What a run spends. A call is entered before it is sent, its cost unknown until the reply.

So a call that failed, or whose process was killed, leaves "unknown" behind and never "free".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from answertrail.models.chat.base import ChatReply, Usage


@dataclass(slots=True)
class Ledger:
    """The calls of one run in order; each entry is one call, never a running total."""

    entries: list[dict[str, Any]] = field(default_factory=list)

    def open(self, *, turn: int, phase: str, model: str) -> int:
        """Enter a call that is about to be sent; return its place."""
        self.entries.append(_entry(turn, phase, model, Usage(), None))
        return len(self.entries) - 1

    def close(self, place: int, reply: ChatReply) -> None:
        """Enter what the reply says of tokens and cost."""
        entry = self.entries[place]
        self.entries[place] = _entry(
            entry["turn"], entry["phase"], reply.model or entry["model"], reply.usage, reply.cost_usd
        )

    def add(self, *, turn: int, phase: str, model: str, input_tokens: int | None, cost_usd: float | None) -> None:
        """Enter a call that is done, such as the embedding of a query."""
        self.entries.append(_entry(turn, phase, model, Usage(input_tokens=input_tokens), cost_usd))

    @property
    def cost_usd(self) -> float | None:
        """The sum of all calls; None as soon as the cost of one is unknown."""
        costs = [entry["cost_usd"] for entry in self.entries]
        return None if any(cost is None for cost in costs) else round(sum(costs), 9)

    @property
    def known_usd(self) -> float:
        """The sum of the calls whose cost is known."""
        return float(sum(entry["cost_usd"] or 0.0 for entry in self.entries))

    @property
    def dearest_usd(self) -> float:
        """The largest known cost of one call; 0 before there is one."""
        return max((entry["cost_usd"] or 0.0 for entry in self.entries), default=0.0)

    @property
    def tokens(self) -> int:
        """Input and output tokens, as far as the providers told them."""
        return sum((e["input_tokens"] or 0) + (e["output_tokens"] or 0) for e in self.entries)


def _entry(turn: int, phase: str, model: str, usage: Usage, cost: float | None) -> dict[str, Any]:
    return {
        "turn": turn,
        "phase": phase,
        "model": model,
        "input_tokens": usage.input_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": cost,
    }
