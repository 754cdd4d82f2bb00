"""How build time, memory and latency grow with the corpus, by engine and beside other vector indexes.

    python -m benchmarks.scale [--sizes 25000x384,25000x1536,250000x384,250000x1536,1000000x384]
                               [--engines NAME,...] [--queries 50] [--limit 600] [--out FOLDER]

Vectors are real ones moved a little (benchmarks/scale_data.py). Each engine is filled and asked in a
process of its own (benchmarks/scale_measure.py) and written as soon as it is done; one that takes
longer than the limit is stopped, and its row says so. docs/scaling.md says what each figure is.

Peers are used where they are installed (`pip install faiss-cpu hnswlib lancedb`). The database is
an embedded one of its own in a temporary folder. Writes scale.json and scale.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from answertrail.settings import Settings
from answertrail.store import server
from benchmarks import scale_measure
from benchmarks.scale_data import grown, real_vectors, save
from benchmarks.scale_engines import IN_PROCESS, IN_SQL
from benchmarks.scale_table import write

RESULTS = Path(__file__).parent / "results"
VECTORS = Path(__file__).parents[1] / "results" / "vectors.sqlite"
SIZES = "25000x384,25000x1536,250000x384,250000x1536,1000000x384"
_OURS = (("numpy exact",), ("answertrail exact",), IN_SQL)
JOBS: tuple[tuple[str, ...], ...] = (*_OURS, *((name,) for name in IN_PROCESS if (name,) not in _OURS))
"""What is measured in one process each, in this order."""


def measure_apart(names: tuple[str, ...], rows: Path, limit: float) -> Iterator[dict[str, Any]]:
    """Yield a row of the table for each of these engines; one that was not measured has a `missing` reason."""
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    begun, left, why = time.monotonic(), list(names), ""
    with tempfile.TemporaryDirectory(prefix="answertrail-scale-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)
        process = context.Process(target=scale_measure.run, args=(names, rows, Path(home), send))
        process.start()
        send.close()
        try:
            while left and not why:
                if not receive.poll(max(0.0, limit - (time.monotonic() - begun))):
                    why = f"stopped at the limit of {limit:.0f} s"
                    break
                got = receive.recv()
                if isinstance(got, str):
                    why = got
                else:
                    left.remove(got["engine"])
                    yield got
        except EOFError:
            process.join()
            why = f"the process ended with code {process.exitcode}"
        finally:
            if why:
                process.kill()
            process.join()
            server.destroy(Settings(home=Path(home)))
    spent = round(time.monotonic() - begun)
    for name in left:
        yield {"engine": name, "missing": why, "spent_s": spent, "load": round(os.getloadavg()[0], 1)}


# Each search in one thread: several at once, and other work on the machine, would fight over more.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def run(sizes: Sequence[str], engines: Sequence[str], queries: int, limit: float, out: Path) -> None:
    """Measure size by size and write each engine's row as it comes."""
    os.environ.update(ONE_THREAD)  # For the processes that are started from here.
    real = real_vectors(VECTORS)
    for size in sizes:
        rows, dims = (int(part) for part in size.split("x"))
        with tempfile.TemporaryDirectory(prefix="answertrail-rows-") as folder:
            save(grown(real, rows, dims, queries), Path(folder))
            for names in JOBS:
                if not set(names) & set(engines):
                    continue
                for row in measure_apart(names, Path(folder), limit):
                    print(json.dumps(row), file=sys.stderr, flush=True)
                    write(size, {**row, "queries": queries, "when": _now()}, _machine(), out)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="minutes")


def _machine() -> dict[str, Any]:
    return {"platform": platform.platform(), "cpus": os.cpu_count(), "python": platform.python_version()}


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [name for names in JOBS for name in names]
    parser.add_argument("--sizes", default=SIZES, help="ROWSxDIMS, comma between")
    parser.add_argument("--engines", default=",".join(known), help=f"comma between; known: {', '.join(known)}")
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--limit", type=float, default=600, help="seconds an engine may take for one size")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    run(options.sizes.split(","), options.engines.split(","), options.queries, options.limit, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
