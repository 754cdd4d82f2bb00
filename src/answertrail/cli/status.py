"""`answertrail status`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from answertrail.cli.common import corpus_option, json_option, out, print_json, run_async
from answertrail.cli.corpus_index import index_facts, print_indexes
from answertrail.cli.ingest import print_failure
from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from answertrail.store.connection import Database
    from answertrail.store.rows import Corpus

_SHOWN = 10


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
    from answertrail.store import chunks, corpora, origins, search_indexes, sources
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        corpus = await corpora.get(db, await chosen_name(db, name))
        failures = []
        for item in await sources.failures(db, corpus):
            line = {} if item.line is None else {"line": item.line}
            source = item.source if item.line is None else item.source.removesuffix(f":{item.line}")
            failures.append({"source": source, **line, "reason": item.reason or "no reason was recorded"})
        channels = [await _origin(db, corpus, key) for key in await origins.origins_of(db, corpus)]
        documents = await sources.states(db, corpus)
        return {
            "documents": _with_items(documents, channels),
            "cleaned": await sources.cleaned_count(db, corpus),
            "origins": channels,
            "chunks": await chunks.chunk_count(db, corpus),
            "failures": failures,
            "snapshot": await corpora.snapshot(db, corpus),
            "corpus": corpus.name,
            "embedder": corpus.embedder_key,
            "asked_in": list(corpus.asked_in),
            "engine": await search_indexes.engine_of(db, corpus),
            "indexes": await index_facts(db, corpus),
        }


def _with_items(documents: dict[str, int], channels: list[dict[str, Any]]) -> dict[str, int]:
    """Add the items of channels and feeds that are no documents to the counts by state."""
    if not channels:
        return documents
    more = {state: sum(channel["states"][state] for channel in channels) for state in ("pending", "skipped", "failed")}
    return {state: documents.get(state, 0) + more.get(state, 0) for state in {**documents, **more}}


async def _origin(db: Database, corpus: Corpus, key: str) -> dict[str, Any]:
    """Return the items of a channel or feed by state, and those without words with the reason."""
    from datetime import UTC, datetime

    from answertrail.store import origins

    now = datetime.now(UTC)
    items = await origins.items(db, corpus, key)
    found = Counter(item.state(now) for item in items)
    withheld = [
        {
            "item": item.id,
            "title": item.listing.get("title", item.id),
            "state": item.state(now),
            "kind": item.kind,
            "reason": item.reason or item.listing.get("left_out"),
            "retry_at": None if item.retry_at is None else item.retry_at.isoformat(timespec="seconds"),
        }
        for item in items
        if item.state(now) in ("skipped", "failed")
    ]
    return {"origin": key, "states": {state: found[state] for state in origins.STATES}, "withheld": withheld}


def _print(facts: dict[str, Any]) -> None:
    console = out()
    rest = f"   {facts['chunks']} chunks   embedder {one_line(facts['embedder'])}"
    if facts["asked_in"]:
        rest += f"   asked in {', '.join(facts['asked_in'])}"
    console.print(Text.assemble((f"corpus {one_line(facts['corpus'])}", "bold"), rest), soft_wrap=True)
    for state, count in facts["documents"].items():
        console.print(f"  {count:>7} {state}")
    if facts["cleaned"]:
        console.print(f"  {facts['cleaned']:>7} cleaned by a model (docs/cleaning.md)", style="dim")
    for channel in facts["origins"]:
        counts = ", ".join(f"{count} {state}" for state, count in channel["states"].items() if count)
        console.print(Text.assemble(("  ", ""), one_line(channel["origin"]), (f"  {counts}", "dim")), soft_wrap=True)
        for item in channel["withheld"][:_SHOWN]:
            again = f" (again from {item['retry_at']})" if item["retry_at"] else " (final)"
            line = f"{item['item']}  {one_line(str(item['reason']))}{again}"
            console.print(Text.assemble(("    ", ""), (f"{item['state']} ", "yellow"), line), soft_wrap=True)
        if len(channel["withheld"]) > _SHOWN:
            console.print(f"    and {len(channel['withheld']) - _SHOWN} more; --json lists all")
    print_indexes(facts)
    for item in facts["failures"]:
        print_failure(console, item["source"], item.get("line"), item["reason"])
    console.print(f"  snapshot {facts['snapshot']}", style="dim", soft_wrap=True)
