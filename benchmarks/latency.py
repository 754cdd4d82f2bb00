"""How long a search takes in the embedded default, and what of it: query embedding, cosines, BM25, ranking.

    python -m benchmarks.latency [--chunks 25401] [--embedder minilm] [--threads default,1] [--out FOLDER]

The corpus are the first passages of the three g_gold corpora, opened as `open_corpus` opens them
from its cache: vectors and BM25 memory-mapped from files. Every question is asked once with an
empty cache (cold), then again (repeated: its vector is kept), and of `fused` also by 8 clients at
once. Parts are timed inside the same searches; `rest` is what is left: filters, hits, and waiting
for a thread. Before each search numpy's bare matrix x vector and partial sort are timed over the
same matrix in memory; ratios are to that, since other work on the machine slows both. `--threads`
are those of numpy's BLAS. Writes latency.json and latency.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import pickle
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Embedder, Role, Vectors
from answertrail.models.embedding.load import load_embedder
from answertrail.records.run import CorpusRef
from answertrail.search.hits import ChunkRow
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import LexicalIndex
from answertrail.search.load import lexical_index
from answertrail.search.modes import MODES, Mode
from answertrail.search.open_corpus import OpenCorpus
from benchmarks.in_memory import open_in_memory
from benchmarks.sets import named
from benchmarks.vector_cache import CachedEmbedder

RESULTS = Path(__file__).parent / "results"
VECTORS = Path(__file__).parents[1] / "results" / "vectors.sqlite"
CHUNKS, K, CLIENTS = 25_401, 10, 8
PARTS = ("embedding", "cosines", "BM25 of chunks", "BM25 of documents", "ranking", "rest")
_BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


class Clock:
    """Adds up the ms spent in each part of a search."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}

    def add(self, part: str, began: float) -> None:
        """Count the time since `began` to a part."""
        self.parts[part] = self.parts.get(part, 0.0) + (time.perf_counter() - began) * 1e3

    def timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the call, its time counted to a part."""

        def run(*given: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*given)
            finally:
                self.add(part, began)

        return run


class TimedEmbedder:
    """An embedder whose time is counted."""

    def __init__(self, embedder: Embedder, clock: Clock) -> None:
        self._embedder, self._clock = embedder, clock
        self.identity, self.batch_size = embedder.identity, embedder.batch_size

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return the vectors of the texts; see `Embedder.embed`."""
        began = time.perf_counter()
        try:
            return await self._embedder.embed(texts, role)
        finally:
            self._clock.add("embedding", began)


