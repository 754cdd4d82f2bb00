"""The first of a ranking lend each other their scores: only their order changes, and by the formula."""

from __future__ import annotations

import asyncio
import math
import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.search.alike import POOL, candidates, lent
from answertrail.search.fusion import best
from answertrail.search.hits import Filter
from answertrail.search.modes import MODES, mode_named
from answertrail.search.ranking import Ranking
from tests.search.worlds import START, TinyEmbedder, index_of, random_rows, row, unit

FUSED = MODES["fused"]
UNLENT = replace(FUSED, lending=0)


def ranking_of(*scores, eligible=None):
    values = np.array(scores, dtype=np.float64)
    return Ranking(values, np.ones(len(values), dtype=bool) if eligible is None else eligible)


def exchanged(scores, vectors, nearest=None):
    """Let all these rows lend each other."""
    return lent(ranking_of(*scores), np.arange(len(scores)), np.array(vectors, dtype=np.float32), nearest).scores


# --- by hand ----------------------------------------------------------------------------------


def test_four_passages_by_hand():
    # Cosines: a b 0.6, b c 0.8, a c and c d 0; a d and b d are negative, which is like none.
    vectors = [[1, 0], [0.6, 0.8], [0, 1], [-1, 0]]
    out = exchanged([3, 1, 2, 0], vectors, nearest=3)
    assert out == pytest.approx(
        [
            (3 + 1) / 2,  # a borrows from b alone
            (1 + (0.6 * 3 + 0.8 * 2) / 1.4) / 2,  # b from a and c
            (2 + 1) / 2,  # c from b alone
            0,  # d is like none
        ],
        abs=1e-6,
    )
    # By itself b came after c; between the two it is like it passes c.
    assert best(out, np.ones(4, dtype=bool), 4).tolist() == [0, 1, 2, 3]


def beside(*cosines):
    """Return a first vector and others that have these cosines with it."""
    dims = len(cosines) + 1
    out = np.zeros((dims, dims))
    out[0, 0] = 1
    for at, cosine in enumerate(cosines, start=1):
        out[at, 0], out[at, at] = cosine, math.sqrt(1 - cosine * cosine)
    return out


def test_of_forty_a_passage_borrows_from_the_eight_most_alike_and_from_no_ninth():
    vectors = beside(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, *[0] * 30)
    # (0.9 x 1 + 0.8 x 2 + 0.7 x 3 + 0.6 x 4 + 0.5 x 5 + 0.4 x 6 + 0.3 x 7 + 0.2 x 8) / 4.4, without 0.1 x 100.
    assert exchanged([*range(9), *[100] * 31], vectors)[0] == pytest.approx(15.6 / 4.4 / 2, abs=1e-6)


def test_all_that_tie_with_the_eighth_lend():
    vectors = beside(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.2, *[0] * 30)
    # As above, and 0.2 x 100.
    assert exchanged([*range(9), *[100] * 31], vectors)[0] == pytest.approx(35.6 / 4.6 / 2, abs=1e-6)


def test_fewer_than_eight_lend_where_the_others_are_not_alike():
    vectors = beside(0.5, 0.25, *[-0.5] * 37)
    # 0.5 x 3 + 0.25 x 6, by 0.75.
    assert exchanged([0, 3, 6, *[9] * 37], vectors)[0] == pytest.approx((1.5 + 1.5) / 0.75 / 2, abs=1e-6)


@pytest.mark.parametrize(
    ("count", "borrowed"),
    [
        (10, (0.9 * 1 + 0.8 * 2) / 1.7),  # from two
        (14, (0.9 * 1 + 0.8 * 2) / 1.7),
        (15, (0.9 * 1 + 0.8 * 2 + 0.7 * 3) / 2.4),  # from three
        (19, (0.9 * 1 + 0.8 * 2 + 0.7 * 3) / 2.4),
    ],
)
def test_each_borrows_from_a_fifth_of_the_rows(count, borrowed):
    vectors = beside(0.9, 0.8, 0.7, *[0.1] * (count - 4))
    # Its own score of 7 counts once, as the other half.
    scores = [7, 1, 2, 3, *[100] * (count - 4)]
    assert exchanged(scores, vectors)[0] == pytest.approx((7 + borrowed) / 2, abs=1e-6)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 9])
