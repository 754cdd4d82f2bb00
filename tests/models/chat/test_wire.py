"""What goes over the wire to each provider, seen by a local server."""

from __future__ import annotations

import json

import pytest

from answertrail.errors import InputError
from answertrail.models.chat.base import AssistantMessage, ChatReply, Message, ToolMessage, UserMessage
from answertrail.models.chat.failures import EndpointError

from .fake_server import (
    Answer,
    FakeServer,
    anthropic,
    chat,
    function_call,
    output_text,
    reasoning,
    responses,
    text_block,
    thinking_block,
    tool_use,
)
from .support import OPENING, READY, SEARCH, SUBMIT, ask, model_at, request

BUDGET = UserMessage("The budget is used up.")
SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["HIT", "MISS"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}


def after(reply: ChatReply, *results: Message) -> list[Message]:
    return [*OPENING, AssistantMessage(reply.text, reply.calls, reply.carry), *results]


class TestOpenAIResponses:
    def test_exploring_turn(self, server: FakeServer) -> None:
        server.answers = [responses(reasoning(), function_call("search_transcripts", '{"query": "x"}'))]
        model = model_at("openai:gpt-5.4", server.url)
        reply = ask(
            model, request(tools=[SEARCH, READY], choice="required", effort="low", max_tokens=900, temperature=0.3)
        )
        [seen] = server.seen
        assert seen.path == "/v1/responses"
        assert seen.headers["authorization"] == "Bearer sk-openai"
        assert seen.body["store"] is False
        assert seen.body["include"] == ["reasoning.encrypted_content"]
        assert seen.body["reasoning"]["effort"] == "low"
        assert seen.body["tool_choice"] == "required"
        assert seen.body["max_output_tokens"] == 900
        assert "temperature" not in seen.body
        assert "previous_response_id" not in seen.body
        assert [tool["name"] for tool in seen.body["tools"]] == ["search_transcripts", "mark_ready"]
        assert reply.calls[0].name == "search_transcripts"
        assert json.loads(reply.calls[0].arguments) == {"query": "x"}
        assert reply.finish == "tool_call"

    def test_reasoning_items_are_carried_to_the_next_turn(self, server: FakeServer) -> None:
        server.answers = [
            responses(reasoning("rs_7", "SEALED-7"), function_call("search_transcripts", '{"query": "x"}')),
            responses(output_text("done")),
        ]
        model = model_at("openai:gpt-5.4", server.url)
        reply = ask(model, request(tools=[SEARCH], effort="low"))
        ask(model, request(after(reply, ToolMessage("call_a", "search_transcripts", "found")), tools=[SEARCH]))
        sent = server.seen[1].body["input"]
        kinds = [item.get("type", item.get("role")) for item in sent]
        assert kinds == ["system", "user", "reasoning", "function_call", "function_call_output"]
        assert sent[2]["encrypted_content"] == "SEALED-7"
        assert sent[2]["id"] == "rs_7"
        assert sent[3]["call_id"] == sent[4]["call_id"] == "call_a"

    def test_another_models_reasoning_is_not_sent(self, server: FakeServer) -> None:
        server.answers = [
            responses(reasoning(), function_call("search_transcripts", '{"query": "x"}')),
            anthropic(text_block("done")),
        ]
        reply = ask(model_at("openai:gpt-5.4", server.url), request(tools=[SEARCH], effort="low"))
        history = after(reply, ToolMessage("call_a", "search_transcripts", "found"))
        ask(model_at("anthropic:claude-sonnet-5", server.url), request(history, tools=[SEARCH]))
        assert "SEALED" not in json.dumps(server.seen[1].body)

    def test_closing_turn_forces_the_only_tool(self, server: FakeServer) -> None:
        server.answers = [responses(function_call("submit_answer", '{"text": "a"}'))]
        ask(
            model_at("openai:gpt-5.4", server.url),
            request([*OPENING, BUDGET], tools=[SUBMIT], forced="submit_answer", effort="low"),
        )
        body = server.seen[0].body
        # One tool, and one is required: pydantic-ai's way to name it.
        assert body["tool_choice"] == "required"
        assert [tool["name"] for tool in body["tools"]] == ["submit_answer"]
        assert body["reasoning"]["effort"] == "low"

    def test_one_of_several_tools_is_forced_by_name(self, server: FakeServer) -> None:
        server.answers = [responses(function_call("submit_answer", '{"text": "a"}'))]
        ask(model_at("openai:gpt-5.4", server.url), request(tools=[SEARCH, SUBMIT], forced="submit_answer"))
        assert server.seen[0].body["tool_choice"] == {"type": "function", "name": "submit_answer"}

    def test_schema(self, server: FakeServer) -> None:
        server.answers = [responses(output_text('{"verdict": "HIT"}'))]
        reply = ask(model_at("openai:gpt-5.4-mini", server.url), request(schema=SCHEMA, effort="none"))
        sent = server.seen[0].body["text"]["format"]
        assert sent["type"] == "json_schema"
        assert sent["schema"]["properties"] == SCHEMA["properties"]
        assert server.seen[0].body["reasoning"]["effort"] == "none"
        assert reply.text == '{"verdict": "HIT"}'

    def test_cut_off_reply_says_so(self, server: FakeServer) -> None:
        server.answers = [
            responses(output_text("half a"), status="incomplete", incomplete_details={"reason": "max_output_tokens"})
        ]
        assert ask(model_at("openai:gpt-5.4", server.url), request()).finish == "length"


