"""Ranking measures beside pytrec_eval and ir_measures, the cluster bootstrap beside scipy, in one run.

    python -m benchmarks.measures [--queries 1000 10000] [--depth 100] [--rounds 7] [--out FILE]

Every tool gets the same rankings and gold and computes the same five measures and their means over
all queries of the gold; the program stops if they do not agree. *scoring* begins with each tool's
own input in memory (lists of ids and `Gold`; dicts of scores and a `RelevanceEvaluator`); *all*
begins with the same plain rows (query, document, score) for everyone and makes that input first.
The tools take turns, each after a garbage collection; the best of the rounds counts, in processor
time, which other work on the machine disturbs less than wall time. No tool uses a second thread.
Read the ratios. Writes benchmarks/results/measures.json.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from answertrail.metrics.bootstrap import ratio_of_totals
from answertrail.metrics.clusters import Observation
from answertrail.metrics.ranking.gold import Gold, gold_units
from answertrail.metrics.ranking.measures import score_rankings

RESULTS = Path(__file__).parent / "results" / "measures.json"
OURS = ("ndcg@10", "ap@1000", "mean_recall@10", "mrr@1000", "mean_precision@10")
TREC = ("ndcg_cut_10", "map", "recall_10", "recip_rank", "P_10")
POOL = 50_000


class World(NamedTuple):
    """Plain rows, best first: the rankings (query, document, score) and the gold (query, document, grade)."""

    rows: list[tuple[str, str, float]]
    gold: list[tuple[str, str, int]]


class Timed(NamedTuple):
    """Best processor seconds of one contender at one job."""

    job: str
    tool: str
    scoring: float
    all: float


def world(queries: int, depth: int, seed: int = 0) -> World:
    """Ten gold documents a query, graded 1 to 3, about half of them somewhere in the list; no two scores equal."""
    rng = np.random.default_rng(seed)
    rows, gold = [], []
    for number in range(queries):
        query = f"q{number:05}"
        wanted = rng.choice(POOL, size=10, replace=False)
        others = rng.choice(POOL, size=depth, replace=False)
        listed = list(dict.fromkeys([*wanted[:5].tolist(), *others.tolist()]))[:depth]
        order = rng.permutation(len(listed))
        scores = np.sort(rng.random(len(listed)))[::-1]
        rows += [(query, f"doc{listed[place]:05}", float(score)) for place, score in zip(order, scores, strict=True)]
        gold += [
            (query, f"doc{name:05}", int(grade)) for name, grade in zip(wanted, rng.integers(1, 4, 10), strict=True)
        ]
    return World(rows, gold)


def grouped(rows: Sequence[tuple[str, str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the input of pytrec_eval and ir_measures: a dict of dicts."""
    out: dict[str, dict[str, Any]] = {}
    for query, name, value in rows:
        out.setdefault(query, {})[name] = value
    return out


def our_lists(rows: Sequence[tuple[str, str, float]]) -> dict[str, list[str]]:
    """Return our input: ids by query, best first."""
    out: dict[str, list[str]] = {}
    for query, name, _ in rows:
        out.setdefault(query, []).append(name)
    return out


def our_gold(rows: Sequence[tuple[str, str, int]]) -> list[Gold]:
    """Return gold made ready."""
    golds = [gold_units(query, grades) for query, grades in grouped(rows).items()]
    return [gold for gold in golds if isinstance(gold, Gold)]


def ours(golds: Sequence[Gold], lists: Mapping[str, Sequence[str]]) -> list[float]:
    """Return our five means."""
    return [float(row.value) for row in score_rankings(golds, lists, OURS).values() if isinstance(row.value, float)]


def contenders(plain: World) -> dict[str, tuple[Callable[[], list[float]], Callable[[], list[float]]]]:
    """Return for each tool what scores its own input, and what starts from the plain rows."""
    import ir_measures
    import pytrec_eval

    names = {"ndcg_cut.10", "map", "recall.10", "recip_rank", "P.10"}
    measures = [ir_measures.parse_measure(name) for name in ("nDCG@10", "AP", "R@10", "RR", "P@10")]

    def trec(evaluator: Any, run: Mapping[str, Mapping[str, float]]) -> list[float]:
        values = evaluator.evaluate(run)
        return [sum(row[name] for row in values.values()) / len(qrels) for name in TREC]

    def ir(evaluator: Any, run: Mapping[str, Mapping[str, float]]) -> list[float]:
        values = evaluator.calc_aggregate(run)
        return [values[measure] for measure in measures]

    def trec_evaluator(gold: Mapping[str, Mapping[str, int]]) -> Any:
        return pytrec_eval.RelevanceEvaluator(gold, names)

    qrels, run, golds, lists = grouped(plain.gold), grouped(plain.rows), our_gold(plain.gold), our_lists(plain.rows)
    trec_ready, ir_ready = trec_evaluator(qrels), ir_measures.evaluator(measures, qrels)
    return {
        "answertrail": (
            lambda: ours(golds, lists),
            lambda: ours(our_gold(plain.gold), our_lists(plain.rows)),
        ),
        "pytrec_eval": (
            lambda: trec(trec_ready, run),
            lambda: trec(trec_evaluator(grouped(plain.gold)), grouped(plain.rows)),
        ),
        "ir_measures": (
            lambda: ir(ir_ready, run),
            lambda: ir(ir_measures.evaluator(measures, grouped(plain.gold)), grouped(plain.rows)),
        ),
    }


