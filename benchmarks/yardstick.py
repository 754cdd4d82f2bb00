"""The yardstick: every search mode on every public set, beside an agent that plans its own searches.

    python -m benchmarks.yardstick [--sets g_gold,locomo] [--modes dense,fused] [--embedder minilm]
                                   [--context title,previous] [--recipes answertrail-2026,default] [--quick]

A set's name stands for all of its parts (`xquad` for nine language pairs, `xquad/zh-en` for one).
`--embedder auto` chooses by the texts of each set, as `ingest` does. The recipes are run with the
built-in reader on the sets with questions over time; `answertrail-2026` is how the articles' agent
searches: dense, ten a search, several rewordings, repeats shown. Needs no database. Vectors are kept in
results/vectors.sqlite, so a second run is quick. Writes benchmarks/results/yardstick.json and
yardstick.md; sets that are not run keep what was written of them before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from answertrail.corpus.context import NONE, context_parts
from answertrail.errors import AnswerTrailError
from answertrail.experiments.view.markdown import markdown
from answertrail.metrics.measured import Intervals
from answertrail.records.embedder import embedder_key
from answertrail.search.modes import MODES
from benchmarks.in_memory import embedder_for, open_in_memory
from benchmarks.sets import SETS, Loader, PublicSet, named
from benchmarks.sets.xquad import load_xquad
from benchmarks.vector_cache import CachedEmbedder
from benchmarks.yardstick_agent import agent_rankings
from benchmarks.yardstick_score import SetScores, rankings, score
from benchmarks.yardstick_tables import COLUMNS, tables

RESULTS = Path(__file__).parent / "results"
VECTORS = Path(__file__).parents[1] / "results" / "vectors.sqlite"
RECIPES = ("answertrail-2026", "default")
OVER_TIME = ("g_gold/", "planted/")
"""The sets whose questions are worth an agent's while; elsewhere one search answers."""


async def measure_set(
    load: Loader,
    *,
    modes: Sequence[str],
    spec: str,
    recipes: Sequence[str],
    intervals: Intervals,
    context: Sequence[str] = (),
) -> dict[str, Any]:
    """Load, index, search and score one set; return what is written of it."""
    found = load()
    embedder = CachedEmbedder(embedder_for(found, spec), VECTORS)
    began = time.perf_counter()
    opened = await open_in_memory(found, embedder, context)
    spent = {"indexing": _since(began)}
    said = f"{found.name}: {found.chunk_count:,} chunks, {embedder.made:,} embedded now, {spent['indexing']} s"
    print(said, file=sys.stderr, flush=True)
    began = time.perf_counter()
    rows = await rankings(found, opened, modes)
    spent["searching"] = _since(began)
    if found.name.startswith(OVER_TIME):
        for recipe in recipes:
            began = time.perf_counter()
            for corpus in opened:
                rows += await agent_rankings(corpus, recipe)
            spent[f"agent {recipe}"] = _since(began)
    scored = score(found, rows, intervals)
    print(f"{found.name}: searched and scored, {spent}", file=sys.stderr, flush=True)
    return _entry(found, embedder_key(embedder.identity, context), scored) | {"seconds": spent}


def _entry(found: PublicSet, embedder: str, scored: SetScores) -> dict[str, Any]:
    def plain(measures: Any) -> dict[str, Any]:
        return {name: value.as_json() for name, value in measures.items()}

    def told(measures: Mapping[str, Any]) -> dict[str, Any]:
        """Keep of a group what the tables have columns for: the file would be half again as large."""
        return {name: value for name, value in measures.items() if name in COLUMNS}

    return {
        "embedder": embedder,
        "unit": found.unit,
        "documents": len(found.cuts),
        "chunks": found.chunk_count,
        "questions": len(found.questions.ids),
        "questions_hash": found.questions.hash,
        "clustered_by": found.clustered_by,
        "clusters": len(set(found.clusters.values())),
        "counts_only": found.counts_only,
        "left_out": list(found.left_out),
        "modes": {mode: plain(measures) for mode, measures in scored.measures.items()},
        "groups": {
            part: {mode: plain(told(measures)) for mode, measures in rows.items()}
            for part, rows in scored.groups.items()
        },
        "shown": dict(scored.shown),
        "default_minus_best": {
            name: {"best": part} | row.difference.as_json() for name, (part, row) in scored.differences.items()
        },
    }


def _since(began: float) -> float:
    return round(time.perf_counter() - began, 1)


def write(found: dict[str, Any], folder: Path = RESULTS) -> str:
    """Put what was measured beside what was written before; return the Markdown. Each file by an atomic rename."""
    path = folder / "yardstick.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    merged = {name: (known | found)[name] for name in (*SETS, *known, *found) if name in known or name in found}
    head = (
        "# The yardstick\n\nWritten by `python -m benchmarks.yardstick`; docs/yardstick.md says what each figure is.\n"
    )
    text = "\n".join([head, *(markdown(table) for table in tables(merged))])
    folder.mkdir(parents=True, exist_ok=True)
    _replace(path, json.dumps(merged, separators=(",", ":"), ensure_ascii=False) + "\n")
    _replace(folder / "yardstick.md", text)
    return text


def _replace(path: Path, text: str) -> None:
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def main() -> int:
    """Run the sets asked for, one after the other; return 1 when one could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS), help="names, comma between (default: all)")
    parser.add_argument("--modes", default=",".join(MODES), help="search modes (default: all there are)")
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--context", default=NONE, help="what is embedded before each text, as `ingest --context`")
    parser.add_argument("--recipes", default=",".join(RECIPES), help="recipes for the built-in reader, or nothing")
    parser.add_argument("--resamples", type=int, default=Intervals().resamples)
    parser.add_argument("--quick", action="store_true", help="two questions a paragraph of xquad instead of all")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    faults, text = 0, ""
    for name, load in named(options.sets.split(",")).items():
        if options.quick and isinstance(load, partial) and load.func is load_xquad:
            load = partial(load, per_paragraph=2)
        try:
            found = asyncio.run(
                measure_set(
                    load,
                    modes=options.modes.split(","),
                    spec=options.embedder,
                    recipes=[recipe for recipe in options.recipes.split(",") if recipe],
                    intervals=Intervals(resamples=options.resamples),
                    context=context_parts(options.context),
                )
            )
        except AnswerTrailError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            faults += 1
            continue
        text = write({name: found}, options.out)
    print(text)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
