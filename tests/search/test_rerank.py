"""A wide pool read again by something slower."""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest

from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.search.hits import Filter
from answertrail.search.modes import MODES, mode_named
from answertrail.search.rerank import TermCoverage, reranked
from tests.search.worlds import TinyEmbedder, index_of, random_rows, row


class ByLength:
    """Longer is better; remembers what it read."""

    name = "length"

    def __init__(self):
        self.read: list[list[str]] = []

    async def scores(self, query, passages):
        self.read.append([passage.id for passage in passages])
        return [float(len(passage.text)) for passage in passages]


def run(index, mode, query="kiln roof", k=99, exclude=()):
    return asyncio.run(index.search(query, mode=mode, k=k, within=Filter(exclude=frozenset(exclude))))


def ids(result):
    return [hit.chunk_id for hit in result.hits]


@pytest.fixture(scope="module")
def index():
    return index_of(random_rows(random.Random(12)), TinyEmbedder())


@pytest.mark.parametrize("base", ["dense", "lexical", "hybrid", "fused"])
def test_the_pool_is_put_in_the_rerankers_order_and_the_rest_follows(index, base):
    plain = run(index, base)
    reader = ByLength()
    result = run(index, reranked(MODES[base], reader, pool=15))
    assert reader.read == [ids(plain)[:15]]
    text = {hit.chunk_id: hit.text for hit in plain.hits}
    # sorted() is stable: of texts of one length the one the mode had first stays first.
    assert ids(result) == sorted(ids(plain)[:15], key=lambda c: -len(text[c])) + ids(plain)[15:]
    assert result.mode == f"{base}+length"
    assert result.matching == plain.matching
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert [hit.relevance for hit in result.hits[:15]] == [float(len(hit.text)) for hit in result.hits[:15]]
    assert {hit.relevance for hit in result.hits[15:]} <= {None}


@pytest.mark.parametrize("size", [1, 4, 20])
def test_pages_go_on_and_no_passage_is_read_again(index, size):
    whole = ids(run(index, reranked(MODES["fused"], ByLength(), pool=15)))
    seen: list[str] = []
    while True:
        reader = ByLength()
        page = ids(run(index, reranked(MODES["fused"], reader, pool=15), k=size, exclude=seen))
        assert all(not set(read) & set(seen) for read in reader.read)
        seen += page
        if not page:
            break
    assert seen == whole


@pytest.mark.parametrize("given", [[1.0], [1.0, 2.0, float("nan")], [float("inf")] * 3, []])
def test_a_reranker_that_does_not_give_a_number_a_passage_is_an_error_and_no_ranking(given):
    class Broken:
        name = "broken"

        async def scores(self, query, passages):
            return given

    small = index_of([row(f"a{n}:00000", "kiln") for n in range(3)], TinyEmbedder())
    with pytest.raises(MismatchError, match="broken did not give one number for each of 3") as caught:
        run(small, reranked(MODES["fused"], Broken()))
    assert "mode fused" in caught.value.hint


def test_the_reference_reranker_counts_covered_terms_in_any_language():
    rows = [
        row("a:00000", "The kiln is in the barn."), row("b:00000", "Kilns under a new roof."),
        row("c:00000", "유약을 두 번 발랐다", language="ko"),
    ]  # fmt: skip
    scores = TermCoverage().scores
    assert asyncio.run(scores("kiln roof", rows)) == [0.5, 1.0, 0.0]
    assert asyncio.run(scores("유약", rows)) == [0.0, 0.0, 1.0]
    assert asyncio.run(scores("?!", rows)) == [0.0, 0.0, 0.0]


def test_a_reranked_mode_has_a_name():
    assert mode_named("fused+terms").name == "fused+terms"
    with pytest.raises(NotFoundError, match="no reranker 'magic'"):
        mode_named("fused+magic")
    with pytest.raises(NotFoundError, match="no search mode 'magic'"):
        mode_named("magic+terms")
    for mode in ("timeline+terms", "diverse+terms"):
        with pytest.raises(InputError, match="cannot be reranked"):
            mode_named(mode)
    with pytest.raises(InputError):
        reranked(MODES["fused"], ByLength(), pool=0)


def test_nothing_is_read_where_nothing_matches():
    reader = ByLength()
    result = run(
        index_of([row("a:00000", "kiln")], TinyEmbedder()), reranked(MODES["lexical"], reader), query="zeppelin"
    )
    assert (result.hits, reader.read) == ((), [])
    assert np.isfinite(result.matching)
