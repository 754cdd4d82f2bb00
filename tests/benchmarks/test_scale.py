"""The scale benchmark: rows made from real vectors, and every engine asked the same."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest
from benchmarks.scale import measure_size, write
from benchmarks.scale_data import MOVE, PER_DOCUMENT, grown, real_vectors

from tests.search.engines.worlds import clustered


@pytest.fixture
def real():
    return clustered(np.random.default_rng(1), 2600, 16)


def test_rows_are_near_the_passages_they_were_made_from_and_the_same_every_time(real):
    made = grown(real, 1000, 16, 20, seed=3)
    assert made.matrix.shape == (1000, 16)
    assert made.queries.shape == (20, 16)
    np.testing.assert_allclose(np.linalg.norm(made.matrix, axis=1), 1, rtol=1e-5)
    nearest = (made.matrix @ real.T).max(axis=1)
    assert np.median(nearest) > 0.9 / np.sqrt(1 + MOVE**2)
    np.testing.assert_array_equal(made.matrix, grown(real, 1000, 16, 20, seed=3).matrix)


def test_more_dimensions_keep_the_angles_apart_from_the_move(real):
    wide = grown(real, 400, 64, 5, seed=3)
    assert wide.matrix.shape == (400, 64)
    assert np.linalg.matrix_rank(wide.matrix) == 64


def test_documents_and_dates_go_up_with_the_rows(real):
    made = grown(real, 1000, 16, 5)
    ids = [made.chunk(row) for row in range(made.size)]
    assert ids == sorted(ids)
    assert len({made.document(row) for row in range(made.size)}) == 1000 // PER_DOCUMENT
    assert (np.diff(made.days) >= 0).all()
    assert made.quarter(0)[0] == made.date(0)
    assert made.quarter(15)[1] > made.date(999)


def test_too_few_vectors_to_build_on_are_refused(tmp_path):
    with sqlite3.connect(tmp_path / "v.sqlite") as connection:
        connection.execute("CREATE TABLE vectors (identity TEXT, text BLOB, vector BLOB)")
    connection.close()
    with pytest.raises(SystemExit, match="0 vectors"):
        real_vectors(tmp_path / "v.sqlite")


@pytest.mark.asyncio
async def test_all_engines_answer_and_the_exact_ones_exactly(database, real, tmp_path):
    made = grown(real, 1600, 16, 16)
    found = {row["engine"]: row for row in await measure_size(database, made, ["faiss"])}
    assert {"numpy exact", "answertrail exact", "answertrail exact in SQL", "answertrail hnsw"} <= found.keys()
    for name, row in found.items():
        if "exact" in name or "flat" in name:
            assert row["recall"] >= 0.97, name  # 2-byte floats may swap the last two
            assert row["window_recall"] >= 0.97, name
    ours = found["answertrail hnsw"]
    assert ours["short"] == 0
    assert ours["recall"] >= 0.9
    assert ours["bytes"] > 1600 * 16 * 2
    text = write({"1600x16": {"engines": list(found.values())}}, tmp_path)
    assert "## 1600 chunks, 16 dimensions" in text
    assert json.loads((tmp_path / "scale.json").read_text())["1600x16"]["engines"][0]["engine"] == "numpy exact"
