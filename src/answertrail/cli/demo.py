"""`answertrail demo`: the sample channel, three questions, the trail as it happens."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from answertrail.cli.common import err, json_option, out, print_json, run_async

CORPUS = "sample"


@click.command("demo")
@json_option
def command(as_json: bool) -> int:
    """Ingest the sample channel and ask it three questions: a fact, a change of view, an unknown.

    Needs no key, no network and no server. Running it again only asks.
    """
    runs = run_async(_demo(as_json))
    if as_json:
        print_json({"runs": runs})
    return 0 if all(run["status"] == "completed" for run in runs) else 1


async def _demo(as_json: bool) -> list[dict[str, Any]]:
    from answertrail.agent.ask import Limits
    from answertrail.agent.recipe import load
    from answertrail.cli.answer_view import Trail, print_run
    from answertrail.cli.asking import ask_corpus
    from answertrail.cli.ingest import print_report
    from answertrail.cli.progress import Bars
    from answertrail.corpus.ingest import IngestRequest, ingest
    from answertrail.models.chat.load import load_chat_model
    from answertrail.records import Question, jsonl
    from answertrail.search.load import open_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    settings = Settings.from_environment()
    console = err() if as_json else out()
    with resources.as_file(resources.files("answertrail.sample")) as sample:
        questions = [q for q in jsonl.read(Path(sample) / "questions.jsonl", Question) if (q.meta or {}).get("demo")]
        async with connect(settings) as db:
            with Bars(err()) as bars:
                report = await ingest(db, IngestRequest(CORPUS, [Path(sample) / "channel"]), bars)
            print_report(report, console)
            corpus = await open_corpus(db, settings, CORPUS)
            model = load_chat_model("reader", embedder=corpus.index.embedder)
            out_runs = []
            for question in questions:
                console.print()
                run = await ask_corpus(db, corpus, question.question, load("default"), model, Limits(), Trail(console))
                print_run(run, console)
                out_runs.append(run.as_json())
    if not as_json:
        console.print(_next(out_runs[0]["run_id"]))
    return out_runs


def _next(run_id: str) -> Text:
    return Text.assemble(
        "\nNext: ",
        ("answertrail ingest FOLDER", "bold"),
        ", then ",
        ('answertrail ask "..."', "bold"),
        ". Evidence of a run: ",
        (f"answertrail runs show {run_id}", "bold"),
    )
