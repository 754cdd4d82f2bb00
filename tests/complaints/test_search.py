"""Complaints about search elsewhere, each as what happens here."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest

from answertrail.errors import InputError, MismatchError
from answertrail.search import load
from answertrail.search.hits import Filter
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.search.timeline import TimelineSettings, timeline_mode
from answertrail.store import corpora, embeddings
from tests.search.worlds import TinyEmbedder, index_of, row
from tests.store.samples import put, timed

MONTHS = 16


@pytest.fixture(scope="module")
def talks():
    """4,000 chunks in 200 documents over 16 months, a sixteenth of them a month."""
    rows = []
    for number in range(200):
        month = number % MONTHS
        day = datetime(2024 + month // 12, month % 12 + 1, 10, tzinfo=UTC)
        rows += [row(f"d{number:03}:{30 * c:05}", f"chunk {number} {c}", published=day) for c in range(20)]
    return index_of(rows, TinyEmbedder(32))


def search(index, **options):
    return asyncio.run(index.search("chunk", **{"mode": "dense", "k": 10, **options}))


def test_complaint_29_a_filter_never_leaves_fewer_rows_than_match(talks):
    for mode in sorted(set(MODES) - {"timeline"}):
        for count in (1, 2, 5):
            within = Filter(documents=frozenset(f"d{n:03}" for n in range(count)))
            result = search(talks, mode=mode, k=50, within=within)
            assert result.matching == 20 * count
            assert len(result.hits) == min(50, 20 * count)


def test_complaint_30_a_month_and_a_single_document_give_the_true_ten(talks):
    within = Filter(datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC))
    for narrow in (within, Filter(documents=frozenset({"d150"}))):
        everything = search(talks, k=4000).hits
        if narrow.documents:
            true = [hit.chunk_id for hit in everything if hit.document_id in narrow.documents]
        else:
            true = [hit.chunk_id for hit in everything if narrow.start <= hit.published_at < narrow.end]
        assert [hit.chunk_id for hit in search(talks, within=narrow).hits] == true[:10]


@pytest.mark.parametrize("k", [41, 50, 480, 1001, 4000])
def test_complaint_31_k_is_not_capped_by_a_setting_of_the_index(talks, k):
    hits = [hit.chunk_id for hit in search(talks, k=k).hits]
    assert len(set(hits)) == k
    assert hits == [hit.chunk_id for hit in search(talks, k=4000).hits][:k]


def test_complaint_32_three_of_each_of_16_months_are_48_rows(talks):
    mode = timeline_mode(TimelineSettings(by="month", per_period=3, floor=-99.0))
    result = search(talks, mode=mode, k=48)
    assert len(result.hits) == result.matching == 48
    assert Counter(hit.published_at.strftime("%Y-%m") for hit in result.hits) == {
        f"{2024 + m // 12}-{m % 12 + 1:02}": 3 for m in range(MONTHS)
    }
    assert [(period.hits, period.chunks) for period in result.coverage.periods] == [
        (3, 20 * (13 if m < 200 % MONTHS else 12)) for m in range(MONTHS)
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("dims", [1536, 2001, 3072])
async def test_complaint_33_any_number_of_dimensions_is_stored_and_searched(database, settings, monkeypatch, dims):
    tiny = TinyEmbedder(dims)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    corpus = await corpora.create(database, "talks", "tiny", tiny.identity)
    async with database.transaction() as conn:
        await put(conn, corpus, *timed("a", "We moved the kiln.", "The glaze crawled."))
    missing = await embeddings.pending(database, corpus, 9)
    hashes = [key for key, _ in missing]
    vectors = await tiny.embed([text for _, text in missing], "passage")
    async with database.transaction() as conn:
        for bad in (np.zeros_like(vectors), np.full_like(vectors, np.nan), vectors[:, :-1]):
            with pytest.raises(InputError):
                await embeddings.save(conn, corpus.embedder_id, hashes, bad)
        await embeddings.save(conn, corpus.embedder_id, hashes, vectors)
    opened = await open_corpus(database, settings, "talks")
    hits = (await opened.search("We moved the kiln.", mode="dense", k=9)).hits
    assert [hit.text for hit in hits] == ["We moved the kiln.", "The glaze crawled."]
    assert hits[0].dense == pytest.approx(1.0, abs=1e-3)
    # Another length is told when the corpus is opened, not at the first query.
    other = TinyEmbedder(dims - 1)
    monkeypatch.setattr(load, "load_embedder", lambda _: other)
    with pytest.raises(MismatchError):
        await open_corpus(database, settings, "talks")


def test_complaint_33_a_query_without_a_direction_ranks_nothing_by_nan():
    index = index_of([row("a:00000", "kiln"), row("b:00000", "barn")], TinyEmbedder(4, {"kiln": [np.nan] * 4}))
    for mode in MODES:
        for hit in asyncio.run(index.search("kiln", mode=mode, k=9)).hits:
            assert np.isfinite(hit.score)
            assert hit.document_id == "a"


def test_complaint_55_korean_nouns_are_found_whatever_particle_follows():
    said = ["유약을 발랐다", "유약이 흘렀다", "유약은 비싸다", "새 유약으로 바꿨다", "유약에 물을 넣었다",
            "유약도 샀다", "유약만 남았다", "유약의 색", "유약과 흙", "유약까지 굳었다"]  # fmt: skip
    rows = [row(f"k{n}:00000", text, language="ko") for n, text in enumerate(said)]
    rows += [row(f"e{n}:00000", "The glaze crawled.") for n in range(10)]
    found = asyncio.run(index_of(rows, TinyEmbedder()).search("유약", mode="lexical", k=20))
    assert {hit.document_id for hit in found.hits} == {f"k{n}" for n in range(10)}