def rankings(queries: int, depth: int, rounds: int) -> list[Timed]:
    """Time the ranking measures. Raises SystemExit when two tools give different values."""
    tools = contenders(world(queries, depth))
    values = {name: scoring() for name, (scoring, _) in tools.items()}
    for name, found in values.items():
        if not np.allclose(found, values["answertrail"], rtol=0, atol=1e-9):
            raise SystemExit(f"{name} gives {found}, answertrail {values['answertrail']}")
    jobs = {(name, place): calls[place] for name, calls in tools.items() for place in (0, 1)}
    best = in_turn(jobs, rounds)
    return [Timed(f"{queries:,} x {depth}", name, best[name, 0], best[name, 1]) for name in tools]


def bootstraps(questions: int, resamples: int, rounds: int) -> list[Timed]:
    """Time a ratio of totals with repeats. Raises SystemExit when the intervals differ."""
    from scipy import stats

    rng = np.random.default_rng(0)
    rows = [
        Observation(f"q{n:03}", int(rng.binomial(5, 0.6)), 5, repeat) for n in range(questions) for repeat in range(3)
    ]
    found, units = (
        np.array([sum(row[column] for row in rows[at : at + 3]) for at in range(0, len(rows), 3)]) for column in (1, 2)
    )

    def theirs(method: str) -> tuple[float, float]:
        done = stats.bootstrap(
            (found, units),
            lambda x, y, axis: x.sum(axis=axis) / y.sum(axis=axis),
            paired=True,
            n_resamples=resamples,
            method=method,
            rng=np.random.Generator(np.random.PCG64(7)),
        ).confidence_interval
        return float(done.low), float(done.high)

    def us(method: Any) -> tuple[float, float]:
        interval: Any = ratio_of_totals(rows, method=method, resamples=resamples, seed=7).ratio.interval
        return interval.low, interval.high

    jobs: dict[tuple[str, int], Callable[[], object]] = {}
    for place, (method, name) in enumerate((("percentile", "percentile"), ("bca", "BCa"))):
        if not np.allclose(us(method), theirs(name), atol=1e-3):
            raise SystemExit(f"{method}: {us(method)} against scipy's {theirs(name)}")
        jobs["answertrail", place] = lambda method=method: us(method)  # type: ignore[misc]
        jobs["scipy", place] = lambda name=name: theirs(name)  # type: ignore[misc]
    best = in_turn(jobs, rounds)
    size = f"{questions} questions, {resamples:,} resamples"
    return [
        Timed(f"{size}, {method}", tool, best[tool, place], best[tool, place])
        for place, method in enumerate(("percentile", "BCa"))
        for tool in ("answertrail", "scipy")
    ]


def in_turn(jobs: Mapping[tuple[str, int], Callable[[], object]], rounds: int) -> dict[tuple[str, int], float]:
    """Run the jobs one after the other, again and again, and return the best processor seconds of each."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            gc.collect()
            start = time.process_time()
            job()
            best[name] = min(best[name], time.process_time() - start)
    return best


def show(title: str, rows: Sequence[Timed], *, both: bool) -> None:
    """Print one table; ratios are to ours, above 1 is slower than ours."""
    table = Table("job", "tool", title=title, title_justify="left", box=None)
    for column in ("scoring, ms", "of ours", "all, ms", "of ours") if both else ("ms", "of ours"):
        table.add_column(column, justify="right")
    own = {row.job: row for row in rows if row.tool == "answertrail"}
    for row in rows:
        us = own[row.job]
        cells = [f"{row.scoring * 1000:.1f}", f"{row.scoring / us.scoring:.2f}"]
        cells += [f"{row.all * 1000:.1f}", f"{row.all / us.all:.2f}"] if both else []
        table.add_row(row.job, row.tool, *cells)
    Console().print(table, "")


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    packages = ("numpy", "scipy", "pytrec-eval-terrier", "ir-measures", "answertrail")
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in packages},
    }


def processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def main() -> None:
    """Time everything, print the tables, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    ranked = [row for n in options.queries for row in rankings(n, options.depth, options.rounds)]
    show("nDCG@10, AP, recall@10, MRR and P@10, with their means", ranked, both=True)
    resampled = bootstraps(60, 10_000, options.rounds)
    show("Interval of a ratio of totals, questions resampled", resampled, both=False)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    result = {
        "machine": machine(),
        "rounds": options.rounds,
        "rankings": [row._asdict() for row in ranked],
        "bootstrap": [{"job": row.job, "tool": row.tool, "seconds": row.all} for row in resampled],
    }
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
