"""What was asked and what was said, in all the places GenAI spans have kept messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from answertrail.experiments.importing.otel_spans import Span

Side = Literal["input", "output"]
_INDEXED = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(role|content)")
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_MESSAGE = frozenset({"role", "parts", "content", "message"})
_PART = frozenset({"type"})
DETAILS = "gen_ai.client.inference.operation.details"


class Message(NamedTuple):
    """A role and the text said in it."""

    role: str
    text: str


def messages_of(span: Span, side: Side) -> list[Message]:
    """Return what went into a model or agent, or what came out, in order, messages with text only.

    Looked up in turn, the first place with any text counts: `gen_ai.input.messages` and
    `gen_ai.output.messages` on the span or on its details event; the per-message events;
    `gen_ai.prompt` and `gen_ai.completion`, numbered or whole, on the span or on content events.
    """
    for found in (_structured(span, side), _by_event(span, side), _older(span, side)):
        said = [message for message in found if message.text.strip()]
        if said:
            return said
    return []


def parsed(value: Any) -> Any:
    """Return JSON kept as text as what it stands for; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _shaped(value: Any, keys: frozenset[str]) -> Any:
    """Parse a text only into objects that look like what is wanted: an answer may itself be JSON."""
    found = parsed(value)
    items = found if isinstance(found, list) else [found]
    return found if items and all(isinstance(item, dict) and keys & set(item) for item in items) else value


def _structured(span: Span, side: Side) -> Iterator[Message]:
    name = f"gen_ai.{side}.messages"
    holders = [span.attributes, *(event.attributes for event in span.events if event.name == DETAILS)]
    for attributes in holders:
        yield from _messages(_shaped(attributes.get(name), _MESSAGE), "user" if side == "input" else "assistant")


def _by_event(span: Span, side: Side) -> Iterator[Message]:
    for event in span.events:
        if side == "input" and event.name in _EVENT_ROLES:
            role = str(event.attributes.get("role") or _EVENT_ROLES[event.name])
            yield Message(role, _text(_shaped(event.attributes.get("content"), _PART)))
        elif side == "output" and event.name == "gen_ai.choice":
            body = event.attributes.get("message", event.attributes.get("content"))
            yield from _messages(_shaped(body, _MESSAGE), "assistant")


def _older(span: Span, side: Side) -> Iterator[Message]:
    word = "prompt" if side == "input" else "completion"
    role = "user" if side == "input" else "assistant"
    numbered: dict[int, dict[str, Any]] = {}
    for key, value in span.attributes.items():
        found = _INDEXED.fullmatch(key)
        if found and found[1] == word:
            numbered.setdefault(int(found[2]), {})[found[3]] = value
    for _, parts in sorted(numbered.items()):
        yield Message(str(parts.get("role") or role), _text(_shaped(parts.get("content"), _PART)))
    holders: Iterable[Mapping[str, Any]] = [
        span.attributes,
        *(event.attributes for event in span.events if event.name == f"gen_ai.content.{word}"),
    ]
    for attributes in holders:
        yield from _messages(_shaped(attributes.get(f"gen_ai.{word}"), _MESSAGE), role)


def _messages(value: Any, role: str) -> Iterator[Message]:
    """Read a list of messages, one message, or a bare text said in `role`."""
    if isinstance(value, str):
        yield Message(role, value)
    elif isinstance(value, list):
        for item in value:
            yield from _messages(item, role)
    elif isinstance(value, dict):
        if isinstance(value.get("message"), dict):  # a choice around its message
            yield from _messages(value["message"], role)
        else:
            content = value.get("parts", value.get("content"))
            yield Message(str(value.get("role") or role), _text(_shaped(content, _PART)))


def _text(value: Any) -> str:
    """Return the text of a content: a text, or the text parts of a list joined by blank lines."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        kind = value.get("type", "text")
        inner = value.get("content", value.get("text"))
        return inner if kind == "text" and isinstance(inner, str) else ""
    if isinstance(value, list):
        return "\n\n".join(text for text in (_text(item) for item in value) if text)
    return ""
