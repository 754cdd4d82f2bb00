"""Ask the development questions of g_gold with the built-in reader, beside three controls.

    python -m benchmarks.gold_reader [--recipe default] [--corpora ergo_calls,oxide_and_friends,practical_ai]

Needs no database: the corpora are read, cut and indexed in memory as `ingest` does it, and vectors come
from results/vectors.sqlite. Writes benchmarks/results/gold_reader.json and gold_reader.md.

Counted per question. *Overlap*: a citation's chunk shares time with a gold evidence span of its
document. `partly_answered` counts as answered. A run that did not complete is its own class.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from answertrail.agent.ask import Ask
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import load
from answertrail.agent.verify import faults_of
from answertrail.metrics.wilson import wilson
from answertrail.models.chat.load import load_chat_model
from answertrail.records import Question, Run
from answertrail.search.open_corpus import OpenCorpus
from benchmarks.in_memory import embedder_for, open_in_memory
from benchmarks.sets import named
from benchmarks.sets.g_gold import QUESTIONS
from benchmarks.vector_cache import CachedEmbedder
from benchmarks.yardstick import RESULTS, VECTORS


def found(question: Question, cited: Sequence[tuple[str, float, float]]) -> list[int]:
    """Return the evidence spans of a question that a cited (document, start, end) overlaps."""
    return [
        place
        for place, span in enumerate(question.evidence or [])
        if any(
            document == span.document_id and start < (span.end_s or 0) and end > (span.start_s or 0)
            for document, start, end in cited
        )
    ]


def cited_spans(run: Run) -> list[tuple[str, float, float]]:
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    ids = dict.fromkeys(c for s in (run.answer.statements or [] if run.answer else []) for c in s.citations)
    return [(chunks[c].document_id, chunks[c].start_s or 0.0, chunks[c].end_s or 0.0) for c in ids]


async def single_best(corpus: OpenCorpus, question: Question) -> list[tuple[str, float, float]]:
    """The third control: the best sentence of the best chunk is a citation of that chunk."""
    result = await corpus.search(question.question, mode="fused", k=1)
    return [(hit.document_id, hit.start_s or 0.0, hit.end_s or 0.0) for hit in result.hits]


async def first_five(corpus: OpenCorpus, question: Question) -> list[tuple[str, float, float]]:
    """The second control: always answer, with the best five chunks of the question as asked."""
    result = await corpus.search(question.question, mode="fused", k=5)
    return [(hit.document_id, hit.start_s or 0.0, hit.end_s or 0.0) for hit in result.hits]


def entry(
    question: Question, corpus: str, system: str, status: str, spans: list[tuple[str, float, float]]
) -> dict[str, Any]:
    hits = found(question, spans)
    windows = [n for n in question.nuggets or [] if n.window]
    covered = sum(1 for n in windows if set(n.evidence or []) & set(hits))
    return {
        "question_id": question.question_id, "corpus": corpus, "tier": question.tier, "system": system,
        "kind": question.unanswerable_kind, "status": status, "overlap": bool(hits),
        "spans": len(question.evidence or []), "spans_found": len(hits), "windows": len(windows),
        "windows_covered": covered, "cited": len(spans),
        "cited_on_gold": sum(1 for span in spans if found(question, [span])),
    }  # fmt: skip


class NotKept:
    """A run store that keeps nothing: what a run returns is all that is looked at."""

    async def start(self, run: Run) -> None: ...

    async def progress(self, run: Run) -> None: ...

    async def finish(self, run: Run) -> None: ...


async def opened(name: str) -> tuple[OpenCorpus, Sequence[Question]]:
    """Return a corpus of g_gold with its questions."""
    corpora = named([f"g_gold/{name}"])[f"g_gold/{name}"]()
    (corpus,) = await open_in_memory(corpora, CachedEmbedder(embedder_for(corpora, "minilm"), VECTORS))
    return corpus.fresh(), corpus.questions


async def measure(name: str, recipe: str) -> list[dict[str, Any]]:
    corpus, questions = await opened(name)
    model = load_chat_model("reader", embedder=corpus.index.embedder)
    out = []
    for question in questions:
        began = time.monotonic()
        run = await run_agent(Ask(question.question, load(recipe), model, corpus), NotKept())
        status = run.answer.outcome if run.answer else run.status
        row = entry(question, name, "reader", status, cited_spans(run)) | {
            "seconds": round(time.monotonic() - began, 2)
        }
        row |= {"searches": len(run.searches or []), "retrieved": len(run.retrieved or [])}
        out.append(row | {"faults": [fault.message for fault in faults_of(run)]})
        out.append(entry(question, name, "always decline", "cannot_answer", []))
        out.append(entry(question, name, "always answer", "answered", await first_five(corpus, question)))
        out.append(entry(question, name, "single best", "answered", await single_best(corpus, question)))
    return out


HEADS = (
    "corpus", "system", "factual, answered with gold evidence", "factual, answered without it", "factual, declined",
    "unanswerable, declined", "how-did-it-change, any window", "windows", "cited chunks on gold (factual)",
)  # fmt: skip


def share(part: int, whole: int) -> str:
    bounds = wilson(part, whole)
    return "none" if bounds is None else f"{part}/{whole} ({bounds[0]:.2f} to {bounds[1]:.2f})"


def report(rows: list[dict[str, Any]]) -> str:
    """The Markdown: a row a corpus and system, then what was declined by kind."""
    lines = [
        "# The built-in reader on the development questions",
        "",
        "Written by `python -m benchmarks.gold_reader`. Intervals are 95 % Wilson.",
        "",
        "| " + " | ".join(HEADS) + " |",
        "|" + "---|" * len(HEADS),
    ]
    for corpus in [*dict.fromkeys(row["corpus"] for row in rows), "all"]:
        for system in dict.fromkeys(row["system"] for row in rows):
            mine = [r for r in rows if r["system"] == system and corpus in (r["corpus"], "all")]
            lines.append("| " + " | ".join([corpus, system, *_cells(mine)]) + " |")
    mine = [r for r in rows if r["system"] == "reader"]
    kinds = Counter(r["kind"] for r in mine if r["tier"] == "unanswerable")
    declined = Counter(r["kind"] for r in mine if r["tier"] == "unanswerable" and r["status"] == "cannot_answer")
    failed = [r for r in mine if r["status"] not in ("answered", "partly_answered", "cannot_answer")]
    return "\n".join(
        [
            *lines,
            "",
            "Declined by kind: "
            + ", ".join(f"{kind} {declined[kind]}/{count}" for kind, count in sorted(kinds.items())),
            "",
            f"Runs that did not complete: {len(failed)} of {len(mine)}. Faults found by `runs verify`: "
            f"{sum(len(r['faults']) for r in mine)}. Chunks shown a run: "
            f"{sum(r['retrieved'] for r in mine) / len(mine):.0f}.",
            "",
        ]
    )


def _cells(mine: list[dict[str, Any]]) -> list[str]:
    factual = [r for r in mine if r["tier"] == "factual"]
    unanswerable = [r for r in mine if r["tier"] == "unanswerable"]
    longitudinal = [r for r in mine if r["tier"] == "longitudinal"]
    answered = [r for r in factual if r["status"] in ("answered", "partly_answered")]
    on_gold = sum(r["overlap"] for r in answered)
    return [
        share(on_gold, len(factual)),
        share(len(answered) - on_gold, len(factual)),
        share(sum(r["status"] == "cannot_answer" for r in factual), len(factual)),
        share(sum(r["status"] == "cannot_answer" for r in unanswerable), len(unanswerable)),
        share(sum(r["overlap"] for r in longitudinal), len(longitudinal)),
        share(sum(r["windows_covered"] for r in longitudinal), sum(r["windows"] for r in longitudinal)),
        share(sum(r["cited_on_gold"] for r in factual), sum(r["cited"] for r in factual)),
    ]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--corpora", default=",".join(QUESTIONS))
    options = parser.parse_args()
    rows = []
    for name in options.corpora.split(","):
        rows += await measure(name, options.recipe)
    text = report(rows)
    print(text)
    if options.recipe == "default" and options.corpora == ",".join(QUESTIONS):
        (RESULTS / "gold_reader.md").write_text(text, encoding="utf-8")
        (RESULTS / "gold_reader.json").write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
