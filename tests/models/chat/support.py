"""What the tests of the adapters share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from answertrail.models.chat.base import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    SystemMessage,
    ToolSpec,
    UserMessage,
)
from answertrail.models.chat.load import load_chat_model
from answertrail.models.chat.retry import RetryPolicy

SEARCH = ToolSpec(
    "search_transcripts",
    "Search the transcripts.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
READY = ToolSpec("mark_ready", "Say that the evidence is enough.", {"type": "object", "properties": {}})
SUBMIT = ToolSpec(
    "submit_answer",
    "Submit the answer.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)
OPENING: tuple[Message, ...] = (SystemMessage("Be exact."), UserMessage("Who said it?"))


def request(messages: Sequence[Message] = OPENING, **changes: Any) -> ChatRequest:
    return ChatRequest(messages=messages, **changes)


def model_at(spec: str, url: str, sleeps: list[float] | None = None, **environment: str) -> ChatModel:
    """Load a model that talks to a local server and never really waits."""

    async def sleep(seconds: float) -> None:
        if sleeps is not None:
            sleeps.append(seconds)

    env = {"OPENAI_API_KEY": "sk-openai", "ANTHROPIC_API_KEY": "sk-anthropic"} | environment
    address = url if spec.startswith("anthropic:") else f"{url}/v1"
    policy = RetryPolicy(attempts=3, sleep=sleep, jitter=lambda: 0.0)
    return load_chat_model(spec, environment=env, base_url=address, policy=policy)


def ask(model: ChatModel, chat_request: ChatRequest) -> ChatReply:
    return asyncio.run(model.complete(chat_request))
