"""How build time, memory and latency grow with the corpus, by engine and beside other vector indexes.

    python -m benchmarks.scale [--sizes 25000x384,25000x1536,250000x384,250000x1536,1000000x384]
                               [--peers faiss,hnswlib,lancedb] [--queries 100] [--out FOLDER]

Sizes are run in the order given and written as they come, so small ones may be run first. Vectors
are real ones moved a little (benchmarks/scale_data.py). Of each engine: build seconds, bytes,
median and 95th percentile of a search in ms for k = 10, for k = 10 in one of sixteen periods and
for all sixteen periods x 3; recall@10 against the true nearest; rows that came back short; and
searches a second of 8 clients at once. Ratios are to numpy's exact search of the same run.

Peers are used where they are installed (`pip install faiss-cpu hnswlib lancedb`). The database is
an embedded one of its own in a temporary folder. Writes scale.json and scale.md.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answertrail.settings import Settings
from answertrail.store import connect
from answertrail.store.connection import Database
from benchmarks.scale_data import Rows, grown, real_vectors
from benchmarks.scale_engines import PEERS, Engine, NumpyExact, OurExact, catalogue_of, our_hnsw

RESULTS = Path(__file__).parent / "results"
VECTORS = Path(__file__).parents[1] / "results" / "vectors.sqlite"
SIZES = "25000x384,25000x1536,250000x384,250000x1536,1000000x384"
K, PER_PERIOD, PERIODS, CLIENTS = 10, 3, 16, 8


async def measure(engine: Engine, rows: Rows, true: dict[str, list[set[int]]]) -> dict[str, Any]:
    """Ask an engine everything; return what is written of it."""
    queries = rows.queries
    await engine.search(queries[0], K, None)  # What is loaded at the first search is not a search.
    await engine.search(queries[0], K, rows.quarter(7))
    plain, plain_ms = await _timed(engine, rows, [(at, None) for at in range(len(queries))])
    window, window_ms = await _timed(engine, rows, [(at, rows.quarter(at % PERIODS)) for at in range(len(queries))])
    strata_ms = []
    for at in range(max(5, len(queries) // 10)):
        began = time.perf_counter()
        for number in range(PERIODS):
            await engine.search(queries[at], PER_PERIOD, rows.quarter(number))
        strata_ms.append((time.perf_counter() - began) * 1e3)
    begun = time.perf_counter()
    await asyncio.gather(*(_client(engine, rows, number) for number in range(CLIENTS)))
    a_second = len(queries) / (time.perf_counter() - begun)
    return {
        "engine": engine.name,
        "build_s": round(engine.built, 2),
        "bytes": engine.size,
        "k10_ms": _summary(plain_ms),
        "window_ms": _summary(window_ms),
        "strata_ms": _summary(strata_ms),
        "recall": _recall(plain, true["plain"]),
        "window_recall": _recall(window, true["window"]),
        "short": sum(len(found) < K for found in (*plain, *window)),
        "clients_per_s": round(a_second, 1),
        "note": engine.note,
    }


async def _client(engine: Engine, rows: Rows, number: int) -> None:
    for at in range(number, len(rows.queries), CLIENTS):
        await engine.search(rows.queries[at], K, None)


async def _timed(engine: Engine, rows: Rows, asked: Sequence[tuple[int, Any]]) -> tuple[list[set[int]], list[float]]:
    found, took = [], []
    for at, window in asked:
        began = time.perf_counter()
        found.append(set(await engine.search(rows.queries[at], K, window)))
        took.append((time.perf_counter() - began) * 1e3)
    return found, took


def _summary(took: Sequence[float]) -> dict[str, float]:
    return {"p50": round(float(np.percentile(took, 50)), 2), "p95": round(float(np.percentile(took, 95)), 2)}


def _recall(found: Sequence[set[int]], true: Sequence[set[int]]) -> float:
    return round(float(np.mean([len(one & other) / K for one, other in zip(found, true, strict=True)])), 4)


async def measure_size(db: Database, rows: Rows, peers: Sequence[str]) -> list[dict[str, Any]]:
    """Measure every engine on the same rows, one after the other."""
    base = NumpyExact(rows)
    asked = range(len(rows.queries))
    true = {
        "plain": [set(await base.search(rows.queries[at], K, None)) for at in asked],
        "window": [set(await base.search(rows.queries[at], K, rows.quarter(at % PERIODS))) for at in asked],
    }
    catalogue = catalogue_of(rows)
    out = []

    async def one(engine: Engine) -> None:
        out.append(await measure(engine, rows, true))
        print(json.dumps(out[-1]), file=sys.stderr, flush=True)
        await engine.close()

    await one(base)
    await one(OurExact(rows, catalogue))
    indexed, scanned = await our_hnsw(db, rows, catalogue)
    await one(scanned)
    await one(indexed)
    for name in peers:
        try:
            found = PEERS[name](rows)
        except ImportError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        for engine in found:
            await one(engine)
        del found
        gc.collect()
    return out


def table(size: str, found: Sequence[dict[str, Any]]) -> str:
    """Return one size as Markdown."""
    base = found[0]["k10_ms"]["p50"]
    head = (
        "engine", "build s", "MB", "k=10 p50, p95 ms", "ratio", "recall@10", "in a period p50, p95 ms", "recall@10",
        "16 x 3 p50, p95 ms", "short", "8 clients, searches/s", "note",
    )  # fmt: skip
    lines = [f"## {size.replace('x', ' chunks, ')} dimensions\n", _line(head), _line(["---"] * len(head))]
    for row in found:
        lines.append(
            _line(
                (
                    row["engine"],
                    row["build_s"],
                    "" if row["bytes"] is None else round(row["bytes"] / 1e6),
                    "{p50}, {p95}".format(**row["k10_ms"]),
                    f"{row['k10_ms']['p50'] / base:.2f}",
                    row["recall"],
                    "{p50}, {p95}".format(**row["window_ms"]),
                    row["window_recall"],
                    "{p50}, {p95}".format(**row["strata_ms"]),
                    row["short"],
                    row["clients_per_s"],
                    row["note"],
                )
            )
        )
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def write(found: dict[str, Any], folder: Path) -> str:
    """Put what was measured beside what was written before; return the Markdown."""
    path = folder / "scale.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    merged = known | found
    text = "# Scale\n\nWritten by `python -m benchmarks.scale`; docs/engines.md says what each figure is.\n\n"
    text += "\n".join(table(size, merged[size]["engines"]) for size in merged)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
    (folder / "scale.md").write_text(text, encoding="utf-8")
    return text


async def run(sizes: Sequence[str], peers: Sequence[str], queries: int, out: Path) -> None:
    """Measure size by size."""
    real = real_vectors(VECTORS)
    with tempfile.TemporaryDirectory(prefix="answertrail-scale-") as home:
        Path(home).chmod(0o755)
        async with connect(Settings(home=Path(home))) as db:
            for size in sizes:
                rows, dims = (int(part) for part in size.split("x"))
                made = grown(real, rows, dims, queries)
                found = {"machine": _machine(), "queries": queries, "engines": await measure_size(db, made, peers)}
                print(write({size: found}, out))
                del made
                gc.collect()
        from answertrail.store import server

        server.destroy(Settings(home=Path(home)))


def _machine() -> dict[str, Any]:
    return {"platform": platform.platform(), "cpus": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=SIZES, help="ROWSxDIMS, comma between")
    parser.add_argument("--peers", default=",".join(PEERS), help="comma between, or nothing")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    peers = [peer for peer in options.peers.split(",") if peer]
    asyncio.run(run(options.sizes.split(","), peers, options.queries, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
