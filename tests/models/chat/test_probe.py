from __future__ import annotations

import asyncio
from typing import Any

import pytest

from answertrail.errors import ServiceError
from answertrail.models.chat.endpoint import CompatibleEndpoint

from .fake_server import Answer, FakeServer, chat
from .support import SEARCH, ask, model_at, request

WORD = '{"word": "red"}'
REFUSED = Answer({"error": {"message": "unsupported"}}, status=500)


def endpoint(server: FakeServer, name: str = "m") -> CompatibleEndpoint:
    model = model_at(f"openai-compatible:{name}", server.url)
    assert isinstance(model, CompatibleEndpoint)
    return model


def obeys(body: dict[str, Any]) -> Answer:
    """A server that enforces tool choice."""
    choice = body["tool_choice"]
    name = body["tools"][0]["function"]["name"] if choice == "required" else choice["function"]["name"]
    return chat(None, ("c", name, WORD))


def ignores(body: dict[str, Any]) -> Answer:
    """A server like xllamacpp: tool choice is ignored, a schema is enforced."""
    if "response_format" in body:
        return chat('{"tool": "report_colour", "arguments": {"word": "red"}}')
    return chat("Hello!")


def trips(body: dict[str, Any]) -> Answer:
    """A server like llama-cpp-python: the named form works, `required` is HTTP 500."""
    if body.get("tool_choice") == "required":
        return REFUSED
    return obeys(body) if "tools" in body else ignores(body)


def chats(_body: dict[str, Any]) -> Answer:
    return chat("Hello!")


def test_an_endpoint_that_enforces_both_is_native(server: FakeServer) -> None:
    server.behave = obeys
    result = asyncio.run(endpoint(server).protocol())
    assert result.protocol == "native"
    assert result.detail == "named tool: obeyed; required: obeyed"


def test_an_endpoint_that_ignores_tool_choice_is_spoken_to_in_actions(server: FakeServer) -> None:
    server.behave = ignores
    result = asyncio.run(endpoint(server).protocol())
    assert result.protocol == "json_action"
    assert "named tool: plain text; required: plain text" in result.detail


def test_an_endpoint_that_trips_over_required_is_spoken_to_in_actions(server: FakeServer) -> None:
    server.behave = trips
    result = asyncio.run(endpoint(server).protocol())
    assert result.protocol == "json_action"
    assert "required: HTTP 500" in result.detail


def test_the_tool_asked_for_must_be_the_one_called(server: FakeServer) -> None:
    def first_tool(body: dict[str, Any]) -> Answer:
        return chat(None, ("c", "report_weather", WORD)) if "tools" in body else ignores(body)

    server.behave = first_tool
    result = asyncio.run(endpoint(server).protocol())
    assert result.protocol == "json_action"
    assert "a call of report_weather" in result.detail


def test_an_endpoint_that_does_neither_is_an_error(server: FakeServer) -> None:
    server.behave = chats
    with pytest.raises(ServiceError, match="cannot be made to call tools"):
        asyncio.run(endpoint(server).protocol())


def test_a_down_endpoint_is_not_taken_for_a_simple_one(server: FakeServer) -> None:
    server.behave = lambda _body: Answer({"error": {"message": "bad key"}}, status=401)
    with pytest.raises(ServiceError, match="bad key"):
        asyncio.run(endpoint(server).protocol())


def test_it_is_asked_once_for_each_address_and_model(server: FakeServer) -> None:
    server.behave = obeys

    async def several() -> None:
        await asyncio.gather(endpoint(server).protocol(), endpoint(server).protocol())

    asyncio.run(several())
    asyncio.run(several())
    assert len(server.seen) == 2
    asyncio.run(endpoint(server, "other").protocol())
    assert len(server.seen) == 4


def test_the_first_call_with_tools_probes_and_one_without_does_not(server: FakeServer) -> None:
    server.behave = ignores
    model = endpoint(server)
    assert ask(model, request()).text == "Hello!"
    assert len(server.seen) == 1
    assert ask(model, request(tools=[SEARCH])).calls[0].name == "report_colour"
    assert len(server.seen) == 5
