"""A passage among good neighbours comes before one that stands alone."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import numpy as np
import pytest

from answertrail.errors import InputError
from answertrail.search.hits import Filter
from answertrail.search.modes import MODES
from answertrail.search.near import NearSettings, near_mode
from tests.search.worlds import TinyEmbedder, index_of, random_rows, row, unit

FUSED = replace(MODES["fused"], lending=0)  # what `near` adds up is not lent


def run(index, query="q", *, k=99, within=None, weight=0.2):
    return asyncio.run(index.search(query, mode=near_mode(NearSettings(weight)), k=k, within=within))


def ids(result):
    return [hit.chunk_id for hit in result.hits]


# Each document has five passages, so none is short.
COSINES = {
    "a:00000": 0.8, "a:00030": 0.7, "a:00090": 0.8, "a:00120": 0.2, "a:00150": 0.1,
    "b:00000": 0.72, "b:00030": 0.1, "b:00060": 0.2, "b:00090": 0.1, "b:00120": 0.1,
    "c:99990": 0.3, "c:100020": 0.6, "c:100050": 0.1, "c:100080": 0.2, "c:100110": 0.1,
}  # fmt: skip


def scene(cosines=COSINES):
    rows = [row(name, f"text {name}") for name in cosines]
    vectors = {name: unit([c, np.sqrt(1 - c * c)]) for name, c in cosines.items()}
    return index_of(rows, TinyEmbedder(2, {"q": unit([1, 0])}), vectors)


def test_a_fifth_of_each_neighbours_score_is_added():
    values = np.array(list(COSINES.values()))
    z = dict(zip(COSINES, (values - values.mean()) / values.std(), strict=True))
    expected = {
        "a:00000": z["a:00000"] + 0.2 * z["a:00030"],
        "a:00030": z["a:00030"] + 0.2 * (z["a:00000"] + z["a:00090"]),
        "a:00090": z["a:00090"] + 0.2 * (z["a:00030"] + z["a:00120"]),  # across the missing window
        "a:00120": z["a:00120"] + 0.2 * (z["a:00090"] + z["a:00150"]),
        "a:00150": z["a:00150"] + 0.2 * z["a:00120"],
        "b:00000": z["b:00000"] + 0.2 * z["b:00030"],
        "b:00030": z["b:00030"] + 0.2 * (z["b:00000"] + z["b:00060"]),
        "b:00060": z["b:00060"] + 0.2 * (z["b:00030"] + z["b:00090"]),
        "b:00090": z["b:00090"] + 0.2 * (z["b:00060"] + z["b:00120"]),
        "b:00120": z["b:00120"] + 0.2 * z["b:00090"],
        "c:99990": z["c:99990"] + 0.2 * z["c:100020"],
        "c:100020": z["c:100020"] + 0.2 * (z["c:99990"] + z["c:100050"]),
        "c:100050": z["c:100050"] + 0.2 * (z["c:100020"] + z["c:100080"]),
        "c:100080": z["c:100080"] + 0.2 * (z["c:100050"] + z["c:100110"]),
        "c:100110": z["c:100110"] + 0.2 * z["c:100080"],
    }
    result = run(scene())
    assert {hit.chunk_id: hit.score for hit in result.hits} == pytest.approx(expected, abs=1e-4)
    assert {hit.chunk_id: hit.relevance for hit in result.hits} == pytest.approx(z, abs=1e-4)
    # By its own words b:0 is ahead of a:30; with their neighbours it is the other way round.
    order = ids(result)
    assert order.index("a:00030") < order.index("b:00000")


def test_in_a_short_document_what_is_added_is_the_score_that_its_document_shares_in():
    # Mean 0.4 and spread 0.2, so the cosines are 1, 1, -1 and -1 spreads from the mean. The mean of a
    # is 1/3: with it its three are 2/3 x 4/3, the same again and 2/3 x -2/3, and b, its own mean, 2/3 x -2.
    found = run(scene({"a:00000": 0.6, "a:00030": 0.6, "a:00060": 0.2, "b:00000": 0.2})).hits
    assert {hit.chunk_id: hit.relevance for hit in found} == pytest.approx(
        {"a:00000": 8 / 9, "a:00030": 8 / 9, "a:00060": -4 / 9, "b:00000": -4 / 3}, abs=1e-4
    )
    # A fifth of 8/9; of 8/9 and -4/9; of 8/9.
    assert {hit.chunk_id: hit.score for hit in found} == pytest.approx(
        {
            "a:00000": 8 / 9 + 0.2 * 8 / 9,
            "a:00030": 8 / 9 + 0.2 * (8 / 9 - 4 / 9),
            "a:00060": -4 / 9 + 0.2 * 8 / 9,
            "b:00000": -4 / 3,
        },
        abs=1e-4,
    )


def test_weight_0_is_fused_and_a_filter_does_not_change_a_documents_neighbours():
    index = index_of(random_rows(random.Random(4)), TinyEmbedder())
    fused = asyncio.run(index.search("kiln roof", mode=FUSED, k=99)).hits
    assert ids(run(index, "kiln roof", weight=0.0)) == [hit.chunk_id for hit in fused]
    shown = frozenset({"a:00000"})
    first, rest = ids(run(scene())), ids(run(scene(), within=Filter(exclude=shown)))
    assert rest == [name for name in first if name not in shown]


def test_a_chunk_on_its_own_keeps_its_score():
    rows = [row(f"d{n}:00000", text) for n, text in enumerate(["kiln", "kiln barn", "roof", "river"])]
    index = index_of(rows, TinyEmbedder())
    fused = asyncio.run(index.search("kiln", mode=FUSED, k=9)).hits
    assert [(hit.chunk_id, hit.score) for hit in run(index, "kiln").hits] == [(h.chunk_id, h.score) for h in fused]


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_that_makes_no_sense_is_refused(weight):
    with pytest.raises(InputError):
        NearSettings(weight)
