"""`answertrail worker`: take ingests from the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from answertrail.cli.amounts import Finite
from answertrail.cli.common import err, json_option, print_json, run_async
from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from answertrail.corpus.report import IngestReport


@click.command("worker")
@click.option("--until-empty", is_flag=True, help="Stop when there is no job left, instead of waiting for more.")
@click.option(
    "--dead-after",
    type=Finite(min=1),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Take up the job of a worker that gave no sign of life for so long.",
)
@json_option
def command(until_empty: bool, dead_after: float, as_json: bool) -> int:
    """Run ingests that `answertrail ingest --queue` put into the queue.

    Start as many as there are processors, on any machine that reaches the database and the
    sources; they share each ingest without doing an item twice. Ctrl-C ends one after its item.
    """
    return run_async(_work(until_empty=until_empty, dead_after=dead_after, as_json=as_json))


async def _work(*, until_empty: bool, dead_after: float, as_json: bool) -> int:
    from answertrail.cli.ingest import print_report
    from answertrail.corpus import queue
    from answertrail.corpus.ingest import ingest
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    ended: list[dict[str, object]] = []

    def told(corpus: str, report: IngestReport | None, error: Exception | None) -> None:
        if report is not None:
            ended.append(report.as_json())
            print_report(report, err())
        else:
            ended.append({"corpus": corpus, "error": str(error)})
            line = one_line(f"corpus {corpus}: {error}")
            err().print(line, style="bold red", markup=False, soft_wrap=True)

    async with connect(Settings.from_environment()) as db:
        if not until_empty:
            err().print("waiting for work; Ctrl-C ends", style="dim")
        await queue.work(db, ingest, told, wait=not until_empty, dead_after_s=dead_after)
        left = await queue.counts(db)
    if as_json:
        print_json({"ended": ended, "jobs": left})
    return 1 if any(item.get("error") or item.get("failed") for item in ended) else 0
