from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.corpus.cleaning.batching import batches, lines_of
from answertrail.corpus.cleaning.settings import CleaningSettings
from answertrail.errors import InputError


def test_twenty_lines_a_batch_and_three_neighbours_each_side():
    lines = lines_of([f"line {n}" for n in range(50)])
    first, second, last = batches(lines, size=20, neighbours=3, characters=4000)
    assert [len(batch.lines) for batch in (first, second, last)] == [20, 20, 10]
    assert (first.before, first.after) == ((), ("line 20", "line 21", "line 22"))
    assert (second.before, second.after) == (("line 17", "line 18", "line 19"), ("line 40", "line 41", "line 42"))
    assert (last.before, last.after) == (("line 37", "line 38", "line 39"), ())


def test_long_lines_make_smaller_batches_and_one_line_may_be_longer_than_all():
    lines = lines_of(["a" * 40, "b" * 50, "c" * 20, "d" * 500, "e"])
    made = batches(lines, size=20, neighbours=1, characters=100)
    assert [[line.text[0] for line in batch.lines] for batch in made] == [["a", "b"], ["c"], ["d"], ["e"]]


def test_of_a_long_neighbour_only_the_near_end_is_shown():
    lines = lines_of(["a" * 300 + " near", "line", "near " + "b" * 300])
    middle = batches(lines, size=1, neighbours=1, characters=4000)[1]
    assert middle.before == ("a" * 195 + " near",)
    assert middle.after == ("near " + "b" * 195,)


def test_lines_without_a_letter_are_left_out_and_keep_their_places():
    lines = lines_of(["one", "  ", "♪ ♪", "two\n  three", "..."])
    assert [(line.ordinal, line.text) for line in lines] == [(0, "one"), (3, "two three")]


@given(st.lists(st.text(max_size=30), max_size=60), st.integers(1, 7), st.integers(0, 4), st.integers(1, 80))
def test_every_line_is_in_exactly_one_batch(texts, size, neighbours, characters):
    lines = lines_of(texts)
    made = batches(lines, size=size, neighbours=neighbours, characters=characters)
    assert [line for batch in made for line in batch.lines] == lines
    for batch in made:
        assert 1 <= len(batch.lines) <= size
        assert len(batch.lines) == 1 or sum(len(line.text) for line in batch.lines) <= characters
        assert max(len(batch.before), len(batch.after)) <= neighbours


def test_a_size_that_cannot_be_is_refused():
    with pytest.raises(InputError, match="lines is 0"):
        CleaningSettings(lines=0)
