"""Who judged: a judge's identity is part of every judged number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from answertrail.errors import MismatchError
from answertrail.records import Run, Verdict

_IDENTITY = (
    "name", "model", "family", "version", "prompt", "prompt_hash", "schema_hash", "temperature", "effort",
    "parameters", "params", "threshold",
)  # fmt: skip
UNNAMED = "unnamed judge"


def identity(judge: Mapping[str, Any] | None) -> str:
    """Return what names a judge: its name alone, or name and settings as canonical JSON."""
    kept = {key: value for key, value in (judge or {}).items() if key in _IDENTITY}
    if not kept:
        return UNNAMED
    if set(kept) == {"name"}:
        return str(kept["name"])
    return json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def judge_of(verdicts: Iterable[Verdict]) -> str | None:
    """Return who judged, by direction where the directions had different judges; None without verdicts.

    Raises MismatchError when one direction was judged by two judges: their scores do not add up.
    """
    found: dict[str, str] = {}
    for verdict in verdicts:
        name = identity(verdict.judge)
        before = found.setdefault(verdict.direction, name)
        if before != name:
            raise MismatchError(
                f"direction {verdict.direction} was judged by two judges, {before} and {name}",
                where=verdict.verdict_id,
                hint="score each judge's verdicts alone",
            )
    if not found:
        return None
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    return "; ".join(f"{direction}: {name}" for direction, name in sorted(found.items()))


def family_note(runs: Iterable[Run], verdicts: Iterable[Verdict]) -> str | None:
    """Return a warning where judge and agent are of one model family; None where they are not known to be."""
    agents = {str((run.models or {}).get("family")) for run in runs if (run.models or {}).get("family")}
    judges = {str(v.judge["family"]) for v in verdicts if v.judge and v.judge.get("family")}
    both = sorted(agents & judges)
    return f"judge and agent are of one model family ({', '.join(both)}): it may favour its own" if both else None
