"""`answertrail corpus show|around|snapshot|list|index|delete|dump|restore|diff|copy`."""

from __future__ import annotations

import sys
from typing import Any

import click
from rich.text import Text

from answertrail.cli.common import corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.corpus_around import around
from answertrail.cli.corpus_diff import diff
from answertrail.cli.corpus_dump import copy, dump, restore
from answertrail.cli.corpus_edits import captioned, edits_of, print_edits
from answertrail.cli.corpus_index import index
from answertrail.cli.plain import one_line, plain
from answertrail.errors import InputError


@click.group("corpus")
def command() -> None:
    """Show a chunk, what surrounds it, or a document; list, index, copy, dump, restore, compare, delete corpora."""


command.add_command(around)
command.add_command(index)
for _more in (dump, restore, diff, copy):
    command.add_command(_more)


@command.command("show")
@click.argument("identifier", metavar="ID")
@click.option("--diff", "with_edits", is_flag=True, help="Show what cleaning changed in a document, edit by edit.")
@corpus_option
@json_option
def show(identifier: str, with_edits: bool, corpus_name: str | None, as_json: bool) -> int:
    """Show a chunk (`DOCUMENT:SECONDS`) or a whole document."""
    facts = run_async(_show(identifier, corpus_name, with_edits))
    if as_json:
        print_json(facts)
    elif with_edits:
        print_edits(facts)
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
        beside = f"{corpus['state']}, " if "state" in corpus else ""
        facts_of_it = one_line(f"{beside}embedder {corpus['embedder']}, made {corpus['created_at'][:10]}")
        out().print(Text.assemble(one_line(corpus["name"]), (f"   {facts_of_it}", "dim")), soft_wrap=True)
    if not facts:
        out().print("none yet; make one with `answertrail ingest FOLDER`, or try `answertrail demo`")
    return 0


@command.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete(name: str, yes: bool, as_json: bool) -> int:
    """Delete a corpus with its documents and passages. Runs over it are kept, with their texts."""
    if as_json and not yes:
        raise click.UsageError("--json asks nothing, so deleting with it needs --yes")
    held = run_async(_snapshot(name))
    counts = f"{held['documents']} documents and {held['chunks']} chunks"
    if not yes and not _confirmed(f"Delete the corpus {one_line(name)} with {counts}? Its runs are kept."):
        err().print("nothing was deleted")
        return 1
    left = run_async(_delete(name))
    for line in left:
        err().print(one_line(line), style="yellow", soft_wrap=True)
    if as_json:
        facts = {"deleted": name, "documents": held["documents"], "chunks": held["chunks"]}
        print_json(facts | ({"left": left} if left else {}))
    else:
        out().print(f"deleted {counts} of the corpus {one_line(name)}; its runs are kept", soft_wrap=True)
    return 0


def _confirmed(question: str) -> bool:
    """Ask on stderr; no answer at all is an error, so that a script does not take silence for a yes or a no."""
    err().print(f"{question} [y/N] ", end="", soft_wrap=True)
    answer = sys.stdin.readline()
    if not answer:
        raise InputError("nobody is there to confirm it", hint="add --yes to delete without being asked")
    return answer.strip().lower() in {"y", "yes"}


async def _delete(name: str) -> list[str]:
    """Delete it; return what is left of it on search servers, a line each."""
    from answertrail.search.engines.serving import delete_corpus
    from answertrail.settings import Settings
    from answertrail.store import corpora
    from answertrail.store.connection import connect

    settings = Settings.from_environment()
    async with connect(settings) as db:
        return await delete_corpus(db, settings, await corpora.get(db, name))


async def _show(identifier: str, name: str | None, with_edits: bool) -> dict[str, Any]:
    from answertrail.cli.open import chosen_name
    from answertrail.errors import NotFoundError
    from answertrail.settings import Settings
    from answertrail.store import chunks, corpora, documents, notes
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        corpus = await corpora.get(db, await chosen_name(db, name))
        stored = await chunks.get_chunk(db, corpus, identifier)
        if stored is not None and with_edits:
            hint = f"try {stored.chunk.document_id}"
            raise InputError("--diff shows the edits of a document, and this is a chunk", where=identifier, hint=hint)
        if stored is not None:
            return _chunk(stored) | await captioned(db, corpus, stored.chunk)
        found = await documents.get_document(db, corpus, identifier)
        if found is None:
            raise NotFoundError(f"no chunk or document has this id in corpus {corpus.name!r}", where=identifier)
        record = found.document.as_json()
        for left_out in ("schema", "segments", "text"):
            record.pop(left_out, None)
        # `kind` says what is shown; the document's own goes by another name.
        document_kind = record.pop("kind", None)
        parts = [_timed(part) for part in await chunks.chunks_of(db, corpus, identifier)]
        return {
            "kind": "document",
            "title": "",
            "published_at": None,
            "language": None,
            **record,
            "document_kind": document_kind,
            "source": found.source,
            "notes": list(await notes.of_document(db, corpus, identifier)),
            "chunks": parts,
            **(await edits_of(db, corpus, identifier) if with_edits else {}),
        }


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
    from answertrail.store import corpora, names
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        return [
            {"name": corpus.name, "embedder": corpus.embedder_key, "created_at": corpus.created_at.isoformat()}
            | ({"state": names.state(corpus.name)} if names.is_beside(corpus.name) else {})
            for corpus in await corpora.list_all(db)
        ]


def _print(facts: dict[str, Any]) -> None:
    console = out()
    date = ("   " + (facts["published_at"] or "undated"), "dim")
    if facts["kind"] == "chunk":
        title = f"   {one_line(facts['title'])}"
        console.print(Text.assemble((one_line(facts["id"]), "bold"), title, date), soft_wrap=True)
        console.print(Text(plain(facts["text"])))
        if "raw_text" in facts:
            console.print(Text.assemble(("as captioned: ", "dim"), plain(facts["raw_text"])))
        if facts["url"]:
            console.print(Text(one_line(facts["url"]), style="dim"), soft_wrap=True)
        return
    console.print(Text.assemble((one_line(facts["title"] or facts["id"]), "bold"), date), soft_wrap=True)
    for part in facts["chunks"]:
        console.print(Text.assemble((one_line(part["id"]), "cyan"), " ", plain(part["text"])))
