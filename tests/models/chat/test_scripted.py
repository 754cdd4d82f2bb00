from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.chat.base import ChatReply, ChatRequest, ToolCall, Usage
from answertrail.models.chat.load import load_chat_model
from answertrail.models.chat.scripted import ScriptedModel, ScriptEndedError, call, say

from .support import ask, request


def test_it_plays_its_steps_and_records_the_requests() -> None:
    model = ScriptedModel([call("search", {"query": "x"}), 0.0, say("done"), ServiceError("down")])
    first, second = request(), request(max_tokens=5)
    assert ask(model, first).calls == (ToolCall("call_1", "search", '{"query": "x"}'),)
    assert ask(model, second).text == "done"
    with pytest.raises(ServiceError, match="down"):
        ask(model, first)
    assert model.requests == [first, second, first]


def test_its_end_is_a_clear_error() -> None:
    model = ScriptedModel([say("only")])
    ask(model, request())
    with pytest.raises(ScriptEndedError, match="ended after 1 steps, and call 2 came"):
        ask(model, request())


def test_a_function_answers_by_the_request() -> None:
    def answer(chat_request: ChatRequest) -> ChatReply:
        return say(f"{len(chat_request.messages)} messages")

    assert ask(ScriptedModel(answer), request()).text == "2 messages"


def test_calls_in_parallel_play_different_steps() -> None:
    model = ScriptedModel([0.01, say("a"), 0.0, say("b")])

    async def both() -> set[str]:
        replies = await asyncio.gather(model.complete(request()), model.complete(request()))
        return {reply.text for reply in replies}

    assert asyncio.run(both()) == {"a", "b"}


def test_it_is_free() -> None:
    model = ScriptedModel([say()])
    assert model.price_known
    assert ask(model, request()).cost_usd == 0.0


def test_file(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text(
        '{"text": "Let me look.", "calls": [{"name": "search", "arguments": {"query": "é"}}, {"name": "x"}]}\n'
        "\n"
        '{"calls": [{"id": "mine", "name": "search", "arguments": "{half"}], "finish": "length"}\n'
        '{"delay_s": 0, "text": "done", "usage": {"input_tokens": 3}}\n'
        '{"error": "rate limited"}\n',
        encoding="utf-8",
    )
    model = load_chat_model(f"scripted:{file}")
    assert model.name == f"scripted:{file}"
    assert model.family == "scripted"
    first, second, third = (ask(model, request()) for _ in range(3))
    assert first.text == "Let me look."
    assert [(c.name, c.arguments) for c in first.calls] == [("search", '{"query": "é"}'), ("x", "{}")]
    assert len({c.id for c in first.calls}) == 2
    assert first.finish == "tool_call"
    assert second.calls == (ToolCall("mine", "search", "{half"),)
    assert second.finish == "length"
    assert third.usage == Usage(input_tokens=3)
    with pytest.raises(ServiceError, match="rate limited"):
        ask(model, request())


@pytest.mark.parametrize("line", ["[]", "not json", '{"txt": "x"}', '{"calls": [{}]}', '{"usage": {"tokens": 1}}'])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text(f'{{"text": "ok"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_chat_model(f"scripted:{file}")
    assert caught.value.where == f"{file}:2"


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        load_chat_model(f"scripted:{tmp_path / 'no.jsonl'}")
