"""`answertrail status`."""

from __future__ import annotations

from typing import Any

import click
from rich.text import Text

from answertrail.cli.common import corpus_option, json_option, out, print_json, run_async
from answertrail.cli.corpus_index import index_facts, print_indexes
from answertrail.cli.ingest import print_failure
from answertrail.cli.plain import one_line


@click.command("status")
@corpus_option
@json_option
def command(corpus_name: str | None, as_json: bool) -> int:
    """Show what a corpus holds, what still lacks a vector, and what failed until it is fixed."""
    facts = run_async(_status(corpus_name))
    if as_json:
        print_json(facts)
    else:
        _print(facts)
    return 0


async def _status(name: str | None) -> dict[str, Any]:
    from answertrail.cli.open import chosen_name
    from answertrail.settings import Settings
    from answertrail.store import chunks, corpora, search_indexes, sources
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        corpus = await corpora.get(db, await chosen_name(db, name))
        failures = []
        for item in await sources.failures(db, corpus):
            line = {} if item.line is None else {"line": item.line}
            source = item.source if item.line is None else item.source.removesuffix(f":{item.line}")
            failures.append({"source": source, **line, "reason": item.reason or "no reason was recorded"})
        return {
            "documents": await sources.states(db, corpus),
            "chunks": await chunks.chunk_count(db, corpus),
            "failures": failures,
            "snapshot": await corpora.snapshot(db, corpus),
            "corpus": corpus.name,
            "embedder": corpus.embedder_key,
            "asked_in": list(corpus.asked_in),
            "engine": await search_indexes.engine_of(db, corpus),
            "indexes": await index_facts(db, corpus),
        }


def _print(facts: dict[str, Any]) -> None:
    console = out()
    rest = f"   {facts['chunks']} chunks   embedder {one_line(facts['embedder'])}"
    if facts["asked_in"]:
        rest += f"   asked in {', '.join(facts['asked_in'])}"
    console.print(Text.assemble((f"corpus {one_line(facts['corpus'])}", "bold"), rest), soft_wrap=True)
    for state, count in facts["documents"].items():
        console.print(f"  {count:>7} {state}")
    print_indexes(facts)
    for item in facts["failures"]:
        print_failure(console, item["source"], item.get("line"), item["reason"])
    console.print(f"  snapshot {facts['snapshot']}", style="dim", soft_wrap=True)
