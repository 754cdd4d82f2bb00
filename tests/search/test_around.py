"""The windows before and after a chunk, in the order of its document."""

from __future__ import annotations

import asyncio

import pytest

from answertrail.errors import InputError, NotFoundError
from answertrail.records.run import CorpusRef
from answertrail.search.open_corpus import OpenCorpus
from tests.search.worlds import TinyEmbedder, index_of, row


def around(chunk, before=1, after=1):
    starts = [0, 30, 90, 120, 99990, 100020]
    rows = [row(f"a:{start:05}", f"said at {start}") for start in starts] + [
        row("b:00000", "other"),
        row("a:b:00030", "x"),
    ]
    corpus = OpenCorpus(CorpusRef(name="c", snapshot="sha256:1"), index_of(rows, TinyEmbedder()))
    return asyncio.run(corpus.read_around(chunk, before, after))


def ids(found):
    return [item.id for item in found.rows]


def test_neighbours_are_the_next_windows_with_words_and_a_gap_is_told():
    found = around("a:00030")
    assert ids(found) == ["a:00000", "a:00030", "a:00090"]
    assert (found.at, found.earlier, found.later) == (1, 0, 3)
    assert found.gaps == (("a:00030", "a:00090"),)
    assert around("a:00120", 1, 0).gaps == ()


def test_the_order_is_that_of_time_also_past_a_hundred_thousand_seconds():
    assert ids(around("a:99990")) == ["a:00120", "a:99990", "a:100020"]


def test_a_document_ends_where_it_ends():
    first, last = around("a:00000", 5, 1), around("a:100020", 1, 5)
    assert (ids(first), first.at, first.earlier) == (["a:00000", "a:00030"], 0, 0)
    assert (ids(last), last.at, last.later) == (["a:99990", "a:100020"], 1, 0)
    assert ids(around("b:00000", 9, 9)) == ["b:00000"]
    assert ids(around("a:b:00030", 9, 9)) == ["a:b:00030"]  # the document `a:b`, not `a`


def test_none_before_or_after_is_the_chunk_alone():
    assert ids(around("a:00030", 0, 0)) == ["a:00030"]
    assert ids(around("a:00030", 99, 99)) == ["a:00000", "a:00030", "a:00090", "a:00120", "a:99990", "a:100020"]


def test_an_unknown_id_and_a_negative_number_are_refused():
    with pytest.raises(NotFoundError, match="no chunk has this id"):
        around("a:00060")
    for before, after in ((-1, 0), (0, -1)):
        with pytest.raises(InputError, match="0 or more"):
            around("a:00030", before, after)
