"""Between our messages and pydantic-ai's; the only file that knows both."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from answertrail.models.chat.base import (
    AssistantMessage,
    ChatReply,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from answertrail.models.chat.pairing import paired


@dataclass(frozen=True, slots=True)
class Carry:
    """A reply as the provider gave it, reasoning items and signatures included.

    `owner` is the name of the model that gave it: another model's signatures are refused.
    """

    owner: str
    response: ModelResponse


def to_history(messages: Sequence[Message], *, owner: str, keep_thinking: bool = True) -> list[ModelMessage]:
    """Return the messages as pydantic-ai takes them.

    `keep_thinking=False` leaves thinking blocks out, for a turn on which thinking is off.
    """
    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for message in paired(messages):
        if isinstance(message, AssistantMessage):
            if parts:
                history.append(ModelRequest(parts=parts))
                parts = []
            history.append(_response(message, owner, keep_thinking))
        else:
            parts.append(_request_part(message))
    if parts:
        history.append(ModelRequest(parts=parts))
    return history


def to_reply(response: ModelResponse, *, owner: str, cached_reported: bool) -> ChatReply:
    """Return the reply; its cost is for the caller to fill in.

    `cached_reported` is false for an endpoint of which it is not known whether it reports cached
    tokens; zero then means unknown.
    """
    response = _with_distinct_ids(response)
    calls = tuple(
        ToolCall(part.tool_call_id, part.tool_name, _raw(part.args))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )
    return ChatReply(
        text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
        calls=calls,
        usage=_usage(response.usage, cached_reported=cached_reported),
        model=response.model_name or "",
        carry=Carry(owner, response),
        finish=_finish(response, called=bool(calls)),
    )


def _request_part(message: SystemMessage | UserMessage | ToolMessage) -> ModelRequestPart:
    if isinstance(message, SystemMessage):
        return SystemPromptPart(content=message.text)
    if isinstance(message, UserMessage):
        return UserPromptPart(content=message.text)
    return ToolReturnPart(tool_name=message.name, content=message.text, tool_call_id=message.call_id)


def _response(message: AssistantMessage, owner: str, keep_thinking: bool) -> ModelResponse:
    carry = message.carry
    if isinstance(carry, Carry) and carry.owner == owner and _same_calls(carry.response, message):
        if keep_thinking:
            return carry.response
        kept = [part for part in carry.response.parts if not isinstance(part, ThinkingPart)]
        if kept:
            return dataclasses.replace(carry.response, parts=kept)
    parts: list[ModelResponsePart] = [TextPart(content=message.text)] if message.text else []
    parts += [ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=call.id) for call in message.calls]
    return ModelResponse(parts=parts)


def _same_calls(response: ModelResponse, message: AssistantMessage) -> bool:
    """Whether the loop kept the calls as they came; if not, its word counts."""
    carried = [part.tool_call_id for part in response.parts if isinstance(part, ToolCallPart)]
    return carried == [call.id for call in message.calls]


def _with_distinct_ids(response: ModelResponse) -> ModelResponse:
    """Number calls that share an id: small local servers give all calls of a reply the same."""
    ids = Counter(part.tool_call_id for part in response.parts if isinstance(part, ToolCallPart))
    if all(count == 1 for count in ids.values()):
        return response
    seen: Counter[str] = Counter()
    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            seen[part.tool_call_id] += 1
            if seen[part.tool_call_id] > 1:
                new_id = f"{part.tool_call_id}_{seen[part.tool_call_id]}"
                part = dataclasses.replace(part, tool_call_id=new_id)
        parts.append(part)
    return dataclasses.replace(response, parts=parts)


def _raw(args: object) -> str:
    """Return the arguments as they came; pydantic-ai's own method rewrites invalid JSON."""
    if isinstance(args, str):
        return args
    return json.dumps(args if args is not None else {}, ensure_ascii=False)


def _usage(usage: RequestUsage, *, cached_reported: bool) -> Usage:
    if usage.unmeasured_requests or (not usage.input_tokens and not usage.output_tokens):
        return Usage()
    return Usage(
        input_tokens=usage.input_tokens,
        cached_input_tokens=usage.cache_read_tokens if cached_reported else _known(usage.cache_read_tokens),
        cache_write_tokens=usage.cache_write_tokens if cached_reported else _known(usage.cache_write_tokens),
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.details.get("reasoning_tokens"),
    )


def _known(count: int) -> int | None:
    return count or None


def _finish(response: ModelResponse, *, called: bool) -> str | None:
    details = response.provider_details or {}
    if "refusal" in details or details.get("finish_reason") == "refusal":
        return "refusal"
    # The Responses API says `completed` for a call and for a text alike.
    if called and response.finish_reason == "stop":
        return "tool_call"
    return response.finish_reason
