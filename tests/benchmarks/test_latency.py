"""The latency benchmark: the searches it times are those a user makes, and its parts add up."""

from __future__ import annotations

import random

import numpy as np
import pytest
from benchmarks.latency import PARTS, Clock, TimedEmbedder, keep, measure, opened, table

from answertrail.search.index import CorpusIndex
from answertrail.search.load import lexical_index
from answertrail.search.modes import MODES
from tests.search.worlds import TinyEmbedder, random_rows

QUESTIONS = ["kiln moved", "river and weir", "what stood in the way"]


@pytest.fixture
def kept(tmp_path):
    embedder = TinyEmbedder()
    rows = sorted(random_rows(random.Random(5)), key=lambda row: row.id)
    keep(rows, np.stack([embedder.vector(row.text) for row in rows]), tmp_path)
    return rows, tmp_path, embedder


@pytest.mark.asyncio
async def test_timed_searches_give_what_untimed_ones_give(kept):
    rows, folder, embedder = kept
    clock = Clock()
    timed = opened(rows, folder, TimedEmbedder(embedder, clock), clock)
    plain = CorpusIndex(rows, np.load(folder / "dense.npy"), lexical_index(rows), embedder)
    for mode in MODES:
        for question in QUESTIONS:
            one = await timed.search(question, mode=mode, k=5)
            other = await plain.search(question, mode=mode, k=5)
            assert [(hit.chunk_id, hit.score) for hit in one.hits] == [(hit.chunk_id, hit.score) for hit in other.hits]
    assert clock.parts.keys() == set(PARTS) - {"ranking", "rest"}


@pytest.mark.asyncio
async def test_parts_add_up_and_a_repeated_query_is_not_embedded_again(kept):
    rows, folder, embedder = kept
    found = await measure(rows, folder, embedder, QUESTIONS, ["fused", "lexical"])
    fused, lexical = found["modes"]["fused"], found["modes"]["lexical"]
    assert fused["cold"]["searches"] == len(QUESTIONS)
    assert fused["cold"]["parts_p50"]["embedding"] > 0
    assert fused["repeated"]["parts_p50"]["embedding"] == 0
    assert lexical["cold"]["parts_p50"]["cosines"] == 0
    assert lexical["cold"]["parts_p50"]["BM25 of chunks"] > 0
    first = found["first_search"]
    assert sum(first[part] for part in PARTS) == pytest.approx(first["ms"], abs=0.5)
    assert 0 < fused["cold"]["fastest"] <= fused["cold"]["p50"] <= fused["cold"]["p95"]


@pytest.mark.asyncio
async def test_the_table_has_a_row_for_each_mode_cold_and_repeated(kept):
    rows, folder, embedder = kept
    run = await measure(rows, folder, embedder, QUESTIONS, ["fused", "dense"])
    text = table(
        {"chunks": 1234, "embedder": "tiny", "machine": {"cpus": 2}, "threads": {"1": run | {"when": "2026-11-30"}}}
    )
    assert "## 1,234 chunks, tiny, BLAS threads: 1" in text
    named = [line.split(" | ")[:2] for line in text.splitlines() if line.startswith(("| fused", "| dense"))]
    kinds = ("cold", "repeated")
    assert named == [[f"| {mode}", kind] for mode in ("fused", "dense") for kind in kinds]
