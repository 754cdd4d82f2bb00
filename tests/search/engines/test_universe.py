"""The small corpus that stands for a large one: its spread is that of the sample, its order nearly the exact one."""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest

from answertrail.search.engines import ranker
from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.universe import matched
from answertrail.search.hits import Filter
from tests.search.engines.worlds import both, clustered
from tests.search.worlds import WORDS, TinyEmbedder, random_rows


def test_moved_values_have_together_with_the_fixed_ones_the_mean_and_variance_asked_for():
    rng = np.random.default_rng(1)
    values, fixed = rng.normal(0.1, 0.1, 400), rng.uniform(0.4, 0.7, 50)
    moved = matched(values, fixed, 0.12, 0.05)
    together = np.concatenate([moved, fixed])
    assert together.mean() == pytest.approx(0.12)
    assert together.var() == pytest.approx(0.05)
    assert (np.argsort(moved) == np.argsort(values)).all()


def test_where_the_fixed_ones_alone_spread_wider_only_the_mean_is_right():
    moved = matched(np.array([0.1, 0.2]), np.array([-1.0, 1.0]), 0.0, 0.01)
    assert moved.tolist() == [0.0, 0.0]


def test_by_hand():
    # Of (0, 2) with 4 fixed the mean is to be 2 and the variance 8/3: (0, 2) it is already.
    assert matched(np.array([0.0, 2.0]), np.array([4.0]), 2.0, 8 / 3) == pytest.approx([0.0, 2.0])


@pytest.mark.parametrize(("mode", "least"), [("fused", 0.9), ("hybrid", 0.99), ("near", 0.9), ("timeline", 0.9)])
def test_with_a_sample_much_smaller_than_the_corpus_nearly_the_same_ten_are_first(monkeypatch, mode, least):
    monkeypatch.setattr(ranker, "SAMPLE", 1000)
    rng = random.Random(8)
    rows = sorted(random_rows(rng, documents=50, chunks=40), key=lambda row: row.id)
    vectors = clustered(np.random.default_rng(8), len(rows), 24)
    embedder = TinyEmbedder(24)
    whole, engine = both(rows, embedder, {row.id: vector for row, vector in zip(rows, vectors, strict=True)})
    shares = []
    for number in range(20):
        query = " ".join(rng.choices(WORDS, k=3)) + f" {number}"
        embedder.known[query] = vectors[rng.randrange(len(rows))]
        within = Filter() if number % 2 else Filter(documents=frozenset(row.document_id for row in rows[: 40 * 30]))
        wanted, found = (
            asyncio.run(index.search(query, mode=mode, k=10, within=within)).hits for index in (whole, engine)
        )
        shares.append(len({hit.chunk_id for hit in wanted} & {hit.chunk_id for hit in found}) / max(1, len(wanted)))
    assert np.mean(shares) >= least


def test_a_catalogue_comes_back_from_its_file_and_knows_neighbours_across_the_length_of_a_number(tmp_path):
    made = Catalogue.of(
        [
            ("a:100000", "a", 5.0, True, "x", True),
            ("a:99990", "a", 5.0, False, "y", True),
            ("ü:00000", "ü", None, True, "z", False),
        ]
    )
    made.save(tmp_path / "c.npz")
    again = Catalogue.load(tmp_path / "c.npz")
    assert list(again.ids) == list(made.ids)
    assert list(again.documents) == ["a", "ü"]
    for name in ("document_of", "has_vector", "published", "marks", "timed", "before", "after"):
        np.testing.assert_array_equal(getattr(again, name), getattr(made, name))
    assert again.neighbours(["a:99990"]) == ["a:100000"]
    assert (again.before.tolist(), again.after.tolist()) == ([1, -1, -1], [-1, 0, -1])
    assert again.place("b:0") is None
    assert "ü:00000" in again


def test_ids_out_of_order_are_refused():
    with pytest.raises(ValueError, match="order"):
        Catalogue.of([("b:0", "b", None, True, "", True), ("a:0", "a", None, True, "", True)])
