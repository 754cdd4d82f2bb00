"""Whether runs that are there may be added to: only under the same conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from answertrail.errors import MismatchError
from answertrail.experiments.conditions import META, Conditions, Name, conditions_of
from answertrail.experiments.run_file import Kept, Key
from answertrail.experiments.systems import short
from answertrail.records import Run

_CHECKED: tuple[Name, ...] = ("recipe", "prompt", "model", "corpus", "embedder", "code")


def check_same_conditions(
    planned: Conditions, note: Mapping[str, Any], kept: Kept, keys: Collection[Key], allow: Collection[str] = ()
) -> None:
    """Raise MismatchError, naming every condition that differs, unless all runs there fit the plan.

    Runs that could not be asked at all carry no conditions and fit every plan of the same gold.
    """
    runs = [run for several in kept.ended.values() for run in several]
    asked = [run for run in runs if run.recipe is not None]
    found: list[str] = []
    if asked:
        were = conditions_of(asked, allow_mixed=_CHECKED)
        for name in _CHECKED:
            before, now = were.get(name), planned.get(name)
            if before.value != now.value and name not in allow:
                found.append(f"{name}: made with {before.shown}, now {now.shown}")
    for key, what in (("questions_hash", "gold"), ("registration", "registration")):
        for value in sorted({str(_noted(run, key) or "none") for run in runs}):
            wanted = str(note.get(key) or "none")
            if value != wanted and what not in allow:
                found.append(f"{what}: made with {short(value)}, now {short(wanted)}")
    strange = sorted(set(kept.ended) - set(keys))
    if strange:
        question_id, repeat = strange[0]
        found.append(f"{len(strange)} run(s) are not asked for now, such as {question_id} in repeat {repeat}")
    if found:
        raise MismatchError(
            "the file holds runs made under other conditions: " + "; ".join(found),
            hint="write to another file, or move this one and its .part away",
        )


def _noted(run: Run, key: str) -> object:
    noted = (run.meta or {}).get(META)
    return noted.get(key) if isinstance(noted, dict) else None
