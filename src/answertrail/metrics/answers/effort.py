"""What runs took: turns, searches, distinct chunks, tokens, money. Unknown is not zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from statistics import median

from answertrail.metrics.answers.asked import AskedRun
from answertrail.metrics.values import Json, Undefined

ERRORED = "not completed"
UNKNOWN = "no run says it"


@dataclass(frozen=True, slots=True)
class Spent:
    """One quantity over some runs: of `known` of them, `unknown` others do not say."""

    known: int
    unknown: int
    mean: float | Undefined
    median: float | Undefined
    total: float | Undefined

    def as_json(self) -> Json:
        """Return the figures; an undefined one with its reason."""
        out: Json = {"known": self.known, "unknown": self.unknown}
        for name, value in (("mean", self.mean), ("median", self.median), ("total", self.total)):
            out[name] = value.as_json() if isinstance(value, Undefined) else value
        return out


@dataclass(frozen=True, slots=True)
class Effort:
    """Effort of a group of runs, by quantity: turns, searches, chunks, tokens, cost_usd."""

    runs: int
    quantities: Mapping[str, Spent]

    def as_json(self) -> Json:
        """Return the quantities and the number of runs."""
        return {"runs": self.runs, **{name: spent.as_json() for name, spent in self.quantities.items()}}


def effort(rows: Iterable[AskedRun]) -> Effort:
    """Return mean, median and total of each quantity over the runs that say it.

    turns: `meta.turns_used`, else distinct turns of `usage`. searches: entries of `searches`.
    chunks: distinct retrieved ids. tokens: input and output of all of `usage`, unknown when one call
    is, and of a completed run that lists no call (it made one). cost_usd: as recorded; null is
    unknown. The total is of the known runs only.
    """
    runs = list(rows)
    return Effort(len(runs), {name: _spent([read(row) for row in runs]) for name, read in QUANTITIES.items()})


def by_tier(rows: Iterable[AskedRun]) -> Mapping[str, Effort]:
    """Return the effort of completed runs by tier, and of all others as `not completed`."""
    groups: dict[str, list[AskedRun]] = {}
    for row in rows:
        groups.setdefault(row.question.tier if row.completed else ERRORED, []).append(row)
    return {name: effort(groups[name]) for name in sorted(groups, key=lambda name: (name == ERRORED, name))}


def _spent(values: list[float | None]) -> Spent:
    known = [value for value in values if value is not None]
    if not known:
        none = Undefined(UNKNOWN)
        return Spent(0, len(values), none, none, none)
    try:
        whole = fsum(known)
    except OverflowError:
        too_large = Undefined("the sum is too large a number")
        return Spent(len(known), len(values) - len(known), too_large, too_large, too_large)
    return Spent(len(known), len(values) - len(known), whole / len(known), float(median(known)), whole)


def _turns(row: AskedRun) -> float | None:
    used = (row.run.meta or {}).get("turns_used")
    if isinstance(used, int) and not isinstance(used, bool):
        return used
    turns = {entry.get("turn") for entry in row.run.usage or []} - {None}
    return len(turns) or None


def _searches(row: AskedRun) -> float | None:
    return None if row.run.searches is None else len(row.run.searches)


def _chunks(row: AskedRun) -> float | None:
    return None if row.retrieved is None else len(row.retrieved)


def _tokens(row: AskedRun) -> float | None:
    if row.run.usage is None or (row.completed and not row.run.usage):
        return None
    parts = [entry.get(name) for entry in row.run.usage for name in ("input_tokens", "output_tokens")]
    known = [part for part in parts if isinstance(part, int | float) and not isinstance(part, bool)]
    return fsum(known) if len(known) == len(parts) else None


def _cost(row: AskedRun) -> float | None:
    return row.run.cost_usd


QUANTITIES: Mapping[str, Callable[[AskedRun], float | None]] = {
    "turns": _turns,
    "searches": _searches,
    "chunks": _chunks,
    "tokens": _tokens,
    "cost_usd": _cost,
}
