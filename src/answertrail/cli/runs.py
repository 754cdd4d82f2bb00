"""`answertrail runs list|show|export|verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from answertrail.cli.common import err, json_option, out, print_json, run_async
from answertrail.cli.console import write_line
from answertrail.cli.plain import escaped, one_line, plain
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.records.run import Run
    from answertrail.store.runs import RunSummary


STATUSES = ("completed", "failed", "cancelled", "interrupted", "over_budget")


@click.group("runs")
def command() -> None:
    """List, show, export and verify stored runs."""


@command.command("list")
@click.option("--corpus", metavar="NAME", help="Only runs over this corpus.")
@click.option("--status", type=click.Choice(STATUSES), help="Only runs that ended so.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(min=1), help="How many, newest first.")
@json_option
def list_(corpus: str | None, status: str | None, limit: int, as_json: bool) -> int:
    """List runs, newest first; with --json as run/1 records."""
    if as_json:
        records = run_async(_records(corpus, status, limit))
        print_json({"runs": [run.as_json() for run in records]})
        return 0
    found = run_async(_list(corpus, status, limit))
    console = out()
    for run in found:
        rest = f"  {run.started_at.isoformat()[:16]}  {run.outcome or run.status:<16} {one_line(run.question)}"
        console.print(Text.assemble((one_line(run.run_id), "cyan"), rest))
    if not found:
        console.print("no runs")
    return 0


@command.command("show")
@click.argument("run_id")
@click.option("--markdown", "as_markdown", is_flag=True, help="As Markdown.")
@json_option
def show(run_id: str, as_markdown: bool, as_json: bool) -> int:
    """Show one run: its answer with sources, or all of it as run/1 with --json."""
    run = run_async(_get(run_id))
    if as_json:
        print_json(run.as_json())
    elif as_markdown:
        from answertrail.agent.render import markdown

        write_line(plain(markdown(run)))
    else:
        from answertrail.cli.answer_view import print_run

        out().print(Text(one_line(run.question), style="bold"))
        print_run(run, out())
    return 0


@command.command("export")
@click.argument("run_ids", nargs=-1, metavar="[RUN_ID]...")
@click.option("--out", "path", type=click.Path(path_type=Path), help="Write to a file (by an atomic rename).")
@json_option
def export(run_ids: tuple[str, ...], path: Path | None, as_json: bool) -> int:
    """Write runs (all when none is named) as run/1 lines.

    With --json stdout gets one document instead: the runs, or with --out how many and where.
    """
    found = run_async(_export(run_ids))
    from answertrail.records import jsonl

    if path is not None:
        count = jsonl.write(path, found)
        if as_json:
            print_json({"runs": count, "file": str(path)})
        err().print(Text(one_line(f"{count} runs written to {path}")), soft_wrap=True)
    elif as_json:
        print_json({"runs": [run.as_json() for run in found]})
    else:
        for run in found:
            write_line(escaped(jsonl.dumps(run)))
    return 0


@command.command("verify")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--against-corpus", is_flag=True, help="Compare the texts with the corpus too, where it is as it was.")
@json_option
def verify(file: Path, against_corpus: bool, as_json: bool) -> int:
    """Check a file of run/1 lines with nothing else at hand: hashes, citations, support."""
    from answertrail.agent.verify import faults_of, unchecked
    from answertrail.records import Run, jsonl

    left: list[dict[str, Any]] = []
    checked, faults, kept = 0, [], []
    for run in jsonl.read(file, Run):
        checked += 1
        faults += [fault.as_json() for fault in faults_of(run)]
        left.append({"run_id": run.run_id, "unchecked": unchecked(run)})
        if against_corpus:
            kept.append(run)
    if kept:
        from answertrail.cli import runs_against

        for item, found in zip(left, run_async(runs_against.against_corpus(kept)), strict=True):
            if found is None:
                item["unchecked"].append("corpus")
            elif "captioned" in item["unchecked"]:
                item["unchecked"].remove("captioned")  # compared with the corpus
            faults += [fault.as_json() for fault in found or ()]
    left = [item for item in left if item["unchecked"]]
    if not checked:
        raise InputError(
            "the file holds no run", where=str(file), hint="`answertrail runs export --out FILE` makes one"
        )
    if as_json:
        print_json({"runs": checked, "faults": faults, "unchecked": left})
    else:
        for fault in faults:
            rest = one_line(f"{fault['run_id']}: {fault['message']}")
            out().print(Text.assemble((fault["kind"], "red"), f" {rest}"), soft_wrap=True)
        for item in left:
            rest = one_line(f"{item['run_id']}: not carried by the file: {', '.join(item['unchecked'])}")
            out().print(Text.assemble(("unchecked", "yellow"), f" {rest}"), soft_wrap=True)
        out().print(f"{checked} runs checked, {len(faults)} faults")
    return 1 if faults else 0


async def _list(corpus: str | None, status: str | None, limit: int) -> tuple[RunSummary, ...]:
    from answertrail.settings import Settings
    from answertrail.store import runs
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        return await runs.list_runs(db, corpus=corpus, status=status, limit=limit)


async def _records(corpus: str | None, status: str | None, limit: int) -> list[Run]:
    """Return the runs of the list whole, in its order."""
    from answertrail.settings import Settings
    from answertrail.store import runs
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        listed = [run.run_id for run in await runs.list_runs(db, corpus=corpus, status=status, limit=limit)]
        found = {run.run_id: run async for run in runs.export(db, listed)}
        return [found[run_id] for run_id in listed]


async def _get(run_id: str) -> Run:
    from answertrail.settings import Settings
    from answertrail.store import runs
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        return await runs.get(db, run_id)


async def _export(run_ids: tuple[str, ...]) -> list[Run]:
    from answertrail.settings import Settings
    from answertrail.store import runs
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        for run_id in run_ids:
            await runs.get(db, run_id)
        return [run async for run in runs.export(db, list(run_ids) or None)]
