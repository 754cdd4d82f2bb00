"""The four answer checks over runs: each finding, and a rate of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet
from answertrail.metrics.answers.asked import AskedRun, LeftOut, asked
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.ranking.answer_checks import CHECKS, Finding, check_answer
from answertrail.metrics.values import Json
from answertrail.records import Question, Run


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
    left_out: tuple[LeftOut, ...]

    @property
    def unknown_runs(self) -> tuple[str, ...]:
        """The ids of the runs that belong to no question of the set."""
        return tuple(row.id for row in self.left_out)

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

    Each rate is passed / applicable over runs, its interval over questions. A failed run, one that
    does not say whether it answered, and a question without a run are unscored; where a check does
    not apply to any run of a question the question is ineligible for it. Undefined when it applies
    nowhere. Runs belong to questions as `asked` has it, and it raises InputError as that does; also
    for a bad `meta.checks`.
    """
    joined = asked(questions.questions, runs)
    rows: list[CheckRow] = []
    by_question: dict[str, list[AskedRun]] = {}
    for row in joined.runs:
        by_question.setdefault(row.question.question_id, []).append(row)
    for question in questions.questions:
        answers = by_question.get(question.question_id, [])
        told: list[tuple[Run | None, int]] = [(row.run, row.repeat) for row in answers]
        for run, repeat in told or [(None, 0)]:
            run_id = run.run_id if run else None
            rows += [CheckRow(question.question_id, run_id, repeat, found) for found in _checked(question, run)]
    return AnswerCheckScores(
        {check: _rate(check, [row for row in rows if row.finding.check == check], intervals) for check in CHECKS},
        tuple(rows),
        joined.left_out,
    )


def _checked(question: Question, run: Run | None) -> tuple[Finding, ...]:
    try:
        return check_answer(question, run)
    except ValueError as error:
        raise InputError(str(error), where=f"question {question.question_id}") from None


def _rate(check: str, rows: Sequence[CheckRow], intervals: Intervals) -> Measured:
    counted = {"pass": 1, "fail": 0}
    concerned = {row.question_id for row in rows if row.finding.state != "not_applicable"}
    outside = {row.question_id: row.finding.reason for row in rows if row.question_id not in concerned}
    return measure(
        check,
        [
            Observation(row.question_id, counted[row.finding.state], 1, row.repeat)
            for row in rows
            if row.finding.state in counted
        ],
        statistic="totals",
        if_empty="no answer it applies to",
        ineligible=[Ineligible(*row) for row in outside.items()],
        unscored=[Unscored(r.question_id, 1, r.finding.reason) for r in rows if r.finding.state == "unscored"],
        intervals=intervals,
    )
