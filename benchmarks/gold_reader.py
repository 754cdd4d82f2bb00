"""Ask the development questions of g_gold with the built-in reader, beside three controls.

    python -m benchmarks.gold_reader [--recipe default] [--corpora ergo_calls,oxide_and_friends,practical_ai]

Ingests what is missing into ANSWERTRAIL_HOME (minutes, the first time). Writes
benchmarks/results/gold_reader.json and prints the tables of docs/reader.md.

Counted per question. *Overlap*: a citation's chunk shares time with a gold evidence span of its
document. `partly_answered` counts as answered. A run that did not complete is its own class.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from answertrail.agent.ask import Limits
from answertrail.agent.recipe import load
from answertrail.cli.asking import ask_corpus
from answertrail.cli.progress import Bars
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.errors import NotFoundError
from answertrail.metrics.wilson import wilson
from answertrail.models.chat.load import load_chat_model
from answertrail.records import Question, Run, jsonl
from answertrail.search.load import open_corpus
from answertrail.search.open_corpus import OpenCorpus
from answertrail.settings import Settings
from answertrail.store import corpora
from answertrail.store.connection import Database, connect

SHARED = Path(os.environ.get("ANSWERTRAIL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
QUESTIONS = {"ergo_calls": "ergo", "oxide_and_friends": "oxide", "practical_ai": "practical_ai"}
RESULTS = Path(__file__).parent / "results"


async def silent(event: Any) -> None:
    """Drop the trail."""


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


async def measure(db: Database, settings: Settings, name: str, recipe: str) -> list[dict[str, Any]]:
    source = SHARED / "data" / "a_transcripts" / name
    try:
        await corpora.get(db, name)
    except NotFoundError:
        with Bars(Console(stderr=True)) as bars:
            await ingest(db, IngestRequest(name, [source]), bars)
    corpus = await open_corpus(db, settings, name)
    model = load_chat_model("reader", embedder=corpus.index.embedder)
    out = []
    for question in jsonl.read(SHARED / "data" / "g_gold" / f"{QUESTIONS[name]}_questions.jsonl", Question):
        began = time.monotonic()
        run = await ask_corpus(db, corpus, question.question, load(recipe), model, Limits(), silent)
        status = run.answer.outcome if run.answer else run.status
        row = entry(question, name, "reader", status, cited_spans(run)) | {
            "seconds": round(time.monotonic() - began, 2)
        }
        row |= {"searches": len(run.searches or []), "retrieved": len(run.retrieved or [])}
        out.append(row)
        out.append(entry(question, name, "always decline", "cannot_answer", []))
        out.append(entry(question, name, "always answer", "answered", await first_five(corpus, question)))
        out.append(entry(question, name, "single best", "answered", await single_best(corpus, question)))
    return out


def share(part: int, whole: int) -> str:
    bounds = wilson(part, whole)
    if bounds is None:
        return "none"
    return f"{part}/{whole} = {part / whole:.0%} [{bounds[0]:.0%}, {bounds[1]:.0%}]"


def report(rows: list[dict[str, Any]], console: Console) -> None:
    for corpus in [*dict.fromkeys(row["corpus"] for row in rows), "all"]:
        table = Table(
            "system", "factual: answered on gold", "factual: answered elsewhere", "factual: declined",
            "unanswerable: declined", "longitudinal: answered on gold", "windows covered", "citations on gold",
            title=f"g_gold dev, {corpus}", title_justify="left",
        )  # fmt: skip
        for system in dict.fromkeys(row["system"] for row in rows):
            mine = [r for r in rows if r["system"] == system and corpus in (r["corpus"], "all")]
            factual = [r for r in mine if r["tier"] == "factual"]
            unanswerable = [r for r in mine if r["tier"] == "unanswerable"]
            longitudinal = [r for r in mine if r["tier"] == "longitudinal"]
            answered = [r for r in factual if r["status"] in ("answered", "partly_answered")]
            on_gold = sum(r["overlap"] for r in answered)
            table.add_row(
                system,
                share(on_gold, len(factual)),
                share(len(answered) - on_gold, len(factual)),
                share(sum(r["status"] == "cannot_answer" for r in factual), len(factual)),
                share(sum(r["status"] == "cannot_answer" for r in unanswerable), len(unanswerable)),
                share(sum(r["overlap"] for r in longitudinal), len(longitudinal)),
                share(sum(r["windows_covered"] for r in longitudinal), sum(r["windows"] for r in longitudinal)),
                share(sum(r["cited_on_gold"] for r in factual), sum(r["cited"] for r in factual)),
            )
        console.print(table)
    mine = [r for r in rows if r["system"] == "reader"]
    kinds = Counter((r["kind"], r["status"]) for r in mine if r["tier"] == "unanswerable")
    console.print(
        "unanswerable by kind:", ", ".join(f"{kind} {status} {n}" for (kind, status), n in sorted(kinds.items()))
    )
    failed = [r for r in mine if r["status"] not in ("answered", "partly_answered", "cannot_answer")]
    seconds = sorted(r["seconds"] for r in mine)
    console.print(
        f"runs that did not complete: {len(failed)} of {len(mine)}; seconds a run: median {seconds[len(seconds) // 2]}"
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--corpora", default=",".join(QUESTIONS))
    options = parser.parse_args()
    settings = Settings.from_environment()
    rows = []
    async with connect(settings) as db:
        for name in options.corpora.split(","):
            rows += await measure(db, settings, name, options.recipe)
    console = Console(width=200)
    report(rows, console)
    if options.recipe == "default" and options.corpora == ",".join(QUESTIONS):
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "gold_reader.json").write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