class TimedIndex(CorpusIndex):
    """The exact index, the time of its cosines counted."""

    clock: Clock

    def _cosines(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        began = time.perf_counter()
        try:
            return super()._cosines(vector)
        finally:
            self.clock.add("cosines", began)


def opened(rows: Sequence[ChunkRow], folder: Path, embedder: Embedder, clock: Clock) -> OpenCorpus:
    """Open what `keep` wrote, with every part timed."""
    lexical = LexicalIndex.load(folder)
    for part, name in (("BM25 of chunks", "scores"), ("BM25 of documents", "document_votes")):
        setattr(lexical, name, clock.timed(part, getattr(lexical, name)))
    matrix = np.load(folder / "dense.npy", mmap_mode="r")
    index = TimedIndex(rows, matrix, lexical, embedder)
    index.clock = clock
    return OpenCorpus(CorpusRef(name="g_gold", snapshot="in memory"), index)


def keep(rows: Sequence[ChunkRow], vectors: Vectors, folder: Path) -> None:
    """Write the files that the cache of a corpus has."""
    np.save(folder / "dense.npy", vectors)
    lexical_index(rows).save(folder)


async def measure(
    rows: Sequence[ChunkRow], folder: Path, embedder: Embedder, questions: Sequence[str], modes: Sequence[str]
) -> dict[str, Any]:
    """Ask every question in every mode, cold and repeated; return what is written."""
    clock = Clock()
    bare = np.load(folder / "dense.npy")
    timed: Embedder = TimedEmbedder(embedder, clock)
    load = os.getloadavg()[0]
    began = time.perf_counter()
    corpus = opened(rows, folder, timed, clock)
    opening = (time.perf_counter() - began) * 1e3
    first = await _search(corpus, questions[0], _of(clock, "fused"), clock, bare)
    found = {}
    for name in modes:
        mode = _of(clock, name)
        corpus = opened(rows, folder, timed, clock)
        await _search(corpus, "the first search pays for what is loaded late", mode, clock, bare)
        cold = [await _search(corpus, question, mode, clock, bare) for question in questions]
        again = [await _search(corpus, question, mode, clock, bare) for question in questions]
        found[name] = {"cold": _summary(cold), "repeated": _summary(again)}
    return {
        "clients_per_s": round(await _clients(opened(rows, folder, embedder, clock), questions), 1),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "opening_ms": round(opening, 1),
        "first_search": {"ms": round(first["all"], 1)} | {part: round(first[part], 1) for part in PARTS},
        "modes": found,
    }


def _of(clock: Clock, name: str) -> Mode:
    return replace(MODES[name], rank=clock.timed("ranking", MODES[name].rank))


async def _search(corpus: OpenCorpus, question: str, mode: Mode, clock: Clock, bare: Vectors) -> Mapping[str, float]:
    """Return the ms of one search, of its parts, and of numpy's bare work just before."""
    began = time.perf_counter()
    scores = bare @ bare[len(question)]
    np.argpartition(scores, len(scores) - K)[-K:]
    numpy_ms = (time.perf_counter() - began) * 1e3
    clock.parts.clear()
    began, worked = time.perf_counter(), time.process_time()
    await corpus.search(question, mode=mode, k=K)
    took, cpu = (time.perf_counter() - began) * 1e3, (time.process_time() - worked) * 1e3
    parts = {part: clock.parts.get(part, 0.0) for part in PARTS[:-1]}
    return {**parts, "rest": took - sum(parts.values()), "all": took, "cpu": cpu, "numpy": numpy_ms}


async def _clients(corpus: OpenCorpus, questions: Sequence[str]) -> float:
    """Return fused searches a second of 8 at once, their queries embedded before."""
    for question in questions:
        await corpus.search(question, mode="fused", k=K)
    waiting = list(questions)

    async def client() -> None:
        while waiting:
            await corpus.search(waiting.pop(), mode="fused", k=K)

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return len(questions) / (time.perf_counter() - began)


def _summary(searches: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    def percentile(part: str, at: float) -> float:
        return round(float(np.percentile([search[part] for search in searches], at)), 2)

    return {
        "searches": len(searches),
        "p50": percentile("all", 50),
        "p95": percentile("all", 95),
        "fastest": percentile("all", 0),
        "cpu_mean": round(float(np.mean([search["cpu"] for search in searches])), 2),
        "numpy_p50": percentile("numpy", 50),
        "ratio": round(percentile("all", 50) / max(percentile("numpy", 50), 1e-9), 2),
        "parts_p50": {part: percentile(part, 50) for part in PARTS},
    }


def table(found: Mapping[str, Any]) -> str:
    """Return everything as Markdown."""
    head = ("mode", "query", "p50, p95 ms", "fastest", "CPU ms", "x numpy", *(f"{part} p50" for part in PARTS))
    lines = ["# Latency\n", "Written by `python -m benchmarks.latency`; docs/scaling.md says what each figure is.\n"]
    for threads, run in found["threads"].items():
        lines += [f"## {found['chunks']:,} chunks, {found['embedder']}, BLAS threads: {threads}\n"]
        lines += [_line(head), _line(["---"] * len(head))]
        for mode, kinds in run["modes"].items():
            for kind, row in kinds.items():
                parts = (row["parts_p50"][part] for part in PARTS)
                lines.append(
                    _line(
                        (
                            mode,
                            kind,
                            f"{row['p50']}, {row['p95']}",
                            row["fastest"],
                            row["cpu_mean"],
                            row["ratio"],
                            *parts,
                        )
                    )
                )
        first = ", ".join(f"{part} {ms}" for part, ms in run["first_search"].items() if part != "ms")
        lines += [
            f"\n{run['modes']['fused']['cold']['searches']} questions a row; load average {run['load'][0]} to "
            f"{run['load'][1]} on {found['machine']['cpus']} cores, {run['when']}. Opening from the cache "
            f"{run['opening_ms']} ms; 8 repeated fused searches at once: {run['clients_per_s']} a second; "
            f"the first search of all {run['first_search']['ms']} ms ({first}).\n"
        ]
    return "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


async def corpus_of(embedder: Embedder, chunks: int) -> tuple[list[ChunkRow], Vectors, list[str]]:
    """Return the first passages of the g_gold corpora, in id order, with their vectors and all questions."""
    rows: list[ChunkRow] = []
    vectors, questions = [], []
    for load in named(["g_gold"]).values():
        for corpus in await open_in_memory(load(), embedder):
            held = corpus.fresh().index
            assert isinstance(held, CorpusIndex)
            rows.extend(held.rows)
            vectors.append(await embedder.embed([row.text for row in held.rows], "passage"))
            questions += [question.question for question in corpus.questions]
    order = sorted(range(min(chunks, len(rows))), key=lambda row: rows[row].id)
    return [rows[row] for row in order], np.concatenate(vectors)[order], list(dict.fromkeys(questions))


def run(spec: str, chunks: int, threads: Sequence[str], out: Path, modes: Sequence[str]) -> None:
    """Make the corpus once and measure it in a process for each number of threads."""
    rows, vectors, questions = asyncio.run(corpus_of(CachedEmbedder(load_embedder(spec), VECTORS), chunks))
    path = out / "latency.json"
    found: dict[str, Any] = {"embedder": spec, "chunks": len(rows), "machine": _machine(), "threads": {}}
    with tempfile.TemporaryDirectory(prefix="answertrail-latency-") as name:
        folder = Path(name)
        keep(rows, vectors, folder)
        (folder / "rows.pkl").write_bytes(pickle.dumps((rows, questions)))
        for number in threads:
            asked = [sys.executable, "-m", "benchmarks.latency", "--inner", name]
            asked += ["--embedder", spec, "--modes", ",".join(modes)]
            environment = os.environ | ({} if number == "default" else dict.fromkeys(_BLAS, number))
            done = subprocess.run(asked, env=environment, stdout=subprocess.PIPE, check=True)
            found["threads"][number] = json.loads(done.stdout)
            path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            (out / "latency.md").write_text(table(found), encoding="utf-8")
    print(table(found))


def _inner(folder: Path, spec: str, modes: Sequence[str]) -> None:
    rows, questions = pickle.loads((folder / "rows.pkl").read_bytes())
    when = datetime.now(UTC).isoformat(timespec="minutes")
    print(json.dumps(asyncio.run(measure(rows, folder, load_embedder(spec), questions, modes)) | {"when": when}))


def _machine() -> dict[str, Any]:
    return {"platform": platform.platform(), "cpus": os.cpu_count(), "python": platform.python_version()}


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=CHUNKS)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--threads", default="default,1", help="of numpy's BLAS, comma between")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--inner", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    modes = options.modes.split(",")
    if options.inner:
        _inner(options.inner, options.embedder, modes)
    else:
        run(options.embedder, options.chunks, options.threads.split(","), options.out, modes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
