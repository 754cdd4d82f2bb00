"""What each idea of the reader's plans is worth, at the same number of chunks shown.

    python -m benchmarks.planning [--sets g_gold,planted] [--embedder minilm]

The built-in reader searches under the default recipe with one idea of its plan switched, with one idea
alone, or in another search mode. What counts over time is the share of time windows among the first 40 distinct
chunks, and among the first 100; of facts the share of evidence among the first 40. Differences are paired by
question. Needs no database; vectors come from results/vectors.sqlite. Writes benchmarks/results/planning.json and
planning.md; sets that are not run keep what was written of them before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from answertrail.agent.recipe import Recipe, load
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.ranking.budget import BudgetResult, evidence_recall, window_coverage
from answertrail.metrics.values import Interval, Undefined
from answertrail.models.reader.settings import PlanSettings
from benchmarks.in_memory import Opened, embedder_for, open_in_memory
from benchmarks.sets import named
from benchmarks.vector_cache import CachedEmbedder, Remembering
from benchmarks.yardstick import RESULTS, VECTORS
from benchmarks.yardstick_agent import BUDGET, agent_rankings

MORE = 100
"""About what a run over time is shown in all."""
OF_A_FACT = ("fact_like", "meaning", "read_on")
IDEAS = tuple(field.name for field in fields(PlanSettings))
WHOLE = PlanSettings()
NONE = replace(WHOLE, **dict.fromkeys(IDEAS, False))


@dataclass(frozen=True)
class Variant:
    """A plan and what else the recipe is given; `base` is the row it is compared with, `tiers` what it plans for."""

    settings: PlanSettings
    base: str | None
    tiers: tuple[str, ...] = ("longitudinal",)
    mode: str | None = None

    def recipe(self) -> Recipe:
        """The default recipe; with another mode without the order that would go before it."""
        default = load("default")
        if self.mode is None:
            return default
        return default.model_copy(
            update={"search": default.search.model_copy(update={"mode": self.mode, "spread": False})}
        )


def variants() -> dict[str, Variant]:
    """The rows by name: the question alone, the whole plan, each idea alone, each left out, and other modes."""
    both = ("longitudinal", "factual")
    out = {"question alone": Variant(NONE, None, both), "whole plan": Variant(WHOLE, "question alone", both)}
    for idea in IDEAS:
        tiers = ("factual",) if idea in OF_A_FACT else both if idea == "also" else ("longitudinal",)
        flipped = not getattr(WHOLE, idea)
        if not flipped:
            out[f"only {idea}"] = Variant(replace(NONE, **{idea: True}), "question alone", tiers)
        label = f"whole plan {'with' if flipped else 'without'} {idea}"
        out[label] = Variant(replace(WHOLE, **{idea: flipped}), "whole plan", tiers)
    for mode in ("near", "diverse", "timeline"):
        out[f"whole plan, {mode} instead of spread"] = Variant(WHOLE, "whole plan", mode=mode)
    return out


async def measure_set(name: str, spec: str, intervals: Intervals) -> dict[str, Any]:
    """Carry out every variant on one set; return by variant what was found, by group and budget."""
    found = named([name])[name]()
    opened = await open_in_memory(found, Remembering(CachedEmbedder(embedder_for(found, spec), VECTORS)))
    out: dict[str, Any] = {}
    for label, variant in variants().items():
        groups = await _measured(opened, variant, intervals)
        settings = asdict(variant.settings)
        out[label] = {"settings": settings, "mode": variant.mode, "base": variant.base, "groups": groups}
        print(f"{name}: {label}: {_short(groups)}", file=sys.stderr, flush=True)
    return out


async def _measured(opened: Sequence[Opened], variant: Variant, intervals: Intervals) -> dict[str, Any]:
    lists: dict[str, list[BudgetResult]] = {}
    for corpus in opened:
        questions = {question.question_id: question for question in corpus.questions}
        for row in await agent_rankings(corpus, variant.recipe(), variant.settings, variant.tiers):
            question = questions[row.question_id]
            ids = list(dict.fromkeys(entry.id for entry in row.ranked))
            group = question.group or question.tier
            if row.mode.endswith(f" to {BUDGET}"):
                lists.setdefault(f"{group} @{BUDGET}", []).append(BudgetResult(question, ids[:BUDGET]))
            elif question.tier == "longitudinal":
                lists.setdefault(f"{group} @{MORE}", []).append(BudgetResult(question, ids[:MORE]))
    out = {}
    for group, results in lists.items():
        measure = window_coverage if results[0].question.tier == "longitudinal" else evidence_recall
        value = measure(results, int(group.rpartition("@")[2]), intervals=intervals)
        out[group] = {
            "value": value.as_json(),
            "observations": [[row.question_id, row.numerator, row.denominator] for row in value.observations],
        }
    return out


def _short(groups: Mapping[str, Any]) -> str:
    return ", ".join(f"{group} {_share(_rows([found]))}" for group, found in groups.items())


def _rows(found: Sequence[Mapping[str, Any]]) -> list[Observation]:
    return [Observation(name, x, y, 0) for entry in found for name, x, y in entry["observations"]]


def _share(rows: Sequence[Observation]) -> str:
    whole = sum(row.denominator for row in rows)
    return f"{sum(row.numerator for row in rows) / whole:.3f}" if whole else "-"


TABLES = (
    (f"Over time: share of windows among the first {BUDGET} chunks", f"@{BUDGET}", True),
    (f"Over time: share of windows among the first {MORE} chunks", f"@{MORE}", True),
    (f"Of a fact: share of evidence among the first {BUDGET} chunks", f"@{BUDGET}", False),
)
_FACTS = ("factual", "fact")


def report(sets: Mapping[str, Any], intervals: Intervals) -> str:
    """The Markdown: a table a measure, a column a group, then real and planted questions pooled with differences."""
    lines = [
        "# Planning searches, idea by idea",
        "",
        "Written by `python -m benchmarks.planning`. `only X` is compared with the question alone, all other rows with "
        "the whole plan; differences are paired by question, 95 % intervals.",
    ]
    for title, budget, over_time in TABLES:
        lines += ["", f"## {title}", "", *_table(sets, budget, over_time, intervals)]
    return "\n".join(lines) + "\n"


def _table(sets: Mapping[str, Any], budget: str, over_time: bool, intervals: Intervals) -> list[str]:
    columns = [
        (name, group)
        for name, rows in sets.items()
        for group in rows["whole plan"]["groups"]
        if group.endswith(budget) and (group.split(" @")[0] in _FACTS) is not over_time
    ]
    pools = {
        "real speech": [c for c in columns if c[0].startswith("g_gold/")],
        "planted": [c for c in columns if c[0].startswith("planted/")],
    }
    pools = {title: kept for title, kept in pools.items() if kept}
    heads = [
        "plan",
        *(f"{name.partition('/')[2]} {group.split(' @')[0]}" for name, group in columns),
        *(part for title in pools for part in (title, f"{title}: difference")),
    ]
    out = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for label, variant in variants().items():
        if any(label not in sets[name] or group not in sets[name][label]["groups"] for name, group in columns):
            continue
        cells = [label, *(_share(_rows([sets[name][label]["groups"][group]])) for name, group in columns)]
        for kept in pools.values():
            ours = _pooled(sets, label, kept)
            than = _difference(_pooled(sets, variant.base, kept), ours, intervals) if variant.base else ""
            cells += [_share(ours), than]
        out.append("| " + " | ".join(cells) + " |")
    return out


def _pooled(sets: Mapping[str, Any], label: str, columns: Sequence[tuple[str, str]]) -> list[Observation]:
    """All questions of the columns; one that is asked of two sets is two questions."""
    return [
        Observation(f"{name} {row.question_id}", row.numerator, row.denominator, 0)
        for name, group in columns
        for row in _rows([sets[name][label]["groups"][group]])
    ]


def _difference(base: Sequence[Observation], ours: Sequence[Observation], intervals: Intervals) -> str:
    found = paired_difference(base, ours, resamples=intervals.resamples).difference
    if isinstance(found, Undefined):
        return "-"
    between = found.interval
    return f"{found.value:+.3f}" + (
        f" [{between.low:+.3f}, {between.high:+.3f}]" if isinstance(between, Interval) else ""
    )


def main() -> int:
    """Measure the sets asked for and write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="g_gold,planted")
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    intervals = Intervals()
    path = options.out / "planning.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name in named(options.sets.split(",")):
        known[name] = asyncio.run(measure_set(name, options.embedder, intervals))
        path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        (options.out / "planning.md").write_text(report(known, intervals), encoding="utf-8")
    print(report(known, intervals))
    return 0


if __name__ == "__main__":
    sys.exit(main())
