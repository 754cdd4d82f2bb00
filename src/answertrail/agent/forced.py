"""A forced tool: offered alone, what is handed in is checked, and goes back with the reasons until it passes."""

from __future__ import annotations

from typing import Protocol, TypeVar

from answertrail.agent.arguments import BadCallError, error_result
from answertrail.agent.dialogue import Dialogue
from answertrail.agent.events import Event
from answertrail.models.chat.base import ChatReply, ToolCall, ToolSpec

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class SentBackError(Exception):
    """What was handed in did not pass its checks."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


class GivenUpError(SentBackError):
    """Nothing passed in all attempts; the reasons are those of the last one."""


class OutOfReserveError(GivenUpError):
    """Another attempt would take what is kept for the calls that follow; the reasons are those of the last one."""


class Step(Protocol[T_co]):
    """One forced step of a run."""

    @property
    def tool(self) -> ToolSpec:
        """The tool that is forced."""
        ...

    @property
    def phase(self) -> str:
        """How the record calls its calls."""
        ...

    async def take(self, attempt: int, call: ToolCall) -> T_co:
        """Check and keep what was handed in; raise BadCallError when unreadable, SentBackError when it fails."""
        ...

    def unusable(self, attempt: int, reason: str) -> None:
        """Record an attempt that brought nothing readable."""
        ...

    def sent_back(self, attempt: int, reasons: tuple[str, ...]) -> Event:
        """Return the event that tells of it."""
        ...


async def forced(dialogue: Dialogue, step: Step[T], *, reserve: int = 0) -> tuple[T, ToolCall]:
    """Return what passed, and the call it came in; raise GivenUpError after the recipe's attempts.

    `reserve` is how many calls must stay affordable after it: where they would not, what did not
    pass is not asked for again (OutOfReserveError). The first attempt is the caller's to decide.
    """
    reasons: tuple[str, ...] = ()
    for attempt in range(1, dialogue.recipe.loop.max_submit_attempts + 1):
        if attempt > 1 and reserve and not dialogue.enough_left(1 + reserve):
            raise OutOfReserveError(reasons)
        reply = await dialogue.call(step.phase, (step.tool,), forced=step.tool.name)
        call = next((c for c in reply.calls if c.name == step.tool.name), None)
        try:
            if call is None:
                raise BadCallError(f"The answer must come as a call of {step.tool.name}; text alone is not an answer.")
            return await step.take(attempt, call), call
        except BadCallError as error:
            reasons = (str(error),)
            step.unusable(attempt, str(error))
        except SentBackError as error:
            reasons = error.reasons
        await dialogue.emit(step.sent_back(attempt, reasons))
        _send_back(dialogue, reply, step.tool.name, reasons)
    raise GivenUpError(reasons)


def _send_back(dialogue: Dialogue, reply: ChatReply, name: str, reasons: tuple[str, ...]) -> None:
    text = error_result(
        "Not accepted. " + "; ".join(r.rstrip(".") for r in reasons) + f". Correct this and call {name} again."
    )
    for call in reply.calls:
        dialogue.answer_call(call, text)
    if not reply.calls:
        dialogue.say(text)
