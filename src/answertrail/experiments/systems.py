"""Which system made a run, and runs told apart by it."""

from __future__ import annotations

from collections.abc import Iterable

from answertrail.records import Run


def system_of(run: Run) -> str:
    """Return the name of the system that made a run: its recipe, and its model unless that is the reader."""
    agent = str((run.models or {}).get("agent") or "")
    recipe = run.recipe.name if run.recipe else ""
    parts = [recipe, "" if recipe and agent in ("reader", "embedded:reader") else agent]
    return " ".join(part for part in parts if part) or "unnamed"


def by_system(runs: Iterable[Run]) -> dict[str, tuple[Run, ...]]:
    """Group runs by recipe hash and model, in order of appearance; names met twice get a part of the hash."""
    groups: dict[tuple[str | None, str], list[Run]] = {}
    for run in runs:
        agent = str((run.models or {}).get("agent") or "")
        groups.setdefault((run.recipe.hash if run.recipe else None, agent), []).append(run)
    names = [system_of(rows[0]) for rows in groups.values()]
    out: dict[str, tuple[Run, ...]] = {}
    for name, ((recipe, _), rows) in zip(names, groups.items(), strict=True):
        out[name if names.count(name) == 1 else f"{name} {short(recipe or '')}"] = tuple(rows)
    return out


def short(digest: str) -> str:
    """Return the first 12 signs of a hash, with its algorithm."""
    name, colon, value = digest.partition(":")
    return f"{name}:{value[:12]}" if colon else digest[:12]
