"""The step before the answer to a question over time: a forced dated table, checked row by row."""

from __future__ import annotations

import json
from typing import Any

from answertrail.agent.arguments import SubmittedRow, TimelineArguments, parse_arguments
from answertrail.agent.captioned import cited_and_captioned
from answertrail.agent.citations import asked_for
from answertrail.agent.dated_table import check_table, in_order, row_as_json
from answertrail.agent.dialogue import Dialogue
from answertrail.agent.events import TableAccepted, TableRejected
from answertrail.agent.forced import GivenUpError, OutOfReserveError, SentBackError, forced
from answertrail.agent.searching import Searches
from answertrail.agent.tools import SUBMIT, TABLE, TABLE_TOOL
from answertrail.models.chat.base import ToolCall

CALLS = 2
"""Calls the two steps take when both pass at once."""


async def hand_in_table(dialogue: Dialogue, searches: Searches) -> None:
    """Ask for the dated table and keep it. Where none passes, the answer is written without."""
    calendar, evidence = await searches.calendar(), dialogue.evidence
    if len(calendar.dated) < 2:  # a development needs two times
        await dialogue.guard("no_table", "the corpus has fewer than two dated periods")
        return
    if not dialogue.enough_left(CALLS):
        await dialogue.guard("budget_reserve", "no dated table: what is left of the budget is kept for the answer")
        return
    coverage = calendar.looks_as_json(evidence.looks())
    dialogue.say(
        "The question asks how something changed over time. Before the answer hand in, as a dated table by "
        f"{TABLE}, what was said when: a row for each stance, dated as its passages are, and nothing_found for "
        "periods that were looked at and say nothing of it. The periods of the corpus: "
        + json.dumps(coverage, ensure_ascii=False)
    )
    try:
        rows, call = await forced(dialogue, _TableStep(dialogue), reserve=CALLS - 1)
    except GivenUpError as error:
        spent = isinstance(error, OutOfReserveError)
        if spent:
            await dialogue.guard("budget_reserve", "what is left of the budget is kept for the answer")
        why = "none could be asked for again" if spent else "no dated table passed the checks"
        await dialogue.guard("no_table", f"{why}, so the answer goes without: {error}")
        dialogue.say(f"No dated table was accepted. Now answer from what was found, by {SUBMIT}.")
        return
    empty = sum(1 for row in rows if row.get("nothing_found"))
    await dialogue.emit(TableAccepted(len(rows) - empty, empty))
    told = {
        "accepted": True,
        "timeline": rows,
        "coverage": coverage,
        "next": f"Now write the answer from this table, ordered by date, by {SUBMIT}. Name in not_found what the "
        "table does not tell.",
    }
    dialogue.answer_call(call, json.dumps(told, ensure_ascii=False))


class _TableStep:
    tool = TABLE_TOOL
    phase = "timeline"

    def __init__(self, dialogue: Dialogue) -> None:
        self._ask = dialogue.ask
        self._evidence = dialogue.evidence

    async def take(self, attempt: int, call: ToolCall) -> list[dict[str, Any]]:
        """Run the checks of the rows; return them by date."""
        rows = parse_arguments(TimelineArguments, call).rows
        cited = {name for row in rows for name in row.citations}
        chunks, raw = await cited_and_captioned(self._ask.corpus, self._evidence, cited)
        report = check_table(
            rows,
            self._evidence.looks(),
            asked=asked_for(self._ask.question, self._evidence.searches),
            chunks=chunks,
            raw=raw,
            retrieved=self._evidence.seen,
            settings=self._ask.recipe.checks,
            judge=self._ask.support,
        )
        if report.faults:
            self._evidence.reject_table(attempt, report.faults, _as_sent(rows))
            raise SentBackError(report.faults)
        kept = [row_as_json(row, report.support.get(number)) for number, row in enumerate(rows)]
        self._evidence.accept_table(kept, [check.as_json(attempt) for check in report.checks])
        return [kept[number] for number in in_order(rows)]

    def unusable(self, attempt: int, reason: str) -> None:
        """Record it with the rejected tables."""
        self._evidence.reject_table(attempt, (reason,))

    def sent_back(self, attempt: int, reasons: tuple[str, ...]) -> TableRejected:
        """Tell of a rejected table."""
        return TableRejected(attempt, reasons)


def _as_sent(rows: list[SubmittedRow]) -> list[dict[str, Any]]:
    return [row.model_dump(mode="json", exclude_defaults=True) for row in rows]
