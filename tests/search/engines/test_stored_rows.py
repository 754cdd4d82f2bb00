"""Vectors from the database are the very ones that exact search ranks by, of either type they are kept as."""

from __future__ import annotations

import numpy as np
import pytest

from answertrail.search import load
from answertrail.search.engines.base import StaleIndexError
from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.rows import HeldRows
from answertrail.search.engines.serving import index_corpus
from answertrail.search.engines.stored_rows import StoredRows
from answertrail.search.hits import Filter
from answertrail.search.load import open_corpus
from answertrail.store import chunks as chunks_of_corpus
from answertrail.store import embeddings
from tests.search.engines.stored import embed, say, stored_corpus
from tests.search.worlds import TinyEmbedder

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("dims", [16, 2001])
async def test_stored_and_held_rows_have_the_same_vectors(database, settings, monkeypatch, dims):
    monkeypatch.setattr(load, "load_embedder", lambda _: TinyEmbedder(dims))
    corpus = await stored_corpus(database, dims=dims, documents=4, chunks=5, without=3)
    exact = (await open_corpus(database, settings, "talks", "exact")).index
    ids, matrix = await embeddings.matrix(database, corpus)
    every = [row.id for row in exact.rows]
    texts = await chunks_of_corpus.get_chunks(database, corpus, every)
    stored = StoredRows(
        database, corpus, Catalogue.of((chunk, "d", None, True, texts[chunk].text_hash, True) for chunk in every)
    )
    held = HeldRows(exact.rows, exact._matrix)
    assert (len(every), len(ids)) == (20, 17)
    for rows in (stored, held):
        found = await rows.vectors([*reversed(every)])
        assert set(found) == set(ids)
        np.testing.assert_array_equal(np.stack([found[chunk] for chunk in ids]), matrix)
        assert set(await rows.vectors({ids[3], ids[5]})) == {ids[3], ids[5]}
        lacking = [chunk for chunk in every if chunk not in ids]
        assert await rows.vectors(lacking) == {}
        assert await rows.vectors([]) == {}


@pytest.mark.parametrize(("dims", "chunks"), [(16, 20), (16, 3), (2001, 3)])
async def test_a_served_corpus_lends_scores_as_the_exact_one_does(database, settings, monkeypatch, dims, chunks):
    """Of 36 passages of three a document, 240 of twenty; a few have no vector."""
    tiny = TinyEmbedder(dims)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    corpus = await stored_corpus(database, dims=dims, chunks=chunks, without=4)
    exact = await open_corpus(database, settings, "talks", "exact")
    # A vector of 2001 dimensions is indexed in half precision, as it is kept; others only when asked for.
    await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"} if dims == 16 else None)
    served = await open_corpus(database, settings, "talks")
    for query in ("kiln glaze", "winter river stone", "zeppelin"):
        for within in (Filter(), Filter(exclude=frozenset({"d000:00000", "d001:00030"}))):
            wanted = await exact.search(query, mode="fused", k=60, within=within)
            found = await served.search(query, mode="fused", k=60, within=within)
            assert found.engine == "hnsw"
            assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in wanted.hits]
            # A cosine of vectors in half precision is right to three decimals.
            near = 1e-5 if dims == 16 else 1e-3
            assert [hit.score for hit in found.hits] == pytest.approx([hit.score for hit in wanted.hits], abs=near)


async def test_a_passage_that_changed_lends_nothing_and_is_no_silent_change_of_the_order(
    database, settings, monkeypatch
):
    tiny = TinyEmbedder(16)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    corpus = await stored_corpus(database)
    await index_corpus(database, settings, corpus, "hnsw")
    served = await open_corpus(database, settings, "talks")
    found = (await served.search("kiln glaze", mode="fused", k=40)).hits
    shown = {hit.document_id for hit in found[:3]}
    lender = next(hit for hit in found if hit.document_id not in shown)
    await say(database, corpus, lender.document_id, 0, ["cats and nothing else"])
    await embed(database, corpus)
    with pytest.raises(StaleIndexError):
        await served.search("kiln glaze", mode="fused", k=3)
    held = served.index._rows
    assert set(await held.vectors([hit.chunk_id for hit in found[:3]])) == {hit.chunk_id for hit in found[:3]}
    with pytest.raises(StaleIndexError):
        await held.vectors([lender.chunk_id])
