"""Each switch of the default recipe alone, at the same number of chunks shown, registered before it is run.

    python -m benchmarks.switches [--sets g_gold,planted] [--embedder minilm]

The built-in reader answers every question under `default` and under copies of it that differ in one switch:
search mode, other wordings, going on from passages found, the two other orders, timeline search, reading around,
holding back what was shown, dates, counts of terms, coverage at `mark_ready`, two steps over time, one search
instead of a loop. What counts is the share of time windows (questions over time)
and of evidence (factual questions) among the first 40 distinct chunks; where a run was shown fewer, its own
searches go on to 40 (`benchmarks.yardstick_agent`). Differences to `default` are paired by question; p-values are
corrected by Holm over the switches of one measure.

Writes benchmarks/results/switches_registration_VERSION.json once, before the first run of a version of the default
recipe, and never over it; then benchmarks/results/switches.json and switches.md. Needs no database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from answertrail.agent.recipe import Recipe, load
from answertrail.errors import AnswerTrailError
from answertrail.experiments.registration import Registration, read_registration, register, write_registration
from answertrail.metrics.clusters import Observation
from answertrail.metrics.holm import holm
from answertrail.metrics.measured import Intervals
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.permutation import sign_flip
from answertrail.metrics.ranking.budget import BudgetResult, evidence_recall, window_coverage
from answertrail.metrics.values import Interval, Undefined
from benchmarks.in_memory import Opened, embedder_for, open_in_memory
from benchmarks.sets import named
from benchmarks.vector_cache import CachedEmbedder, Remembering
from benchmarks.yardstick import RESULTS, VECTORS
from benchmarks.yardstick_agent import BUDGET, agent_rankings

MEASURES = ("longitudinal/window_coverage@b40", "factual/evidence_recall@b40")
Rows = dict[str, dict[str, list[Observation]]]
"""Observations by recipe and measure."""


def recipes() -> dict[str, Recipe]:
    """Return the default, and by name of what is changed its copies that differ in one switch."""
    default = load("default")
    out = {"default": default}
    for mode in ("dense", "lexical", "hybrid", "near", "diverse", "timeline"):
        out[f"mode {mode}"] = default.model_copy(update={"search": default.search.model_copy(update={"mode": mode})})
    for part, switch in (
        ("search", "wordings"),
        ("search", "like"),
        ("search", "spread"),
        ("search", "meaning"),
        ("search", "timeline"),
        ("search", "read_around"),
        ("search", "hold_back_seen"),
        ("search", "date_filter"),
        ("search", "report_terms"),
        ("loop", "ready_coverage"),
        ("loop", "two_step"),
        ("loop", "explore"),
    ):
        settings = getattr(default, part).model_copy(update={switch: False})
        out[f"without {switch}"] = default.model_copy(update={part: settings})
    return out


def registration_file() -> Path:
    """Return where the registration of the default recipe's present version is kept."""
    return RESULTS / f"switches_registration_{load('default').version}.json"


def registration(sets: Mapping[str, str], systems: Mapping[str, Recipe], embedder: str) -> Registration:
    """Return what is registered: `sets` are the question hashes by set."""
    return register(
        {
            "schema": "registration/1",
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "question": "What is each switch of the default recipe worth, at 40 distinct chunks shown?",
            "hypothesis": "Taking any one switch away covers no more time windows and no more factual evidence.",
            "measures": [{"name": name, "statistic": "totals"} for name in MEASURES],
            "systems": [{"name": name, "hash": recipe.hash, "model": "reader"} for name, recipe in systems.items()],
            "corpus": ", ".join(sets),
            "snapshot": f"made in memory from the files, embedder {embedder}",
            "gold_hash": "; ".join(f"{name} {digest}" for name, digest in sets.items()),
            "question_ids": [],
            "repeats": 1,
            "stopping_rule": "Every question of every set once under every recipe; the reader is deterministic.",
            "alpha": 0.05,
            "correction": "holm",
        }
    )


async def observed(opened: Sequence[Opened], recipe: Recipe) -> tuple[dict[str, list[Observation]], dict[str, Any]]:
    """Run every question; return observations by measure, and how many distinct chunks were shown a question."""
    results: dict[str, list[BudgetResult]] = {"longitudinal": [], "factual": []}
    shown: list[int] = []
    failed: list[str] = []
    for corpus in opened:
        questions = {question.question_id: question for question in corpus.questions}
        for row in await agent_rankings(corpus, recipe):
            question = questions[row.question_id]
            if question.tier not in results:
                continue
            names = list(dict.fromkeys(entry.id for entry in row.ranked))
            if row.mode.endswith(f" to {BUDGET}"):
                results[question.tier].append(BudgetResult(question, names[:BUDGET]))
            else:
                shown.append(len(names))
                if error := (row.meta or {}).get("error"):
                    failed.append(f"{row.question_id}: {error.get('message')}")
    plain = Intervals("none")
    values = {
        MEASURES[0]: window_coverage(results["longitudinal"], BUDGET, intervals=plain),
        MEASURES[1]: evidence_recall(results["factual"], BUDGET, intervals=plain),
    }
    return (
        {name: list(value.observations) for name, value in values.items()},
        {"shown": round(sum(shown) / max(len(shown), 1), 1), "failed": failed},
    )