def test_fewer_than_ten_rows_keep_what_they_have(count):
    # All alike, with scores that rounding would change.
    scores = [at / 3 for at in range(count)]
    assert exchanged(scores, np.ones((count, 1))).tolist() == scores


def test_rows_beyond_the_pool_neither_lend_nor_count_for_the_fifth():
    scores = [at / 3 for at in range(12)]
    unchanged = lent(ranking_of(*scores), np.arange(3, 12), np.ones((9, 1), dtype=np.float32))
    assert unchanged.scores.tolist() == scores
    found = lent(ranking_of(*scores), np.arange(2, 12), np.ones((10, 1), dtype=np.float32)).scores
    # All ten tie, so each borrows from the nine others, whose mean is (65 - at) / 27.
    assert found[:2].tolist() == scores[:2]
    assert found[2:] == pytest.approx([(at / 3 + (65 - at) / 27) / 2 for at in range(2, 12)], abs=1e-6)


def test_rounding_takes_no_row_of_the_pool_below_what_comes_after_it():
    # All eleven have 1/3, and the first ten lend each other: rounded to nine digits they would come last.
    out = lent(ranking_of(*[1 / 3] * 11), np.arange(10), np.ones((10, 1), dtype=np.float32)).scores
    assert best(out, np.ones(11, dtype=bool), 11).tolist() == list(range(11))


def test_from_how_many_each_borrows_can_be_told():
    vectors, scores = beside(0.9, 0.8, 0.7), [0, 1, 2, 3]
    assert exchanged(scores, vectors, nearest=2)[0] == pytest.approx((0.9 * 1 + 0.8 * 2) / 1.7 / 2, abs=1e-6)
    # There are no more than the three others; and two that borrow from each other alone would tie.
    for most in (3, 9):
        told = exchanged(scores, vectors, nearest=most)[0]
        assert told == pytest.approx((0.9 * 1 + 0.8 * 2 + 0.7 * 3) / 2.4 / 2, abs=1e-6)
    assert exchanged(scores, vectors, nearest=1).tolist() == scores
    assert exchanged(scores[:2], vectors[:2], nearest=9).tolist() == scores[:2]


def test_the_ranking_that_was_given_stays_what_it_was():
    ranking = ranking_of(*range(10))
    assert lent(ranking, np.arange(10), np.ones((10, 1), dtype=np.float32)).scores.tolist() != list(range(10))
    assert ranking.scores.tolist() == list(range(10))


def test_the_first_forty_of_fused_lend_and_none_of_the_other_modes():
    ranking = ranking_of(*range(170), eligible=np.arange(170) != 168)
    for name in ("fused", "fused+terms"):
        assert candidates(mode_named(name), ranking).tolist() == [169, *range(167, 128, -1)]
    for name in set(MODES) - {"fused"}:
        assert candidates(MODES[name], ranking).tolist() == []


@pytest.mark.parametrize(
    ("ranked", "pool"), [(0, 0), (39, 0), (40, 10), (43, 10), (100, 25), (159, 39), (160, 40), (999, 40)]
)
def test_they_are_no_more_than_a_quarter_of_what_is_ranked_and_none_where_that_is_few(ranked, pool):
    assert len(candidates(FUSED, ranking_of(*range(ranked)))) == pool == quarter(ranked)
    # An engine has the best alone, and knows how many there are.
    assert len(candidates(FUSED, ranking_of(*range(60)), ranked)) == pool


