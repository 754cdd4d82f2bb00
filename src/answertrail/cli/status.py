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
from answertrail.cli.status_items import again, item_facts, other_facts, print_items, with_notes
from answertrail.cli.status_jobs import job_facts, print_jobs, print_queued, queued_facts
from answertrail.errors import NotFoundError

if TYPE_CHECKING:
    from answertrail.store.connection import Connection
    from answertrail.store.rows import Corpus

_SHOWN = 10


@click.command("status")
@corpus_option
@click.option("--items", is_flag=True, help="List every item and document with its state, reason, time and notes.")
@json_option
def command(corpus_name: str | None, items: bool, as_json: bool) -> int:
    """Show what a corpus holds, what still lacks a vector, and what failed until it is fixed."""
    facts = run_async(_status(corpus_name, items))
    if as_json:
        print_json(facts)
    elif facts["embedder"] is None:
        print_queued(out(), facts)
    else:
        _print(facts)
    return 0


async def _status(name: str | None, listed: bool) -> dict[str, Any]:
    from answertrail.cli.open import DEFAULT, chosen_name
    from answertrail.settings import Settings
    from answertrail.store import chunks, corpora, notes, origins, reached, search_indexes, sources
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        try:
            corpus = await corpora.get(db, await chosen_name(db, name))
        except NotFoundError:
            queued = await queued_facts(db, DEFAULT if name is None else name)
            if queued is None:
                raise
            return queued | ({"items": []} if listed else {})
        failures = []
        for item in await sources.failures(db, corpus):
            line = {} if item.line is None else {"line": item.line}
            source = item.source if item.line is None else item.source.removesuffix(f":{item.line}")
            failures.append({"source": source, **line, "reason": item.reason or "no reason was recorded"})
        origin_keys = await origins.origins_of(db, corpus)
        async with db.reading() as conn:  # so that the sums agree while an ingest goes on
            items = {key: await _items(conn, corpus, key) for key in origin_keys}
            documents = await sources.states_in(conn, corpus)
            far = await reached.counts_in(conn, corpus)
            others = await other_facts(conn, corpus) if listed else []
        channels = [_origin(key, of_it) for key, of_it in items.items()]
        noted = await notes.of_documents(db, corpus)
        facts = {
            "documents": _with_items(documents, channels),
            "reached": far,
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
            "noted": len(noted),
            **await job_facts(db, corpus.name),
        }
        if listed:
            by_origin = [*items.items(), (None, others)]
            facts["items"] = [{"origin": key, **with_notes(item, noted)} for key, of_it in by_origin for item in of_it]
        return facts


def _with_items(documents: dict[str, int], channels: list[dict[str, Any]]) -> dict[str, int]:
    """Add the items of channels and feeds that are no documents to the counts by state."""
    if not channels:
        return documents
    more = {state: sum(channel["states"][state] for channel in channels) for state in ("pending", "skipped", "failed")}
    return {state: documents.get(state, 0) + more.get(state, 0) for state in {**documents, **more}}


async def _items(conn: Connection, corpus: Corpus, key: str) -> list[dict[str, Any]]:
    """Return the items of a channel or feed, each with its state."""
    from datetime import UTC, datetime

    from answertrail.store.item_states import stated_in

    return [item_facts(one) for one in await stated_in(conn, corpus, key, datetime.now(UTC))]


def _origin(key: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Count the items of a channel or feed, and name those without words with the reason.

    `states` counts as `fetched` all that have their document, and `reached` how far these have come.
    """
    from answertrail.store.origins import STATES
    from answertrail.store.reached import REACHED

    found = Counter(item["state"] for item in items)
    far = {state: found[state] for state in REACHED}
    return {
        "origin": key,
        "states": {state: sum(far.values()) if state == "fetched" else found[state] for state in STATES},
        "reached": far,
        "withheld": [item for item in items if item["state"] in ("skipped", "failed")],
    }


def _print(facts: dict[str, Any]) -> None:
    console = out()
    listed = facts.get("items")
    rest = f"   {facts['chunks']} chunks   embedder {one_line(facts['embedder'])}"
    if facts["asked_in"]:
        rest += f"   asked in {', '.join(facts['asked_in'])}"
    console.print(Text.assemble((f"corpus {one_line(facts['corpus'])}", "bold"), rest), soft_wrap=True)
    _print_documents(facts)
    for channel in facts["origins"]:
        console.print(
            Text.assemble("  ", one_line(channel["origin"]), (f"  {_counts(channel)}", "dim")), soft_wrap=True
        )
        if listed is not None:
            print_items(console, [item for item in listed if item["origin"] == channel["origin"]])
            continue
        for item in channel["withheld"][:_SHOWN]:
            line = f"{item['item']}  {one_line(str(item['reason']))}{again(item)}"
            console.print(Text.assemble(("    ", ""), (f"{item['state']} ", "yellow"), line), soft_wrap=True)
        if len(channel["withheld"]) > _SHOWN:
            console.print(f"    and {len(channel['withheld']) - _SHOWN} more; --items lists all")
    if listed is not None:
        print_items(console, [item for item in listed if item["origin"] is None])
    print_indexes(facts)
    print_jobs(console, facts)
    if listed is None:
        if facts["noted"]:
            some = "1 document has" if facts["noted"] == 1 else f"{facts['noted']} documents have"
            line = f"{some} notes on what was guessed or repaired; --items lists them"
            console.print(Text.assemble(("  noted   ", "cyan"), line), soft_wrap=True)
        for item in facts["failures"]:
            print_failure(console, item["source"], item.get("line"), item["reason"])
    console.print(f"  snapshot {facts['snapshot']}", style="dim", soft_wrap=True)


def _print_documents(facts: dict[str, Any]) -> None:
    console = out()
    among = {"embedded": ("fetched", "without a passage"), "chunked": ("cleaned", "cleaned")}
    for state, count in facts["documents"].items():
        of_these, words = among.get(state, ("", ""))
        more = f" ({facts['reached'][of_these]} of them {words})" if facts["reached"].get(of_these) else ""
        console.print(f"  {count:>7} {state}{more}")
    if facts["cleaned"]:
        console.print(f"  {facts['cleaned']:>7} cleaned by a model (docs/cleaning.md)", style="dim")


def _counts(channel: dict[str, Any]) -> str:
    """Say how many items are in each state, and how far those that were fetched have come."""
    words = {state: f"{count} {state}" for state, count in channel["states"].items() if count}
    far = ", ".join(f"{count} {state}" for state, count in channel["reached"].items() if count and state != "fetched")
    if far:
        words["fetched"] += f" ({far})"
    return ", ".join(words.values())
