"""The scale benchmark: rows made from real vectors, and every engine asked the same."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest
from benchmarks.scale import measure_apart
from benchmarks.scale_data import MOVE, PER_DOCUMENT, grown, load, real_vectors, save
from benchmarks.scale_engines import IN_SQL, NumpyExact, catalogue_of, our_hnsw
from benchmarks.scale_measure import measured
from benchmarks.scale_table import HEAD, write

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


@pytest.fixture
def rows(real, tmp_path):
    made = grown(real, 1600, 16, 16)
    save(made, tmp_path)
    return tmp_path


def test_saved_rows_are_read_back_whole(real, rows):
    made, back = grown(real, 1600, 16, 16), load(rows)
    for name in ("matrix", "queries", "days"):
        np.testing.assert_array_equal(getattr(back, name), getattr(made, name))


@pytest.mark.asyncio
async def test_both_ways_to_ask_the_database_answer(database, rows):
    made = load(rows)
    found = {
        engine.name: await measured(engine, made, 0.0) for engine in await our_hnsw(database, made, catalogue_of(made))
    }
    assert tuple(found) == IN_SQL
    assert found[IN_SQL[1]]["recall"] >= 0.97  # 2-byte floats may swap the last two
    assert found[IN_SQL[1]]["window_recall"] >= 0.97
    ours = found[IN_SQL[0]]
    assert ours["short"] == 0
    assert ours["recall"] >= 0.9
    assert ours["bytes"] > 1600 * 16 * 2


def test_an_engine_is_measured_in_a_process_of_its_own_and_exactly(rows):
    (row,) = measure_apart(("answertrail exact",), rows, 60)
    assert row["recall"] == row["window_recall"] == 1.0
    assert row["short"] == 0
    assert row["searches"] == 16
    assert row["k10_ms"]["fastest"] <= row["k10_ms"]["p50"] <= row["k10_ms"]["p95"]


def test_an_engine_that_takes_too_long_is_a_row_that_says_so(rows):
    (row,) = measure_apart(("answertrail exact",), rows, 0)
    assert row["engine"] == "answertrail exact"
    assert row["missing"] == "stopped at the limit of 0 s"


def test_an_engine_that_fails_is_a_row_with_its_reason(tmp_path):
    (row,) = measure_apart(("answertrail exact",), tmp_path, 60)  # a folder without rows
    assert "matrix.npy" in row["missing"]


@pytest.mark.asyncio
async def test_rows_are_written_as_they_come_and_replace_older_ones(real, tmp_path):
    made = grown(real, 400, 16, 10)
    row = await measured(NumpyExact(made), made, None)
    gone = {"engine": "other", "missing": "stopped at the limit of 5 s", "spent_s": 5, "load": 1.0}
    write("1600x16", gone, {"cpus": 2}, tmp_path)
    write("1600x16", row, {"cpus": 2}, tmp_path)
    text = write("1600x16", row | {"build_s": 7.25}, {"cpus": 2}, tmp_path)
    assert "## 1,600 chunks, 16 dimensions" in text
    assert "not measured: stopped at the limit of 5 s (5 s spent)" in text
    assert [line.count("|") for line in text.splitlines() if line.startswith("|")] == [len(HEAD) + 1] * 4
    kept = json.loads((tmp_path / "scale.json").read_text())["sizes"]["1600x16"]
    assert [(row["engine"], row.get("build_s")) for row in kept] == [("other", None), ("numpy exact", 7.25)]
