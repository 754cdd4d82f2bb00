"""Several wordings of a query searched as one."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.search.fusion import fuse_scores
from answertrail.search.modes import MODES
from answertrail.search.ranking import Facts, Signals
from answertrail.search.wordings import combined
from tests.search.worlds import TinyEmbedder, index_of, row, unit


def signals(dense, lexical, share):
    count = len(dense)
    none, zeros = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.intp)
    facts = Facts(np.full(count, np.nan), zeros, zeros - 1, zeros - 1, zeros - 1, None, None, none)
    return Signals(
        np.array(dense, dtype=np.float32), np.array(lexical, dtype=np.float32), share, ~none, none, facts
    )  # fmt: skip


def test_one_wording_is_left_as_it_is():
    alone = signals([0.1, 0.9], [0, 2], 0.5)
    assert combined([alone]) is alone


def test_each_row_keeps_the_cosine_of_the_wording_it_stands_out_in():
    # Means 0.25 and 0.5; deviations 0.25 (the first: -1, -1, 1, 1) and 0.1 (the second: 1, 1, -1, -1).
    one = signals([0.0, 0.0, 0.5, 0.5], [0, 0, 0, 0], 0.0)
    other = signals([0.6, 0.6, 0.4, 0.4], [0, 0, 0, 0], 0.0)
    assert combined([one, other]).dense.tolist() == pytest.approx([0.5] * 4)
    # A wording that stands out more gives the scale: its tops are its own cosines.
    sharp = signals([0.9, 0.1, 0.1, 0.1], [0, 0, 0, 0], 0.0)
    assert combined([one, sharp]).dense[0] == pytest.approx(0.9)


def test_the_lexical_vote_is_the_best_of_the_votes():
    one, other = signals([np.nan] * 3, [4, 0, 2], 0.5), signals([np.nan] * 3, [0, 6, 0], 1.0)
    both = combined([one, other])
    # Votes 2, 0, 1 and 0, 6, 0: on the second's scale, where a point of BM25 is a vote of 1.
    assert both.lexical.tolist() == [2, 6, 1]
    assert both.weight == 1.0
    assert np.isnan(both.dense).all()


def test_a_wording_that_matches_nothing_takes_nothing_away():
    known = signals([0.2, 0.8, 0.5], [0, 3, 1], 0.75)
    blank = signals([np.nan] * 3, [0, 0, 0], 0.0)
    for pair in ([known, blank], [blank, known]):
        both = combined(pair)
        assert both.dense.tolist() == pytest.approx([0.2, 0.8, 0.5])
        assert (both.lexical.tolist(), both.weight) == ([0, 3, 1], 0.75)


def test_nonsense_stands_out_no_more_than_the_query_does():
    # The query: mean 0.5, deviation 0.1414, its best row 1.414 above. Nonsense: one row far out, and no term of it.
    query = signals([0.7, 0.6, 0.4, 0.3, 0.5], [3, 0, 0, 0, 0], 1.0)
    nonsense = signals([0.1, 0.1, 0.1, 0.1, 0.9], [0, 0, 0, 0, 0], 0.0)
    both = combined([query, nonsense])
    assert both.dense.tolist() == pytest.approx([0.7, 0.6, 0.43, 0.43, 0.7], abs=1e-2)
    assert (both.lexical.argmax(), both.weight) == (0, 1.0)
    # A translation that rows have a term of, and any wording of a query they have none of, may stand out more.
    known = signals([0.1, 0.1, 0.1, 0.1, 0.9], [0, 0, 0, 0, 2], 1.0)
    unknown = signals([0.7, 0.6, 0.4, 0.3, 0.5], [0, 0, 0, 0, 0], 0.0)
    for pair in ([query, known], [unknown, nonsense]):
        assert combined(pair).dense.argmax() == 4


@given(st.lists(st.tuples(st.floats(-1, 1, width=32), st.floats(0, 9, width=32)), min_size=2, max_size=8))
def test_a_wording_twice_is_that_wording_once(rows):
    alone = signals([d for d, _ in rows], [x for _, x in rows], 0.6)
    twice = combined([alone, alone])
    assert twice.dense.tolist() == pytest.approx(alone.dense.tolist(), abs=1e-6)
    assert twice.lexical.tolist() == pytest.approx(alone.lexical.tolist(), rel=1e-5)
    every = np.ones(len(rows), dtype=np.bool_)
    fused = [fuse_scores(one.dense, one.lexical, every, one.weight) for one in (alone, twice)]
    if np.ptp(alone.dense) > 1e-3:
        assert fused[1].tolist() == pytest.approx(fused[0].tolist(), abs=1e-2)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_finds_what_only_the_other_wording_is_near(mode):
    rows = [row(f"d{n}:00000", text) for n, text in enumerate(["the kiln is hot", "a barn", "a cat", "a shed"])]
    embedder = TinyEmbedder(2, {"가마": unit([1, 0]), "kiln": unit([0, 1])})
    vectors = {"d0:00000": unit([0.1, 1]), **{f"d{n}:00000": unit([0.7, 0.7]) for n in (1, 2, 3)}}
    index = index_of(rows, embedder, vectors)
    found = asyncio.run(index.search("가마", mode=mode, k=1, also=["kiln"]))
    assert [hit.document_id for hit in found.hits] == ["d0"]
    assert found.terms == {"가마": 0, "kiln": 1}
