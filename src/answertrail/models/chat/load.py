"""From `provider:model`, as the user writes it, to a chat model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.chat.base import ChatModel
from answertrail.models.chat.family import family_of
from answertrail.models.chat.probe import ProbeResult
from answertrail.models.chat.retry import RetryPolicy
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.models.embedding.base import Embedder
from answertrail.models.prices import PriceList

if TYPE_CHECKING:
    from answertrail.models.chat.dialects import Dialect
    from answertrail.models.chat.hosted import HostedModel

READER = "reader"
AUTHOR_VARIABLE = "ANSWERTRAIL_AUTHOR_MODEL"
PROVIDERS = (READER, "openai:MODEL", "anthropic:MODEL", "openai-compatible:MODEL", "scripted:FILE.jsonl")


def load_chat_model(
    spec: str,
    *,
    embedder: Embedder | None = None,
    environment: Mapping[str, str] | None = None,
    base_url: str | None = None,
    policy: RetryPolicy | None = None,
) -> ChatModel:
    """Return the model a spec names, without asking anything of it yet.

    `reader` is the built-in one, which judges passages with `embedder`, or by words alone.
    `environment` stands for the process environment. `base_url` goes before the environment's
    (OPENAI_BASE_URL, ANTHROPIC_BASE_URL, ANSWERTRAIL_CHAT_BASE_URL).

    Raises NotFoundError for an unknown spec, ServiceError when a key, an address or the package
    for the provider is missing, InputError for a setting that cannot be used.
    """
    env = os.environ if environment is None else environment
    if spec == READER:
        from answertrail.models.reader.chat import ReaderModel

        return ReaderModel(embedder)
    provider, colon, model = spec.partition(":")
    if not colon or not model or provider not in _LOADERS:
        raise NotFoundError(
            f"no such chat model: {spec!r}",
            hint=f"known: {', '.join(PROVIDERS)}",
        )
    return _LOADERS[provider](model, env, base_url, policy)


def load_author(spec: str | None, **options: Any) -> ChatModel:
    """Return the author model, which writes in its own words, such as translations of queries.

    `options` are those of `load_chat_model`. Raises InputError when none is named, and for the
    built-in reader, which only quotes.
    """
    if not spec:
        raise InputError(
            "no author model is set, and translating needs one",
            hint=f"name one with --author or {AUTHOR_VARIABLE}, such as openai:MODEL (docs/models.md)",
        )
    if spec == READER:
        raise InputError("the built-in reader cannot translate: it only quotes", hint="name a chat model as the author")
    return load_chat_model(spec, **options)


def _openai(model: str, env: Mapping[str, str], base_url: str | None, policy: RetryPolicy | None) -> ChatModel:
    key = _key(env, "OPENAI_API_KEY", f"openai:{model}")
    address = base_url or env.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    dialect = _dialects().OpenAIResponses(model, api_key=key, base_url=address)
    return _hosted("openai", model, dialect, env, policy)


def _anthropic(model: str, env: Mapping[str, str], base_url: str | None, policy: RetryPolicy | None) -> ChatModel:
    key = _key(env, "ANTHROPIC_API_KEY", f"anthropic:{model}")
    address = base_url or env.get("ANTHROPIC_BASE_URL") or "https://api.anthropic.com"
    dialect = _dialects().AnthropicMessages(model, api_key=key, base_url=address)
    return _hosted("anthropic", model, dialect, env, policy)


def _compatible(model: str, env: Mapping[str, str], base_url: str | None, policy: RetryPolicy | None) -> ChatModel:
    address = base_url or env.get("ANSWERTRAIL_CHAT_BASE_URL")
    if not address:
        raise ServiceError(
            "the endpoint's address is not set",
            where=f"openai-compatible:{model}",
            hint="set ANSWERTRAIL_CHAT_BASE_URL, such as http://localhost:11434/v1",
        )
    key = env.get("ANSWERTRAIL_CHAT_API_KEY")
    dialect = _dialects().OpenAICompatible(model, api_key=key, base_url=address)
    hosted = _hosted("openai-compatible", model, dialect, env, policy)

    from answertrail.models.chat.endpoint import CompatibleEndpoint

    return CompatibleEndpoint(hosted, base_url=address, protocol=_given_protocol(env))


def _scripted(model: str, _env: Mapping[str, str], _base_url: str | None, _policy: RetryPolicy | None) -> ChatModel:
    return ScriptedModel.from_file(Path(model))


_LOADERS = {
    "openai": _openai,
    "anthropic": _anthropic,
    "openai-compatible": _compatible,
    "scripted": _scripted,
}


def _hosted(
    provider: str, model: str, dialect: Dialect, env: Mapping[str, str], policy: RetryPolicy | None
) -> HostedModel:
    from answertrail.models.chat.hosted import HostedModel

    # Whoever serves a model elsewhere sets a price of their own: the table's would be a guess.
    seller = provider if provider in {"openai", "anthropic"} else None
    return HostedModel(
        name=f"{provider}:{model}",
        family=provider if seller else family_of(model),
        dialect=dialect,
        prices=PriceList.from_environment(seller, model, env),
        timeout=_number(env, "ANSWERTRAIL_CHAT_TIMEOUT", 120.0),
        policy=policy or RetryPolicy(attempts=int(_number(env, "ANSWERTRAIL_CHAT_ATTEMPTS", 4))),
    )


def _dialects() -> ModuleType:
    try:
        from answertrail.models.chat import dialects
    except ImportError as error:
        raise ServiceError(
            f"the packages for hosted models are not installed ({error})",
            hint="pip install 'answertrail[hosted]'",
        ) from error
    return dialects


def _key(env: Mapping[str, str], variable: str, where: str) -> str:
    key = env.get(variable, "").strip()
    if not key:
        raise ServiceError(f"{variable} is not set", where=where, hint=f"export {variable}=...")
    return key


def _number(env: Mapping[str, str], variable: str, default: float) -> float:
    text = env.get(variable)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise InputError(f"not a positive number: {text!r}", where=variable)
    return value


def _given_protocol(env: Mapping[str, str]) -> ProbeResult | None:
    variable = "ANSWERTRAIL_CHAT_PROTOCOL"
    match env.get(variable) or "auto":
        case "auto":
            return None
        case "native" | "json_action" as protocol:
            return ProbeResult(protocol, f"set by {variable}")
        case other:
            raise InputError(f"no such protocol: {other!r}", where=variable, hint="auto, native or json_action")
