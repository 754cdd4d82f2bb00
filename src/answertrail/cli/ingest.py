"""`answertrail ingest SOURCE...`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from answertrail.cli.common import corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.open import DEFAULT
from answertrail.corpus.report import IngestReport

_SHOWN = 20


@click.command("ingest")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@corpus_option
@click.option("--include", multiple=True, metavar="GLOB", help="Only files that match; may be given more than once.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No files that match; may be given more than once.")
@click.option(
    "--embedder",
    metavar="SPEC",
    help="auto, accurate, fast, multilingual, or a hosted one (docs/embedders.md); fixed once the corpus is made.",
)
@json_option
def command(
    sources: tuple[Path, ...],
    corpus_name: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    embedder: str | None,
    as_json: bool,
) -> int:
    """Read files or folders into a corpus (made when new).

    Takes WebVTT, SRT, time-stamped transcripts, Markdown, plain text and document/1 JSON Lines.
    Ingesting again only takes what changed.
    """
    return run_async(_ingest(sources, corpus_name or DEFAULT, include, exclude, embedder, as_json))


async def _ingest(
    sources: tuple[Path, ...],
    corpus: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    embedder: str | None,
    as_json: bool,
) -> int:
    from answertrail.cli.progress import Bars
    from answertrail.corpus.ingest import IngestRequest, ingest
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    request = IngestRequest(corpus, sources, include, exclude, embedder)
    async with connect(Settings.from_environment()) as db:
        with Bars(err()) as bars:
            report = await ingest(db, request, bars)
    if as_json:
        print_json(report.as_json())
    print_report(report, err() if as_json else out())
    return 1 if report.failed else 0


def print_report(report: IngestReport, console: Console) -> None:
    """Print the counts, then what failed with file, line and reason, then what was skipped."""
    counts = f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged"
    rest = f"{len(report.skipped)} skipped, {len(report.failed)} failed, {report.ignored} other files ignored"
    console.print(Text.assemble((f"corpus {report.corpus}: ", "bold"), f"{counts}; {rest}"))
    if report.failed:
        table = Table("failed", "line", "reason", title_justify="left", header_style="bold red", box=None)
        for item in report.failed[:_SHOWN]:
            table.add_row(item.source, str(item.line or ""), item.reason)
        console.print(table)
        if len(report.failed) > _SHOWN:
            console.print(f"  and {len(report.failed) - _SHOWN} more; `answertrail status` lists all")
    for skipped in report.skipped[:_SHOWN]:
        console.print(
            Text.assemble(("  skipped ", "yellow"), skipped.source, (f"  {skipped.reason}", "dim")), soft_wrap=True
        )
    repaired = len(report.notes)
    if repaired:
        first, notes = next(iter(sorted(report.notes.items())))
        console.print(
            Text.assemble(("  noted   ", "cyan"), f"{repaired} files; {Path(first).name}: ", (notes[0], "dim")),
            soft_wrap=True,
        )
    console.print(Text(f"  snapshot {report.snapshot}", style="dim"), soft_wrap=True)