def quarter(ranked):
    """Return how many of so many lend each other."""
    return min(POOL, ranked // 4) if ranked >= 40 else 0


# --- properties -------------------------------------------------------------------------------

# Of a length at which rows stand at unlike places in a block of memory, and so that some are unlike others.
DIRECTIONS = np.array([unit(values) for values in np.random.default_rng(7).normal(size=(9, 33))], dtype=np.float32)
NONE = len(DIRECTIONS)
VECTORS = np.concatenate([DIRECTIONS, np.full((1, 33), np.nan, dtype=np.float32)])
# Forty-eighths have no end in decimals, so rounding moves them, and never past each other.
SCORE = st.integers(-200, 200).map(lambda number: number / 48)
ROWS = st.lists(st.tuples(SCORE, st.integers(0, NONE), st.booleans()), max_size=90)


def _many(count, seed):
    rng = random.Random(seed)
    return [(rng.randrange(-200, 201) / 48, rng.randrange(NONE + 1), rng.random() < 0.95) for _ in range(count)]


MANY = st.builds(_many, st.integers(30, 200), st.integers(0, 10_000))


def by_hand(own, vectors):
    """Return what the formula makes of the scores of a pool, one row at a time."""
    nearest = len(own) // 5
    if nearest < 2:
        return list(own)
    out = []
    for me in range(len(own)):
        others = [at for at in range(len(own)) if at != me]
        cosine = {at: max(0.0, float(np.dot(np.nan_to_num(vectors[me]), np.nan_to_num(vectors[at])))) for at in others}
        least = sorted(cosine.values(), reverse=True)[nearest - 1]
        # A tie is one to within what a cosine of single precision can tell.
        chosen = [at for at in others if cosine[at] > 0 and cosine[at] >= least - 1e-7]
        whole = sum(cosine[at] for at in chosen)
        borrowed = sum(cosine[at] * own[at] for at in chosen) / whole if whole else own[me]
        out.append((own[me] + borrowed) / 2)
    return out


def parts(rows):
    scores = np.array([score for score, _, _ in rows], dtype=np.float64)
    kinds = np.array([kind for _, kind, _ in rows], dtype=np.intp)
    return scores, kinds, np.array([eligible for _, _, eligible in rows], dtype=bool)


def lent_rows(rows):
    scores, kinds, eligible = parts(rows)
    ranking = Ranking(scores, eligible)
    pool = candidates(FUSED, ranking)
    return pool, lent(ranking, pool, VECTORS[kinds[pool]]).scores


@settings(max_examples=200, deadline=None)
@given(st.one_of(ROWS, MANY))
def test_only_the_order_of_the_first_rows_changes(rows):
    scores, kinds, eligible = parts(rows)
    pool, out = lent_rows(rows)
    beyond = np.ones(len(rows), dtype=bool)
    beyond[pool] = False
    np.testing.assert_array_equal(out[beyond], scores[beyond])
    before, after = (best(values, eligible, len(rows)).tolist() for values in (scores, out))
    size = quarter(len(before))
    assert set(before[:size]) == set(after[:size]) == set(pool.tolist())
    assert before[size:] == after[size:]
    if len(pool):
        assert out[pool].min() >= scores[pool].min()
        assert out[pool].max() <= scores[pool].max() + 1e-9
    without = pool[kinds[pool] == NONE]
    assert out[without] == pytest.approx(scores[without], abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.one_of(ROWS, MANY))
def test_scores_are_those_of_the_formula(rows):
    scores, kinds, _ = parts(rows)
    pool, out = lent_rows(rows)
    assert out[pool] == pytest.approx(by_hand(scores[pool], VECTORS[kinds[pool]].astype(np.float64)), abs=1e-6)


@settings(max_examples=200, deadline=None)
@given(st.one_of(ROWS, MANY))
def test_equal_passages_with_equal_scores_stay_equal(rows):
    scores, kinds, _ = parts(rows)
    pool, out = lent_rows(rows)
    same: dict[tuple[float, int], set[float]] = {}
    for at in pool.tolist():
        same.setdefault((scores[at], kinds[at]), set()).add(out[at])
    assert all(len(values) == 1 for values in same.values())


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.randoms())
def test_scores_do_not_depend_on_where_the_rows_stand(seed, rng):
    # No two scores are equal: of equal ones those that stand first are in the pool.
    rows = [(at / 48, kind, ok) for at, (_, kind, ok) in enumerate(_many(120, seed))]
    places = list(range(len(rows)))
    rng.shuffle(places)
    _, one = lent_rows(rows)
    _, other = lent_rows([rows[at] for at in places])
    np.testing.assert_array_equal(one[places], other)


# --- in a search ------------------------------------------------------------------------------


def search(index, query, mode=FUSED, k=500, within=None):
    return asyncio.run(index.search(query, mode=mode, k=k, within=within)).hits


