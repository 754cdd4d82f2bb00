"""What embedding more than a passage's own words gives: `ingest --context` against none, on real speech.

    python -m benchmarks.context [--embedders wordllama] [--corpora ergo_calls,oxide_and_friends,practical_ai]

One query a question, the question itself, in modes dense and fused. Evidence of facts among the first 10 and the
first 40 passages, time windows among the first 40, as differences to no context, pooled over the corpora and paired
by question. Needs no database. Writes benchmarks/results/context.json and context.md; rows that are not run keep
what was written of them before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Any

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.ranking.budget import BudgetResult, evidence_recall, window_coverage
from answertrail.metrics.values import Interval, Undefined
from benchmarks.in_memory import embedder_for, open_in_memory
from benchmarks.sets import named
from benchmarks.sets.g_gold import QUESTIONS
from benchmarks.vector_cache import CachedEmbedder, Remembering
from benchmarks.yardstick import RESULTS, VECTORS

CONTEXTS: tuple[tuple[str, ...], ...] = ((), ("title",), ("title", "previous"))
MODES = ("dense", "fused")
MEASURES = ("factual evidence at 10", "factual evidence at 40", "time windows at 40")
Found = dict[str, list[Observation]]


async def measured(corpora: Sequence[str], spec: str, context: Sequence[str]) -> dict[str, Found]:
    """Return observations by mode and measure."""
    out: dict[str, Found] = {mode: {name: [] for name in MEASURES} for mode in MODES}
    for name in corpora:
        found = named([f"g_gold/{name}"])[f"g_gold/{name}"]()
        embedder = Remembering(CachedEmbedder(embedder_for(found, spec), VECTORS))
        (opened,) = await open_in_memory(found, embedder, context)
        for mode in MODES:
            corpus = opened.fresh()
            lists: dict[str, list[BudgetResult]] = {"factual": [], "longitudinal": []}
            for question in opened.questions:
                if question.tier in lists:
                    result = await corpus.search(question.question, mode=mode, k=40)
                    lists[question.tier].append(BudgetResult(question, [hit.chunk_id for hit in result.hits]))
            plain = Intervals("none")
            values = (
                evidence_recall(lists["factual"], 10, intervals=plain),
                evidence_recall(lists["factual"], 40, intervals=plain),
                window_coverage(lists["longitudinal"], 40, intervals=plain),
            )
            for measure, value in zip(MEASURES, values, strict=True):
                out[mode][measure] += value.observations
    return out


def rows(spec: str, corpora: Sequence[str], found: Sequence[dict[str, Found]]) -> list[dict[str, Any]]:
    """Return a row a mode and context, with the share without context and the differences to it."""
    out = []
    for mode in MODES:
        base = found[0][mode]
        for context, other in zip(CONTEXTS[1:], found[1:], strict=True):
            told = {name: _difference(base[name], other[mode][name]) for name in MEASURES}
            shares = {name: _share(base[name]) for name in MEASURES}
            row = {"embedder": spec, "corpora": len(corpora), "mode": mode, "context": ",".join(context)}
            out.append(row | {"none": shares, "difference": told})
    return out


def _share(observed: Sequence[Observation]) -> str:
    return f"{sum(row.numerator for row in observed) / sum(row.denominator for row in observed):.3f}"


def _difference(base: Sequence[Observation], ours: Sequence[Observation]) -> str:
    found = paired_difference(base, ours, resamples=Intervals().resamples).difference
    if isinstance(found, Undefined):
        return "-"
    between = found.interval
    told = f" [{between.low:+.3f}, {between.high:+.3f}]" if isinstance(between, Interval) else ""
    return f"{found.value:+.3f}{told}"


def report(found: Sequence[dict[str, Any]]) -> str:
    """The Markdown table."""
    heads = ["embedder, mode, corpora", "context", *(f"{name} (none: difference)" for name in MEASURES)]
    lines = [
        "# Context in the embedded text",
        "",
        "Written by `python -m benchmarks.context`. Share without context, and the difference of context to it.",
        "",
        "| " + " | ".join(heads) + " |",
        "|" + "---|" * len(heads),
    ]
    for row in found:
        cells = [f"{row['none'][name]}: {row['difference'][name]}" for name in MEASURES]
        head = f"{row['embedder']}, {row['mode']}, {row['corpora']}"
        lines.append("| " + " | ".join([head, row["context"], *cells]) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure the embedders asked for and write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedders", default="wordllama")
    parser.add_argument("--corpora", default=",".join(QUESTIONS))
    options = parser.parse_args()
    path = RESULTS / "context.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    corpora = options.corpora.split(",")
    for spec in options.embedders.split(","):
        found = [asyncio.run(measured(corpora, spec, context)) for context in CONTEXTS]
        known = [row for row in known if row["embedder"] != spec] + rows(spec, corpora, found)
        path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        (RESULTS / "context.md").write_text(report(known), encoding="utf-8")
    print(report(known))
    return 0


if __name__ == "__main__":
    sys.exit(main())
