"""The three protocols spoken with hosted models, and what each needs on the wire.

The facts were read in pydantic-ai 2.68; `tests/models/chat/test_wire.py` asserts what is sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import httpx2
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ThinkingLevel
from pydantic_ai.tools import ToolDefinition

from answertrail.models.chat.base import ChatRequest, ToolSpec

# Anthropic's least thinking budget, in tokens.
_SMALLEST_BUDGET = 1024


@dataclass(frozen=True, slots=True)
class Plan:
    """How one call goes out.

    `keep_thinking`: whether earlier reasoning is sent along. `schema_in_words`: whether the
    request's schema is told in a message instead of enforced by the provider.
    """

    settings: dict[str, Any]
    tools: tuple[ToolSpec, ...]
    keep_thinking: bool = True
    schema_in_words: bool = False

    def parameters(self, schema: Mapping[str, Any] | None) -> ModelRequestParameters:
        """Return the tools of the call, or the schema its text must follow."""
        if schema is not None and not self.schema_in_words:
            output = OutputObjectDefinition(name="answer", json_schema=dict(schema))
            return ModelRequestParameters(output_mode="native", output_object=output)
        return ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=tool.name,
                    description=tool.description,
                    parameters_json_schema=dict(tool.parameters),
                )
                for tool in self.tools
            ]
        )


class Dialect(Protocol):
    """How one protocol is spoken.

    `cached_reported`: whether cached tokens are always counted. `schema_ways`: in how many ways a
    schema can be asked for, the strictest first.
    """

    cached_reported: bool
    schema_ways: int

    def model(self, http: httpx2.AsyncClient) -> Model:
        """Return the pydantic-ai model that sends through this client."""
        ...

    def plan(self, request: ChatRequest, model: Model, schema_way: int, /) -> Plan:
        """Return how this request goes out, time-outs apart."""
        ...


class OpenAIResponses:
    """OpenAI's Responses API, stateless.

    Chat Completions drops reasoning between the turns of a tool loop. Here the reasoning items
    come back encrypted and are sent again with the next turn; nothing is stored at OpenAI.
    """

    cached_reported = True
    schema_ways = 1

    def __init__(self, model: str, *, api_key: str, base_url: str | None) -> None:
        self._model, self._api_key, self._base_url = model, api_key, base_url

    def model(self, http: httpx2.AsyncClient) -> Model:
        """See Dialect."""
        provider = OpenAIProvider(base_url=self._base_url, api_key=self._api_key, http_client=http)
        return OpenAIResponsesModel(self._model, provider=provider)

    def plan(self, request: ChatRequest, model: Model, _schema_way: int, /) -> Plan:
        """See Dialect."""
        settings = _limits(request) | _tool_choice(request) | _thinking(request)
        settings["openai_store"] = False
        if _reasons(request, model):
            # A reasoning model refuses it; pydantic-ai would drop it with a warning.
            settings.pop("temperature", None)
        return Plan(settings, tuple(request.tools), schema_in_words=not _enforces_schema(model))


class AnthropicMessages:
    """Anthropic's Messages API.

    A forced tool and thinking exclude each other, so thinking is off, and earlier thinking left
    out, on every turn that must call a tool. A model that takes no forced choice at all is
    offered the forced tool alone instead.
    """

    cached_reported = True
    schema_ways = 1

    def __init__(self, model: str, *, api_key: str, base_url: str | None) -> None:
        self._model, self._api_key, self._base_url = model, api_key, base_url

    def model(self, http: httpx2.AsyncClient) -> Model:
        """See Dialect."""
        provider = AnthropicProvider(api_key=self._api_key, base_url=self._base_url, http_client=http)
        return AnthropicModel(self._model, provider=provider)

    def plan(self, request: ChatRequest, model: Model, _schema_way: int, /) -> Plan:
        """See Dialect."""
        # Each exploring turn sends the conversation again; from the cache it costs a tenth. No turn
        # reads what a closing turn or a single question wrote, and writing costs a quarter more.
        grows = bool(request.tools) and request.forced is None
        settings = _limits(request) | {"cache": True if grows else {"messages": False}}
        tools = tuple(request.tools)
        must_call = request.forced is not None or request.choice == "required"
        can_force = model.profile.get("supports_forced_tool_choice", True)
        thinks = _reasons(request, model)
        if must_call and can_force:
            settings |= _tool_choice(request) | {"thinking": False}
            thinks = model.profile.get("thinking_always_enabled", False)
        else:
            settings |= _thinking(request)
            if thinks and not model.profile.get("anthropic_supports_adaptive_thinking", False):
                settings |= _within(request.max_tokens, request.effort)
                thinks = settings.get("thinking") is not False
            tools = tuple(t for t in tools if request.forced in (None, t.name))
        if thinks or model.profile.get("anthropic_disallows_sampling_settings", False):
            settings.pop("temperature", None)
        return Plan(settings, tools, keep_thinking=thinks, schema_in_words=not _enforces_schema(model))


class OpenAICompatible:
    """Chat Completions as spoken by other people's servers: the smallest common request.

    No effort, no `strict`, `max_tokens` under its old name. The forced tool is always named:
    `required` gives HTTP 500 on llama-cpp-python, while the named form works. `response_format`
    is `json_schema`, then `json_object`, then nothing, as the server refuses the stricter.
    """

    cached_reported = False
    schema_ways = 3

    def __init__(self, model: str, *, api_key: str | None, base_url: str) -> None:
        # A placeholder, never None: the client would take OPENAI_API_KEY and send it elsewhere.
        self._model, self._api_key, self._base_url = model, api_key or "none", base_url

    def model(self, http: httpx2.AsyncClient) -> Model:
        """See Dialect."""
        provider = OpenAIProvider(base_url=self._base_url, api_key=self._api_key, http_client=http)
        profile = OpenAIModelProfile(
            json_schema_transformer=None,
            supports_thinking=False,
            openai_supports_reasoning=False,
            openai_supports_strict_tool_definition=False,
            openai_chat_supports_max_completion_tokens=False,
            openai_chat_supports_allowed_tools=False,
        )
        return OpenAIChatModel(self._model, provider=provider, profile=profile)

    def plan(self, request: ChatRequest, _model: Model, schema_way: int, /) -> Plan:
        """See Dialect."""
        settings = _limits(request)
        body: dict[str, Any] = {}
        if request.forced is not None:
            body["tool_choice"] = {"type": "function", "function": {"name": request.forced}}
        elif request.tools:
            settings["tool_choice"] = request.choice
        if request.schema is not None and schema_way < 2:
            body["response_format"] = _response_format(request.schema, schema_way)
        if body:
            settings["extra_body"] = body
        # While the schema is enforced it is not told: JSON actions have it in their system message,
        # where a local server's prompt cache keeps it.
        return Plan(settings, tuple(request.tools), schema_in_words=schema_way > 0)


def schema_in_words(schema: Mapping[str, Any]) -> str:
    """Return the instruction that stands in for, or beside, an enforced schema."""
    text = json.dumps(schema, ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. It follows this JSON Schema:\n{text}"


def _response_format(schema: Mapping[str, Any], way: int) -> dict[str, Any]:
    if way == 0:
        return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}
    # llama-cpp-python takes the schema here; others ignore it.
    return {"type": "json_object", "schema": dict(schema)}


def _limits(request: ChatRequest) -> dict[str, Any]:
    limits = {"max_tokens": request.max_tokens, "temperature": request.temperature}
    return {name: value for name, value in limits.items() if value is not None}


def _tool_choice(request: ChatRequest) -> dict[str, Any]:
    if request.forced is not None:
        return {"tool_choice": [request.forced]}
    return {"tool_choice": request.choice} if request.tools else {}


def _thinking(request: ChatRequest) -> dict[str, Any]:
    if request.effort is None:
        return {}
    return {"thinking": False if request.effort == "none" else request.effort}


def _within(max_tokens: int | None, effort: str | None) -> dict[str, Any]:
    """Keep a thinking budget under the cap, which covers both; the API refuses it otherwise."""
    if max_tokens is None:
        return {}
    if max_tokens < 2 * _SMALLEST_BUDGET:
        return {"thinking": False}
    usual = ANTHROPIC_THINKING_BUDGET_MAP[cast(ThinkingLevel, effort or True)]
    budget = min(usual, max_tokens // 2)
    return {"anthropic_thinking": {"type": "enabled", "budget_tokens": budget}}


def _reasons(request: ChatRequest, model: Model) -> bool:
    """Whether the model reasons on this call, by its profile and the effort asked for."""
    profile = model.profile
    if not profile.get("supports_thinking", False):
        return False
    if profile.get("thinking_always_enabled", False):
        return True
    if request.effort is None:
        return bool(profile.get("thinking_enabled_by_default", False))
    return request.effort != "none"


def _enforces_schema(model: Model) -> bool:
    return bool(model.profile.get("supports_json_schema_output", False))
