"""Find out, by asking, how an endpoint can be made to call tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

from answertrail.models.chat.base import (
    ChatModel,
    ChatReply,
    ChatRequest,
    SystemMessage,
    ToolSpec,
    UserMessage,
)
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.json_action import JsonActionModel

Protocol = Literal["native", "json_action"]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The protocol an endpoint is spoken to in, and what was seen, for `doctor`."""

    protocol: Protocol
    detail: str


_WORD = {"type": "object", "properties": {"word": {"type": "string", "maxLength": 20}}, "required": ["word"]}
_TOOLS = (
    ToolSpec("report_weather", "Report the weather in one word.", _WORD),
    ToolSpec("report_colour", "Report a colour in one word.", _WORD),
)
_ANY = frozenset(tool.name for tool in _TOOLS)
_FORCED = "report_colour"
# Nothing here asks for a tool: an endpoint that only suggests the tools answers with a greeting.
_MESSAGES = (SystemMessage("Be brief."), UserMessage("Say hello to me."))
# Room for a model that thinks first; the answer itself is ten tokens.
_MAX_TOKENS = 1024

_results: dict[tuple[str, str], ProbeResult] = {}
_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], asyncio.Lock]] = WeakKeyDictionary()


async def probe(model: ChatModel, base_url: str) -> ProbeResult:
    """Return how the endpoint calls tools, asking it two or three short questions once.

    A named tool and `required` are both asked for; only an endpoint that does both is `native`.
    The result is kept in memory for this address and model, and shared by runs in parallel.

    Raises ServiceError when the endpoint does neither, or cannot be asked at all.
    """
    key = (base_url, model.name)
    locks = _locks.setdefault(asyncio.get_running_loop(), {})
    async with locks.setdefault(key, asyncio.Lock()):
        if key not in _results:
            _results[key] = await _ask(model)
        return _results[key]


def forget() -> None:
    """Forget all results, as when a server was replaced by another at its address."""
    _results.clear()


async def _ask(model: ChatModel) -> ProbeResult:
    named = await _seen(lambda: model.complete(_request(_FORCED)), frozenset({_FORCED}))
    required = await _seen(lambda: model.complete(_request()), _ANY)
    seen = f"named tool: {named or 'obeyed'}; required: {required or 'obeyed'}"
    if named is None and required is None:
        return ProbeResult("native", seen)
    action = await _seen(lambda: JsonActionModel(model).complete(_request(_FORCED)), frozenset({_FORCED}))
    if action is None:
        return ProbeResult("json_action", f"{seen}; JSON action: obeyed")
    if {named, required, action} <= {"HTTP 500", "HTTP 501"}:
        raise EndpointError(
            f"the endpoint answers every request with {action}",
            reason="down",
            where=model.name,
            hint="look at the server's own log",
        )
    raise EndpointError(
        f"the endpoint cannot be made to call tools ({seen}; JSON action: {action})",
        reason="rejected",
        where=model.name,
        hint="use a model tuned for tools, or a server that enforces tool_choice or response_format",
    )


def _request(forced: str | None = None) -> ChatRequest:
    return ChatRequest(
        messages=_MESSAGES,
        tools=_TOOLS,
        choice="auto" if forced else "required",
        forced=forced,
        max_tokens=_MAX_TOKENS,
        temperature=0.0,
    )


async def _seen(ask: Callable[[], Awaitable[ChatReply]], tools: frozenset[str]) -> str | None:
    """Return None when one of these tools was called, else what came instead."""
    try:
        reply = await ask()
    except EndpointError as error:
        # A 5xx here is a server that trips over the request, not one that is down.
        if error.reason == "rejected" or error.status in {500, 501}:
            return f"HTTP {error.status}"
        raise
    if not reply.calls:
        return "cut off" if reply.finish == "length" else "plain text"
    names = {call.name for call in reply.calls}
    if not names <= tools:
        return f"a call of {min(names)}"
    return None if all(_valid(call.arguments) for call in reply.calls) else "invalid arguments"


def _valid(arguments: str) -> bool:
    try:
        value = json.loads(arguments)
    except ValueError:
        return False
    return isinstance(value, dict) and isinstance(value.get("word"), str)
