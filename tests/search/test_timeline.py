"""Stratified search: the best of each period, in rounds, with an account of every period."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime

import numpy as np
import pytest

from answertrail.errors import InputError
from answertrail.search.hits import Filter, in_date_order
from answertrail.search.ranking import BOTH, Mode, Ranking, fused
from answertrail.search.timeline import TimelineSettings, timeline_mode
from tests.search.worlds import TinyEmbedder, index_of, random_rows, row, unit

ALONE = Mode("alone", BOTH, lambda s: Ranking(fused(s, s.allowed, short=False), s.rankable))
"""Each passage by itself, which is what `timeline` ranks each period by."""


def scene(**chunks: tuple[str | None, float]):
    """Index chunks given as (date, cosine with the query `q`); no text shares a word with it."""
    rows, vectors = [], {}
    for name, (day, cosine) in chunks.items():
        chunk = f"{name}:00000"
        rows.append(row(chunk, f"text of {name}", published=day and datetime.fromisoformat(day).replace(tzinfo=UTC)))
        vectors[chunk] = unit([cosine, np.sqrt(1 - cosine**2)])
    return index_of(rows, TinyEmbedder(2, {"q": unit([1, 0])}), vectors)


def run(index, query="q", *, k=10, within=None, **settings):
    return asyncio.run(index.search(query, mode=timeline_mode(TimelineSettings(**settings)), k=k, within=within))


def names(hits):
    return [hit.document_id for hit in hits]


YEAR = {
    "a1": ("2024-01-10", 0.95), "a2": ("2024-01-20", 0.94), "a3": ("2024-01-25", 0.93),
    "b1": ("2024-02-10", 0.50), "c1": ("2024-04-01", 0.60), "c2": ("2024-04-02", 0.90), "u1": (None, 0.70),
}  # fmt: skip


def test_the_best_of_each_period_comes_before_the_second_of_any():
    result = run(scene(**YEAR), by="month", floor=-9)
    assert names(result.hits) == ["a1", "c2", "u1", "b1", "a2", "c1", "a3"]
    assert names(run(scene(**YEAR), by="month", floor=-9, k=5).hits) == ["a1", "c2", "u1", "b1", "a2"]


def test_in_date_order_the_undated_come_last():
    assert names(run(scene(**YEAR), by="month", floor=-9).dated) == ["a1", "a2", "a3", "b1", "c1", "c2", "u1"]
    late = [row("d:100000", "x"), row("d:99990", "y")]
    index = index_of(late, TinyEmbedder())
    hits = asyncio.run(index.search("x", mode="dense", k=9)).hits
    assert [hit.chunk_id for hit in in_date_order(hits)] == ["d:99990", "d:100000"]


def test_relevance_is_the_fused_score_of_the_whole_corpus():
    index = scene(**YEAR)
    fused = {hit.chunk_id: hit.score for hit in asyncio.run(index.search("q", mode=ALONE, k=9)).hits}
    in_april = Filter(start=datetime(2024, 4, 1, tzinfo=UTC))
    for within in (None, in_april):
        for hit in run(index, floor=-9, within=within).hits:
            assert hit.relevance == fused[hit.chunk_id]


def test_every_period_is_accounted_for():
    cosines = np.array([cosine for _, cosine in YEAR.values()])
    z = (cosines - cosines.mean()) / cosines.std()
    result = run(scene(**YEAR), by="month", floor=0.0, k=3)
    told = {p.label: p for p in result.coverage.periods}
    assert list(told) == ["2024-01", "2024-02", "2024-03", "2024-04", "undated"]
    assert {label: p.state for label, p in told.items()} == {
        "2024-01": "found", "2024-02": "nothing above the floor", "2024-03": "no documents", "2024-04": "found",
        "undated": "nothing above the floor",
    }  # fmt: skip
    # mean 0.789: the three of January and c2 of April lie above it.
    assert [(p.documents, p.matching, p.hits) for p in told.values()] == [
        (3, 3, 2), (1, 0, 0), (0, 0, 0), (2, 1, 1), (1, 0, 0),
    ]  # fmt: skip
    assert told["2024-02"].best == pytest.approx(float(z[3]), abs=1e-4)
    assert told["2024-03"].best is None
    assert result.matching == 4
    assert (result.coverage.grain, result.coverage.floor) == ("month", 0.0)


def test_a_period_that_k_did_not_reach_says_so():
    states = [p.state for p in run(scene(**YEAR), by="month", floor=-9, k=2).coverage.periods]
    assert states == ["found", "not reached", "no documents", "found", "not reached"]


def test_a_date_bound_lists_the_undated_as_not_searched_and_counts_them():
    within = Filter(start=datetime(2024, 1, 1, tzinfo=UTC), end=datetime(2024, 6, 1, tzinfo=UTC))
    result = run(scene(**YEAR), by="month", floor=-9, within=within)
    assert "u1" not in names(result.hits)
    assert result.undated_left_out == 1
    last = result.coverage.periods[-1]
    assert (last.label, last.state, last.documents, last.best) == ("undated", "not searched", 1, None)
    assert [p.label for p in result.coverage.periods[:-1]] == ["2024-01", "2024-02", "2024-03", "2024-04", "2024-05"]


def test_excluded_chunks_are_held_back_and_their_period_says_so():
    shown = frozenset({"a1:00000", "a2:00000", "b1:00000"})
    result = run(scene(**YEAR), by="month", floor=-9, within=Filter(exclude=shown))
    assert names(result.hits) == ["c2", "u1", "c1", "a3"]
    january, february = result.coverage.periods[:2]
    assert (january.matching, january.held_back, january.hits) == (3, 2, 1)
    assert february.state == "shown before"
    assert (result.held_back, result.matching) == (3, 4)


def test_at_most_so_many_of_a_period_and_the_next_page_has_the_next_of_it():
    index = scene(**YEAR)
    first = run(index, by="month", floor=-9, per_period=1)
    assert names(first.hits) == ["a1", "c2", "u1", "b1"]
    assert first.matching == 4
    second = run(
        index, by="month", floor=-9, per_period=1, within=Filter(exclude=frozenset(h.chunk_id for h in first.hits))
    )
    assert names(second.hits) == ["a2", "c1"]


def test_the_default_floor_is_3_deviations_or_half_the_best_where_that_is_lower():
    small = run(scene(**YEAR))
    best = max(p.best for p in small.coverage.periods if p.best is not None)
    assert best < 6  # six standard deviations are out of reach of seven chunks
    assert small.coverage.floor == pytest.approx(best / 2)
    assert names(small.hits)[0] == "a1"
    many = {f"n{n:03}": ("2024-02-01", 0.1 + n / 10_000) for n in range(300)} | {"top": ("2024-01-01", 0.99)}
    large = run(scene(**many))
    assert large.coverage.floor == 3.0
    assert names(large.hits) == ["top"]


def test_a_floor_nothing_reaches_gives_no_hits_and_tells_the_best_of_each_period():
    result = run(scene(**YEAR), by="month", floor=50.0)
    assert (result.hits, result.matching) == ((), 0)
    assert [p.best is not None for p in result.coverage.periods] == [True, True, False, True, True]


def test_chunks_without_a_vector_are_found_by_words():
    rows = [row("a:00000", "the kiln", published=datetime(2024, 1, 1, tzinfo=UTC)), row("b:00000", "the barn")]
    index = index_of(rows, TinyEmbedder(2), {"a:00000": None, "b:00000": None})
    result = run(index, "kiln")
    assert names(result.hits) == ["a"]
    assert [p.state for p in result.coverage.periods] == ["found", "nothing above the floor"]


@pytest.mark.parametrize(
    "settings", [{"by": "week"}, {"per_period": 0}, {"floor": float("nan")}, {"floor": float("inf")}]
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(InputError):
        TimelineSettings(**settings)


def test_an_empty_corpus_has_no_periods():
    result = run(index_of([], TinyEmbedder()))
    assert (result.hits, result.coverage.periods) == ((), ())


# --- against rounds made by hand ---------------------------------------------------------------------


def label_of(item, grain):
    if item.published_at is None:
        return "undated"
    year, month = item.published_at.year, item.published_at.month
    return {"month": (year, month), "quarter": (year, (month - 1) // 3), "year": (year,)}[grain]


def rounds_by_hand(rows, scores, grain, floor, within):
    groups: dict = {}
    for item in sorted(rows, key=lambda item: (-scores.get(item.id, -1e9), item.id)):
        published = item.published_at
        if within.start and (published is None or published < within.start):
            continue
        if within.end and (published is None or published >= within.end):
            continue
        if within.documents is not None and item.document_id not in within.documents:
            continue
        if scores.get(item.id, -1e9) >= floor:
            groups.setdefault(label_of(item, grain), []).append(item.id)
    out = []
    while any(groups.values()):
        turn = [queue.pop(0) for queue in groups.values() if queue]
        out += sorted(turn, key=lambda name: (-scores[name], name))
    return [name for name in out if name not in within.exclude]


def test_200_random_timelines_are_the_rounds_made_by_hand():
    from tests.search.test_index import random_filter

    rng = random.Random(11)
    empty = 0
    for number in range(200):
        if number % 20 == 0:
            rows = random_rows(rng)
            index = index_of(rows, TinyEmbedder())
        grain, floor, k = (
            rng.choice(["month", "quarter", "year"]),
            rng.choice([-9.0, 0.0, 1.0, 2.0]),
            rng.choice([1, 7, 99]),
        )
        query = " ".join(rng.choices(["kiln", "glaze", "zeppelin", "roof"], k=2))
        within = random_filter(rng, rows)
        scores = {hit.chunk_id: hit.score for hit in asyncio.run(index.search(query, mode=ALONE, k=999)).hits}
        expected = rounds_by_hand(rows, scores, grain, floor, within)
        result = run(index, query, by=grain, floor=floor, k=k, within=within)
        assert [hit.chunk_id for hit in result.hits] == expected[:k]
        assert result.matching == len(expected)
        assert sum(p.matching - p.held_back for p in result.coverage.periods) == result.matching
        assert sum(p.hits for p in result.coverage.periods) == len(result.hits)
        empty += not expected
    assert 0 < empty < 100
