"""One engine of the scale benchmark, filled and asked in a process of its own.

So its memory is its own, and one that takes too long can be stopped without the others. Numpy's
exact search is timed before and after in the same process: other work on the machine slows both.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from answertrail.settings import Settings
from answertrail.store import connect
from benchmarks.scale_data import Rows, load
from benchmarks.scale_engines import IN_PROCESS, IN_SQL, Engine, NumpyExact, catalogue_of, our_hnsw

K, PER_PERIOD, PERIODS, CLIENTS = 10, 3, 16, 8
FEWEST, ENOUGH_S = 10, 20.0
"""A slow engine is asked fewer times: no further ones after so many seconds, but at least so many."""


def run(names: Sequence[str], folder: Path, home: Path, out: Connection) -> None:
    """Measure the engines of these names on the saved rows; send a row each as soon as it is there."""
    rows = load(folder)
    try:
        if tuple(names) == IN_SQL:
            asyncio.run(_in_sql(rows, home, out.send))
        else:
            for name in names:
                before = private_mb()
                engine = IN_PROCESS[name](rows)
                out.send(asyncio.run(measured(engine, rows, before)))
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is a row of the table.
        out.send(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:200])


async def _in_sql(rows: Rows, home: Path, send: Callable[[Any], None]) -> None:
    catalogue = catalogue_of(rows)
    async with connect(Settings(home=home)) as db:
        before = private_mb()
        for engine in await our_hnsw(db, rows, catalogue):
            send(await measured(engine, rows, before))


async def measured(engine: Engine, rows: Rows, before_mb: float | None) -> dict[str, Any]:
    """Ask an engine everything; return what is written of it. `before_mb` was the memory before it was filled."""
    memory, load = private_mb(), os.getloadavg()[0]
    base = NumpyExact(rows)
    asked = [(at, None) for at in range(len(rows.queries))]
    windows = [(at, rows.quarter(at % PERIODS)) for at in range(len(rows.queries))]
    true, first_ms = await _timed(base, rows, asked)
    true_window, _ = await _timed(base, rows, windows)
    await engine.search(rows.queries[0], K, None)  # What is loaded at the first search is not a search.
    await engine.search(rows.queries[0], K, rows.quarter(7))
    plain, plain_ms = await _timed(engine, rows, asked)
    window, window_ms = await _timed(engine, rows, windows)
    strata_ms = await _strata(engine, rows)
    a_second, clients_ms = await _clients(engine, rows)
    _, last_ms = await _timed(base, rows, asked)
    base_strata_ms = await _strata(base, rows)
    await engine.close()
    return {
        "engine": engine.name,
        "build_s": round(engine.built, 2),
        "bytes": engine.size,
        "memory_mb": None if memory is None or before_mb is None else round(max(0.0, memory - before_mb)),
        "searches": len(plain_ms),
        "k10_ms": _summary(plain_ms),
        "k10_ratio": _ratio(plain_ms, (*first_ms, *last_ms)),
        "window_ms": _summary(window_ms),
        "strata_ms": _summary(strata_ms),
        "strata_ratio": _ratio(strata_ms, base_strata_ms),
        "recall": _recall(plain, true),
        "window_recall": _recall(window, true_window),
        "short": sum(len(found) < K for found in (*plain, *window)),
        "clients_per_s": round(a_second, 1),
        "clients_ms": _summary(clients_ms),
        "numpy_k10_ms": _summary((*first_ms, *last_ms)),
        "load": round(max(load, os.getloadavg()[0]), 1),
        "note": engine.note,
    }


async def _strata(engine: Engine, rows: Rows) -> list[float]:
    async def one(at: int) -> None:
        for number in range(PERIODS):
            await engine.search(rows.queries[at], PER_PERIOD, rows.quarter(number))

    return [
        took for _, took in await _until_enough([lambda at=at: one(at) for at in range(min(20, len(rows.queries)))])
    ]


async def _clients(engine: Engine, rows: Rows) -> tuple[float, list[float]]:
    """Return searches a second of so many clients at once, and how long each waited in ms."""
    waiting = list(range(len(rows.queries))) * 2
    took: list[float] = []
    begun = time.perf_counter()

    async def client() -> None:
        while waiting and (len(took) < FEWEST or time.perf_counter() - begun < ENOUGH_S):
            at, began = waiting.pop(), time.perf_counter()
            await engine.search(rows.queries[at], K, None)
            took.append((time.perf_counter() - began) * 1e3)

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return len(took) / (time.perf_counter() - begun), took


async def _timed(engine: Engine, rows: Rows, asked: Sequence[tuple[int, Any]]) -> tuple[list[set[int]], list[float]]:
    found = await _until_enough([partial(engine.search, rows.queries[at], K, window) for at, window in asked])
    return [set(rows_found) for rows_found, _ in found], [took for _, took in found]


async def _until_enough(asked: Sequence[Callable[[], Awaitable[Any]]]) -> list[tuple[Any, float]]:
    """Return what each gave and how long it took in ms, as far as time went."""
    out: list[tuple[Any, float]] = []
    begun = time.perf_counter()
    for ask in asked:
        if len(out) >= FEWEST and time.perf_counter() - begun > ENOUGH_S:
            break
        began = time.perf_counter()
        answer = await ask()
        out.append((answer, (time.perf_counter() - began) * 1e3))
    return out


def _summary(took: Sequence[float]) -> dict[str, float]:
    return {"p50": round(float(np.percentile(took, 50)), 2), "p95": round(float(np.percentile(took, 95)), 2)}


def _ratio(took: Sequence[float], base: Sequence[float]) -> float:
    return round(float(np.median(took) / np.median(base)), 3)


def _recall(found: Sequence[set[int]], true: Sequence[set[int]]) -> float:
    """Return the mean share of the true K that were found, over the searches that were made."""
    return round(float(np.mean([len(one & other) / K for one, other in zip(found, true, strict=False)])), 4)


def private_mb() -> float | None:
    """Return the memory of this process that no file backs, in MB; None where the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("RssAnon")), None)