class TestAnthropicMessages:
    def test_exploring_turn_thinks(self, server: FakeServer) -> None:
        server.answers = [anthropic(thinking_block("hm"), tool_use("search_transcripts", {"query": "x"}))]
        reply = ask(
            model_at("anthropic:claude-sonnet-5", server.url),
            request(tools=[SEARCH, READY], effort="low", temperature=0.3),
        )
        [seen] = server.seen
        assert seen.path.startswith("/v1/messages")
        assert seen.headers["authorization"] == "Bearer sk-anthropic"
        assert seen.body["thinking"] == {"type": "adaptive"}
        assert seen.body["output_config"]["effort"] == "low"
        assert seen.body["tool_choice"] == {"type": "auto"}
        assert seen.body["system"][0]["text"] == "Be exact."
        assert "temperature" not in seen.body
        assert reply.calls[0].arguments == '{"query": "x"}'
        assert reply.finish == "tool_call"

    def test_thinking_is_sent_back_with_its_signature(self, server: FakeServer) -> None:
        server.answers = [
            anthropic(thinking_block("hm", "SIGNED-7"), tool_use("search_transcripts", {"query": "x"})),
            anthropic(text_block("done")),
        ]
        model = model_at("anthropic:claude-sonnet-5", server.url)
        reply = ask(model, request(tools=[SEARCH], effort="low"))
        result = ToolMessage("toolu_1", "search_transcripts", "found")
        ask(model, request(after(reply, result), tools=[SEARCH], effort="low"))
        said = server.seen[1].body["messages"][1]["content"]
        assert said[0] == {"type": "thinking", "thinking": "hm", "signature": "SIGNED-7"}
        assert said[1]["type"] == "tool_use"

    @pytest.mark.parametrize("name", ["claude-sonnet-5", "claude-opus-5", "claude-opus-4-8", "claude-haiku-4-5"])
    def test_closing_turn_forces_the_tool_and_turns_thinking_off(self, server: FakeServer, name: str) -> None:
        server.answers = [
            anthropic(thinking_block("hm"), tool_use("search_transcripts", {"query": "x"})),
            anthropic(tool_use("submit_answer", {"text": "a"})),
        ]
        model = model_at(f"anthropic:{name}", server.url)
        reply = ask(model, request(tools=[SEARCH], effort="low"))
        result = ToolMessage("toolu_1", "search_transcripts", "found")
        ask(model, request(after(reply, result, BUDGET), tools=[SUBMIT], forced="submit_answer", effort="low"))
        body = server.seen[1].body
        assert body["tool_choice"] == {"type": "any"}
        assert [tool["name"] for tool in body["tools"]] == ["submit_answer"]
        assert body.get("thinking", {"type": "disabled"}) == {"type": "disabled"}
        assert "SIGNED" not in json.dumps(body)
        # The call and its result stay together.
        assert [block["type"] for block in body["messages"][1]["content"]] == ["tool_use"]
        assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "text"]

    def test_one_of_several_tools_is_forced_by_name(self, server: FakeServer) -> None:
        server.answers = [anthropic(tool_use("submit_answer", {"text": "a"}))]
        ask(model_at("anthropic:claude-sonnet-5", server.url), request(tools=[SEARCH, SUBMIT], forced="submit_answer"))
        assert server.seen[0].body["tool_choice"] == {"type": "tool", "name": "submit_answer"}

    def test_a_model_that_takes_no_forced_choice_is_offered_that_tool_alone(self, server: FakeServer) -> None:
        server.answers = [anthropic(tool_use("submit_answer", {"text": "a"}))]
        ask(
            model_at("anthropic:claude-sonnet-5-5", server.url),
            request(tools=[SEARCH, SUBMIT], forced="submit_answer", effort="low"),
        )
        body = server.seen[0].body
        assert body["tool_choice"] == {"type": "auto"}
        assert [tool["name"] for tool in body["tools"]] == ["submit_answer"]

    @pytest.mark.parametrize(
        ("max_tokens", "thinking"),
        [(None, {"type": "enabled", "budget_tokens": 10000}), (6000, {"type": "enabled", "budget_tokens": 3000})],
    )
    def test_a_thinking_budget_stays_under_the_cap(
        self, server: FakeServer, max_tokens: int | None, thinking: object
    ) -> None:
        server.answers = [anthropic(text_block("hi"))]
        ask(model_at("anthropic:claude-haiku-4-5", server.url), request(effort="medium", max_tokens=max_tokens))
        assert server.seen[0].body["thinking"] == thinking

    def test_a_cap_too_low_for_any_budget_turns_thinking_off(self, server: FakeServer) -> None:
        server.answers = [anthropic(text_block("hi"))]
        ask(model_at("anthropic:claude-haiku-4-5", server.url), request(effort="medium", max_tokens=500))
        assert "thinking" not in server.seen[0].body

    def test_conversations_are_cached_and_closing_turns_are_not(self, server: FakeServer) -> None:
        server.answers = [anthropic(text_block("hi")), anthropic(tool_use("submit_answer", {"text": "a"}))]
        model = model_at("anthropic:claude-sonnet-5", server.url)
        ask(model, request(tools=[SEARCH]))
        ask(model, request(tools=[SUBMIT], forced="submit_answer"))
        exploring, closing = (seen.body for seen in server.seen)
        assert exploring["cache_control"]["type"] == "ephemeral"
        assert "cache_control" not in closing

    def test_tokens_of_a_stream(self, server: FakeServer) -> None:
        usage = {
            "input_tokens": 100,
            "cache_read_input_tokens": 600,
            "cache_creation_input_tokens": 50,
            "output_tokens": 70,
        }
        server.answers = [anthropic(text_block("hi"), usage=usage)]
        reply = ask(model_at("anthropic:claude-sonnet-5", server.url), request())
        assert server.seen[0].body["stream"] is True
        assert reply.usage.input_tokens == 750
        assert reply.usage.cached_input_tokens == 600
        assert reply.usage.cache_write_tokens == 50
        assert reply.usage.output_tokens == 70

    def test_refusal_says_so(self, server: FakeServer) -> None:
        server.answers = [anthropic(text_block(""), stop="refusal")]
        assert ask(model_at("anthropic:claude-sonnet-5", server.url), request()).finish == "refusal"


