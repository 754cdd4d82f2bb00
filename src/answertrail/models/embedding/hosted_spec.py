"""Reading the spec of a hosted embedder: `openai:MODEL@DIMS`, `openai-compatible:MODEL@DIMS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from answertrail.errors import InputError, ServiceError

BASE_URL_VARIABLE = "ANSWERTRAIL_EMBED_BASE_URL"
API_KEY_VARIABLE = "ANSWERTRAIL_EMBED_API_KEY"
BATCH_VARIABLE = "ANSWERTRAIL_EMBED_BATCH"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
_OPENAI_URL = "https://api.openai.com/v1"
_OPENAI_BATCH = 256
# text-embeddings-inference refuses more than 32 inputs unless it is told otherwise.
_COMPATIBLE_BATCH = 32

# Native lengths; a shorter one may be asked for, except of the last.
_OPENAI_DIMS = {"text-embedding-3-large": 3072, "text-embedding-3-small": 1536, "text-embedding-ada-002": 1536}
_OPENAI_FIXED = frozenset({"text-embedding-ada-002"})


@dataclass(frozen=True, slots=True)
class HostedSpec:
    """Which model to ask, where, and for vectors of which length.

    `seller` is the provider's name in the price table, None when it is not known. `shorten` says
    whether to send `dimensions`. `batch` is how many texts go into one request, at most.
    """

    name: str
    model: str
    dims: int
    base_url: str
    api_key: str
    key_variable: str
    seller: str | None
    shorten: bool
    batch: int


def parse_hosted(spec: str, env: Mapping[str, str]) -> HostedSpec:
    """Return what a spec and the environment say together.

    `@DIMS` may be left out for OpenAI's own models: it is then the native length. Raises
    InputError for a length that is missing, malformed or beyond the model, and ServiceError
    naming the variable when an address or a key is missing.
    """
    provider, _, rest = spec.partition(":")
    model, _, length = rest.rpartition("@")
    if not model:
        model, length = rest, ""
    if provider == "openai":
        return _openai(model, length, spec, env)
    return _compatible(model, length, spec, env)


def _openai(model: str, length: str, spec: str, env: Mapping[str, str]) -> HostedSpec:
    native = _OPENAI_DIMS.get(model)
    dims = _length(length, spec) if length else native
    if dims is None:
        raise InputError(f"the length of {model!r} is not known", where=spec, hint=f"write openai:{model}@DIMS")
    if native is not None and (dims > native or (dims < native and model in _OPENAI_FIXED)):
        raise InputError(f"{model} has vectors of {native} numbers, not {dims}", where=spec)
    key = env.get(OPENAI_KEY_VARIABLE)
    if not key:
        raise ServiceError(
            f"no key for OpenAI: {OPENAI_KEY_VARIABLE} is not set",
            where=spec,
            hint=f"set {OPENAI_KEY_VARIABLE}, or choose an embedder that needs no key: accurate, fast, multilingual",
        )
    return HostedSpec(
        name=f"openai:{model}",
        model=model,
        dims=dims,
        base_url=env.get("OPENAI_BASE_URL") or _OPENAI_URL,
        api_key=key,
        key_variable=OPENAI_KEY_VARIABLE,
        seller="openai",
        shorten=model not in _OPENAI_FIXED,
        batch=_batch(env, _OPENAI_BATCH),
    )


def _compatible(model: str, length: str, spec: str, env: Mapping[str, str]) -> HostedSpec:
    if not length:
        raise InputError(
            "the length of the vectors is missing", where=spec, hint=f"write openai-compatible:{model}@DIMS"
        )
    dims = _length(length, spec)
    base_url = env.get(BASE_URL_VARIABLE)
    if not base_url:
        raise ServiceError(
            f"no address for the embeddings: {BASE_URL_VARIABLE} is not set",
            where=spec,
            hint=f"set {BASE_URL_VARIABLE}, e.g. http://localhost:8000/v1",
        )
    return HostedSpec(
        name=f"openai-compatible:{model}",
        model=model,
        dims=dims,
        base_url=base_url,
        # Local servers ask for none, yet the client insists on one.
        api_key=env.get(API_KEY_VARIABLE) or "none",
        key_variable=API_KEY_VARIABLE,
        seller=None,
        shorten=True,
        batch=_batch(env, _COMPATIBLE_BATCH),
    )


def _length(text: str, spec: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise InputError(f"not a length: {text!r}", where=spec, hint="write MODEL@DIMS, e.g. @1536")
    return int(text)


def _batch(env: Mapping[str, str], default: int) -> int:
    text = env.get(BATCH_VARIABLE)
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 2048):
        raise InputError(f"not a number of texts: {text!r}", where=BATCH_VARIABLE, hint="1 to 2048")
    return int(text)
