"""When searching counts as enough."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.agent.guards import Searched, distinct_searches, normalised, refusal_to_finish

ANY = (None, None)


def did(query, returned=10, new=5, window=ANY):
    return Searched(query, window, returned, new)


@pytest.mark.parametrize(
    ("why", "searches", "count"),
    [
        ("nothing was searched", [], 0),
        ("two questions that each bring something", [did("kiln"), did("glaze")], 2),
        ("the same query three times (original 13)", [did("kiln"), did("kiln", new=0), did("kiln", new=0)], 1),
        ("the same query paging on", [did("kiln"), did("kiln", new=10)], 1),
        ("a rewording that brings nothing new (original 13)", [did("kiln barn"), did("where the kiln went", new=0)], 1),
        ("a rewording that brings something new", [did("kiln barn"), did("where the kiln went", new=1)], 2),
        ("two that find nothing at all", [did("zeppelin", 0, 0), did("airship", 0, 0)], 2),
        ("the same that finds nothing, twice", [did("zeppelin", 0, 0), did("Zeppelin", 0, 0)], 1),
        ("case, spacing, punctuation and word order", [did("Kiln, barn!"), did(" barn  kiln")], 1),
        ("the same words in another window", [did("kiln"), did("kiln", window=("2025-01-01", None))], 2),
        ("another window that only repeats", [did("kiln"), did("kiln", new=0, window=("2025-01-01", None))], 1),
        ("from and to told apart", [did("k", window=("2025-01-01", None)), did("k", window=(None, "2025-01-02"))], 2),
        ("composed and decomposed", [did("유약 é"), did(unicodedata.normalize("NFD", "유약 é"))], 1),
        ("full-width signs", [did("GPT 4"), did("ＧＰＴ　４")], 1),
        ("other numbers", [did("fired at 1240"), did("fired at 1250")], 2),
    ],
)  # fmt: skip
def test_a_search_counts_when_it_is_another_one_and_brings_something_or_finds_nothing(why, searches, count):
    assert distinct_searches(searches) == count, why


def test_finishing_is_refused_in_words_that_say_what_to_do_and_allowed_at_the_minimum():
    refusal = refusal_to_finish([did("kiln")], 2)
    assert "1 of at least 2" in refusal
    assert "Search again" in refusal
    assert refusal_to_finish([did("kiln"), did("glaze")], 2) is None
    assert refusal_to_finish([], 0) is None
    assert refusal_to_finish([did("kiln"), did("glaze")], 3) is not None


@given(st.lists(st.text(alphabet="abcé 유약.,!", max_size=12), max_size=6), st.randoms(use_true_random=False))
def test_shuffled_words_and_added_punctuation_make_no_new_query(parts, rng):
    shuffled = parts[:]
    rng.shuffle(shuffled)
    assert normalised(" ".join(parts)) == normalised("  ".join(f"{p.upper()} ?" for p in shuffled).lower())


SEARCHES = st.lists(
    st.builds(Searched, st.sampled_from(["kiln", "Kiln!", "barn", "barn kiln"]), st.just(ANY), st.integers(0, 3),
              st.integers(0, 1)),
    max_size=8,
)  # fmt: skip


@given(SEARCHES, SEARCHES)
def test_another_search_never_lowers_the_count_and_adds_at_most_one(before, after):
    counts = [distinct_searches([*before, *after[:n]]) for n in range(len(after) + 1)]
    assert all(0 <= later - earlier <= 1 for earlier, later in pairwise(counts))
