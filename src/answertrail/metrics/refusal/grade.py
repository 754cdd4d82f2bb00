"""Is an answer to an answerable question right? Recall verdicts alone decide."""

from __future__ import annotations

from collections.abc import Mapping

from answertrail.metrics.answers.grid import STANCE
from answertrail.metrics.values import Undefined
from answertrail.records import Question

RIGHT, PARTLY_RIGHT, NO_ANSWER, WRONG = 1.0, 0.5, 0.0, -1.0


def grade_of(question: Question, verdicts: Mapping[str, str]) -> float | Undefined:
    """Grade an answer by the recall verdicts of its run, nugget id -> HIT, MISS or UNSCORED.

    1 when every nugget of the question is HIT, 0.5 when some are, -1 when none is. Only nuggets of
    kind fact and stance count. Undefined when the question has none of them or one has no verdict
    or an unscored one: what an answer retrieved, cited or had supported is no substitute.
    """
    nuggets = [nugget.nugget_id for nugget in question.nuggets or [] if nugget.kind in STANCE]
    if not nuggets:
        return Undefined("the question has no fact or stance nugget to be right about")
    found = [verdicts.get(name) for name in nuggets]
    open_ = sum(verdict not in ("HIT", "MISS") for verdict in found)
    if open_:
        return Undefined(f"{open_} of {len(nuggets)} nuggets without a recall verdict")
    hits = found.count("HIT")
    if hits == len(nuggets):
        return RIGHT
    return PARTLY_RIGHT if hits else WRONG