def ids(hits):
    return [hit.chunk_id for hit in hits]


def documents(*numbers):
    return frozenset(f"d{number:02}" for number in numbers)


FILTERS = [
    Filter(),
    Filter(documents=documents(0, 2, 3, 4, 5, 7, 8, 9, 11)),  # 180 chunks of the larger world
    Filter(documents=documents(1, 3, 5)),  # 60 chunks
    Filter(start=START + timedelta(days=10), end=START + timedelta(days=300)),
]


def world(seed, **shape):
    rng = random.Random(seed)
    rows = random_rows(rng, **shape)
    embedder = TinyEmbedder()
    vectors = {row.id: None if rng.random() < 0.1 else embedder.vector(row.text) for row in rows}
    return index_of(rows, embedder, vectors), vectors


@pytest.mark.parametrize("within", FILTERS)
@pytest.mark.parametrize("query", ["kiln glaze", "winter river stone", "zeppelin"])
def test_in_a_search_the_first_forty_that_the_filter_lets_through_have_the_scores_of_the_formula(query, within):
    index, vectors = world(1, chunks=20)
    before, after = search(index, query, UNLENT, within=within), search(index, query, within=within)
    size = quarter(len(before))
    pool = before[:size]
    rows = [np.full(8, np.nan) if vectors[hit.chunk_id] is None else vectors[hit.chunk_id] for hit in pool]
    expected = dict(zip(ids(pool), by_hand([hit.score for hit in pool], rows), strict=True))
    assert {hit.chunk_id: hit.score for hit in after[:size]} == pytest.approx(expected, abs=1e-5)
    assert after[size:] == before[size:]
    assert ids(after) != ids(before)


def test_of_fewer_than_forty_that_the_filter_lets_through_none_lends():
    index, _ = world(1)
    few = Filter(documents=documents(0, 1, 2, 3, 4, 5))  # 36 chunks
    assert search(index, "kiln glaze", within=few) == search(index, "kiln glaze", UNLENT, within=few)


@pytest.mark.parametrize("within", FILTERS)
def test_what_was_shown_still_lends_so_that_a_next_page_goes_on_where_the_first_stopped(within):
    for seed, shape in ((2, {"chunks": 20}), (3, {"documents": 30, "chunks": 3})):
        index, _ = world(seed, **shape)
        whole = search(index, "kiln glaze", within=within)
        for k in range(1, 51):
            shown: list = []
            for _ in range(3):
                seen = replace(within, exclude=frozenset(ids(shown)))
                shown += search(index, "kiln glaze", k=k, within=seen)
            assert [(hit.chunk_id, hit.score) for hit in shown] == [
                (hit.chunk_id, hit.score) for hit in whole[: 3 * k]
            ], k


def test_a_passage_that_says_the_same_in_other_words_comes_up_beside_those_that_have_the_words():
    # By itself "roof" is a little nearer to the query than "oven". But "oven" is like what has the word, and
    # "roof" is like all the rest, which is far from the query.
    about = {
        "a": ("kiln one", [0.5, 0.8, 0.0]), "b": ("kiln two", [0.5, 0.8, 0.1]),
        "c": ("roof", [0.41, 0.0, -0.9]), "d": ("oven", [0.4, 0.9, 0.0]),
    }  # fmt: skip
    # Twelve passages a document, so that none is short and a quarter of all is twelve.
    rows = [row(f"{name}:00000", text) for name, (text, _) in about.items()]
    rows += [row(f"{name}:{30 * n:05}", f"{name} {n}") for name in about for n in range(1, 12)]
    vectors = {item.id: unit([-0.3, 0.01 * at, -1]) for at, item in enumerate(rows)}
    vectors |= {f"{name}:00000": unit(vector) for name, (_, vector) in about.items()}
    index = index_of(rows, TinyEmbedder(3, {"kiln": unit([1, 0, 0])}), vectors)
    before, after = ids(search(index, "kiln", UNLENT))[:4], ids(search(index, "kiln"))[:4]
    assert set(before[:2]) == set(after[:2]) == {"a:00000", "b:00000"}
    assert before[2:] == ["c:00000", "d:00000"]
    assert after[2:] == ["d:00000", "c:00000"]
