"""A corpus indexed with OpenSearch, as its stand-in answers (see opensearch_server.py): opened, replaced, deleted."""

from __future__ import annotations

import pytest
import pytest_asyncio

from answertrail.search import load
from answertrail.search.engines.serving import delete_corpus, drop_index, index_corpus
from answertrail.search.load import open_corpus
from tests.search.engines.opensearch_server import running_opensearch
from tests.search.engines.stored import stored_corpus
from tests.search.worlds import TinyEmbedder

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def corpus(database, monkeypatch):
    tiny = TinyEmbedder(16)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    with running_opensearch() as server:
        monkeypatch.setenv("ANSWERTRAIL_OPENSEARCH_URL", server.url)
        yield await stored_corpus(database)


async def test_an_index_that_is_replaced_or_dropped_under_an_open_corpus(database, settings, corpus):
    await index_corpus(database, settings, corpus, "opensearch")
    opened = await open_corpus(database, settings, "talks")
    wanted = await opened.search("kiln", mode="fused", k=5)
    assert (wanted.engine, wanted.fallback) == ("opensearch", None)
    await index_corpus(database, settings, corpus, "opensearch")
    assert await opened.search("kiln", mode="fused", k=5) == wanted
    await drop_index(database, settings, corpus, "opensearch")
    found = await opened.search("kiln", mode="fused", k=5)
    assert (found.engine, "opensearch index was dropped" in found.fallback) == ("exact", True)
    await opened.index.close()


async def test_deleting_a_corpus_drops_its_index_or_says_what_is_left(database, settings, corpus, monkeypatch):
    await index_corpus(database, settings, corpus, "opensearch")
    assert await delete_corpus(database, settings, corpus) == []
    other = await stored_corpus(database, name="other")
    made = await index_corpus(database, settings, other, "opensearch")
    with running_opensearch() as another:
        monkeypatch.setenv("ANSWERTRAIL_OPENSEARCH_URL", another.url)
        [left] = await delete_corpus(database, settings, other)
    assert left == f"{made.place} was not found in opensearch; it may be on another server"
