"""One run's talk with its model: the messages, and every call with its caps, its entry and its record.

The model holds no state: the whole conversation is kept here and handed back every turn. What was
done is in the evidence; it is stored before each call, so that a crash loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answertrail.agent import events
from answertrail.agent.ask import Ask, RunStore
from answertrail.agent.budget import check_caps, enough_left
from answertrail.agent.conversation import fitted
from answertrail.agent.evidence import Evidence
from answertrail.models.chat.base import (
    AssistantMessage,
    ChatReply,
    ChatRequest,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)


class Dialogue:
    """What the parts of the loop share. Holds the conversation; the evidence holds everything else."""

    def __init__(self, ask: Ask, evidence: Evidence, store: RunStore, emit: events.EventSink) -> None:
        self.ask = ask
        self.recipe = ask.recipe
        self.evidence = evidence
        self.emit = emit
        self._store = store
        self._messages: list[Message] = [SystemMessage(ask.recipe.prompt_text)]

    def say(self, text: str) -> None:
        """Add a message of ours."""
        self._messages.append(UserMessage(text))

    def answer_call(self, call: ToolCall, text: str) -> None:
        """Add the result of a call."""
        self._messages.append(ToolMessage(call.id, call.name, text))

    async def call(self, phase: str, tools: Sequence[ToolSpec], *, forced: str | None = None) -> ChatReply:
        """Call the model. Raises EndedError when the call may pass a cap, ServiceError as the model does."""
        ledger, settings = self.evidence.ledger, self.recipe.model
        check_caps(self.ask.limits, ledger, phase)
        self.evidence.turns += 1
        place = ledger.open(turn=self.evidence.turns, phase=phase, model=self.ask.model.name)
        await self._store.progress(self.evidence.record("interrupted"))
        await self.emit(events.TurnStarted(self.evidence.turns, phase))
        request = ChatRequest(fitted(self._messages, self.recipe.loop.context_chars), tools, "required", forced=forced)
        reply = await self.ask.model.complete(
            replace(request, max_tokens=settings.max_tokens, temperature=settings.temperature, effort=settings.effort)
        )
        ledger.close(place, reply)
        self._messages.append(AssistantMessage(reply.text, reply.calls, reply.carry))
        return reply

    def enough_left(self, calls: int) -> bool:
        """Whether so many more calls fit the caps, by what calls have taken so far."""
        return enough_left(self.ask.limits, self.evidence.ledger, self.evidence.turns, calls)

    async def guard(self, guard: str, detail: str) -> None:
        """Record that a guard acted, and tell it."""
        self.evidence.add_guard(guard, detail)
        await self.emit(events.GuardActed(guard, detail))
