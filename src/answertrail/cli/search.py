"""`answertrail search QUERY`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click
from rich.table import Table
from rich.text import Text

from answertrail.cli.amounts import Finite
from answertrail.cli.common import corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.plain import linked, one_line, plain
from answertrail.errors import InputError
from answertrail.search.hits import Hit, SearchResult

if TYPE_CHECKING:
    from answertrail.search.coverage import Coverage
    from answertrail.search.hits import Filter
    from answertrail.search.periods import Grain
    from answertrail.search.ranking import Mode

_SNIPPET = 220


@click.command("search")
@click.argument("query")
@corpus_option
@click.option(
    "--mode",
    default="default",
    show_default=True,
    help="default, dense, lexical, hybrid, fused, near, timeline, diverse or spread; MODE+terms reranks one of the "
    "first five.",
)
@click.option("--k", default=10, show_default=True, help="How many passages.")
@click.option("--from", "start", metavar="DATE", help="Only documents of this day or later (YYYY-MM-DD).")
@click.option("--to", "end", metavar="DATE", help="Only documents before this day.")
@click.option("--document", "document_ids", multiple=True, metavar="ID", help="Only this document; may be repeated.")
@click.option("--exclude", multiple=True, metavar="ID", help="Not this passage, shown before; may be repeated.")
@click.option("--by", metavar="PERIOD", help="Timeline: month, quarter or year; chosen by the dates when left out.")
@click.option("--per-period", type=int, metavar="M", help="Timeline: at most so many passages of each period.")
@click.option(
    "--floor", type=Finite(), metavar="S", help="Timeline: lowest score that counts as found (docs/search.md)."
)
@click.option("--engine", metavar="NAME", help="Search with this engine and not the corpus's own (docs/engines.md).")
@click.option("--translate", is_flag=True, help="Have the author model put the query into the corpus's languages too.")
@click.option("--author", metavar="MODEL", help="The author model; ANSWERTRAIL_AUTHOR_MODEL when left out.")
@json_option
def command(
    query: str,
    corpus_name: str | None,
    mode: str,
    k: int,
    start: str | None,
    end: str | None,
    document_ids: tuple[str, ...],
    exclude: tuple[str, ...],
    by: str | None,
    per_period: int | None,
    floor: float | None,
    engine: str | None,
    translate: bool,
    author: str | None,
    as_json: bool,
) -> int:
    """Search a corpus. Returns exactly min(k, matching) passages; ties are broken by id.

    The mode `timeline` shows them in date order, with what was found in each period.
    """
    if k < 1:
        raise InputError(f"--k must be at least 1, not {k}")
    if engine is not None and not engine.strip():
        raise InputError("--engine is empty", hint="name an engine, or leave it out")
    within = _within(start, end, document_ids, exclude)
    chosen = _mode(mode, by, per_period, floor)
    if author is not None and not translate:
        raise InputError("--author belongs to --translate")
    result = run_async(_search(query, corpus_name, chosen, k, within, translate, author, engine))
    if as_json:
        print_json(_json(mode, result))
    else:
        _print(result)
    return 0


def _mode(name: str, by: str | None, per_period: int | None, floor: float | None) -> Mode:
    from answertrail.agent.recipe import load
    from answertrail.search.modes import mode_named
    from answertrail.search.timeline import TimelineSettings, timeline_mode

    mode = mode_named(load("default").search.mode if name == "default" else name)
    given = {"--by": by, "--per-period": per_period, "--floor": floor}
    if mode.name == "timeline":
        return timeline_mode(TimelineSettings(by=cast("Grain | None", by), per_period=per_period, floor=floor))
    if options := [option for option, value in given.items() if value is not None]:
        raise InputError(f"{options[0]} belongs to --mode timeline, not {mode.name}")
    return mode


def _within(start: str | None, end: str | None, documents: tuple[str, ...], exclude: tuple[str, ...]) -> Filter:
    from answertrail.search.hits import Filter

    within = Filter(_date("--from", start), _date("--to", end), frozenset(documents) or None, frozenset(exclude))
    if within.start and within.end and within.start >= within.end:
        raise InputError("--from must be before --to")
    return within


async def _search(
    query: str,
    name: str | None,
    mode: Mode,
    k: int,
    within: Filter,
    translate: bool,
    author: str | None,
    engine: str | None,
) -> SearchResult:
    from answertrail.cli.open import author_model, chosen_name, translating
    from answertrail.search.load import open_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    if not query.strip():
        raise InputError("the query is empty")
    settings = Settings.from_environment()
    model = author_model(settings, author) if translate else None
    async with connect(settings) as db:
        corpus = await open_corpus(db, settings, await chosen_name(db, name), engine)
        if corpus.pending:
            err().print(f"{corpus.pending} passages have no vector yet, so dense search cannot see them; ingest again")
        if unknown := sorted((within.documents or frozenset()) - corpus.document_ids):
            raise InputError("no such document", where=unknown[0])
        if strangers := sorted(chunk for chunk in within.exclude if not corpus.holds(chunk)):
            raise InputError("no passage to exclude has this id", where=strangers[0])
        searched = corpus if model is None else translating(corpus, model, settings)
        return await searched.search(query, mode=mode, k=k, within=within)


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
    } | ({} if hit.relevance is None else {"relevance": hit.relevance})


def _json(mode: str, result: SearchResult) -> dict[str, Any]:
    """Return the contract's shape; a timeline's hits are in date order, `rank` says how they were chosen."""
    rank = {hit.chunk_id: number for number, hit in enumerate(result.hits, 1)}
    out: dict[str, Any] = {
        "mode": mode,
        "hits": [hit_json(hit) for hit in _in_shown_order(result)],
        "matching": result.matching,
        "resolved_mode": result.mode,
        "held_back": result.held_back,
        "undated_left_out": result.undated_left_out,
    }
    if result.engine != "exact" or result.fallback:
        out["engine"] = result.engine
        out["fallback"] = result.fallback
    if result.warnings:
        out["warnings"] = list(result.warnings)
    if result.translated is not None:
        out["translations"] = [translation.as_json() for translation in result.translated.translations]
    if result.coverage is not None:
        out["hits"] = [{**hit, "rank": rank[hit["chunk_id"]]} for hit in out["hits"]]
        out["coverage"] = result.coverage.as_json()
    return out


def _in_shown_order(result: SearchResult) -> tuple[Hit, ...]:
    return result.hits if result.coverage is None else result.dated


def _print(result: SearchResult) -> None:
    console = out()
    for warning in result.warnings:
        err().print(Text(one_line(warning), style="yellow"), soft_wrap=True)
    for translation in result.translated.translations if result.translated else ():
        console.print(
            Text(f"also as {one_line(translation.text)}  ({translation.language})", style="dim"), soft_wrap=True
        )
    if result.hits:
        _print_hits(_in_shown_order(result))
    elif result.coverage is not None and result.matching == result.held_back == 0:
        console.print("nothing stands out in any period; try other words, a lower --floor, or wider dates")
    elif result.held_back:
        console.print("everything that matches was excluded")
    else:
        console.print("nothing matches; try other words, another mode, or wider dates")
    if result.coverage is not None:
        _print_coverage(result.coverage)
    told = f"{len(result.hits)} of {result.matching} matching, mode {result.mode}"
    if result.held_back:
        told += f", {result.held_back} held back"
    if result.engine != "exact":
        told += f", engine {result.engine}"
    if result.fallback:
        told += f"; {one_line(result.fallback)}"
    if result.undated_left_out:
        told += f"; {result.undated_left_out} undated documents took no part because of the dates asked for"
    console.print(told, style="dim", soft_wrap=True)


def _print_hits(hits: tuple[Hit, ...]) -> None:
    console = out()
    table = Table("", "date", "title", "time", box=None, header_style="bold", padding=(0, 1))
    table.add_column("passage", overflow="fold")
    for rank, hit in enumerate(hits, 1):
        date = hit.published_at.date().isoformat() if hit.published_at else "undated"
        text = hit.text if len(hit.text) <= _SNIPPET else hit.text[: _SNIPPET - 1] + "…"
        time = "" if hit.start_s is None else f"{int(hit.start_s) // 60}:{int(hit.start_s) % 60:02}"
        place = linked(time or hit.chunk_id, hit.url)
        table.add_row(str(rank), date, Text(one_line(hit.title)), place, Text(plain(text)))
    console.print(table)
    # Below the table and never wrapped: an id or a link that is cut leads nowhere.
    for rank, hit in enumerate(hits, 1):
        where = "  ".join(one_line(part) for part in (hit.chunk_id, hit.url) if part)
        console.print(Text(f" {rank}  {where}", style="dim"), soft_wrap=True)


def _print_coverage(coverage: Coverage) -> None:
    console = out()
    table = Table("period", "documents", "shown", "found", "best", "", box=None, header_style="bold", padding=(0, 1))
    for period in coverage.periods:
        best = "" if period.best is None else f"{period.best:.1f}"
        shown, found = str(period.hits), str(period.matching)
        table.add_row(period.label, str(period.documents), shown, found, best, Text(period.state, style="dim"))
    console.print(table)
    console.print(f"by {coverage.grain}; found: passages that score {coverage.floor:.1f} or more", style="dim")
