"""`answertrail eval run`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from answertrail.cli.amounts import Money
from answertrail.cli.common import StoppedError, corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.gold_option import Gold, print_seal, questions_option

if TYPE_CHECKING:
    from answertrail.experiments.conditions import Conditions
    from answertrail.experiments.plan import Made
    from answertrail.experiments.registration import Deviation
    from answertrail.experiments.splits import Seal


@click.command("run")
@questions_option
@click.option("--recipe", "recipe_name", default="default", show_default=True, help="A built-in recipe or a TOML file.")
@click.option("--repeats", type=click.IntRange(1, 1000), default=1, show_default=True, help="Runs of each question.")
@click.option("--out", "path", type=click.Path(path_type=Path), required=True, metavar="F", help="Where the runs go.")
@corpus_option
@click.option("--model", default="reader", show_default=True, help="reader, or a hosted one (docs/models.md).")
@click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Runs at once.")
@click.option("--registration", type=click.Path(path_type=Path), metavar="F", help="Run under this registration.")
@click.option("--failed", is_flag=True, help="Also ask again what ended `failed` or `over_budget`.")
@click.option(
    "--max-cost", type=Money(min=0, min_open=True), metavar="USD", help="For all runs, earlier attempts included."
)
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="For all runs, earlier attempts included.")
@click.option("--allow-unknown-price", is_flag=True, help="Start with --max-cost although the price is not known.")
@click.option(
    "--allow-different", multiple=True, type=click.Choice(["code"]), help="Resume although the program changed."
)
@json_option
def command(path: Path, as_json: bool, **options: Any) -> int:
    """Ask every question with a recipe, so many times; one record a question and repeat.

    Stopped or killed, the same command goes on: what was done is kept in F.part. Runs that ended by
    an accident (a service down, a stop) are asked again, answers and failures of the system are
    not. Exit code 1 when a run did not complete, 3 when a service is missing.
    """
    began = time.monotonic()
    try:
        made, conditions, seal, deviations = run_async(_run(path=path, **options))
    except click.Abort:
        raise StoppedError(f"what was done is kept in {path}.part; the same command goes on") from None
    elapsed = time.monotonic() - began
    if as_json:
        from answertrail.experiments.view.runs import summary

        extra: dict[str, Any] = {"split": seal.as_json()} if seal else {}
        if options["registration"] is not None:
            extra["deviations"] = [deviation.as_json() for deviation in deviations]
        print_json({**summary(made, conditions, elapsed, str(path)), **extra})
    else:
        _print(made, conditions, elapsed, path, deviations, seal)
    return 0 if made.complete and made.valid and all(run.status == "completed" for run in made.runs) else 1


def _print(
    made: Made, conditions: Conditions, elapsed: float, path: Path, deviations: list[Deviation], seal: Seal | None
) -> None:
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.view.comparison import deviation_table
    from answertrail.experiments.view.runs import tables

    shown = tables(made, conditions, elapsed)
    if deviations:
        shown.append(deviation_table(deviations))
    print_tables(out(), shown)
    print_seal(out(), seal)
    out().print(f"runs: {path}", soft_wrap=True)


async def _run(
    *,
    gold: Gold,
    recipe_name: str,
    repeats: int,
    path: Path,
    corpus_name: str | None,
    model: str,
    concurrency: int,
    registration: Path | None,
    failed: bool,
    max_cost: float | None,
    max_tokens: int | None,
    allow_unknown_price: bool,
    allow_different: tuple[str, ...],
) -> tuple[Made, Conditions, Seal | None, list[Deviation]]:
    import asyncio

    from answertrail.agent.provenance import code_ref
    from answertrail.agent.recipe import load
    from answertrail.cli.open import chosen_name, for_recipe
    from answertrail.cli.run_progress import RunBar
    from answertrail.errors import InputError
    from answertrail.experiments.asker import AgentAsker
    from answertrail.experiments.conditions import planned
    from answertrail.experiments.plan import Plan
    from answertrail.experiments.registered import done_of, intact
    from answertrail.experiments.registration import check, read_registration
    from answertrail.experiments.run_file import RunFile
    from answertrail.experiments.runner import run_plan
    from answertrail.experiments.systems import models_named
    from answertrail.models.chat.load import load_chat_model
    from answertrail.search.load import open_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    questions, recipe = gold.read(), load(recipe_name)
    registered = intact(read_registration(registration), registration) if registration else None
    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = for_recipe(await open_corpus(db, settings, await chosen_name(db, corpus_name)), recipe, settings)
        chat = load_chat_model(model, embedder=corpus.index.embedder)
        if max_cost is not None and not (chat.price_known or allow_unknown_price):
            raise InputError(
                f"the price of {chat.name} is not known, so a cost cap cannot be kept",
                hint="drop the cap, name the price, or allow an unknown price",
            )
        code = await asyncio.to_thread(code_ref)
        ref = corpus.ref
        author = {} if corpus.author is None else {"author": corpus.author}
        models = {"agent": chat.name, "family": chat.family, "embedder": corpus.embedder_key, **author}
        conditions = planned(
            recipe, models_named(chat.name, author), (ref.name, ref.snapshot), corpus.embedder_key, code, questions
        )
        artefact = registered.hash if registered else conditions.artefact
        seal = gold.open(questions, "run", [artefact])
        plan = Plan(
            questions=questions,
            repeats=repeats,
            conditions=conditions,
            registration=registered.hash if registered else None,
            concurrency=concurrency,
            failed_again=failed,
            max_cost_usd=max_cost,
            max_tokens=max_tokens,
            allow_different=frozenset(allow_different),
            made_by={
                "recipe": recipe.ref,
                "corpus": ref,
                "code": code,
                "models": models,
            },
        )
        with RunBar(err()) as bar:
            made = await run_plan(plan, RunFile(path), AgentAsker(db, corpus, recipe, chat), bar)
    deviations = check(registered, [done_of(made.runs, questions)], whole=False) if registered else []
    return made, conditions, seal, deviations
