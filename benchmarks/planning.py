"""What each idea of the reader's plan for questions over time is worth, at the same number of chunks shown.

    python -m benchmarks.planning [--sets g_gold,planted] [--embedder minilm]

Every row is the plan with one idea switched off, or with one idea alone, or in another search mode; what
counts is the share of time windows among the first 40 distinct chunks. Differences are paired by question.
Needs no database; vectors come from results/vectors.sqlite. Writes benchmarks/results/planning.json and
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

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.ranking.budget import BudgetResult, window_coverage
from answertrail.metrics.values import Interval, Undefined
from answertrail.models.embedding.base import Embedder, Role, Vectors
from answertrail.models.reader import Hit, Reader, SearchResult
from answertrail.models.reader.settings import PlanSettings
from answertrail.records import Question
from answertrail.records.base import instant
from answertrail.search import hits as found_hits
from answertrail.search.hits import Filter
from answertrail.search.open_corpus import OpenCorpus
from benchmarks.in_memory import embedder_for, open_in_memory
from benchmarks.sets import named
from benchmarks.vector_cache import CachedEmbedder
from benchmarks.yardstick import RESULTS, VECTORS
from benchmarks.yardstick_agent import BUDGET

STEPS, K = 15, 10
"""Turns and hits a search of the default recipe."""
IDEAS = tuple(field.name for field in fields(PlanSettings))
WHOLE = PlanSettings()
NONE = replace(WHOLE, **dict.fromkeys(IDEAS, False))


@dataclass(frozen=True)
class Variant:
    """A plan and the search mode it is carried out in; `base` is the row it is compared with."""

    settings: PlanSettings
    base: str | None
    mode: str = "fused"


def variants() -> dict[str, Variant]:
    """The rows by name: nothing but the question, the whole plan, each idea alone, each left out, and other modes."""
    out = {"question alone": Variant(NONE, None), "whole plan": Variant(WHOLE, "question alone")}
    for idea in IDEAS:
        on: dict[str, Any] = {idea: True} | ({"words": True} if idea == "known_words" else {})
        out[f"only {idea}"] = Variant(replace(NONE, **on), "question alone")
    for idea in IDEAS:
        flipped = not getattr(WHOLE, idea)
        label = f"whole plan {'with' if flipped else 'without'} {idea}"
        out[label] = Variant(replace(WHOLE, **{idea: flipped}), "whole plan")
    for mode in ("near", "diverse"):
        out[f"whole plan, {mode}"] = Variant(WHOLE, "whole plan", mode)
    return out


class Remembering:
    """An embedder that makes the vector of a query once: every variant asks much the same."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._queries = embedder, dict[str, Any]()
        self.identity, self.batch_size = embedder.identity, embedder.batch_size

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """See `Embedder.embed`."""
        if role != "query" or len(texts) != 1:
            return await self._embedder.embed(texts, role)
        if texts[0] not in self._queries:
            self._queries[texts[0]] = await self._embedder.embed(texts, role)
        made: Vectors = self._queries[texts[0]]
        return made


async def shown(corpus: OpenCorpus, question: Question, variant: Variant) -> list[str]:
    """The chunks a plan is shown, in order, until the budget is."""
    reader, results = Reader(settings=variant.settings), list[SearchResult]()
    seen: dict[str, None] = {}
    for _ in range(STEPS):
        searches = reader.next_action(question.question, results, phase="explore").searches
        if not searches or len(seen) >= BUDGET:
            break
        for search in searches:
            start, end = search.date_from, search.date_to
            within = Filter(instant(start) if start else None, instant(end) if end else None, exclude=frozenset(seen))
            result = await corpus.search(search.query, mode=variant.mode, k=search.k or K, within=within)
            results.append(_as_read(result, start, end))
            seen |= dict.fromkeys(hit.chunk_id for hit in result.hits)
    return list(seen)