async def measure_set(name: str, embedder_spec: str, systems: Mapping[str, Recipe]) -> dict[str, Any]:
    """Return what is written of one set: by recipe the observations of each measure."""
    found = named([name])[name]()
    opened = await open_in_memory(found, Remembering(CachedEmbedder(embedder_for(found, embedder_spec), VECTORS)))
    out: dict[str, Any] = {}
    for label, recipe in systems.items():
        rows, facts = await observed(opened, recipe)
        out[label] = {"hash": recipe.hash, **facts} | {
            measure: [[row.question_id, row.numerator, row.denominator] for row in kept]
            for measure, kept in rows.items()
        }
        print(f"{name}: {label}: " + ", ".join(_share(kept) for kept in rows.values()), file=sys.stderr, flush=True)
    return out


def _share(rows: Sequence[Observation]) -> str:
    whole = sum(row.denominator for row in rows)
    return f"{sum(row.numerator for row in rows) / whole:.3f}" if whole else "-"


def pooled(sets: Mapping[str, Any], label: str, measure: str, prefix: str) -> list[Observation]:
    """Return all questions of the sets of a kind; one that is asked of two sets is two questions."""
    return [
        Observation(f"{name} {question}", x, y, 0)
        for name, rows in sets.items()
        if name.startswith(prefix)
        for question, x, y in rows[label][measure]
    ]


def report(sets: Mapping[str, Any], registered: Registration, intervals: Intervals) -> str:
    """The Markdown: a table a measure and kind of set, a row a recipe."""
    lines = [
        "# Each switch of the default recipe alone",
        "",
        f"Written by `python -m benchmarks.switches`, registered {registered.created_at} as "
        f"`{registered.hash[:19]}…` (`{registration_file().name}`). The built-in reader; {BUDGET} distinct chunks; "
        "95 % intervals, paired by question; p corrected by Holm within a table. The reader goes through the "
        "periods (`search_timeline`) after these chunks, and reads around nothing: what both would give within them "
        "is in planning.md. Over time it asks for the order `spread`, which the search mode does not touch.",
    ]
    known = {system.hash for system in registered.systems}
    strange = {
        f"{name}: {label}" for name, rows in sets.items() for label, row in rows.items() if row["hash"] not in known
    }
    if strange or not registered.intact:
        lines += ["", "**Not as registered**: " + ("; ".join(sorted(strange)) or "the registration was edited")]
    for title, prefix in (("real speech", "g_gold/"), ("planted", "planted/")):
        for measure in MEASURES:
            if pooled_sets := [name for name in sets if name.startswith(prefix)]:
                told = f"All questions of {', '.join(pooled_sets)}."
                lines += ["", f"## {title}: {measure}", "", told, "", *_table(sets, measure, prefix, intervals)]
    failed = [
        f"- {name}, {label}: {text}"
        for name, rows in sets.items()
        for label, row in rows.items()
        for text in row["failed"]
    ]
    return "\n".join([*lines, "", *(["## Runs that failed", "", *failed, ""] if failed else [])])


def _table(sets: Mapping[str, Any], measure: str, prefix: str, intervals: Intervals) -> list[str]:
    labels = list(next(iter(sets.values())))
    base = pooled(sets, "default", measure, prefix)
    rows: list[tuple[str, str, str]] = []
    tested: dict[str, float] = {}
    for label in labels:
        ours = pooled(sets, label, measure, prefix)
        if label == "default":
            rows.append((label, _share(ours), ""))
            continue
        if ours == base:
            # A switch on which nothing the reader does depends: this says nothing about the switch.
            rows.append((label, _share(ours), "no question differs"))
            continue
        found = paired_difference(base, ours, resamples=intervals.resamples)
        rows.append((label, _share(ours), _said(found.difference)))
        test = sign_flip(base, ours, statistic="totals")
        if not isinstance(test, Undefined):
            tested[label] = test.p
    corrected = holm(tested, tests=len(labels) - 1)  # all that were registered
    shown = {label: _mean([sets[name][label]["shown"] for name in sets if name.startswith(prefix)]) for label in labels}
    out = ["| recipe | share | difference to default | p (Holm) | distinct chunks shown |", "|---|---|---|---|---|"]
    for label, share, difference in rows:
        cell = f"{corrected[label]:.3f}" if label in corrected else ""
        out.append(f"| {label} | {share} | {difference} | {cell} | {shown[label]} |")
    return out


def _said(found: Any) -> str:
    if isinstance(found, Undefined):
        return "-"
    between = found.interval
    told = f" [{between.low:+.3f}, {between.high:+.3f}]" if isinstance(between, Interval) else ""
    return f"{found.value:+.3f}{told}"


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.1f}"


def main() -> int:
    """Register, run the sets asked for, write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="g_gold,planted")
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--register-only", action="store_true", help="write the registration and stop")
    options = parser.parse_args()
    systems, wanted = recipes(), list(named(options.sets.split(",")))
    kept = registration_file()
    if not kept.exists():
        hashes = {name: named([name])[name]().questions.hash for name in wanted}
        write_registration(kept, registration(hashes, systems, options.embedder))
    registered = read_registration(kept)
    if options.register_only:
        print(registered.hash)
        return 0
    path = RESULTS / "switches.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    faults = 0
    for name in wanted:
        try:
            known[name] = asyncio.run(measure_set(name, options.embedder, systems))
        except AnswerTrailError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            faults += 1
            continue
        path.write_text(json.dumps(known, separators=(",", ":")) + "\n", encoding="utf-8")
        (RESULTS / "switches.md").write_text(report(known, registered, Intervals()) + "\n", encoding="utf-8")
    print((RESULTS / "switches.md").read_text(encoding="utf-8"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
