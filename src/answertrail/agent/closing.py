"""The closing turn: one forced answer, checked before anyone sees it."""

from __future__ import annotations

from answertrail.agent.arguments import SubmitArguments, parse_arguments
from answertrail.agent.budget import EndedError
from answertrail.agent.captioned import cited_and_captioned
from answertrail.agent.citations import asked_for, check_answer
from answertrail.agent.dialogue import Dialogue
from answertrail.agent.events import AnswerRejected
from answertrail.agent.forced import GivenUpError, SentBackError, forced
from answertrail.agent.passages import answer_of
from answertrail.agent.tools import SUBMIT_TOOL
from answertrail.models.chat.base import ToolCall
from answertrail.records.run import Answer


async def close(dialogue: Dialogue) -> Answer:
    """Return the answer that passed the checks; raise EndedError when none did."""
    try:
        answer, _ = await forced(dialogue, _AnswerStep(dialogue))
    except GivenUpError as error:
        attempts = dialogue.recipe.loop.max_submit_attempts
        message = f"no answer passed the checks in {attempts} attempts: {error}"
        raise EndedError("failed", "no_valid_answer", message) from None
    return answer


class _AnswerStep:
    tool = SUBMIT_TOOL
    phase = "submit"

    def __init__(self, dialogue: Dialogue) -> None:
        self._ask = dialogue.ask
        self._evidence = dialogue.evidence

    async def take(self, attempt: int, call: ToolCall) -> Answer:
        """Run the five checks."""
        submitted = parse_arguments(SubmitArguments, call)
        cited = {c for s in submitted.statements for c in s.citations}
        chunks, raw = await cited_and_captioned(self._ask.corpus, self._evidence, cited)
        report = check_answer(
            submitted,
            asked=asked_for(self._ask.question, self._evidence.searches),
            chunks=chunks,
            raw=raw,
            retrieved=self._evidence.seen,
            settings=self._ask.recipe.checks,
            judge=self._ask.support,
        )
        self._evidence.add_attempt(attempt, report, submitted)
        if report.rejections:
            raise SentBackError(report.rejections)
        return answer_of(submitted, report)

    def unusable(self, attempt: int, reason: str) -> None:
        """Record it with the rejected answers."""
        self._evidence.add_unusable(attempt, reason)

    def sent_back(self, attempt: int, reasons: tuple[str, ...]) -> AnswerRejected:
        """Tell of a rejected answer."""
        return AnswerRejected(attempt, reasons)
