"""Does confidence tell right answers from wrong ones? Curves over a falling threshold, and their areas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from answertrail.metrics.answers.lost import LostRuns
from answertrail.metrics.answers.rates import MAX_UNSCORED_SHARE
from answertrail.metrics.refusal.cases import Case
from answertrail.metrics.refusal.grade import WRONG
from answertrail.metrics.refusal.truthfulness import points
from answertrail.metrics.values import Estimate, Json, Undefined

MIN_ANSWERS = 10  # below this an area says more about the sample than about the confidences
NO_CONFIDENCE = "no run carries a confidence"


class Point(NamedTuple):
    """What holds when everything answered with at least `threshold` is given out."""

    threshold: float
    covered: int
    wrong: int
    coverage: float
    risk: float

    def as_json(self) -> Json:
        """Return the point by name."""
        return dict(self._asdict())


@dataclass(frozen=True, slots=True)
class Curve:
    """Points by falling threshold, the area, what stands under `coverage` and `risk`, and who took part."""

    name: str
    points: tuple[Point, ...]
    area: Estimate | Undefined
    coverage_of: int
    risk_of: int | None
    left_out: tuple[tuple[str, str], ...]

    def as_json(self) -> Json:
        """Return points, area and the runs left out with their reasons."""
        return {
            "name": self.name,
            "points": [point.as_json() for point in self.points],
            "area": self.area.as_json(),
            "coverage_of": self.coverage_of,
            "risk_of": self.risk_of,
            "left_out": [{"run_id": run_id, "reason": reason} for run_id, reason in self.left_out],
        }


def risk_coverage(
    cases: Iterable[Case], lost: Iterable[LostRuns] = (), max_unscored_share: float = MAX_UNSCORED_SHARE
) -> Curve | Undefined:
    """Coverage: answered at or above the threshold / completed runs. Risk: wrong among those / those.

    Wrong is an answer that scores -1: to an unanswerable question, or with no gold nugget in it.
    Runs with equal confidence are given out together. The area (AURC, Geifman and El-Yaniv 2017)
    is the mean over answers of the risk once that answer is out: sum over groups of equal
    confidence of size x risk after the group / answers; low is good, and one confidence for all
    gives the plain risk. Left out and listed: answers without confidence or without a grade.
    Undefined without any confidence, without a graded answer to an answerable question, or with no
    answer left; the area also with fewer than 10 answers, and where a larger share of the runs than
    `max_unscored_share` failed, was never made, is of unknown outcome or left out.
    """
    all_cases = list(cases)
    usable = [case for case in all_cases if case.outcome_known]
    answers = [case for case in usable if case.gave_an_answer]
    if not any(case.confidence is not None for case in answers):
        return Undefined(NO_CONFIDENCE)
    if not any(case.answerable and not isinstance(points(case), Undefined) for case in answers):
        return Undefined("no answer to an answerable question has recall verdicts; see false_answer_curve")
    left_out = [(case.run_id, reason) for case in answers if (reason := _why_not(case))]
    kept = [case for case in answers if not _why_not(case)]
    if not kept:
        return Undefined("no answer has both a confidence and a grade")
    total = len(usable) - len(left_out)
    curve: list[Point] = []
    answered = wrong = 0
    for threshold, group in _falling(kept):
        answered += len(group)
        wrong += sum(points(case) == WRONG for case in group)
        curve.append(Point(threshold, answered, wrong, answered / total, wrong / answered))
    runs = sum(case.said != "failed" for case in all_cases) + sum(row.runs for row in lost)
    area = _area(curve, "answers", runs - total, runs, max_unscored_share)
    return Curve("risk_coverage", tuple(curve), area, total, None, tuple(sorted(left_out)))


def false_answer_curve(
    cases: Iterable[Case], lost: Iterable[LostRuns] = (), max_unscored_share: float = MAX_UNSCORED_SHARE
) -> Curve | Undefined:
    """What needs no verdict. Coverage: answerable runs answered at or above the threshold / answerable
    completed runs. Risk: the same of unanswerable ones, the selective false-answer rate.

    Says nothing about whether answers to answerable questions are right. Ties and left-outs as
    `risk_coverage`. The area is the mean over answers to answerable questions of that rate once
    the answer's group is out. Undefined without a confidence, or without runs of both sorts; the
    area also with fewer than 10 answers to answerable questions, and as that of `risk_coverage`.
    """
    all_cases = list(cases)
    usable = [case for case in all_cases if case.outcome_known]
    answers = [case for case in usable if case.gave_an_answer]
    if not any(case.confidence is not None for case in answers):
        return Undefined(NO_CONFIDENCE)
    left_out = [(case.run_id, "no confidence") for case in answers if case.confidence is None]
    kept = [case for case in answers if case.confidence is not None]
    gone = {run_id for run_id, _ in left_out}
    rest = [case for case in usable if case.run_id not in gone]
    can = sum(case.answerable for case in rest)
    cannot = len(rest) - can
    if not can or not cannot:
        return Undefined(f"{can} runs of answerable and {cannot} of unanswerable questions; both are needed")
    curve: list[Point] = []
    answered = false = 0
    for threshold, group in _falling(kept):
        answered += sum(case.answerable for case in group)
        false += sum(not case.answerable for case in group)
        curve.append(Point(threshold, answered, false, answered / can, false / cannot))
    runs = sum(case.said != "failed" for case in all_cases) + sum(row.runs for row in lost)
    area = _area(curve, "answers to answerable questions", runs - len(rest), runs, max_unscored_share)
    return Curve("false_answer_curve", tuple(curve), area, can, cannot, tuple(sorted(left_out)))


def _why_not(case: Case) -> str:
    if case.confidence is None:
        return "no confidence"
    value = points(case)
    return value.reason if isinstance(value, Undefined) else ""


def _falling(kept: Sequence[Case]) -> Iterable[tuple[float, list[Case]]]:
    """Yield each distinct confidence from the top with the cases that have it."""
    for threshold, group in groupby(sorted(kept, key=_confidence, reverse=True), key=_confidence):
        yield threshold, list(group)


def _confidence(case: Case) -> float:
    if case.confidence is None:
        raise ValueError(f"run {case.run_id!r} has no confidence")
    return case.confidence


def _area(curve: Sequence[Point], what: str, missing: int, runs: int, allowed: float) -> Estimate | Undefined:
    if missing > allowed * runs:
        return Undefined(
            f"{missing} of {runs} runs failed, were never made or are left out: above the {allowed:.0%} allowed"
        )
    last = curve[-1].covered
    if last < MIN_ANSWERS:
        return Undefined(f"{last} {what} with a confidence; an area needs at least {MIN_ANSWERS}")
    before = 0
    total = 0.0
    for point in curve:
        total += (point.covered - before) * point.risk
        before = point.covered
    return Estimate(total / last)
