"""Keep tool calls and their results together, as every provider's API demands."""

from __future__ import annotations

from collections.abc import Iterable

from answertrail.models.chat.base import AssistantMessage, Message, ToolMessage

NO_RESULT = "No result was recorded for this call."


def paired(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with each call followed at once by its one result.

    A result without a call before it (left over when old turns were trimmed) and a second result
    for the same call are left out: the APIs answer them with 400. A call without a result gets
    `NO_RESULT` for the same reason. An assistant message with neither text nor calls is left out.
    """
    ordered: list[Message] = []
    results: dict[int, dict[str, ToolMessage]] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            place = _asker(ordered, message.call_id)
            if place is not None:
                results.setdefault(place, {}).setdefault(message.call_id, message)
        elif not isinstance(message, AssistantMessage) or message.text.strip() or message.calls:
            ordered.append(message)
    paired_messages: list[Message] = []
    for place, message in enumerate(ordered):
        paired_messages.append(message)
        if isinstance(message, AssistantMessage):
            given = results.get(place, {})
            paired_messages += [
                given.get(call.id) or ToolMessage(call.id, call.name, NO_RESULT) for call in message.calls
            ]
    return paired_messages


def _asker(ordered: list[Message], call_id: str) -> int | None:
    """Return the place of the latest assistant message that made this call."""
    # From the end: small local servers number their calls anew in each reply.
    for place in range(len(ordered) - 1, -1, -1):
        message = ordered[place]
        if isinstance(message, AssistantMessage) and any(c.id == call_id for c in message.calls):
            return place
    return None
