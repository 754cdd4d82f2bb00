"""`answertrail corpus dump|restore|copy`: a corpus as one file, and back, and beside itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from answertrail.cli.common import corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from answertrail.corpus.dump import DumpReport
    from answertrail.corpus.restore import RestoreReport


@click.command("dump")
@click.argument("file", type=click.Path(path_type=Path))
@corpus_option
@click.option("--without-vectors", is_flag=True, help="Leave the vectors out; restoring embeds the texts again.")
@json_option
def dump(file: Path, corpus_name: str | None, without_vectors: bool, as_json: bool) -> int:
    """Write a corpus to one file: documents, passages, vectors, settings, what is known of its sources.

    It is a zip of JSON Lines that other programs can read (docs/snapshots.md). The runs are not in
    it: `answertrail runs export` writes those.
    """
    report = run_async(_dump(file, corpus_name, not without_vectors))
    if as_json:
        print_json(report.as_json())
        return 0
    vectors = "no vectors" if report.vectors is None else f"{report.vectors:,} vectors"
    counts = f"{report.documents:,} documents, {report.chunks:,} chunks, {vectors}"
    out().print(one_line(f"corpus {report.corpus} written to {file}: {counts}, {report.bytes:,} bytes"), soft_wrap=True)
    if report.pending:
        err().print(f"{report.pending:,} texts had no vector yet", style="yellow", soft_wrap=True)
    out().print(f"  snapshot {report.snapshot}", style="dim", soft_wrap=True)
    return 0


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--as", "name", metavar="NAME", help="Name of the corpus (default: the one it had).")
@click.option("--without-vectors", is_flag=True, help="Do not take the vectors of the file; embed the texts again.")
@json_option
def restore(file: Path, name: str | None, without_vectors: bool, as_json: bool) -> int:
    """Make a corpus from a dump; the snapshot comes out the same, or nothing is kept."""
    report = run_async(_restore(file, name, not without_vectors))
    for warning in report.warnings:
        err().print(one_line(warning), style="yellow", soft_wrap=True)
    if as_json:
        print_json(report.as_json())
        return 0
    counts = f"{report.documents:,} documents, {report.chunks:,} chunks, {report.vectors:,} vectors"
    out().print(one_line(f"corpus {report.corpus} restored from {file}: {counts}"), soft_wrap=True)
    if report.embedded:
        out().print(f"  {report.embedded:,} texts embedded", style="dim")
    if report.pending:
        err().print(f"{report.pending:,} texts have no vector yet", style="yellow", soft_wrap=True)
    out().print(f"  snapshot {report.snapshot}", style="dim", soft_wrap=True)
    return 0


@click.command("copy")
@click.argument("corpus")
@click.argument("name")
@json_option
def copy(corpus: str, name: str, as_json: bool) -> int:
    """Copy a corpus under another name; nothing is embedded again, search indexes are not copied."""
    facts = run_async(_copy(corpus, name))
    if as_json:
        print_json(facts)
        return 0
    counts = f"{facts['documents']:,} documents and {facts['chunks']:,} chunks"
    out().print(one_line(f"corpus {corpus} copied to {name}: {counts}"), soft_wrap=True)
    return 0


async def _dump(file: Path, name: str | None, vectors: bool) -> DumpReport:
    from answertrail.cli.open import chosen_name
    from answertrail.cli.progress import Bars
    from answertrail.corpus.dump import dump as dump_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        chosen = await chosen_name(db, name)
        with Bars(err()) as bars:
            return await dump_corpus(db, chosen, file, vectors=vectors, progress=bars)


async def _restore(file: Path, name: str | None, vectors: bool) -> RestoreReport:
    from answertrail.cli.progress import Bars
    from answertrail.corpus.restore import restore as restore_corpus
    from answertrail.search.engines.registry import NAMES
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        with Bars(err()) as bars:
            return await restore_corpus(db, file, name, vectors=vectors, engines=NAMES, progress=bars)


async def _copy(source: str, name: str) -> dict[str, Any]:
    from answertrail.settings import Settings
    from answertrail.store import copies, corpora, dump_rows, names
    from answertrail.store.connection import connect

    names.check_name(name)
    async with connect(Settings.from_environment()) as db:
        made = await copies.copy(db, await corpora.get(db, source), name)
        snapshot = await corpora.snapshot(db, made)
        async with db.reading() as conn:
            documents, chunks = await dump_rows.counts_in(conn, made)
    return {"snapshot": snapshot, "corpus": made.name, "documents": documents, "chunks": chunks}
