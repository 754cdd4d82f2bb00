"""`answertrail ingest SOURCE...`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click
from rich.console import Console
from rich.text import Text

from answertrail.cli.amounts import Finite
from answertrail.cli.common import corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.open import DEFAULT
from answertrail.cli.plain import one_line
from answertrail.corpus.origins.base import WithheldKind
from answertrail.corpus.report import IngestReport
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.corpus.cleaning.report import CleaningReport
    from answertrail.corpus.ingest import IngestRequest
    from answertrail.corpus.publish import Published

_SHOWN = 20


@click.command("ingest")
@click.argument("sources", nargs=-1, required=True)
@corpus_option
@click.option("--include", multiple=True, metavar="GLOB", help="Only files that match; may be given more than once.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No files that match; may be given more than once.")
@click.option(
    "--embedder",
    metavar="SPEC",
    help="auto, accurate, fast, multilingual, or a hosted one (docs/embedders.md); fixed once the corpus is made.",
)
@click.option(
    "--context",
    metavar="PARTS",
    help="Embed title, date, speakers or previous (sentence) with each passage, with commas between; "
    "fixed once the corpus is made. The cited text stays as it is.",
)
@click.option(
    "--asked-in",
    metavar="LANGUAGES",
    help="Languages in which the corpus will be asked, such as zh,en: auto then takes an embedder that reads them "
    "beside its own; fixed once the corpus is made.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="Captions in this language where there are several, first choice first; the spoken one when left out.",
)
@click.option(
    "--translated", is_flag=True, help="Take machine translations into --language where there is nothing else."
)
@click.option(
    "--min-duration",
    type=Finite(min=0),
    default=180.0,
    show_default=True,
    metavar="SECONDS",
    help="Leave out videos of a channel or playlist that are not longer.",
)
@click.option(
    "--recheck",
    multiple=True,
    type=click.Choice(get_args(WithheldKind)),
    metavar="KIND",
    help="Look again now at items withheld for this reason (docs/youtube.md).",
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Fetch at most so many items of each channel or feed."
)
@click.option(
    "--pace",
    type=Finite(min=0, max=3600),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait about so long between two fetches.",
)
@click.option(
    "--clean",
    "clean_model",
    is_flag=False,
    flag_value="author",
    metavar="[MODEL]",
    help="Have a model mend automatic captions (docs/cleaning.md); the author model when none is named.",
)
@click.option(
    "--glossary",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --clean: names and terms as they are heard and written.",
)
@click.option(
    "--clean-unlabelled", is_flag=True, help="With --clean: also captions of which nobody says who made them."
)
@click.option("--prune", is_flag=True, help="Remove documents whose source is gone.")
@click.option(
    "--apart",
    is_flag=True,
    help="Build beside the corpus and swap when whole; until then it answers as it was (docs/snapshots.md).",
)
@click.option(
    "--queue", "queued", is_flag=True, help="Put the ingest into the queue, for `answertrail worker` to take."
)
@click.option(
    "--shares",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    metavar="N",
    help="With --queue: how many workers may be at it at once.",
)
@json_option
def command(
    sources: tuple[str, ...],
    corpus_name: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    embedder: str | None,
    context: str | None,
    asked_in: str | None,
    languages: tuple[str, ...],
    translated: bool,
    min_duration: float,
    recheck: tuple[str, ...],
    limit: int | None,
    pace: float,
    clean_model: str | None,
    glossary: Path | None,
    clean_unlabelled: bool,
    prune: bool,
    apart: bool,
    queued: bool,
    shares: int,
    as_json: bool,
) -> int:
    """Read files, folders, YouTube channels, playlists and videos, or podcast feeds into a corpus (made when new).

    Takes WebVTT, SRT, json3, time-stamped transcripts, Markdown, plain text, HTML, PDF, DOCX, EPUB and
    document/1 JSON Lines. Ingesting again only takes what changed.
    """
    from answertrail.corpus.ingest import IngestRequest
    from answertrail.corpus.request import CleaningChoices, OriginChoices

    if clean_model is None and (glossary is not None or clean_unlabelled):
        raise InputError("--glossary and --clean-unlabelled belong to --clean")
    files, origins = _parted(sources)
    request = IngestRequest(
        DEFAULT if corpus_name is None else corpus_name,
        files,
        include,
        exclude,
        embedder,
        prune,
        context,
        asked_in,
        origins,
        OriginChoices(languages, translated, min_duration, recheck, limit, pace),
        None if clean_model is None else CleaningChoices(clean_model, glossary, clean_unlabelled),
    )
    if apart and queued:
        raise InputError("--apart and --queue do not go together", hint="the copy is published by the one who made it")
    if shares != 1 and not queued:
        raise InputError("--shares belongs to --queue", hint="several ingests at once share the work without it")
    return run_async(_queue(request, shares, as_json) if queued else _ingest(request, as_json, apart=apart))


def _parted(sources: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Tell files and folders from what names a channel or feed; what is there on disk is a file."""
    from answertrail.corpus.origins.choice import origin_of
    from answertrail.corpus.origins.rss.origin import FEED_SUFFIXES
    from answertrail.corpus.request import OriginChoices
    from answertrail.settings import Settings

    files: list[Path] = []
    origins: list[str] = []
    for typed in sources:
        if not typed.strip():
            raise InputError("a source is empty", hint="name a file, folder, channel, playlist, video or feed")
        path = Path(typed).expanduser()
        is_feed = path.suffix.lower() in FEED_SUFFIXES and path.is_file()
        if not is_feed and (path.exists() or path.is_symlink()):
            files.append(Path(typed))
        elif (origin := origin_of(typed, Settings.from_environment(), OriginChoices())) is not None:
            origin.close()
            origins.append(str(path.absolute()) if is_feed else _anywhere(typed))
        else:
            files.append(Path(typed))
    return files, origins


