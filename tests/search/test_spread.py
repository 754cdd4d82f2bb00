"""Passages of many documents, and none beside one that was chosen."""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest

from answertrail.errors import InputError
from answertrail.search.fusion import fuse_scores
from answertrail.search.hits import Filter
from answertrail.search.spread import SpreadSettings, spread_mode
from tests.search.worlds import TinyEmbedder, index_of, random_rows, row, unit


def run(index, query="q", *, k=99, within=None, **settings):
    return asyncio.run(index.search(query, mode=spread_mode(SpreadSettings(**settings)), k=k, within=within))


def ids(result):
    return [hit.chunk_id for hit in result.hits]


# a has three passages in a row and one apart; b and c one each. Their other passages and all of d are far from
# the query. Each document has five passages or more, so none is short.
COSINES = {
    "a:00000": 0.9, "a:00030": 0.89, "a:00060": 0.88, "a:00300": 0.87, "a:00900": 0.1, "b:00000": 0.8, "c:00000": 0.6,
    **{f"{name}:{n:05}": 0.1 for name in "bc" for n in range(300, 420, 30)},
    **{f"d:{n:05}": 0.1 for n in range(0, 300, 30)},
}  # fmt: skip


def scene():
    rows = [row(name, f"text {name}") for name in COSINES]
    vectors = {name: unit([c, np.sqrt(1 - c * c)]) for name, c in COSINES.items()}
    return index_of(rows, TinyEmbedder(2, {"q": unit([1, 0])}), vectors)


def test_each_score_is_worked_out_by_hand():
    dense = np.array([COSINES[name] for name in sorted(COSINES)], dtype=np.float32)
    every = np.ones(len(dense), dtype=bool)
    fused = dict(zip(sorted(COSINES), fuse_scores(dense, np.zeros_like(dense), every, 0.0).tolist(), strict=True))
    found = run(scene(), k=4)
    # After a:0 its neighbour a:30 waits; b:0 comes before a:60, which is worth 0.8 of its score, and
    # a:300, beside a:60, waits as well: neighbours are those in the document, whatever lies between.
    assert ids(found) == ["a:00000", "b:00000", "a:00060", "c:00000"]
    expected = [fused["a:00000"], fused["b:00000"], 0.8 * fused["a:00060"], fused["c:00000"]]
    assert [hit.score for hit in found.hits] == pytest.approx(expected, abs=1e-5)
    assert [hit.relevance for hit in found.hits] == pytest.approx(
        [fused[name] for name in ids(found)], abs=1e-5
    )  # fmt: skip


def test_what_waits_comes_after_the_pool_and_nothing_is_lost():
    found = run(scene())
    assert sorted(ids(found)) == sorted(COSINES)
    assert found.matching == len(COSINES)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    waited = ids(found)[ids(found).index("a:00030") :]
    assert "a:00300" in waited


def test_what_was_shown_counts_as_chosen():
    shown = Filter(exclude=frozenset({"a:00030"}))
    # Both passages beside it wait, and a:300 has one of its document before it.
    assert ids(run(scene(), k=3, within=shown)) == ["b:00000", "a:00300", "c:00000"]


def test_keeping_all_gives_the_fused_order_without_neighbours():
    found = ids(run(scene(), k=4, keep=1.0))
    assert found == ["a:00000", "a:00060", "b:00000", "c:00000"]


@pytest.mark.parametrize("pool", [1, 5, 30, 400])
def test_pages_of_any_size_are_the_whole_list_cut_up(pool):
    index = index_of(random_rows(random.Random(3)), TinyEmbedder())
    whole = run(index, "kiln salt", pool=pool)
    for size in (1, 5, 11):
        seen: list[str] = []
        while page := ids(run(index, "kiln salt", k=size, pool=pool, within=Filter(exclude=frozenset(seen)))):
            seen += page
        assert seen == ids(whole)


@pytest.mark.parametrize("settings", [{"keep": 0.0}, {"keep": 1.1}, {"keep": float("nan")}, {"pool": 0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(InputError):
        SpreadSettings(**settings)
