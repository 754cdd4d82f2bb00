"""One engine of the scale benchmark, filled and asked in a process of its own.

So its memory is its own, and one that takes too long can be stopped without the others. Numpy's
exact search is asked in turn with it in the same process: other work on the machine slows both.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from answertrail.settings import Settings
from answertrail.store import connect
from benchmarks.scale_data import Rows, load
from benchmarks.scale_engines import IN_PROCESS, IN_SQL, Engine, NumpyExact, Window, catalogue_of, our_hnsw

K, PER_PERIOD, PERIODS, CLIENTS, ROUNDS = 10, 3, 16, 8, 20
FEWEST, ENOUGH_S = 10, 20.0
"""A slow engine is asked fewer times: no further ones after so many seconds, but at least so many."""


def run(names: Sequence[str], folder: Path, home: Path, out: Connection) -> None:
    """Measure the engines of these names on the saved rows; send a row each as soon as it is there."""
    try:
        rows = load(folder)
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
    plain_of = [(at, None) for at in range(len(rows.queries))]
    window_of = [(at, rows.quarter(at % PERIODS)) for at in range(len(rows.queries))]
    for one in (base, engine):  # What is loaded at the first search is not a search.
        await one.search(rows.queries[-1], K, None)
        await one.search(rows.queries[-1], K, rows.quarter(7))
    true, plain = await _in_turn([base, engine], [_one(rows, *asked) for asked in plain_of])
    true_window, window = await _in_turn([base, engine], [_one(rows, *asked) for asked in window_of])
    base_strata, strata = await _in_turn([base, engine], [_all_periods(rows, at) for at in range(ROUNDS)])
    a_second, clients_ms = await _clients(engine, rows)
    await engine.close()
    return {
        "engine": engine.name,
        "build_s": round(engine.built, 2),
        "bytes": engine.size,
        "memory_mb": None if memory is None or before_mb is None else round(max(0.0, memory - before_mb)),
        "searches": len(plain.ms),
        "k10_ms": _summary(plain.ms),
        "k10_ratio": _ratio(plain.ms, true.ms),
        "window_ms": _summary(window.ms),
        "strata_ms": _summary(strata.ms),
        "strata_ratio": _ratio(strata.ms, base_strata.ms),
        "recall": _recall(plain.found, true.found),
        "window_recall": _recall(window.found, true_window.found),
        "short": sum(len(found) < K for found in (*plain.found, *window.found)),
        "clients_per_s": round(a_second, 1),
        "clients_ms": _summary(clients_ms),
        "numpy_k10_ms": _summary(true.ms),
        "numpy_strata_ms": _summary(base_strata.ms),
        "load": round(max(load, os.getloadavg()[0]), 1),
        "note": engine.note,
    }


Ask = Callable[[Engine], Awaitable[Sequence[int]]]


@dataclass(frozen=True, slots=True)
class Answers:
    """The rows that each search found, and how long it took in ms."""

    found: list[set[int]] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)


def _one(rows: Rows, at: int, window: Window | None) -> Ask:
    return lambda engine: engine.search(rows.queries[at], K, window)


def _all_periods(rows: Rows, at: int) -> Ask:
    async def ask(engine: Engine) -> list[int]:
        vector = rows.queries[at % len(rows.queries)]
        found: list[int] = []
        for number in range(PERIODS):
            found += await engine.search(vector, PER_PERIOD, rows.quarter(number))
        return found

    return ask


async def _in_turn(engines: Sequence[Engine], asked: Sequence[Ask]) -> list[Answers]:
    """Ask both engines each question, one after the other, as far as time goes.

    In turn, since the machine's other work comes and goes.
    """
    out = [Answers() for _ in engines]
    begun = time.perf_counter()
    for ask in asked:
        if len(out[0].ms) >= FEWEST and time.perf_counter() - begun > ENOUGH_S:
            break
        for engine, answers in zip(engines, out, strict=True):
            began = time.perf_counter()
            found = await ask(engine)
            answers.ms.append((time.perf_counter() - began) * 1e3)
            answers.found.append(set(found))
    return out


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


def _summary(took: Sequence[float]) -> dict[str, float]:
    at = {"p50": 50, "p95": 95, "fastest": 0}
    return {name: round(float(np.percentile(took, part)), 2) for name, part in at.items()}


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
