"""A model that says what it was told to say: for tests, demonstrations and replays.

Spec `scripted:FILE.jsonl`; each line is one reply:

    {"text": "Let me look.", "calls": [{"name": "search", "arguments": {"query": "x"}}]}
    {"error": "rate limited"}
    {"delay_s": 0.5, "text": "Late, but here."}

`arguments` may be a string, which is passed on as it is, valid or not. Optional: the `id` of a
call, `finish`, `usage` with the field names of `Usage`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.chat.base import ChatReply, ChatRequest, ToolCall, Usage

Step = ChatReply | Exception | float
Script = Iterable[Step] | Callable[[ChatRequest], ChatReply]


class ScriptEndedError(InputError):
    """The model was asked once more than its script has replies."""

    kind = "script_ended"


class ScriptedModel:
    """Plays a list of steps, or a function of the request.

    A step is a reply, an exception to raise, or a number of seconds to wait before the next step.
    `requests` holds every request it got, in order, those that raised included.
    """

    family = "scripted"
    price_known = True

    def __init__(self, script: Script, *, name: str = "scripted:code") -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        self._function = script if callable(script) else None
        self._steps: list[Step] = [] if callable(script) else list(script)
        self._next = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Play the next step; raise ScriptEndedError when there is none."""
        self.requests.append(request)
        if self._function is not None:
            return self._function(request)
        while True:
            # Taken before any wait, so that calls in parallel never play the same step.
            step = self._take()
            if isinstance(step, ChatReply):
                return step
            if isinstance(step, Exception):
                raise step
            await asyncio.sleep(step)

    def _take(self) -> Step:
        if self._next >= len(self._steps):
            raise ScriptEndedError(
                f"the script ended after {self._next} steps, and call {len(self.requests)} came",
                where=self.name,
                hint="add the missing reply, or find out why the model was asked again",
            )
        self._next += 1
        return self._steps[self._next - 1]

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """Read a script of JSON lines.

        Raises NotFoundError when there is no such file, InputError for a line it cannot use.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise NotFoundError(f"no script can be read: {error}", where=str(path)) from error
        steps: list[Step] = []
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                steps += _steps(line, where=f"{path}:{number}", first_id=len(steps) + 1)
        return cls(steps, name=f"scripted:{path}")


def say(text: str = "", *, usage: Usage | None = None, finish: str | None = "stop") -> ChatReply:
    """Return a reply of plain text, free of charge."""
    return ChatReply(text=text, usage=usage or Usage(), cost_usd=0.0, model="scripted", finish=finish)


def call(name: str, arguments: Mapping[str, Any] | str = "{}", *, call_id: str = "call_1", text: str = "") -> ChatReply:
    """Return a reply with one tool call; a string is passed on as raw arguments."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ChatReply(
        text=text,
        calls=(ToolCall(call_id, name, raw),),
        cost_usd=0.0,
        model="scripted",
        finish="tool_call",
    )


_FIELDS = {"text", "calls", "error", "delay_s", "usage", "finish"}


def _steps(line: str, *, where: str, first_id: int) -> list[Step]:
    """Turn one line into a wait, if it has one, and a reply or an error."""
    try:
        value = json.loads(line)
        unknown = set(value) - _FIELDS
        if unknown:
            raise InputError(f"unknown field {min(unknown)!r}", where=where)
        steps: list[Step] = [float(value["delay_s"])] if "delay_s" in value else []
        if "error" in value:
            return [*steps, ServiceError(str(value["error"]), where=where)]
        calls = tuple(
            ToolCall(
                id=item.get("id", f"call_{first_id}_{place}"),
                name=item["name"],
                arguments=_raw(item.get("arguments", {})),
            )
            for place, item in enumerate(value.get("calls", ()))
        )
        usage = Usage(**value.get("usage", {}))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"not a reply: {error!r}", where=where) from error
    reply = ChatReply(
        text=value.get("text", ""),
        calls=calls,
        usage=usage,
        cost_usd=0.0,
        model="scripted",
        finish=value.get("finish", "tool_call" if calls else "stop"),
    )
    return [*steps, reply]


def _raw(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
