"""Cosines, the choice of the best, and the two ways to fuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from answertrail.search.dense import cosines
from answertrail.search.fusion import best, fuse_scores, idf, lexical_weight, reciprocal_ranks, short_documents
from tests.search.worlds import unit


def f32(*values):
    return np.array(values, dtype=np.float32)


def order(scores, eligible=None):
    return best(scores, np.ones(len(scores), dtype=bool) if eligible is None else eligible, len(scores)).tolist()


# --- cosines ----------------------------------------------------------------------------------


def test_cosine_orders_by_angle_and_keeps_nan_for_a_row_without_a_vector():
    matrix = np.stack([f32(0, 1), f32(1, 0), f32(*unit([1, 1])), f32(np.nan, np.nan), f32(-1, 0)])
    out = cosines(matrix, f32(1, 0))
    assert out[:3] == pytest.approx([0, 1, np.sqrt(0.5)], abs=1e-6)
    assert out[4] == pytest.approx(-1)
    assert np.isnan(out[3])


def test_no_rows_give_no_cosines():
    assert cosines(np.zeros((0, 4), dtype=np.float32), f32(1, 0, 0, 0)).shape == (0,)


@pytest.mark.parametrize("dims", [1, 3, 33, 384])
def test_equal_rows_have_equal_cosines_wherever_they_stand(dims):
    rng = np.random.default_rng(dims)
    matrix, query = rng.standard_normal((1000, dims)).astype(np.float32), rng.standard_normal(dims).astype(np.float32)
    matrix[1::7] = matrix[0]
    out = cosines(matrix, query)
    assert set(out[1::7].tolist()) == {float(out[0])}
    np.testing.assert_array_equal(cosines(matrix[::-1].copy(), query), out[::-1])


# --- best -------------------------------------------------------------------------------------


def test_ties_go_to_the_lower_row_also_at_the_edge_of_k():
    scores = f32(1, 3, 3, 2, 3)
    everything = np.ones(5, dtype=bool)
    assert best(scores, everything, 5).tolist() == [1, 2, 4, 3, 0]
    assert best(scores, everything, 2).tolist() == [1, 2]
    assert best(scores, everything, 0).tolist() == []
    assert best(scores, np.array([1, 0, 0, 1, 1], dtype=bool), 9).tolist() == [4, 3, 0]


@given(
    hnp.arrays(np.float32, st.integers(0, 40), elements=st.sampled_from([0.0, -0.0, 0.5, 1.0, -2.0, 7.25])),
    st.randoms(use_true_random=False),
    st.integers(0, 45),
)
def test_best_equals_a_full_stable_sort(scores, rng, k):
    eligible = np.array([rng.random() < 0.7 for _ in scores], dtype=bool)
    rows = [i for i in range(len(scores)) if eligible[i]]
    expected = sorted(rows, key=lambda i: (-float(scores[i]), i))[:k]
    assert best(scores, eligible, k).tolist() == expected


# --- reciprocal ranks ---------------------------------------------------------------------------


def test_rrf_by_hand():
    dense = f32(0.9, 0.8, 0.1, 0.5)  # ranks 1, 2, 4, 3
    lexical = f32(0, 2, 5, 0)  # ranks -, 2, 1, -
    out = reciprocal_ranks(dense, lexical, np.ones(4, dtype=bool))
    assert out == pytest.approx([1 / 61, 1 / 62 + 1 / 62, 1 / 64 + 1 / 61, 1 / 63])
    # 0.016393, 0.032258, 0.032018, 0.015873
    assert order(out) == [1, 2, 0, 3]


def test_rrf_ranks_only_what_the_filter_allows():
    allowed = np.array([False, True, True, True])
    out = reciprocal_ranks(f32(0.9, 0.8, 0.1, 0.5), f32(9, 0, 5, 0), allowed)
    assert out[1:] == pytest.approx([1 / 61, 1 / 63 + 1 / 61, 1 / 62])


def test_a_chunk_that_shares_no_term_gets_no_vote_and_such_chunks_keep_dense_order():
    dense = f32(0.1, 0.4, 0.2, 0.3)
    lexical = f32(0, 0, 0, 1)
    for out in (
        reciprocal_ranks(dense, lexical, np.ones(4, dtype=bool)),
        fuse_scores(dense, lexical, np.ones(4, dtype=bool), 1.0),
    ):
        assert order(out) == [3, 1, 2, 0]


def test_a_row_without_a_vector_is_ranked_by_its_words_alone():
    dense, lexical = f32(np.nan, 0.5), f32(3, 0)
    out = reciprocal_ranks(dense, lexical, np.ones(2, dtype=bool))
    assert out == pytest.approx([1 / 61, 1 / 61])
    fused = fuse_scores(dense, lexical, np.ones(2, dtype=bool), 1.0)
    assert not np.isnan(fused).any()
    assert order(fused) == [0, 1]


COSINES = st.integers(-(2**24), 2**24).map(lambda n: n / 2**24)  # what float32 can tell apart near 1
DENSE = hnp.arrays(np.float32, st.integers(1, 250), elements=COSINES)


@settings(max_examples=60, deadline=None)
@given(DENSE, st.floats(0, 1))
def test_without_any_lexical_match_both_fusions_keep_dense_order(dense, share):
    allowed = np.ones(len(dense), dtype=bool)
    nothing = np.zeros_like(dense)
    assert order(reciprocal_ranks(dense, nothing, allowed)) == order(dense)
    assert order(fuse_scores(dense, nothing, allowed, share)) == order(dense)


def test_neighbouring_float32_scores_are_not_made_equal_by_fusing():
    low = np.float32(0.7)
    dense = np.full(300, low, dtype=np.float32)
    dense[299] = np.nextafter(low, np.float32(1))
    dense[0] = -0.9
    allowed = np.ones(300, dtype=bool)
    assert order(fuse_scores(dense, np.zeros_like(dense), allowed, 1.0))[0] == 299
    deep = np.linspace(0.9, 0.8, 300, dtype=np.float32)
    deep[250] = np.nextafter(deep[251], np.float32(0))
    assert order(reciprocal_ranks(deep, np.zeros_like(deep), allowed)) == order(deep)


# --- fused scores -------------------------------------------------------------------------------


def test_fused_score_by_hand():
    dense = f32(0.1, 0.2, 0.3)  # mean 0.2, spread sqrt(0.02/3) = 0.0816497
    lexical = f32(4, 2, 0)
    everything = np.ones(3, dtype=bool)
    top = 0.1 / 0.0816497  # 1.224745
    out = fuse_scores(dense, lexical, everything, 0.3)
    assert out == pytest.approx([-top + 4 / 3 * 0.3 * 4, 4 / 3 * 0.3 * 2, top], abs=1e-5)
    # The whole documents of the first and the last are about the query.
    with_documents = fuse_scores(dense, lexical, everything, 0.3, f32(3, 0, 1.5))
    assert with_documents - out == pytest.approx([1.0, 0.0, 0.5], abs=1e-6)


# Cosines of mean 0.5 and spread 0.25: one spread above or below the mean each, so that sums are easy.
EIGHT = f32(0.75, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.25)
ALL = np.ones(8, dtype=bool)


def test_in_a_short_document_passage_and_document_count_alike_by_hand():
    # A document of two passages, one above and one below the mean; one of one passage; one of five.
    short = np.array([0, 0, 1, -1, -1, -1, -1, -1])
    nothing = f32(*[0] * 8)
    cosines = fuse_scores(EIGHT, nothing, ALL, 0.0, None, short)
    # 2/3 x (1 + 0) and 2/3 x (-1 + 0); alone it is its own mean, 2/3 x (1 + 1); in the long one each has its own.
    assert cosines == pytest.approx([2 / 3, -2 / 3, 4 / 3, 1, -1, -1, 1, -1])
    # BM25 of 3 at a weight of 0.5: 2/3 of 1.5 in a short document, 4/3 of it in a long one.
    words = fuse_scores(EIGHT, f32(3, 0, 3, 3, 0, 0, 0, 0), ALL, 0.5, None, short)
    assert words - cosines == pytest.approx([1, 0, 1, 2, 0, 0, 0, 0])
    # A document's BM25, weighted already, of 3: 2/3 in a short document, for all its passages, else 1/3.
    both = fuse_scores(EIGHT, f32(3, 0, 3, 3, 0, 0, 0, 0), ALL, 0.5, f32(3, 3, 3, 3, 3, 3, 3, 3), short)
    assert both - words == pytest.approx([2, 2, 2, 1, 1, 1, 1, 1])


def test_a_short_document_whose_passages_differ_by_hand():
    # Three above, one below: the mean is 0.5, so 2/3 x (1 + 0.5) and 2/3 x (-1 + 0.5). Two below are
    # their own mean, 2/3 x (-1 - 1). Rows need not lie together.
    short = np.array([5, 5, 5, 5, 0, 0, -1, -1])
    out = fuse_scores(EIGHT, f32(*[0] * 8), ALL, 0.0, None, short)
    assert out == pytest.approx([1, -1 / 3, 1, 1, -4 / 3, -4 / 3, 1, -1])
    mixed = np.array([7, 3, 0, 5, 2, 4, 6, 1])
    assert fuse_scores(EIGHT[mixed], f32(*[0] * 8), ALL, 0.0, None, short[mixed]) == pytest.approx(out[mixed])


def test_a_passage_without_a_vector_stands_at_the_mean_in_a_short_document_as_well():
    # Cosines of 0.75 and 0.25 alone count as 1 and -1, the row without one as 0, also in its document's mean of 0.5.
    dense = f32(0.75, np.nan, 0.25, np.nan)
    out = fuse_scores(dense, f32(0, 0, 0, 3), np.ones(4, dtype=bool), 0.5, None, np.array([0, 0, 1, 2]))
    assert out == pytest.approx([2 / 3 * (1 + 0.5), 2 / 3 * (0 + 0.5), 2 / 3 * (-1 - 1), 2 / 3 * 1.5])


def test_what_a_filter_leaves_out_does_not_move_short_documents():
    # The third document is left out: without it mean and spread are those of the other two.
    dense, short = f32(0.75, 0.25, 0.75, 0.25, 0.99, -0.99), np.array([0, 0, 1, 1, 2, 2])
    allowed = np.array([True] * 4 + [False] * 2)
    out = fuse_scores(dense, f32(0, 0, 0, 0, 9, 9), allowed, 1.0, None, short)
    assert out[:4] == pytest.approx([2 / 3, -2 / 3, 2 / 3, -2 / 3])


def test_without_a_short_document_scores_are_as_if_none_could_be():
    lexical, documents = f32(3, 0, 3, 3, 0, 1, 0, 0), f32(3, 3, 0, 0, 0, 0, 1, 1)
    long = np.full(8, -1)
    np.testing.assert_array_equal(
        fuse_scores(EIGHT, lexical, ALL, 0.5, documents, long), fuse_scores(EIGHT, lexical, ALL, 0.5, documents)
    )


def test_a_document_of_four_passages_is_short_and_one_of_five_is_not():
    documents = np.repeat([0, 1, 2], [4, 5, 1])
    assert short_documents(documents, np.array([4, 5, 1])).tolist() == [0] * 4 + [-1] * 5 + [2]
    # Counted in the corpus and not among the rows at hand.
    assert short_documents(np.array([1, 2]), np.array([4, 5, 1])).tolist() == [-1, 2]


def test_the_weight_of_a_query_by_hand():
    # One of four rows holds a term of idf 2, none holds one of idf 3: share 0.4, spread sqrt(4 x 0.25 x 0.85).
    assert lexical_weight([(2.0, 0.25), (3.0, 0.0)]) == pytest.approx(0.4 / math.sqrt(0.85))
    assert lexical_weight([(3.0, 0.0)]) == 0.0
    assert lexical_weight([]) == 0.0
    assert idf(9, 2) == pytest.approx(math.log(4))  # ln(1 + 7.5 / 2.5)


def test_a_rare_word_weighs_more_than_one_that_is_everywhere():
    """Spoken questions are full of words that every talk has; those must not outvote the meaning."""
    rare = lexical_weight([(idf(1000, 3), 3 / 1000)]) * idf(1000, 3)
    common = lexical_weight([(idf(1000, 700), 700 / 1000)]) * idf(1000, 700)
    assert rare > 10
    assert common < 2


def test_the_weight_weighs_the_lexical_vote():
    dense, lexical = f32(0.6, 0.5, 0.4), f32(0, 0, 1)
    allowed = np.ones(3, dtype=bool)
    assert order(fuse_scores(dense, lexical, allowed, 0.0)) == [0, 1, 2]
    assert order(fuse_scores(dense, lexical, allowed, 0.1)) == [0, 1, 2]
    assert order(fuse_scores(dense, lexical, allowed, 2.0)) == [2, 0, 1]


def test_what_the_filter_leaves_out_does_not_move_the_scale():
    dense, lexical = f32(0.6, 0.5, 0.4, 0.99), f32(1, 2, 0, 50)
    allowed = np.array([True, True, True, False])
    alone = fuse_scores(dense[:3], lexical[:3], np.ones(3, dtype=bool), 0.7)
    assert fuse_scores(dense, lexical, allowed, 0.7)[:3] == pytest.approx(alone)


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_and_one_chunk_can_be_fused(count):
    dense, lexical = np.full(count, 0.5, dtype=np.float32), np.ones(count, dtype=np.float32)
    allowed = np.ones(count, dtype=bool)
    assert len(fuse_scores(dense, lexical, allowed, 1.0)) == count
    assert not np.isnan(fuse_scores(dense, lexical, allowed, 1.0)).any()
    assert len(reciprocal_ranks(dense, lexical, allowed)) == count


def test_when_the_filter_allows_nothing_nothing_is_scored():
    none = np.zeros(2, dtype=bool)
    assert order(fuse_scores(f32(0.5, 0.6), f32(1, 2), none, 1.0), none) == []
    assert order(reciprocal_ranks(f32(0.5, 0.6), f32(1, 2), none), none) == []


@given(
    hnp.arrays(np.float32, 30, elements=COSINES),
    hnp.arrays(np.float32, 30, elements=st.sampled_from([0.0, 0.0, 0.5, 1.0, 3.0])),
    st.floats(0, 1),
)
def test_more_lexical_score_at_the_same_cosine_is_never_worse(dense, lexical, share):
    dense[7] = dense[3]
    allowed = np.ones(30, dtype=bool)
    for out in (reciprocal_ranks(dense, lexical, allowed), fuse_scores(dense, lexical, allowed, share)):
        if lexical[3] > lexical[7]:
            assert out[3] >= out[7]
