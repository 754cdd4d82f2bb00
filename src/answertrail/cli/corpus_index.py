"""`answertrail corpus index`: with which engine a corpus is searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from answertrail.cli.common import err, json_option, out, print_json, run_async
from answertrail.cli.plain import one_line
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.store.connection import Database
    from answertrail.store.rows import Corpus

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


@click.command("index")
@click.argument("corpus", required=False)
@click.option("--engine", required=True, metavar="NAME", help="exact, hnsw, milvus or opensearch (docs/engines.md).")
@click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="A setting of the engine; may be repeated.")
@click.option("--keep", is_flag=True, help="Make no new index; search with the one that is there.")
@click.option("--drop", is_flag=True, help="Drop the engine's index; a corpus that used it is searched exactly.")
@json_option
def index(corpus: str | None, engine: str, pairs: tuple[str, ...], keep: bool, drop: bool, as_json: bool) -> int:
    """Index a corpus as it is now, and search it with that engine from now on.

    The old index serves until the new one is complete. `exact` needs no index.
    """
    if keep and drop:
        raise InputError("--keep and --drop exclude each other")
    if pairs and (keep or drop or engine == "exact"):
        raise InputError("--set belongs to making an index", where=pairs[0])
    facts = run_async(_index(corpus, engine, dict(map(_pair, pairs)), keep, drop))
    if as_json:
        print_json(facts)
        return 0
    console = out()
    console.print(f"corpus {one_line(facts['corpus'])} is searched with the engine {facts['engine']}", soft_wrap=True)
    for place in facts["dropped"]:
        console.print(f"  dropped {one_line(place)}", style="dim", soft_wrap=True)
    print_indexes(facts)
    return 0


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InputError(f"expected NAME=VALUE, not {text!r}", where="--set")
    return name.replace("-", "_"), int(value) if _WHOLE.fullmatch(value) else value


async def _index(name: str | None, engine: str, options: dict[str, Any], keep: bool, drop: bool) -> dict[str, Any]:
    from answertrail.cli.open import chosen_name
    from answertrail.search.engines.serving import drop_index, index_corpus, use_engine
    from answertrail.settings import Settings
    from answertrail.store import corpora, search_indexes
    from answertrail.store.connection import connect

    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = await corpora.get(db, await chosen_name(db, name))
        dropped: list[str] = []
        if drop:
            dropped = await drop_index(db, settings, corpus, engine)
        elif keep or engine == "exact":
            await use_engine(db, corpus, engine)
        else:
            await index_corpus(db, settings, corpus, engine, options, _told)
        return {
            "corpus": corpus.name,
            "engine": await search_indexes.engine_of(db, corpus),
            "indexes": await index_facts(db, corpus),
            "dropped": dropped,
        }


def _told(what: str, done: int, total: int) -> None:
    if not done:
        err().print(f"{what} {total:,} rows", style="dim")


async def index_facts(db: Database, corpus: Corpus) -> list[dict[str, Any]]:
    """Return what is known of each index of a corpus; `stale` says why it is not of what the corpus holds now."""
    from answertrail.search.engines.serving import stale
    from answertrail.store import search_indexes

    known = await search_indexes.all_of(db, corpus)
    return [record.as_json() | {"stale": await stale(db, corpus, record)} for record in known]


def print_indexes(facts: dict[str, Any]) -> None:
    """Print one line an index, the one in use first in words."""
    console: Console = out()
    for fact in facts["indexes"]:
        size = "" if fact["bytes"] is None else f", {fact['bytes'] / 2**20:.1f} MiB"
        used = "in use" if fact["engine"] == facts["engine"] else "not in use"
        line = f"  index {fact['engine']} ({used}): {fact['vectors']} vectors{size}, made in {fact['seconds']:.1f} s"
        console.print(line + (f"; old: {fact['stale']}" if fact["stale"] else ""), style="dim", soft_wrap=True)
