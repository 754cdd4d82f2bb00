"""The engines by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from answertrail.errors import NotFoundError
from answertrail.search.engines.base import EngineKind
from answertrail.search.engines.exact import EXACT
from answertrail.search.engines.hnsw import HNSW, HnswKind, HnswSettings
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus

Make = Callable[[Database, Corpus, Mapping[str, Any]], EngineKind]
"""Makes a kind for one corpus from the settings of its record; {} when it is to be made with the defaults."""


def _hnsw(db: Database, corpus: Corpus, settings: Mapping[str, Any]) -> EngineKind:
    return HnswKind(db, corpus, HnswSettings.of(settings))


def _milvus(_db: Database, _corpus: Corpus, settings: Mapping[str, Any]) -> EngineKind:
    from answertrail.search.engines.milvus import MilvusKind
    from answertrail.search.engines.milvus_client import MilvusSettings

    return MilvusKind(MilvusSettings.of(settings))


def _opensearch(_db: Database, _corpus: Corpus, settings: Mapping[str, Any]) -> EngineKind:
    from answertrail.search.engines.opensearch import OpenSearchKind
    from answertrail.search.engines.opensearch_http import OpenSearchSettings

    return OpenSearchKind(OpenSearchSettings.of(settings))


KINDS: Mapping[str, Make] = {HNSW: _hnsw, "milvus": _milvus, "opensearch": _opensearch}
"""All but `exact`, which is filled when a corpus is opened and needs no index of its own."""

NAMES = (EXACT, *KINDS)


def kind_named(name: str, db: Database, corpus: Corpus, settings: Mapping[str, Any]) -> EngineKind:
    """Return an engine's kind. Raises NotFoundError listing the known ones, InputError for bad settings."""
    if name not in KINDS:
        raise NotFoundError(f"no search engine {name!r}", hint=f"known: {', '.join(NAMES)}")
    return KINDS[name](db, corpus, settings)
