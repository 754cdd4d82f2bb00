"""Which runs are results of the system and which are accidents, and what all attempts have cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from answertrail.experiments.conditions import META
from answertrail.metrics.answers.asked import asked
from answertrail.records import Question, Run

INFRASTRUCTURE = frozenset({"service", "bug", "cancelled", "interrupted", "error"})
MAX_INFRASTRUCTURE_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Spent:
    """Money and tokens. `unknown` counts runs whose cost nobody knows; they add 0 to `cost_usd`."""

    cost_usd: float = 0.0
    tokens: int = 0
    unknown: int = 0

    def plus(self, other: Spent) -> Spent:
        """Return the sum."""
        return Spent(self.cost_usd + other.cost_usd, self.tokens + other.tokens, self.unknown + other.unknown)

    def as_json(self) -> dict[str, float | int]:
        """Return cost, tokens and the number of runs of unknown cost."""
        return {"cost_usd": round(self.cost_usd, 9), "tokens": self.tokens, "unknown_cost": self.unknown}


def error_kind(run: Run) -> str | None:
    """Return the kind of a run's error, its status where the error names none; None when completed."""
    if run.status == "completed":
        return None
    return str((run.error or {}).get("kind") or run.status)


def is_infrastructure(run: Run) -> bool:
    """Whether a run ended by an accident (service down, bug, stopped) and says nothing of the system."""
    return run.status in ("cancelled", "interrupted") or error_kind(run) in INFRASTRUCTURE


def spent_by(run: Run) -> Spent:
    """Return what one run took, earlier attempts not included."""
    usage = run.usage or []
    known = sum(float(entry.get("cost_usd") or 0) for entry in usage)
    cost = run.cost_usd if run.cost_usd is not None else known
    tokens = sum(int(entry.get("input_tokens") or 0) + int(entry.get("output_tokens") or 0) for entry in usage)
    return Spent(cost, tokens, int(run.cost_usd is None))


def earlier(run: Run) -> list[dict[str, Any]]:
    """Return the attempts a run's `meta.evaluation` lists before it."""
    noted = (run.meta or {}).get(META)
    attempts = noted.get("attempts") if isinstance(noted, dict) else None
    return list(attempts) if isinstance(attempts, list) else []


def attempt(run: Run) -> dict[str, Any]:
    """Return what is kept of an attempt that another one replaces."""
    spent = spent_by(run)
    return {
        "run_id": run.run_id,
        "status": run.status,
        "error": error_kind(run),
        "cost_usd": run.cost_usd,
        **({"known_cost_usd": spent.cost_usd} if run.cost_usd is None and spent.cost_usd else {}),
        "tokens": spent.tokens,
    }


def spent_with_earlier(run: Run) -> Spent:
    """Return what a run and all attempts before it took."""
    total = spent_by(run)
    for row in earlier(run):
        cost = row.get("cost_usd")
        known = cost if cost is not None else row.get("known_cost_usd") or 0.0
        total = total.plus(Spent(float(known), int(row.get("tokens") or 0), int(cost is None)))
    return total


def total(parts: Iterable[Spent]) -> Spent:
    """Return the sum of many."""
    out = Spent()
    for part in parts:
        out = out.plus(part)
    return out


def no_result(runs: Sequence[Run], questions: Sequence[Question] | None = None) -> str | None:
    """Return why these runs (of these questions alone, where given) are no result; None when they are one.

    They are none when more than 2 % of them ended by an accident. Raises InputError as `asked`.
    """
    if questions is not None:
        runs = [row.run for row in asked(questions, runs).runs]
    if not too_many_accidents(runs):
        return None
    count = sum(map(is_infrastructure, runs))
    return (
        f"{count} of {len(runs)} runs ended by an accident (service down, bug, stopped): "
        f"above {MAX_INFRASTRUCTURE_SHARE:.0%} the set is no result"
    )


def too_many_accidents(runs: Sequence[Run]) -> bool:
    """Whether more than 2 % of the runs ended by an accident, so that the set is no result."""
    return sum(map(is_infrastructure, runs)) > MAX_INFRASTRUCTURE_SHARE * len(runs)
