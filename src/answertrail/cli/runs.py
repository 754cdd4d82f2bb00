"""`answertrail runs list|show|export|verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from answertrail.cli.common import json_option, out, print_json, run_async


@click.group("runs")
def command() -> None:
    """List, show, export and verify stored runs."""


@command.command("list")
@click.option("--corpus", metavar="NAME", help="Only runs over this corpus.")
@click.option("--status", metavar="STATUS", help="completed, failed, cancelled, interrupted or over_budget.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(min=1), help="How many, newest first.")
@json_option
def list_(corpus: str | None, status: str | None, limit: int, as_json: bool) -> int:
    """List runs, newest first."""
    found = run_async(_list(corpus, status, limit))
    if as_json:
        print_json({"runs": found})
        return 0
    console = out()
    for run in found:
        outcome = run["outcome"] or run["status"]
        console.print(f"[cyan]{run['run_id']}[/cyan]  {run['started_at'][:16]}  {outcome:<16} ", end="")
        console.print(run["question"], markup=False)
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

        click.echo(markdown(run))
    else:
        from answertrail.cli.answer_view import print_run

        out().print(run.question, style="bold", markup=False)
        print_run(run, out())
    return 0


@command.command("export")
@click.argument("run_ids", nargs=-1, metavar="[RUN_ID]...")
@click.option("--out", "path", type=click.Path(path_type=Path), help="Write to a file (by an atomic rename).")
def export(run_ids: tuple[str, ...], path: Path | None) -> int:
    """Write runs (all when none is named) as run/1 lines."""
    found = run_async(_export(run_ids))
    from answertrail.records import jsonl

    if path is None:
        for run in found:
            click.echo(jsonl.dumps(run).encode("utf-8"))
    else:
        click.echo(f"{jsonl.write(path, found)} runs written to {path}", err=True)
    return 0


@command.command("verify")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def verify(file: Path, as_json: bool) -> int:
    """Check a file of run/1 lines with nothing else at hand: hashes, citations, support."""
    from answertrail.agent.verify import faults_of
    from answertrail.records import Run, jsonl

    checked, faults = 0, []
    for run in jsonl.read(file, Run):
        checked += 1
        faults += [fault.as_json() for fault in faults_of(run)]
    if as_json:
        print_json({"runs": checked, "faults": faults})
    else:
        for fault in faults:
            out().print(f"[red]{fault['kind']}[/red] {fault['run_id']}: ", end="")
            out().print(fault["message"], markup=False, soft_wrap=True)
        out().print(f"{checked} runs checked, {len(faults)} faults")
    return 1 if faults else 0


async def _list(corpus: str | None, status: str | None, limit: int) -> list[dict[str, Any]]:
    from answertrail.settings import Settings
    from answertrail.store import runs
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        return [
            {
                "run_id": run.run_id,
                "corpus": run.corpus_name,
                "question": run.question,
                "status": run.status,
                "outcome": run.outcome,
                "recipe": run.recipe,
                "started_at": run.started_at.isoformat(),
                "cost_usd": run.cost_usd,
            }
            for run in await runs.list_runs(db, corpus=corpus, status=status, limit=limit)
        ]


async def _get(run_id: str) -> Any:
    from answertrail.settings import Settings
    from answertrail.store import runs
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        return await runs.get(db, run_id)


async def _export(run_ids: tuple[str, ...]) -> list[Any]:
    from answertrail.settings import Settings
    from answertrail.store import runs
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        for run_id in run_ids:
            await runs.get(db, run_id)
        return [run async for run in runs.export(db, list(run_ids) or None)]
