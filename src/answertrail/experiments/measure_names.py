"""The names of all measures of runs, asked of the scorers themselves so that no list can go stale."""

from __future__ import annotations

from typing import get_args

from answertrail.errors import NotFoundError
from answertrail.experiments.answers import score_answers
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.refusal import score_refusals
from answertrail.experiments.trajectory import score_trajectories
from answertrail.metrics.measured import Intervals
from answertrail.records import Run
from answertrail.records.question import Tier

_NONE = Intervals("none")


def measure_names(questions: QuestionSet) -> tuple[str, ...]:
    """Return the name of every measure that runs of these questions can have."""
    runs = [
        Run(run_id=f"run-{number}", question_id=row.question_id, question=row.question, status="failed")
        for number, row in enumerate(questions.questions)
    ]
    answers = score_answers(questions, runs, intervals=_NONE)
    refusals = score_refusals(questions, runs, intervals=_NONE)
    trails = score_trajectories(runs, questions, intervals=_NONE)
    return tuple(dict.fromkeys([*answers.measures, *trails.measures, *refusals.measures]))


def check_names(names: tuple[str, ...], questions: QuestionSet) -> None:
    """Raise NotFoundError, listing the known ones, for a name that is no measure of runs; TIER/NAME is one."""
    known = measure_names(questions)
    for name in names:
        tier, slash, rest = name.partition("/")
        plain = rest if slash and tier in get_args(Tier) and name not in known else name
        if plain not in known:
            raise NotFoundError(
                f"there is no measure {name!r}", where="--measure", hint=f"known: {', '.join(known)}; or TIER/NAME"
            )