def _anywhere(typed: str) -> str:
    """Return what names an origin so that it does from any working folder: a saved feed may be `rss:PATH`."""
    mark, _, rest = typed.partition(":")
    is_path = mark.lower() in ("rss", "feed") and not rest.lower().startswith(("http:", "https:", "//"))
    return f"{mark}:{Path(rest).expanduser().absolute()}" if is_path else typed


async def _queue(request: IngestRequest, shares: int, as_json: bool) -> int:
    from answertrail.corpus import queue
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    # A worker is elsewhere, and so is its working folder.
    cleaning = request.cleaning
    if cleaning is not None and cleaning.glossary is not None:
        cleaning = replace(cleaning, glossary=cleaning.glossary.absolute())
    files = [path.expanduser().absolute() for path in request.sources]
    request = replace(request, sources=files, cleaning=cleaning)
    async with connect(Settings.from_environment()) as db:
        jobs = await queue.put(db, request, shares)
    warnings = [
        f"{path} is not on this machine; a worker needs it under this name" for path in files if not path.exists()
    ]
    for warning in warnings:
        err().print(Text.assemble(("warning: ", "bold yellow"), one_line(warning)), soft_wrap=True)
    if as_json:
        print_json({"corpus": request.corpus, "jobs": jobs} | ({"warnings": warnings} if warnings else {}))
    else:
        some = "1 job is" if shares == 1 else f"{shares} jobs are"
        out().print(f"{some} in the queue; `answertrail worker` takes them", markup=False)
    return 0


async def _ingest(request: IngestRequest, as_json: bool, *, apart: bool) -> int:
    from answertrail.cli.progress import Bars
    from answertrail.corpus.apart import ingest_apart
    from answertrail.corpus.ingest import ingest
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        with Bars(err()) as bars:
            if apart:
                report, published = await ingest_apart(db, request, bars)
            else:
                report, published = await ingest(db, request, bars), None
    console = err() if as_json else out()
    if as_json:
        more = {"published": None if published is None else published.as_json()} if apart else {}
        print_json({**report.as_json(), **more})
    print_report(report, console, pruned=request.prune)
    if apart:
        _print_published(console, published)
    if report.errors:
        return max(error.exit_code for error in report.errors.values())
    return 1 if report.failed or report.stopped or (report.cleaning and report.cleaning.stopped) else 0


def _print_published(console: Console, published: Published | None) -> None:
    if published is None:
        console.print("  not published: it is not whole yet; the same command goes on with it", style="yellow")
        return
    if not published.changed:
        console.print("  nothing changed, so the corpus stays as it was", style="dim")
    elif published.kept is not None:
        kept = one_line(published.kept)
        console.print(Text.assemble(("  swapped ", "cyan"), f"the former state is kept as {kept}"), soft_wrap=True)
    else:
        console.print(Text.assemble(("  in place ", "cyan"), "what was built is the corpus now"), soft_wrap=True)
    if published.unindexed:
        line = f"{published.unindexed} has no index of it yet: answertrail corpus index"
        console.print(Text.assemble(("  engine  ", "yellow"), line), soft_wrap=True)