def _as_read(result: found_hits.SearchResult, start: str | None, end: str | None) -> SearchResult:
    return SearchResult(
        query=result.query,
        hits=tuple(
            Hit(
                hit.chunk_id,
                hit.document_id,
                hit.text,
                hit.title,
                hit.published_at.date().isoformat() if hit.published_at else None,
                hit.start_s,
                hit.end_s,
                hit.speakers,
                hit.score,
                hit.dense,
                hit.lexical,
            )
            for hit in result.hits
        ),
        matching=result.matching,
        chunks_in_corpus=result.chunks_in_corpus,
        held_back=result.held_back,
        terms=tuple(result.terms.items()),
        date_from=start,
        date_to=end,
    )


async def measure_set(name: str, spec: str, intervals: Intervals) -> dict[str, Any]:
    """Carry out every variant on the questions over time of one set; return coverage by group, and differences."""
    found = named([name])[name]()
    embedder = Remembering(CachedEmbedder(embedder_for(found, spec), VECTORS))
    opened = await open_in_memory(found, embedder)
    out: dict[str, Any] = {}
    for label, variant in variants().items():
        by_group: dict[str, list[BudgetResult]] = {}
        for corpus in opened:
            within = corpus.fresh()
            for question in corpus.questions:
                if question.tier == "longitudinal":
                    ids = await shown(within, question, variant)
                    by_group.setdefault(question.group or question.tier, []).append(BudgetResult(question, ids))
        out[label] = {"settings": asdict(variant.settings), "mode": variant.mode, "base": variant.base, "groups": {}}
        for group, results in by_group.items():
            value = window_coverage(results, BUDGET, intervals=intervals)
            out[label]["groups"][group] = {
                "value": value.as_json(),
                "observations": [[row.question_id, row.numerator, row.denominator] for row in value.observations],
            }
        print(f"{name}: {label}: {_short(out[label]['groups'])}", file=sys.stderr, flush=True)
    return out


def _short(groups: Mapping[str, Any]) -> str:
    return ", ".join(f"{group} {_share(_rows([found]))}" for group, found in groups.items())


def _rows(found: Sequence[Mapping[str, Any]]) -> list[Observation]:
    return [Observation(name, x, y, 0) for entry in found for name, x, y in entry["observations"]]


def _share(rows: Sequence[Observation]) -> str:
    whole = sum(row.denominator for row in rows)
    return f"{sum(row.numerator for row in rows) / whole:.3f}" if whole else "-"


def report(sets: Mapping[str, Any], intervals: Intervals) -> str:
    """The Markdown: a column a group, then real and planted questions pooled with their paired differences."""
    columns = [(name, group) for name, rows in sets.items() for group in next(iter(rows.values()))["groups"]]
    pools = {
        "real speech": [c for c in columns if c[0].startswith("g_gold/")],
        "planted": [c for c in columns if c[0].startswith("planted/")],
    }
    pools = {title: kept for title, kept in pools.items() if kept}
    heads = [
        "plan",
        *(f"{name.partition('/')[2]} {group}" for name, group in columns),
        *(part for title in pools for part in (title, f"{title}: difference")),
    ]
    lines = [
        "# Planning searches over time, idea by idea\n",
        "Written by `python -m benchmarks.planning`. Share of time windows with evidence among the first "
        f"{BUDGET} distinct chunks shown.",
        "`only X` is compared with the question alone, all other rows with the whole plan; differences are paired "
        "by question, 95 % intervals.\n",
        "| " + " | ".join(heads) + " |",
        "|" + "---|" * len(heads),
    ]
    for label, variant in variants().items():
        if any(label not in rows for rows in sets.values()):
            continue
        cells = [label, *(_share(_rows([sets[name][label]["groups"][group]])) for name, group in columns)]
        for kept in pools.values():
            ours = _pooled(sets, label, kept)
            than = _difference(_pooled(sets, variant.base, kept), ours, intervals) if variant.base else ""
            cells += [_share(ours), than]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


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
