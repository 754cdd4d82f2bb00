"""`answertrail search QUERY`."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table
from rich.text import Text

from answertrail.cli.common import corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.plain import linked, one_line, plain
from answertrail.errors import InputError
from answertrail.search.hits import Hit, SearchResult

_SNIPPET = 220


@click.command("search")
@click.argument("query")
@corpus_option
@click.option("--mode", default="default", show_default=True, help="default, dense, lexical, hybrid or fused.")
@click.option("--k", default=10, show_default=True, help="How many passages.")
@click.option("--from", "start", metavar="DATE", help="Only documents of this day or later (YYYY-MM-DD).")
@click.option("--to", "end", metavar="DATE", help="Only documents before this day.")
@click.option("--document", "document_ids", multiple=True, metavar="ID", help="Only this document; may be repeated.")
@json_option
def command(
    query: str,
    corpus_name: str | None,
    mode: str,
    k: int,
    start: str | None,
    end: str | None,
    document_ids: tuple[str, ...],
    as_json: bool,
) -> int:
    """Search a corpus. Returns exactly min(k, matching) passages; ties are broken by id."""
    result = run_async(_search(query, corpus_name, mode, k, start, end, document_ids))
    if as_json:
        hits = [hit_json(hit) for hit in result.hits]
        print_json({"mode": mode, "hits": hits, "matching": result.matching, "resolved_mode": result.mode})
    else:
        _print(result)
    return 0


async def _search(
    query: str,
    name: str | None,
    mode: str,
    k: int,
    start: str | None,
    end: str | None,
    document_ids: tuple[str, ...],
) -> SearchResult:
    from answertrail.agent.recipe import load
    from answertrail.cli.open import chosen_name
    from answertrail.search.hits import Filter
    from answertrail.search.load import open_corpus
    from answertrail.search.modes import mode_named
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    chosen = load("default").search.mode if mode == "default" else mode
    mode_named(chosen)
    if not query.strip():
        raise InputError("the query is empty")
    if k < 1:
        raise InputError(f"--k must be at least 1, not {k}")
    within = Filter(
        start=_date("--from", start),
        end=_date("--to", end),
        documents=frozenset(document_ids) or None,
    )
    if within.start and within.end and within.start >= within.end:
        raise InputError("--from must be before --to")
    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = await open_corpus(db, settings, await chosen_name(db, name))
        if corpus.pending:
            err().print(f"{corpus.pending} passages have no vector yet, so dense search cannot see them; ingest again")
        known = {row.document_id for row in corpus.index.rows}
        unknown = [document for document in document_ids if document not in known]
        if unknown:
            raise InputError("no such document", where=unknown[0])
        return await corpus.search(query, mode=chosen, k=k, within=within)


def _date(option: str, text: str | None) -> Any:
    from answertrail.records.base import instant

    if text is None:
        return None
    try:
        return instant(text)
    except ValueError as error:
        raise InputError(f"{error}, not {text!r}", where=option) from None


def hit_json(hit: Hit) -> dict[str, Any]:
    """Return a hit in the contract's shape."""
    return {
        "chunk_id": hit.chunk_id,
        "document_id": hit.document_id,
        "title": hit.title,
        "published_at": hit.published_at.isoformat().replace("+00:00", "Z") if hit.published_at else None,
        "start_s": hit.start_s,
        "end_s": hit.end_s,
        "url": hit.url,
        "score": hit.score,
        "text": hit.text,
    }


def _print(result: SearchResult) -> None:
    console = out()
    if not result.hits:
        console.print("nothing matches; try other words, another mode, or wider dates")
        return
    table = Table("", "date", "title", "time", box=None, header_style="bold", padding=(0, 1))
    table.add_column("passage", overflow="fold")
    for rank, hit in enumerate(result.hits, 1):
        date = hit.published_at.date().isoformat() if hit.published_at else "undated"
        text = hit.text if len(hit.text) <= _SNIPPET else hit.text[: _SNIPPET - 1] + "…"
        time = "" if hit.start_s is None else f"{int(hit.start_s) // 60}:{int(hit.start_s) % 60:02}"
        place = linked(time or hit.chunk_id, hit.url)
        table.add_row(str(rank), date, Text(one_line(hit.title)), place, Text(plain(text)))
    console.print(table)
    # Below the table and never wrapped: an id or a link that is cut leads nowhere.
    for rank, hit in enumerate(result.hits, 1):
        where = "  ".join(one_line(part) for part in (hit.chunk_id, hit.url) if part)
        console.print(Text(f" {rank}  {where}", style="dim"), soft_wrap=True)
    console.print(f"{len(result.hits)} of {result.matching} matching, mode {result.mode}", style="dim")
