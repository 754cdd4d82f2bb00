"""Which system made a run, and runs told apart by it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from answertrail.records import Run

NO_ROLES = ("embedder", "family")
"""Keys of a run's `models` that name no model of its own: the embedder is a condition, the family is the agent's."""


def model_of(run: Run) -> str:
    """Return all models that made a run: the agent's, and those of other roles by their role; "" when none is named."""
    roles = {str(role): _name(model) for role, model in (run.models or {}).items() if model and role not in NO_ROLES}
    return models_named(roles.pop("agent", ""), roles)


def models_named(agent: str, others: Mapping[str, str]) -> str:
    """Return the agent's model and those of other roles as `model_of` does for a run that has them."""
    return "; ".join([*([agent] if agent else []), *(f"{role}: {name}" for role, name in sorted(others.items()))])


def system_of(run: Run) -> str:
    """Return the name of the system that made a run: its recipe, and its models unless that is the reader."""
    agent = model_of(run)
    recipe = run.recipe.name if run.recipe else ""
    parts = [recipe, "" if recipe and agent in ("reader", "embedded:reader") else agent]
    return " ".join(part for part in parts if part) or "unnamed"


def by_system(runs: Iterable[Run]) -> dict[str, tuple[Run, ...]]:
    """Group runs by recipe hash and models, in order of appearance; names met twice get a part of the hash."""
    groups: dict[tuple[str | None, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.recipe.hash if run.recipe else None, model_of(run)), []).append(run)
    names = [system_of(rows[0]) for rows in groups.values()]
    out: dict[str, tuple[Run, ...]] = {}
    for name, ((recipe, model), rows) in zip(names, groups.items(), strict=True):
        full = name if names.count(name) == 1 else f"{name} {short(recipe or '')}"
        out[full if full not in out else f"{full} {model}"] = tuple(rows)
    return out


def _name(model: object) -> str:
    return model if isinstance(model, str) else json.dumps(model, sort_keys=True, ensure_ascii=False)


def short(digest: str) -> str:
    """Return the first 12 signs of a hash, with its algorithm."""
    name, colon, value = digest.partition(":")
    return f"{name}:{value[:12]}" if colon else digest[:12]
