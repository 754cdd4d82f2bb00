"""How far search over an engine agrees with scoring every chunk: the price of the pool and of HNSW.

    python -m benchmarks.engine_agreement [--sets g_gold] [--embedder minilm] [--k 10]

For every question of a set and every mode: which of the first k chunks of the exact index are
among the first k of `EngineIndex`, over the exact engine (what the pool and the sample change) and
over HNSW in Postgres with 2-byte floats (what the index changes beside). Once over the whole
corpus, once within the middle half of its dates. Writes engine_agreement.md.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.exact import ExactVectors, LocalWords
from answertrail.search.engines.hnsw import HnswEngine, HnswSettings
from answertrail.search.engines.index import EngineIndex
from answertrail.search.engines.rows import HeldRows
from answertrail.search.hits import Filter
from answertrail.search.index import CorpusIndex
from answertrail.search.modes import MODES
from answertrail.settings import Settings
from answertrail.store import connect, nearest, server
from answertrail.store.connection import Database
from benchmarks.in_memory import embedder_for, open_in_memory
from benchmarks.sets import named
from benchmarks.vector_cache import CachedEmbedder
from benchmarks.yardstick import RESULTS, VECTORS

HEAD = ("set", "mode", "k", "corpus", "exact engine: overlap", "same order", "hnsw: overlap", "same order")


async def hnsw_of(db: Database, index: CorpusIndex, matrix: Any) -> HnswEngine:
    """Fill a serving table with the vectors of an index that is in memory."""
    place, dims = nearest.new_place(0), matrix.shape[1]
    async with db.transaction() as conn:
        await nearest.make_table(conn, place, dims, "halfvec")
        async with conn.cursor().copy(f"COPY {place} FROM STDIN") as copy:
            for row, vector in zip(index.rows, matrix, strict=True):
                if np.isfinite(vector).all():
                    await copy.write_row((row.id, row.document_id, row.published_at, str(vector.tolist())))
        await nearest.build_index(conn, place, "halfvec", len(matrix), dims, nearest.Graph())
    return HnswEngine(db, place, dims, "halfvec", HnswSettings())


async def agreement(
    exact: CorpusIndex, engine: EngineIndex, mode: str, asked: Sequence[str], k: int, within: Filter
) -> tuple[float, float]:
    """Return the mean share of the exact first k that the engine returns as well, and how often all are in place."""
    shares, same = [], []
    for query in asked:
        wanted = [hit.chunk_id for hit in (await exact.search(query, mode=mode, k=k, within=within)).hits]
        found = [hit.chunk_id for hit in (await engine.search(query, mode=mode, k=k, within=within)).hits]
        if wanted:
            shares.append(len(set(wanted) & set(found)) / len(wanted))
            same.append(wanted == found)
    return float(np.mean(shares)), float(np.mean(same))


async def measure(db: Database, load: Any, spec: str, k: int) -> list[tuple[Any, ...]]:
    """Compare the three on one set."""
    found = load()
    embedder = CachedEmbedder(embedder_for(found, spec), VECTORS)
    out = []
    for opened in await open_in_memory(found, embedder):
        exact = opened.fresh().index
        assert isinstance(exact, CorpusIndex)
        matrix = exact._matrix
        catalogue = Catalogue.of(
            (
                row.id,
                row.document_id,
                row.published_at.timestamp() if row.published_at else None,
                bool(np.isfinite(matrix[at]).all()),
                "",
                row.start_s is not None,
            )
            for at, row in enumerate(exact.rows)
        )
        words, rows = LocalWords(catalogue, exact.lexical), HeldRows(exact.rows, matrix)
        engines = [
            EngineIndex(catalogue, engine, words, rows, embedder)
            for engine in (ExactVectors(catalogue, matrix), await hnsw_of(db, exact, matrix))
        ]
        asked = [question.question for question in opened.questions]
        dates = np.sort(catalogue.published[~np.isnan(catalogue.published)])
        low, high = (datetime.fromtimestamp(dates[int(at * (len(dates) - 1))], UTC) for at in (0.25, 0.75))
        for mode in MODES:
            for told, within in (("whole", Filter()), ("half by date", Filter(low, high))):
                scores = [await agreement(exact, engine, mode, asked, k, within) for engine in engines]
                figures = [f"{value:.3f}" for pair in scores for value in pair]
                out.append((found.name, mode, k, told, *figures))
                print(*out[-1], file=sys.stderr, flush=True)
    return out


async def run(sets: Sequence[str], spec: str, k: int) -> list[tuple[Any, ...]]:
    """Compare on every set asked for."""
    rows: list[tuple[Any, ...]] = []
    with tempfile.TemporaryDirectory(prefix="answertrail-agreement-") as home:
        Path(home).chmod(0o755)
        async with connect(Settings(home=Path(home))) as db:
            for load in named(sets).values():
                rows += await measure(db, load, spec, k)
        server.destroy(Settings(home=Path(home)))
    return rows


def main() -> int:
    """Read the options, run, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="g_gold")
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    rows = asyncio.run(run(options.sets.split(","), options.embedder, options.k))
    lines = [HEAD, ("---",) * len(HEAD), *rows]
    text = "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
    head = "# Engines beside exact search\n\nWritten by `python -m benchmarks.engine_agreement`.\n\n"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "engine_agreement.md").write_text(head + text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
