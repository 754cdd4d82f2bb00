"""`answertrail corpus show|snapshot|list`."""

from __future__ import annotations

from typing import Any

import click

from answertrail.cli.common import corpus_option, json_option, out, print_json, run_async


@click.group("corpus")
def command() -> None:
    """Show a chunk or document, and the snapshot."""


@command.command("show")
@click.argument("identifier", metavar="ID")
@corpus_option
@json_option
def show(identifier: str, corpus_name: str | None, as_json: bool) -> int:
    """Show a chunk (`DOCUMENT:SECONDS`) or a whole document."""
    facts = run_async(_show(identifier, corpus_name))
    if as_json:
        print_json(facts)
    else:
        _print(facts)
    return 0


@command.command("snapshot")
@corpus_option
@json_option
def snapshot(corpus_name: str | None, as_json: bool) -> int:
    """Print the hash over chunk ids, texts and dates."""
    facts = run_async(_snapshot(corpus_name))
    if as_json:
        print_json(facts)
    else:
        out().print(facts["snapshot"])
    return 0


@command.command("list")
@json_option
def list_corpora(as_json: bool) -> int:
    """List the corpora."""
    facts = run_async(_list())
    if as_json:
        print_json({"corpora": facts})
        return 0
    for corpus in facts:
        out().print(f"{corpus['name']}   [dim]embedder {corpus['embedder']}, made {corpus['created_at'][:10]}[/dim]")
    if not facts:
        out().print("none yet; make one with `answertrail ingest FOLDER`, or try `answertrail demo`")
    return 0


async def _show(identifier: str, name: str | None) -> dict[str, Any]:
    from answertrail.cli.open import chosen_name
    from answertrail.errors import NotFoundError
    from answertrail.settings import Settings
    from answertrail.store import chunks, corpora, documents
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        corpus = await corpora.get(db, await chosen_name(db, name))
        stored = await chunks.get_chunk(db, corpus, identifier)
        if stored is not None:
            return _chunk(stored)
        found = await documents.get_document(db, corpus, identifier)
        if found is None:
            raise NotFoundError(f"no chunk or document has this id in corpus {corpus.name!r}", where=identifier)
        record = found.document.as_json()
        parts = [_timed(part) for part in await chunks.chunks_of(db, corpus, identifier)]
        for body in ("schema", "segments", "text"):
            record.pop(body, None)
        shown = {"title": "", "published_at": None, "language": None} | record
        return {
            "kind": "document",
            **shown,
            "document_kind": record.get("kind"),
            "source": found.source,
            "chunks": parts,
        } | {"kind": "document"}


def _timed(stored: Any) -> dict[str, Any]:
    chunk = stored.chunk
    return {"id": chunk.id, "start_s": chunk.start_s, "end_s": chunk.end_s, "text": chunk.text}


def _chunk(stored: Any) -> dict[str, Any]:
    from answertrail.search.links import at_second

    chunk = stored.chunk
    out = {
        "kind": "chunk",
        "id": chunk.id,
        "document_id": chunk.document_id,
        "start_s": chunk.start_s,
        "end_s": chunk.end_s,
        "text": chunk.text,
        "title": stored.title,
        "published_at": stored.published_at_text,
        "url": at_second(stored.url, chunk.start_s),
        "text_hash": stored.text_hash,
        "lines": list(chunk.lines),
        "speakers": list(chunk.speakers),
    }
    extras = {"char_start": chunk.char_start, "char_end": chunk.char_end, "time_precision": chunk.time_precision}
    return out | {key: value for key, value in extras.items() if value is not None}


async def _snapshot(name: str | None) -> dict[str, Any]:
    from answertrail.cli.open import chosen_name
    from answertrail.settings import Settings
    from answertrail.store import chunks, corpora, documents
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        corpus = await corpora.get(db, await chosen_name(db, name))
        return {
            "snapshot": await corpora.snapshot(db, corpus),
            "corpus": corpus.name,
            "documents": len(await documents.document_ids(db, corpus)),
            "chunks": await chunks.chunk_count(db, corpus),
        }


async def _list() -> list[dict[str, Any]]:
    from answertrail.settings import Settings
    from answertrail.store import corpora
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        return [
            {"name": corpus.name, "embedder": corpus.identity.key, "created_at": corpus.created_at.isoformat()}
            for corpus in await corpora.list_all(db)
        ]


def _print(facts: dict[str, Any]) -> None:
    console = out()
    if facts["kind"] == "chunk":
        console.print(
            f"[bold]{facts['id']}[/bold]   {facts['title']}   [dim]{facts['published_at'] or 'undated'}[/dim]"
        )
        console.print(facts["text"], markup=False)
        if facts["url"]:
            console.print(facts["url"], style="dim", soft_wrap=True)
        return
    console.print(f"[bold]{facts['title'] or facts['id']}[/bold]   [dim]{facts['published_at'] or 'undated'}[/dim]")
    for part in facts["chunks"]:
        console.print(f"[cyan]{part['id']}[/cyan] ", end="")
        console.print(part["text"], markup=False)