def print_report(report: IngestReport, console: Console, *, pruned: bool = False) -> None:
    """Print the counts, then what failed with file, line and reason, then what was skipped or is gone."""
    counts = f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged"
    if report.removed:
        counts += f", {report.removed} removed"
    if report.elsewhere:
        counts += f", {report.elsewhere} read by others"
    rest = f"{len(report.skipped)} skipped, {len(report.failed)} failed, {report.ignored} other files ignored"
    console.print(Text.assemble((f"corpus {one_line(report.corpus)}: ", "bold"), f"{counts}; {rest}"), soft_wrap=True)
    for item in report.failed[:_SHOWN]:
        print_failure(console, item.source, item.line, item.reason)
    if len(report.failed) > _SHOWN:
        console.print(f"  and {len(report.failed) - _SHOWN} more; `answertrail status` lists all")
    for stop in report.stopped:
        console.print(Text.assemble(("  stopped ", "bold yellow"), one_line(stop)), soft_wrap=True)
    if report.resume_at is not None:
        when = report.resume_at.isoformat(timespec="minutes")
        console.print(f"          run the same command again from {when} on; what was fetched is kept", soft_wrap=True)
    if len(report.skipped) > _SHOWN:
        console.print(f"  of {len(report.skipped)} skipped files the first {_SHOWN}:")
    for skipped in report.skipped[:_SHOWN]:
        source, reason = one_line(skipped.source), one_line(skipped.reason)
        console.print(Text.assemble(("  skipped ", "yellow"), source, (f"  {reason}", "dim")), soft_wrap=True)
    if report.gone and not report.removed:
        console.print(Text.assemble(("  gone    ", "yellow"), _gone(len(report.gone), pruned)), soft_wrap=True)
    for code, count in sorted(report.unread.items()):
        console.print(Text.assemble(("  unread  ", "yellow"), _unread(code, count)), soft_wrap=True)
    for source in sorted(key for key in report.notes if _is_origin(key)):
        for note in report.notes[source]:
            about = Text.assemble(("  noted   ", "cyan"), one_line(source), (f"  {one_line(note)}", "dim"))
            console.print(about, soft_wrap=True)
    noted = sorted((source, notes) for source, notes in report.notes.items() if not _is_origin(source))
    if noted:
        first, notes = noted[0]
        some = "1 source" if len(noted) == 1 else f"{len(noted)} sources"
        if len(noted) > 1 or len(notes) > 1:
            some += " (`answertrail status --items` has all notes)"
        where = one_line(f"{some}; {Path(first).name}: ")
        console.print(Text.assemble(("  noted   ", "cyan"), f"{where} ", (one_line(notes[0]), "dim")), soft_wrap=True)
    if report.cleaning is not None:
        for line in _of_cleaning(report.cleaning):
            console.print(Text.assemble(("  cleaning ", "cyan"), one_line(line)), soft_wrap=True)
    console.print(Text(f"  snapshot {report.snapshot}", style="dim"), soft_wrap=True)


def _is_origin(source: str) -> bool:
    """Whether a note is about a channel or feed as a whole, and not about a file or an item."""
    return source.startswith(("youtube:", "rss:")) and "#" not in source


def _of_cleaning(cleaning: CleaningReport) -> list[str]:
    if not cleaning.skipped:
        return cleaning.in_words()
    if not cleaning.pending:
        return []
    some = "1 document keeps its" if cleaning.pending == 1 else f"{cleaning.pending} documents keep their"
    return [f"skipped: {some} automatic captions as they are; --clean has a model mend them (docs/cleaning.md)"]


def print_failure(console: Console, source: str, line: int | None, reason: str) -> None:
    """Print one failure on one line, the path whole: a path cut short names no file."""
    where = one_line(source) + (f":{line}" if line is not None else "")
    console.print(Text.assemble(("  failed  ", "bold red"), where, (f"  {one_line(reason)}", "dim")), soft_wrap=True)


def _unread(code: str, count: int) -> str:
    from answertrail.models.embedding.language import language_name

    some = "1 document is" if count == 1 else f"{count} documents are"
    return (
        f"{some} in {language_name(code)}, which the corpus's embedder does not read: they are found by shared words "
        "only; ingest into a new corpus with --embedder multilingual, or another that reads it (docs/embedders.md)"
    )


def _gone(count: int, pruned: bool) -> str:
    some = "1 document no longer has its" if count == 1 else f"{count} documents no longer have their"
    if pruned:
        return f"{some} source; nothing was removed, because part of the sources could not be looked at"
    return f"{some} source (use --prune to remove {'it' if count == 1 else 'them'})"
