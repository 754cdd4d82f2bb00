"""Retries, and the errors a user meets. No test waits: the sleeper is injected."""

from __future__ import annotations

import asyncio
import time

import pytest

from answertrail.errors import NotFoundError, ServiceError
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.retry import RetryPolicy

from .fake_server import Answer, FakeServer, anthropic, chat, output_text, responses, text_block
from .support import ask, model_at, request

SPECS = ("openai:gpt-5.4", "anthropic:claude-sonnet-5", "openai-compatible:m")
GOOD = {
    "openai:gpt-5.4": responses(output_text("hi")),
    "anthropic:claude-sonnet-5": anthropic(text_block("hi")),
    "openai-compatible:m": chat("hi"),
}
every_provider = pytest.mark.parametrize("spec", SPECS)


def fault(status: int, message: str = "no", **headers: str) -> Answer:
    body = {"type": "error", "error": {"type": "api_error", "message": message}}
    return Answer(body, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


@every_provider
def test_retry_after_is_waited_for(server: FakeServer, sleeps: list[float], spec: str) -> None:
    server.answers = [fault(429, retry_after="7"), GOOD[spec]]
    assert ask(model_at(spec, server.url, sleeps), request()).text == "hi"
    assert sleeps == [7.0]
    assert len(server.seen) == 2


@every_provider
@pytest.mark.parametrize("broken", [fault(500), fault(503), fault(529), Answer(drop=True), Answer(raw=b"<html>")])
def test_passing_faults_are_asked_again(server: FakeServer, sleeps: list[float], spec: str, broken: Answer) -> None:
    server.answers = [broken, GOOD[spec]]
    assert ask(model_at(spec, server.url, sleeps), request()).text == "hi"
    assert sleeps == [0.5]


@every_provider
def test_retries_are_bounded_and_ours_alone(server: FakeServer, sleeps: list[float], spec: str) -> None:
    server.answers = [fault(500, "on fire") for _ in range(9)]
    with pytest.raises(EndpointError, match=r"HTTP 500: on fire \(after 3 attempts\)") as caught:
        ask(model_at(spec, server.url, sleeps), request())
    assert len(server.seen) == 3
    assert sleeps == [0.5, 1.0]
    assert caught.value.exit_code == 3
    assert caught.value.where == spec


@every_provider
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_tried_again(server: FakeServer, spec: str, status: int) -> None:
    server.answers = [fault(status, "bad key")]
    with pytest.raises(EndpointError, match="bad key") as caught:
        ask(model_at(spec, server.url), request())
    assert caught.value.reason == "auth"
    assert len(server.seen) == 1
    assert "key" in (caught.value.hint or "")


@every_provider
def test_a_bad_request_is_not_tried_again(server: FakeServer, spec: str) -> None:
    server.answers = [fault(400, "what is this")]
    with pytest.raises(EndpointError, match="HTTP 400: what is this"):
        ask(model_at(spec, server.url), request())
    assert len(server.seen) == 1


def test_used_up_credit_is_not_tried_again(server: FakeServer) -> None:
    broke = Answer({"error": {"message": "no credit", "code": "insufficient_quota", "type": "x"}}, status=429)
    server.answers = [broke]
    with pytest.raises(EndpointError) as caught:
        ask(model_at("openai:gpt-5.4", server.url), request())
    assert caught.value.reason == "quota"
    assert len(server.seen) == 1


def test_an_endless_retry_after_is_not_waited_for(server: FakeServer, sleeps: list[float]) -> None:
    server.answers = [fault(429, retry_after="3600")]
    with pytest.raises(EndpointError) as caught:
        ask(model_at("openai-compatible:m", server.url, sleeps), request())
    assert "3600 s" in (caught.value.hint or "")
    assert sleeps == []


@every_provider
def test_an_unknown_model_is_not_found(server: FakeServer, spec: str) -> None:
    server.answers = [Answer({"error": {"message": "nope", "code": "model_not_found", "type": "x"}}, status=404)]
    with pytest.raises(NotFoundError, match="no such model"):
        ask(model_at(spec, server.url), request())


def test_an_unknown_model_gets_the_nearest_known_ones(server: FakeServer) -> None:
    server.answers = [fault(404, "model: claude-sonet-5")]
    with pytest.raises(NotFoundError) as caught:
        ask(model_at("anthropic:claude-sonet-5", server.url), request())
    assert "claude-sonnet-5" in (caught.value.hint or "")


def test_no_server_is_a_service_error(sleeps: list[float]) -> None:
    with pytest.raises(ServiceError) as caught:
        ask(model_at("openai-compatible:m", "http://127.0.0.1:9", sleeps), request())
    assert len(sleeps) == 2
    assert "server runs" in (caught.value.hint or "")


@every_provider
def test_a_silent_server_times_out(server: FakeServer, spec: str) -> None:
    slow = GOOD[spec]
    server.behave = lambda _body: Answer(slow.body, events=slow.events, delay=30)
    began = time.monotonic()
    with pytest.raises(EndpointError) as caught:
        ask(model_at(spec, server.url, ANSWERTRAIL_CHAT_TIMEOUT="0.3"), request())
    assert caught.value.reason == "timeout"
    assert "ANSWERTRAIL_CHAT_TIMEOUT" in (caught.value.hint or "")
    assert time.monotonic() - began < 20


def test_json_that_is_no_reply_is_an_error(server: FakeServer) -> None:
    server.behave = lambda _body: Answer({"choices": "none"})
    with pytest.raises(EndpointError) as caught:
        ask(model_at("openai-compatible:m", server.url), request())
    assert caught.value.reason == "garbled"


def test_cancelling_closes_the_request_and_leaves_nothing(server: FakeServer) -> None:
    server.behave = lambda _body: Answer(chat("late").body, delay=5)

    async def cancel() -> None:
        model = model_at("openai-compatible:m", server.url)
        task = asyncio.create_task(model.complete(request()))
        await asyncio.to_thread(server.asked.wait, 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())


def test_one_model_serves_several_event_loops(server: FakeServer) -> None:
    server.answers = [chat("a"), chat("b")]
    model = model_at("openai-compatible:m", server.url)
    assert [ask(model, request()).text, ask(model, request()).text] == ["a", "b"]


def test_waits_double_with_jitter_up_to_a_limit() -> None:
    policy = RetryPolicy(base=1.0, longest=5.0, jitter=lambda: 1.0)
    assert [policy.wait(n, None) for n in (1, 2, 3, 4)] == [1.0, 2.0, 4.0, 5.0]
    assert RetryPolicy(jitter=lambda: 0.0).wait(1, None) == 0.5
    assert RetryPolicy(jitter=lambda: 1.0).wait(1, 10.0) == 10.25
