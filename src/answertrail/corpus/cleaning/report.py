"""What a run of the cleaning stage did, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from answertrail.errors import ServiceError
from answertrail.models.chat.base import ChatReply
from answertrail.store.cleaning import Supply


@dataclass(frozen=True, slots=True)
class RawBatch:
    """A batch that got no usable reply, so that its lines stay as captioned; seconds from the start."""

    document_id: str
    start_s: float
    lines: int
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "document_id": self.document_id,
            "start_s": self.start_s,
            "lines": self.lines,
            "reason": self.reason,
        }


@dataclass(slots=True)
class Spending:
    """Calls and what they took; `failed` ones gave no reply.

    Tokens are of the calls that told them, all but `uncounted`; `unpriced` calls have no known price.
    """

    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    unpriced: int = 0
    known_usd: float = 0.0

    @property
    def cost_usd(self) -> float | None:
        """The cost of all calls, None when that of one is not known; 0.0 without calls."""
        return None if self.unpriced else self.known_usd

    def add(self, reply: ChatReply | None) -> None:
        """Count a call; None stands for one that failed, whose price nobody told."""
        self.calls += 1
        usage = reply.usage if reply else None
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            self.uncounted += 1
        if usage is not None:
            self.input_tokens += usage.input_tokens or 0
            self.output_tokens += usage.output_tokens or 0
        if reply is None or reply.cost_usd is None:
            self.unpriced += 1
        else:
            self.known_usd += reply.cost_usd
        self.failed += reply is None

    def as_json(self) -> dict[str, Any]:
        """Return plain values; a sum that misses a part is null."""
        return {
            "calls": self.calls,
            "input_tokens": None if self.uncounted else self.input_tokens,
            "output_tokens": None if self.uncounted else self.output_tokens,
            "cost_usd": self.cost_usd,
            "known_cost_usd": self.known_usd,
        }


@dataclass(slots=True)
class CleaningReport:
    """Documents cleaned here with their lines, and why the stage did not run or did not end.

    `skipped` says why nothing was cleaned at all, `stopped` which fault of a service ended the stage
    early; what was cleaned before is kept. `already` documents were cleaned under the same stamp
    before, `elsewhere` by another worker meanwhile, `pending` are left. Of `lines` lines, `changed`
    were mended, `refused` were changed by the model against the guards, and `unanswered` are
    those of `raw_batches`. `remembered` batches were paid for in an earlier run. `put_off` are documents
    of which the endpoint refused every batch, with the reason: they are pending, as they were.
    """

    model: str | None
    supply: Supply
    skipped: str | None = None
    stopped: ServiceError | None = None
    documents: int = 0
    already: int = 0
    elsewhere: int = 0
    pending: int = 0
    lines: int = 0
    changed: int = 0
    refused: int = 0
    unanswered: int = 0
    batches: int = 0
    remembered: int = 0
    raw_batches: list[RawBatch] = field(default_factory=list)
    put_off: dict[str, str] = field(default_factory=dict)
    spent: Spending = field(default_factory=Spending)

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `--json`; `skipped`, `stopped` and `put_off` only where there is a reason."""
        return {
            "model": self.model,
            **({"skipped": self.skipped} if self.skipped else {}),
            **({"stopped": self.stopped.as_dict()} if self.stopped else {}),
            "documents": self.documents,
            "already": self.already,
            "elsewhere": self.elsewhere,
            "pending": self.pending,
            "left_alone": {
                "human": self.supply.human,
                "translated": self.supply.translated,
                "unknown": self.supply.unknown,
            },
            "lines": self.lines,
            "changed": self.changed,
            "refused": self.refused,
            "unanswered": self.unanswered,
            "batches": self.batches,
            "remembered": self.remembered,
            "raw_batches": [batch.as_json() for batch in self.raw_batches],
            **({"put_off": self._put_off()} if self.put_off else {}),
            **self.spent.as_json(),
        }

    def _put_off(self) -> list[dict[str, str]]:
        return [{"document_id": name, "reason": reason} for name, reason in self.put_off.items()]

    def in_words(self) -> list[str]:
        """Return the report as lines for a reader."""
        if self.skipped:
            return [f"cleaning skipped: {self.skipped}"]
        if not (self.documents or self.stopped or self.elsewhere or self.put_off):
            return [f"nothing left to clean with {self.model}; {_number(self.already, 'document')} clean before"]
        done = f"{_number(self.documents, 'document')} cleaned with {self.model}: {self.changed} of {self.lines} lines"
        more = f"{_number(self.refused, 'edit')} refused, {_number(self.unanswered, 'line')} without a usable reply"
        cost = f"{_number(self.spent.calls, 'call')}, {_money(self.spent)}"
        if self.remembered:
            cost += f"; {self.remembered} of {self.batches} batches were paid for before"
        out = [f"{done} mended, {more}", cost]
        if self.already or self.elsewhere:
            out.append(f"{self.already} were clean before, {self.elsewhere} were cleaned by other workers")
        if self.put_off:
            reason = next(iter(self.put_off.values()))
            out.append(f"{_number(len(self.put_off), 'document')} put off until the next time: {reason}")
        if self.stopped:
            out.append(f"stopped with {_number(self.pending, 'document')} left: {self.stopped}")
        return out


def _money(spent: Spending) -> str:
    if spent.cost_usd is not None:
        return f"${spent.cost_usd:.4f}"
    return f"at least ${spent.known_usd:.4f}, since the price of {_number(spent.unpriced, 'call')} is not known"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
