"""What runs say about the registration they were made under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from answertrail.errors import InputError
from answertrail.experiments.conditions import META, artefact_of
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.registration import Done, Registration
from answertrail.experiments.systems import by_system, model_of, system_of
from answertrail.metrics.answers.asked import asked
from answertrail.records import Run
from answertrail.records.base import instant


def intact(registration: Registration, path: Path) -> Registration:
    """Return the registration. Raises InputError when it was edited: nothing new is run under it."""
    if not registration.intact:
        raise InputError(
            "the registration was edited after it was written", where=str(path), hint="write a new one and say why"
        )
    return registration


def registration_of(run: Run) -> str | None:
    """Return the hash of the registration a run was made under; None when it names none."""
    noted = (run.meta or {}).get(META)
    value = noted.get("registration") if isinstance(noted, dict) else None
    return str(value) if value else None


def done_of(runs: Sequence[Run], questions: QuestionSet) -> Done:
    """Return what was done with the runs of one system. A question without a run has 0 repeats."""
    counts = Counter(row.question.question_id for row in asked(questions.questions, runs).runs)
    started = [run.started_at for run in runs if run.started_at]
    first = runs[0] if runs else None
    return Done(
        system=system_of(first) if first else "unnamed",
        recipe_hash=first.recipe.hash if first and first.recipe else None,
        model=(model_of(first) or None) if first else None,
        snapshot=first.corpus.snapshot if first and first.corpus else None,
        gold_hash=questions.hash,
        repeats=tuple(sorted({counts[name] for name in questions.ids})),
        first_started_at=min(started, key=instant) if started else None,
        registration_hashes=frozenset(registration_of(run) for run in runs),
    )


def artefacts_of(runs: Sequence[Run]) -> list[str]:
    """Return what a look at these runs looks at: their registration, else each system by its conditions.

    Runs that say nothing of their system are named by their own ids.
    """
    found: list[str] = []
    for rows in by_system(runs).values():
        registrations = {registration_of(run) for run in rows}
        name = next(iter(registrations)) if len(registrations) == 1 else None
        found.append(name or artefact_of(rows))
    return list(dict.fromkeys(found))
