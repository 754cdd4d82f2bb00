"""A score in which declining costs nothing and a wrong answer costs what a right one earns.

After CRAG (Yang et al. 2024, arXiv 2406.04744): perfect 1, acceptable 0.5, missing 0, incorrect -1,
averaged. Ours takes correctness from recall verdicts and keeps the two kinds of question apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from answertrail.metrics.answers.lost import LostRuns, lost_units
from answertrail.metrics.answers.rates import MAX_UNSCORED_SHARE
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.refusal.cases import UNKNOWN, Case
from answertrail.metrics.refusal.grade import NO_ANSWER, WRONG
from answertrail.metrics.refusal.rates import NOT_COMPLETED, scored_enough
from answertrail.metrics.values import Undefined

NO_VERDICTS = "answers to answerable questions have no recall verdicts, so none is known to be right"


def points(case: Case) -> float | Undefined:
    """Score one completed run of known outcome.

    Declined: 0, whether the question was answerable or not. Answered, unanswerable: -1, whatever
    was retrieved or cited. Answered, answerable: its grade. Undefined where there is no grade.
    """
    if case.said == "declined":
        return NO_ANSWER
    if not case.answerable:
        return WRONG
    return Undefined(NO_VERDICTS) if case.grade is None else case.grade


def crag_score(
    cases: Iterable[Case],
    intervals: Intervals,
    name: str = "crag_score",
    lost: Iterable[LostRuns] = (),
    max_unscored_share: float = MAX_UNSCORED_SHARE,
) -> Measured | Undefined:
    """Mean over questions of the mean points of their completed runs, in [-1, 1].

    Answers that could not be graded, and runs of unknown outcome, are unscored; runs that did not
    complete, or were never made, are lost. Undefined without a completed run, and when no answer to
    an answerable question could be graded, or too large a share of the runs is unscored: the zeros
    of what was declined would pass for a score. Always declining scores 0, always answering wrong -1.
    """
    rows: list[Observation] = []
    unscored: list[Unscored] = []
    all_cases = list(cases)
    graded = ungraded = 0
    for case in all_cases:
        if case.said == "unknown":
            unscored.append(Unscored(case.question_id, 1, UNKNOWN))
        if not case.outcome_known:
            continue
        value = points(case)
        to_grade = case.answerable and case.gave_an_answer
        if isinstance(value, Undefined):
            ungraded += 1
            unscored.append(Unscored(case.question_id, 1, value.reason))
        else:
            graded += to_grade
            rows.append(Observation(case.question_id, value, 1, case.repeat))
    if ungraded and not graded:
        return Undefined(NO_VERDICTS)
    completed = {case.question_id for case in all_cases if case.said != "failed"}
    failed = sorted({case.question_id for case in all_cases} - completed)
    found = measure(
        name,
        rows,
        statistic="means",
        if_empty="no completed run that says whether it answered",
        ineligible=[Ineligible(question_id, NOT_COMPLETED) for question_id in failed],
        unscored=unscored,
        lost=lost_units(tuple(lost), lambda _: 1),
        intervals=intervals,
        worst=WRONG,
    )
    return scored_enough(found, max_unscored_share)