class TestOpenAICompatible:
    def test_exploring_turn_is_the_smallest_common_request(self, server: FakeServer) -> None:
        server.answers = [chat(None, ("c1", "search_transcripts", '{"query": "x"}'))]
        reply = ask(
            model_at("openai-compatible:m", server.url, ANSWERTRAIL_CHAT_PROTOCOL="native"),
            request(tools=[SEARCH, READY], choice="required", effort="low", max_tokens=90, temperature=0.3),
        )
        [seen] = server.seen
        assert seen.path == "/v1/chat/completions"
        assert set(seen.body) == {"model", "messages", "tools", "tool_choice", "max_tokens", "temperature", "stream"}
        assert seen.body["tool_choice"] == "required"
        assert seen.body["tools"][0]["function"]["parameters"] == SEARCH.parameters
        assert "strict" not in seen.body["tools"][0]["function"]
        assert reply.calls[0].id == "c1"

    def test_no_key_of_openai_goes_elsewhere(self, server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        server.answers = [chat("hi"), chat("hi")]
        ask(model_at("openai-compatible:m", server.url), request())
        ask(model_at("openai-compatible:m", server.url, ANSWERTRAIL_CHAT_API_KEY="mine"), request())
        assert [seen.headers["authorization"] for seen in server.seen] == ["Bearer none", "Bearer mine"]

    def test_closing_turn_names_the_tool(self, server: FakeServer) -> None:
        server.answers = [chat(None, ("c1", "submit_answer", '{"text": "a"}'))]
        ask(
            model_at("openai-compatible:m", server.url, ANSWERTRAIL_CHAT_PROTOCOL="native"),
            request(tools=[SUBMIT], forced="submit_answer"),
        )
        named = {"type": "function", "function": {"name": "submit_answer"}}
        assert server.seen[0].body["tool_choice"] == named

    def test_orphan_results_are_never_sent(self, server: FakeServer) -> None:
        server.answers = [chat(None, ("c1", "search_transcripts", '{"query": "x"}')), chat("done")]
        model = model_at("openai-compatible:m", server.url, ANSWERTRAIL_CHAT_PROTOCOL="native")
        reply = ask(model, request(tools=[SEARCH]))
        history = after(
            reply,
            ToolMessage("gone", "search_transcripts", "trimmed away"),
            ToolMessage("c1", "search_transcripts", "found"),
        )
        ask(model, request(history, tools=[SEARCH]))
        sent = server.seen[1].body["messages"]
        assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
        assert "trimmed away" not in json.dumps(sent)

    def test_calls_that_share_an_id_are_told_apart(self, server: FakeServer) -> None:
        twice = ("call_0", "search_transcripts", '{"query": "x"}'), ("call_0", "search_transcripts", '{"query": "y"}')
        server.answers = [chat(None, *twice), chat("done")]
        model = model_at("openai-compatible:m", server.url, ANSWERTRAIL_CHAT_PROTOCOL="native")
        reply = ask(model, request(tools=[SEARCH]))
        ids = [call.id for call in reply.calls]
        assert ids == ["call_0", "call_0_2"]
        results = [ToolMessage(i, "search_transcripts", f"found {i}") for i in ids]
        ask(model, request(after(reply, *results), tools=[SEARCH]))
        sent = server.seen[1].body["messages"]
        assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == ids

    def test_invalid_arguments_come_as_they_are(self, server: FakeServer) -> None:
        server.answers = [chat(None, ("c1", "search_transcripts", '{"query": "x'), finish="length"), chat("ok")]
        model = model_at("openai-compatible:m", server.url, ANSWERTRAIL_CHAT_PROTOCOL="native")
        reply = ask(model, request(tools=[SEARCH]))
        assert reply.calls[0].arguments == '{"query": "x'
        assert reply.finish == "length"
        # Handed back, they are wrapped: APIs refuse arguments that are not JSON.
        ask(model, request(after(reply, ToolMessage("c1", "search_transcripts", "not JSON")), tools=[SEARCH]))
        sent = server.seen[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"]
        assert json.loads(sent) == {"INVALID_JSON": '{"query": "x'}

    def test_schema_is_asked_for_less_and_less_strictly(self, server: FakeServer) -> None:
        def behave(body: dict[str, object]) -> object:
            if "response_format" not in body:
                return chat('{"verdict": "HIT"}')
            refused = chat()
            refused.status, refused.body = 400, {"error": {"message": "response_format is not supported"}}
            return refused

        server.behave = behave
        model = model_at("openai-compatible:m", server.url)
        assert ask(model, request(schema=SCHEMA)).text == '{"verdict": "HIT"}'
        asked = [seen.body.get("response_format", {}).get("type") for seen in server.seen]
        assert asked == ["json_schema", "json_object", None]
        assert "JSON Schema" in server.seen[2].body["messages"][-1]["content"]
        ask(model, request(schema=SCHEMA))
        assert len(server.seen) == 4

    def test_a_request_refused_in_every_way_leaves_the_strictest_way_in_use(self, server: FakeServer) -> None:
        refused = Answer({"error": {"message": "too odd"}}, status=400)
        server.answers = [refused, refused, refused, chat('{"verdict": "HIT"}')]
        model = model_at("openai-compatible:m", server.url)
        with pytest.raises(EndpointError, match="too odd"):
            ask(model, request(schema=SCHEMA))
        ask(model, request(schema=SCHEMA))
        assert server.seen[3].body["response_format"]["type"] == "json_schema"

    def test_reported_cached_tokens_are_used_and_absent_ones_unknown(self, server: FakeServer) -> None:
        counted = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        server.answers = [
            chat("a", usage=counted),
            chat("b", usage=counted | {"prompt_tokens_details": {"cached_tokens": 4}}),
        ]
        model = model_at("openai-compatible:m", server.url)
        assert ask(model, request()).usage.cached_input_tokens is None
        assert ask(model, request()).usage.cached_input_tokens == 4

    def test_no_usage_is_unknown_usage_and_unknown_cost(self, server: FakeServer) -> None:
        answer = chat("hi")
        del answer.body["usage"]
        server.answers = [answer]
        reply = ask(model_at("openai-compatible:m", server.url, ANSWERTRAIL_CHAT_PRICE="1,2"), request())
        assert reply.usage.input_tokens is None
        assert reply.cost_usd is None

    @pytest.mark.parametrize(
        ("answer", "finish"),
        [
            (chat("half", finish="length"), "length"),
            (chat("", finish="content_filter"), "content_filter"),
            (chat(None, refusal="I will not."), "refusal"),
            (chat("whole"), "stop"),
        ],
    )
    def test_finish(self, server: FakeServer, answer: object, finish: str) -> None:
        server.answers = [answer]  # type: ignore[list-item]
        assert ask(model_at("openai-compatible:m", server.url), request()).finish == finish


@pytest.mark.parametrize(
    "bad",
    [
        {"tools": [SEARCH], "forced": "submit_answer"},
        {"choice": "required"},
        {"effort": "extreme"},
        {"tools": [SEARCH], "schema": SCHEMA},
    ],
)
def test_requests_no_endpoint_could_take_are_refused_before_sending(server: FakeServer, bad: dict[str, object]) -> None:
    model = model_at("openai:gpt-5.4", server.url)
    with pytest.raises(InputError):
        ask(model, request(**bad))
    assert server.seen == []
