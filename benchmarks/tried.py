"""Other rules for the search mode `fused`, each beside it on the same questions.

    python -m benchmarks.tried [--sets cranfield,locomo/apart] [--embedder auto] [--quick]

The signals of a query (cosines, BM25 of passages, BM25 of documents) are computed once, by the search itself, and
ranked by every rule of `benchmarks.tried_rules`. What counts is mean recall at 10, and where questions are over time
the share of time windows among the first 40 passages. Differences are paired with `fused` and drawn by cluster, as
the yardstick's. Needs no database; vectors come from results/vectors.sqlite. Writes benchmarks/results/tried.json and
tried.md; sets that are not run keep what was written of them before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from answertrail.errors import AnswerTrailError
from answertrail.experiments.retrieval import score_retrieval
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.values import Undefined
from answertrail.records import RetrievalRun
from answertrail.records.embedder import embedder_key
from answertrail.records.retrieval import Ranked
from answertrail.search.fusion import Fused, best
from benchmarks.in_memory import embedder_for, open_in_memory
from benchmarks.sets import SETS, Loader, PublicSet, named
from benchmarks.sets.xquad import load_xquad
from benchmarks.tried_rules import BASE, VARIANTS, World, ask
from benchmarks.vector_cache import CachedEmbedder, Remembering
from benchmarks.yardstick import RESULTS, VECTORS
from benchmarks.yardstick_score import clustered

DEFAULT_SETS = (
    "cranfield,timeqa,locomo/apart,g_gold,planted/unlabelled,xquad/zh-en,xquad/zh-zh,gnome_help/en-en,gnome_help/ko-ko"
)
BUDGET = 40
MEASURES = {"mean_recall@10": "Mean recall at 10", f"window_coverage@b{BUDGET}": "Share of time windows among 40"}


async def measure_set(load: Loader, spec: str, intervals: Intervals, vectors: Path) -> dict[str, Any]:
    """Rank one set by every rule; return by rule each measure with its difference to `fused`."""
    found = load()
    embedder = Remembering(CachedEmbedder(embedder_for(found, spec), vectors))
    rows: list[RetrievalRun] = []
    for corpus in await open_in_memory(found, embedder):
        world = await World.opened(corpus, embedder)
        for question in corpus.questions:
            if question.tier != "unanswerable":
                asked = await ask(world, question.question, embedder)
                rows += [
                    ranking(found, question.question_id, name, world, variant.scores(asked))
                    for name, variant in VARIANTS.items()
                ]
    return {
        "embedder": embedder_key(embedder.identity, ()),
        "questions": len({row.question_id for row in rows}),
        "clustered_by": found.clustered_by,
        "rules": compared(found, rows, intervals),
    }


def ranking(found: PublicSet, question: str, name: str, world: World, scores: Fused) -> RetrievalRun:
    """Return the first 40 in the unit of the set, a document at its best passage; every passage takes part."""
    everything = world.index.rows
    order = best(scores, world.everywhere, len(everything) if found.unit != "chunk" else BUDGET)
    names = (everything[row].id if found.unit == "chunk" else everything[row].document_id for row in order)
    first = list(dict.fromkeys(names))[:BUDGET]
    return RetrievalRun(question_id=question, mode=name, unit=found.unit, ranked=[Ranked(id=name) for name in first])


def compared(found: PublicSet, rows: Sequence[RetrievalRun], intervals: Intervals) -> dict[str, Any]:
    """Score the rankings of all rules; return by rule and measure the value and the difference to `fused`."""
    scored = score_retrieval(
        found.questions, rows, ks=(10,), unit=found.unit, budget=BUDGET, intervals=Intervals("none")
    )
    out: dict[str, Any] = {}
    for name, mode in scored.modes.items():
        out[name] = {}
        for measure in MEASURES:
            base, ours = scored.modes[BASE].measures.get(measure), mode.measures.get(measure)
            if not isinstance(base, Measured) or not isinstance(ours, Measured) or isinstance(ours.value, Undefined):
                continue
            pairs = clustered(base, found.clusters), clustered(ours, found.clusters)
            told: dict[str, Any] = {"value": ours.value}
            if name != BASE:
                told["difference"] = paired_difference(*pairs, resamples=intervals.resamples).difference.as_json()
            out[name][measure] = told
    return out


def report(sets: Mapping[str, Any]) -> str:
    """The Markdown: a table a measure, a row a rule, a column a set; then why each rule was tried."""
    lines = [
        "# What else was tried for `fused`",
        "",
        "Written by `python -m benchmarks.tried`. Value, and the difference to `fused` with a 95 % interval, paired "
        "and drawn by cluster as in the yardstick; bold where the interval leaves 0 out.",
        "",
        *(f"- {name}: {one['questions']} questions, {one['embedder'].split('@')[0]}" for name, one in sets.items()),
    ]
    for measure, title in MEASURES.items():
        columns = [name for name, one in sets.items() if measure in one["rules"][BASE]]
        if columns:
            lines += ["", f"## {title}", "", "| rule | " + " | ".join(columns) + " |"]
            lines.append("|" + "---|" * (len(columns) + 1))
            for rule in VARIANTS:
                cells = [_cell(sets[name]["rules"].get(rule, {}).get(measure)) for name in columns]
                lines.append(f"| {rule} | " + " | ".join(cells) + " |")
    lines += ["", "## Why", "", *(f"- {rule}: {variant.why}." for rule, variant in VARIANTS.items())]
    return "\n".join(lines) + "\n"


def _cell(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return ""
    difference = found.get("difference", {})
    if "value" not in difference:
        return f"{found['value']:.3f}"
    between, told = difference["interval"] or {}, f"{difference['value']:+.3f}"
    if "low" not in between:
        return f"{found['value']:.3f} {told}"
    low, high = between["low"], between["high"]
    told = f"{told} [{low:+.3f}, {high:+.3f}]"
    return f"{found['value']:.3f} " + (f"**{told}**" if low > 0 or high < 0 else told)


def main() -> int:
    """Measure the sets asked for, writing both files after each; return 1 when one could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=DEFAULT_SETS, help="names, comma between")
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--quick", action="store_true", help="two questions a paragraph of xquad instead of all")
    parser.add_argument("--resamples", type=int, default=Intervals().resamples)
    parser.add_argument("--vectors", type=Path, default=VECTORS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    path = options.out / "tried.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    faults = 0
    for name, load in named(options.sets.split(",")).items():
        if options.quick and isinstance(load, partial) and load.func is load_xquad:
            load = partial(load, per_paragraph=2)
        try:
            made = measure_set(load, options.embedder, Intervals(resamples=options.resamples), options.vectors)
            known[name] = asyncio.run(made)
        except AnswerTrailError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            faults += 1
            continue
        known = {one: known[one] for one in (*SETS, *known) if one in known}
        options.out.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        (options.out / "tried.md").write_text(report(known), encoding="utf-8")
        print(f"{name}: {known[name]['questions']} questions", file=sys.stderr, flush=True)
    if known:
        print(report(known))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
