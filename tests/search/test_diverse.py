"""Relevant chunks spread over documents and periods."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from answertrail.errors import InputError
from answertrail.search.diverse import DiverseSettings, diverse_mode
from answertrail.search.hits import Filter
from answertrail.search.modes import MODES
from tests.search.worlds import TinyEmbedder, index_of, random_rows, row, unit

FUSED = replace(MODES["fused"], lending=0)  # what `diverse` orders is not lent


def scene(**chunks: tuple[str, str | None, float]):
    """Index chunks given as (document, date, cosine with the query `q`)."""
    rows, vectors = [], {}
    for number, (document, day, cosine) in enumerate(chunks.values()):
        chunk = f"{document}:{number:05}"
        rows.append(row(chunk, f"text {number}", published=day and datetime.fromisoformat(day).replace(tzinfo=UTC)))
        vectors[chunk] = unit([cosine, np.sqrt(1 - cosine**2)])
    return index_of(rows, TinyEmbedder(2, {"q": unit([1, 0])}), vectors)


def run(index, query="q", *, k=10, within=None, **settings):
    return asyncio.run(index.search(query, mode=diverse_mode(DiverseSettings(**settings)), k=k, within=within))


def ids(result):
    return [hit.chunk_id for hit in result.hits]


# All documents are short. In a each passage counts as much as the mean of both, 0.85: as 0.9 and 0.8 would alone.
# Relevance over the pool is 0 to 1: 0.9 -> 1, 0.8 -> 0.8, 0.7 -> 0.6, 0.65 -> 0.5, 0.4 -> 0.
FIVE = {
    "one": ("a", "2024-01-10", 0.95), "two": ("a", "2024-01-10", 0.75), "three": ("b", "2024-01-20", 0.7),
    "four": ("c", "2024-03-01", 0.65), "five": ("d", "2024-05-01", 0.4),
}  # fmt: skip


def test_what_each_chunk_adds_is_worked_out_by_hand():
    # After a:0 (1.0): a:1 adds .8 * (.5+.5)/2 = .4, b:2 adds .6 * (1+.5)/2 = .45, c:3 adds .5.
    # After c:3: still b:2 .45, a:1 .4. After b:2: a:1 has one of its document and two of its month
    # before it, .8 * (.5+.25)/2 = .3. d:4 is the lowest of the pool and adds 0.
    result = run(scene(**FIVE), by="month", alpha=0.5)
    assert ids(result) == ["a:00000", "c:00003", "b:00002", "a:00001", "d:00004"]
    assert [hit.score for hit in result.hits] == pytest.approx([1.0, 0.5, 0.45, 0.3, 0.0], abs=1e-5)


def test_alpha_0_is_the_fused_order_and_so_is_what_lies_beyond_the_pool():
    index = scene(**FIVE)
    fused = [hit.chunk_id for hit in asyncio.run(index.search("q", mode=FUSED, k=9)).hits]
    assert ids(run(index, alpha=0.0)) == fused
    rng = random.Random(1)
    index = index_of(random_rows(rng), TinyEmbedder())
    fused = [hit.chunk_id for hit in asyncio.run(index.search("kiln roof", mode=FUSED, k=99)).hits]
    spread = ids(run(index, "kiln roof", pool=20, k=99))
    assert set(spread[:20]) == set(fused[:20])
    assert spread[:20] != fused[:20]
    assert spread[20:] == fused[20:]
    assert spread[0] == fused[0]


def test_more_alpha_reaches_more_documents():
    index = index_of(random_rows(random.Random(2), documents=12, chunks=20), TinyEmbedder())
    reached = [len({hit.document_id for hit in run(index, "kiln", k=12, alpha=a).hits}) for a in (0.0, 0.5, 0.95)]
    assert reached[0] < reached[1] <= reached[2]


def test_what_was_seen_counts_as_chosen():
    # Seen a:1, the next of its document and month is worth less: c:3 (.5) now beats a:0 only if
    # 1 * (.5+.5)/2 = .5 ties, and the tie goes to the lower id.
    seen = Filter(exclude=frozenset({"a:00001"}))
    assert ids(run(scene(**FIVE), by="month", within=seen))[:2] == ["a:00000", "c:00003"]
    seen = Filter(exclude=frozenset({"a:00001", "b:00002"}))
    # a:0 is worth 1 * (.5+.25)/2 = .375.
    assert ids(run(scene(**FIVE), by="month", within=seen))[:2] == ["c:00003", "a:00000"]


def test_the_undated_are_a_period_of_their_own():
    index = scene(
        a=("a", "2024-01-10", 0.9), b=("b", "2024-01-20", 0.8), c=("c", None, 0.79), d=("d", None, 0.78),
        e=("e", "2025-01-01", 0.1),
    )  # fmt: skip
    assert ids(run(index, by="month"))[:4] == ["a:00000", "c:00002", "b:00001", "d:00003"]


@pytest.mark.parametrize("pool", [1, 5, 30, 200])
def test_pages_of_any_size_are_the_whole_list_cut_up(pool):
    index = index_of(random_rows(random.Random(3)), TinyEmbedder())
    whole = run(index, "kiln salt", k=99, pool=pool)
    for size in (1, 5, 11):
        seen: list[str] = []
        while page := ids(run(index, "kiln salt", k=size, pool=pool, within=Filter(exclude=frozenset(seen)))):
            seen += page
        assert seen == ids(whole)


def test_equal_chunks_go_by_id():
    index = index_of([row(f"x{n}:00000", "kiln") for n in range(9)], TinyEmbedder())
    assert ids(run(index, "kiln")) == [f"x{n}:00000" for n in range(9)]


@pytest.mark.parametrize("settings", [{"alpha": 1.0}, {"alpha": -0.1}, {"alpha": float("nan")}, {"pool": 0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(InputError):
        DiverseSettings(**settings)
