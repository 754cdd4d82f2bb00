"""The narrow interface of every chat model: messages and tools in, text or tool calls out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool offered to the model. `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model made. `arguments` is its raw JSON text, unchecked."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions of the recipe."""

    text: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """The question, a nudge, or the notice that the budget is used up."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the model said before, handed back to it as it was.

    `carry` is provider state (reasoning items, signatures) that only its own adapter reads.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    carry: object = None


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The result of one call, as text."""

    call_id: str
    name: str
    text: str


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
Choice = Literal["auto", "required"]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One model call.

    `choice`: `auto`, `required` (some tool), or, by `forced`, one named tool. `schema` asks for
    a text that is one JSON object following this JSON Schema; it takes no tools beside it. Some
    endpoints ignore it, so the prompt says what is wanted too, and the caller checks. `effort` is `none`,
    `minimal`, `low`, `medium`, `high`, `xhigh` or `max`; a model that does not reason leaves it unread.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    choice: Choice = "auto"
    forced: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    effort: str | None = None
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. `input_tokens` counts all input, cached included; None is unknown."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back. `cost_usd` None means the price is not known; 0.0 means it is free.

    `finish` says why the model stopped: `stop`, `tool_call`, `length` (cut off), `content_filter`,
    `refusal`, `error`; None when the endpoint did not say. After `length` the arguments of a call
    may be half a JSON text.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    model: str = ""
    carry: object = None
    finish: str | None = None


class ChatModel(Protocol):
    """A model that can be driven by the agent loop."""

    @property
    def name(self) -> str:
        """`provider:model`, as the user wrote it."""
        ...

    @property
    def family(self) -> str:
        """Whose model it is (`openai`, `anthropic`, `embedded`), for judge independence."""
        ...

    @property
    def price_known(self) -> bool:
        """Whether a call's cost can be told; a money cap needs it."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Run one call.

        Raises ServiceError when the endpoint is down, refuses or times out, after its own
        retries; a reply that makes no sense is a reply, and the loop deals with it.
        """
        ...
