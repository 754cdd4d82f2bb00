"""A corpus indexed with Milvus and searched by every mode, as a user does it."""

from __future__ import annotations

import importlib.util

import pytest
import pytest_asyncio

from answertrail.search import load
from answertrail.search.engines.serving import drop_index, index_corpus
from answertrail.search.hits import Filter
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from tests.search.engines.stored import embed, say, stored_corpus
from tests.search.worlds import TinyEmbedder

if importlib.util.find_spec("milvus_lite") is None or importlib.util.find_spec("pymilvus") is None:
    pytest.skip(
        'the file-based Milvus is not installed: pip install "answertrail[milvus-lite]"', allow_module_level=True
    )

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def corpus(database, monkeypatch, tmp_path):
    tiny = TinyEmbedder(16)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    monkeypatch.setenv("ANSWERTRAIL_MILVUS_URI", str(tmp_path / "served.db"))
    return await stored_corpus(database, without=10)


async def test_every_mode_returns_what_exact_search_returns(database, settings, corpus):
    await index_corpus(database, settings, corpus, "milvus", {"index": "FLAT"})
    exact = await open_corpus(database, settings, "talks", "exact")
    served = await open_corpus(database, settings, "talks")
    for mode in MODES:
        for within in (None, Filter(documents=frozenset({"d001", "d003"})), Filter(exclude=frozenset({"d000:00000"}))):
            wanted = await exact.search("kiln glaze", mode=mode, k=12, within=within)
            found = await served.search("kiln glaze", mode=mode, k=12, within=within)
            if mode in {"dense", "lexical", "hybrid"}:
                # The other modes weigh scores; that they agree over an engine is test_serving's.
                assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in wanted.hits], mode
                assert (found.matching, found.held_back) == (wanted.matching, wanted.held_back)
            assert len(found.hits) == len(wanted.hits)
            assert (found.engine, found.fallback) == ("milvus", None)


async def test_a_new_index_takes_over_from_the_old_and_dropping_it_leaves_exact_search(database, settings, corpus):
    first = await index_corpus(database, settings, corpus, "milvus")
    await say(database, corpus, "new", 0, ["a zeppelin over the barn"])
    await embed(database, corpus)
    second = await index_corpus(database, settings, corpus, "milvus")
    assert first.place != second.place
    found = await (await open_corpus(database, settings, "talks")).search("zeppelin", mode="lexical", k=3)
    assert ([hit.document_id for hit in found.hits], found.engine) == (["new"], "milvus")
    assert await drop_index(database, settings, corpus, "milvus") == [second.place]
    found = await (await open_corpus(database, settings, "talks")).search("zeppelin", mode="lexical", k=3)
    assert ([hit.document_id for hit in found.hits], found.engine) == (["new"], "exact")
