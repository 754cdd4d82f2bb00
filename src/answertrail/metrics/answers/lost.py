"""Runs that say nothing: those that did not complete, and those that were never made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from answertrail.metrics.answers.asked import Asked
from answertrail.metrics.measured import Lost
from answertrail.records import Question

NEVER_ASKED = "the question was never asked"


class LostRuns(NamedTuple):
    """So many runs of one question, and why they say nothing."""

    question_id: str
    runs: int
    reason: str


def lost_runs(questions: Iterable[Question], asked: Asked) -> tuple[LostRuns, ...]:
    """Return the runs each question should have and has not: not completed, or never made.

    Every question should have as many runs as the one asked most often: a set run in part is no
    result of the whole.
    """
    made = Counter(row.question.question_id for row in asked.runs)
    ended = Counter((row.question_id, f"run ended {row.status}") for row in asked.errors)
    out = [LostRuns(name, count, reason) for (name, reason), count in sorted(ended.items())]
    for question in questions:
        name = question.question_id
        absent = asked.repeats - made[name]
        if absent > 0:
            reason = f"{absent} of {asked.repeats} repeats were never made" if made[name] else NEVER_ASKED
            out.append(LostRuns(name, absent, reason))
    return tuple(out)


def lost_units(runs: Sequence[LostRuns], units: Callable[[str], int | None]) -> list[Lost]:
    """Return the units of these runs, by the number one run of a question has; None is not known, 0 is left out."""
    found = [(row, units(row.question_id)) for row in runs]
    return [Lost(row.question_id, None if n is None else n * row.runs, row.reason) for row, n in found if n != 0]
