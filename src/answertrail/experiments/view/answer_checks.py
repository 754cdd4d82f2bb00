"""The four answer checks as tables."""

from __future__ import annotations

from answertrail.experiments.answer_checks import AnswerCheckScores
from answertrail.experiments.view.table import Cell, Counted, ReportTable, table
from answertrail.metrics.ranking.answer_checks import State

_MEANING = {
    "source_support": "a cited unit is a gold unit",
    "scope": "nothing cited is out of scope",
    "freshness": "a changed fact cites the current source",
    "refusal": "an unanswerable question is not answered",
}


def tables(scores: AnswerCheckScores) -> list[ReportTable]:
    """Return the four rates, and what failed or could not be scored."""
    states: dict[str, dict[State, int]] = {}
    for row in scores.rows:
        found = states.setdefault(row.finding.check, {})
        found[row.finding.state] = found.get(row.finding.state, 0) + 1
    notes = ["The checks see which sources were cited, not whether the answer says what they say."]
    if scores.unknown_runs:
        notes.append(f"Runs of no question in the file: {', '.join(scores.unknown_runs)}.")
    rates: list[list[Cell]] = [
        [
            name,
            _MEANING[name],
            Counted(value),
            *(states[name].get(state, 0) for state in ("not_applicable", "unscored")),
        ]
        for name, value in scores.measures.items()
    ]
    failed = [
        [row.question_id, row.finding.check, row.finding.state, row.finding.reason, row.run_id]
        for row in scores.rows
        if row.finding.state in ("fail", "unscored")
    ]
    return [
        table(
            "answer_checks",
            "Answer checks",
            ["check", "passes when", "passed", "not applicable", "unscored"],
            rates,
            notes,
        ),
        table("answer_faults", "Answers that fail a check", ["question", "check", "state", "why", "run"], failed),
    ]
