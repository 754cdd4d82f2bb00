"""The four answer checks over runs: each finding, and a rate of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.ranking.answer_checks import CHECKS, Finding, check_answer
from answertrail.metrics.values import Json
from answertrail.records import Run


class CheckRow(NamedTuple):
    """One check of one answer; `run_id` is None where the question has no run."""

    question_id: str
    run_id: str | None
    repeat: int
    finding: Finding

    def as_json(self) -> Json:
        """Return the row as JSON."""
        return {"question_id": self.question_id, "run_id": self.run_id, **self.finding._asdict()}


@dataclass(frozen=True, slots=True)
class AnswerCheckScores:
    """Rates by check (passed / applicable), every finding, and the runs of no known question."""

    measures: Mapping[str, Measured]
    rows: tuple[CheckRow, ...]
    unknown_runs: tuple[str, ...]

    def as_json(self) -> Json:
        """Return measures, findings and unknown runs."""
        return {
            "measures": {name: value.as_json() for name, value in self.measures.items()},
            "findings": [row.as_json() for row in self.rows],
            "unknown_runs": list(self.unknown_runs),
        }


def check_answers(
    questions: QuestionSet,
    runs: Sequence[Run],
    *,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> AnswerCheckScores:
    """Check the answers of runs; see `check_answer` for what passes.

    Each rate is passed / applicable over runs, its interval over questions. A failed run, and a
    question without one, is unscored; where a check does not apply the question is ineligible for
    it. Undefined when it applies nowhere. Raises InputError for a bad `meta.checks` and for two runs of
    one question and repeat.
    """
    known = questions.by_id
    by_question: dict[str, dict[int, Run]] = {}
    for run in runs:
        if run.question_id not in known:
            continue
        repeats = by_question.setdefault(run.question_id, {})
        if repeats.setdefault(run.repeat or 0, run) is not run:
            raise InputError(
                f"two runs of question {run.question_id!r}, repeat {run.repeat or 0}",
                where=f"run {run.run_id}",
                hint="score one system at a time, or number the repeats with `repeat`",
            )
    rows: list[CheckRow] = []
    for question in questions.questions:
        asked: Sequence[tuple[int, Run | None]] = sorted(
            by_question.get(question.question_id, {}).items(), key=lambda row: row[0]
        ) or [(0, None)]
        for repeat, answered in asked:
            try:
                findings = check_answer(question, answered)
            except ValueError as error:
                raise InputError(str(error), where=f"question {question.question_id}") from None
            run_id = None if answered is None else answered.run_id
            rows += [CheckRow(question.question_id, run_id, repeat, finding) for finding in findings]
    return AnswerCheckScores(
        {check: _rate(check, [row for row in rows if row.finding.check == check], intervals) for check in CHECKS},
        tuple(rows),
        tuple(run.run_id for run in runs if run.question_id not in known),
    )


def _rate(check: str, rows: Sequence[CheckRow], intervals: Intervals) -> Measured:
    counted = {"pass": 1, "fail": 0}
    return measure(
        check,
        [
            Observation(row.question_id, counted[row.finding.state], 1, row.repeat)
            for row in rows
            if row.finding.state in counted
        ],
        statistic="totals",
        if_empty="no answer it applies to",
        ineligible=[Ineligible(r.question_id, r.finding.reason) for r in rows if r.finding.state == "not_applicable"],
        unscored=[Unscored(r.question_id, 1, r.finding.reason) for r in rows if r.finding.state == "unscored"],
        intervals=intervals,
    )
