"""A corpus indexed with Milvus and searched by every mode, as a user does it."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest
import pytest_asyncio

from answertrail.search import load
from answertrail.search.engines import serving
from answertrail.search.engines.base import NoIndexError
from answertrail.search.engines.registry import kind_named
from answertrail.search.engines.serving import delete_corpus, drop_index, index_corpus, stale
from answertrail.search.hits import Filter
from answertrail.search.lexical import K1, B
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.store import corpora
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


async def test_an_index_with_other_parameters_of_bm25_is_old(database, settings, corpus, monkeypatch):
    made = await index_corpus(database, settings, corpus, "milvus")
    assert made.settings["bm25_parameters"] == [K1, B]
    assert await stale(database, corpus, made) is None
    before = {name: value for name, value in made.settings.items() if name != "bm25_parameters"}
    assert await stale(database, corpus, replace(made, settings=before))  # made before they were kept
    monkeypatch.setattr(serving, "K1", K1 + 0.3)
    found = await (await open_corpus(database, settings, "talks")).search("kiln", mode="fused", k=3)
    assert found.engine == "exact"
    assert "other parameters of BM25" in (found.fallback or "")


async def test_deleting_a_corpus_drops_its_collection_or_says_what_is_left(database, settings, corpus, monkeypatch):
    made = await index_corpus(database, settings, corpus, "milvus")
    await open_corpus(database, settings, "talks")
    assert await delete_corpus(database, settings, corpus) == []
    assert not [path for path in settings.cache.rglob("*") if path.is_file()]
    with pytest.raises(NoIndexError):
        await kind_named("milvus", database, corpus, {}).open(made.place, 16)

    other = await stored_corpus(database, name="other")
    made = await index_corpus(database, settings, other, "milvus")
    monkeypatch.delenv("ANSWERTRAIL_MILVUS_URI")
    [left] = await delete_corpus(database, settings, other)
    assert left.startswith(f"{made.place} was not dropped from milvus: the address of Milvus is not set")
    assert await corpora.list_all(database) == ()


async def test_fused_scores_have_the_votes_of_whole_documents(database, settings, corpus):
    await index_corpus(database, settings, corpus, "milvus", {"index": "FLAT"})
    exact = await open_corpus(database, settings, "talks", "exact")
    served = await open_corpus(database, settings, "talks")
    for mode in ("fused", "timeline"):
        for query in ("kiln glaze", "winter river stone", "barn"):
            wanted = await exact.search(query, mode=mode, k=12)
            found = await served.search(query, mode=mode, k=12)
            assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in wanted.hits]
            assert [hit.score for hit in found.hits] == pytest.approx([hit.score for hit in wanted.hits], abs=0.02)
            assert found.matching == wanted.matching


async def test_a_corpus_whose_collection_is_replaced_while_it_is_open_is_searched_with_the_new_one(
    database, settings, corpus
):
    await index_corpus(database, settings, corpus, "milvus", {"index": "FLAT"})
    opened = await open_corpus(database, settings, "talks")
    wanted = await opened.search("kiln", mode="fused", k=5)
    await index_corpus(database, settings, corpus, "milvus", {"index": "FLAT"})
    assert await opened.search("kiln", mode="fused", k=5) == wanted
    await drop_index(database, settings, corpus, "milvus")
    found = await opened.search("kiln", mode="fused", k=5)
    assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in wanted.hits]
    assert (found.engine, found.fallback) == (
        "exact",
        "searched exactly, since the milvus index was dropped after it was opened",
    )
