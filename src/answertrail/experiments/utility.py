"""Passage utility of a run, by a judge of the caller's."""

from __future__ import annotations

from answertrail.errors import InputError
from answertrail.metrics.trajectory.utility import PassageUtility, UtilityJudge
from answertrail.records import Run


async def passage_utility(run: Run, judge: UtilityJudge | None = None) -> PassageUtility:
    """Ask the judge about each passage of a run that carries their texts, one after the other.

    Raises InputError without a judge, for a run without an answer, and for one without texts.
    """
    if judge is None:
        raise InputError(
            "passage_utility needs a judge, and none ships with AnswerTrail",
            hint="give an object with `name` and `utility(passage, question, answer)`; "
            "cited_share is the measure that needs none",
        )
    if run.answer is None:
        raise InputError(f"the run ended {run.status} without an answer", where=run.run_id)
    if run.chunks is None:
        raise InputError("the run does not carry the texts of its passages", where=run.run_id)
    answer = run.answer.text or " ".join(statement.text for statement in run.answer.statements or [])
    rows = [(chunk.id, await judge.utility(chunk.text, run.question, answer)) for chunk in run.chunks]
    return PassageUtility(run.run_id, judge.name, tuple(rows))
