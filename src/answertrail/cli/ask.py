"""`answertrail ask QUESTION`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from answertrail.cli.amounts import Money
from answertrail.cli.common import StoppedError, corpus_option, err, json_option, out, print_json, run_async

if TYPE_CHECKING:
    from answertrail.agent.ask import Limits
    from answertrail.agent.events import Event, EventSink
    from answertrail.records.run import Run


class _Started:
    """Passes events on and remembers which run began."""

    def __init__(self) -> None:
        self.run_id: str | None = None

    def watching(self, emit: EventSink) -> EventSink:
        """Return a sink that tells `emit` all it is told."""
        from answertrail.agent.events import RunStarted

        async def sink(event: Event) -> None:
            if isinstance(event, RunStarted):
                self.run_id = event.run_id
            await emit(event)

        return sink


@click.command("ask")
@click.argument("question")
@corpus_option
@click.option("--recipe", "recipe_name", default="default", show_default=True, help="A built-in recipe or a TOML file.")
@click.option("--model", default="reader", show_default=True, help="reader, or a hosted one (docs/models.md).")
@click.option(
    "--author",
    metavar="MODEL",
    help="The model that translates queries where the recipe says so; ANSWERTRAIL_AUTHOR_MODEL when left out.",
)
@click.option(
    "--max-cost",
    type=Money(min=0, min_open=True),
    metavar="USD",
    help="End the run when the next call may pass this (the first call is not known beforehand).",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="End the run before a call once this many tokens are used.",
)
@click.option("--allow-unknown-price", is_flag=True, help="Start with --max-cost although the price is not known.")
@click.option("--quiet", is_flag=True, help="Do not show the trail.")
@json_option
def command(
    question: str,
    corpus_name: str | None,
    recipe_name: str,
    model: str,
    author: str | None,
    max_cost: float | None,
    max_tokens: int | None,
    allow_unknown_price: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Ask a corpus. Every citation of the answer was checked; a run leaves its evidence.

    Exit code 0 also when the corpus cannot answer; 1 when the run did not complete.
    """
    from answertrail.agent.ask import Limits

    limits = Limits(max_cost, max_tokens, allow_unknown_price)
    started = _Started()
    try:
        run = run_async(_ask(question, corpus_name, recipe_name, model, author, limits, quiet, started))
    except click.Abort:
        if started.run_id is None:
            raise
        raise StoppedError(f"run {started.run_id} keeps what was done") from None
    if as_json:
        print_json(run.as_json())
    else:
        from answertrail.cli.answer_view import print_run

        print_run(run, out())
    return 0 if run.status == "completed" else 1


async def _ask(
    question: str,
    name: str | None,
    recipe_name: str,
    model_spec: str,
    author: str | None,
    limits: Limits,
    quiet: bool,
    started: _Started,
) -> Run:
    from answertrail.agent.events import ignore
    from answertrail.agent.recipe import load
    from answertrail.cli.answer_view import Trail
    from answertrail.cli.asking import ask_corpus
    from answertrail.cli.open import chosen_name, for_recipe
    from answertrail.errors import InputError
    from answertrail.models.chat.load import load_chat_model
    from answertrail.search.load import open_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    if not question.strip():
        raise InputError("the question is empty")
    recipe = load(recipe_name)
    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = for_recipe(await open_corpus(db, settings, await chosen_name(db, name)), recipe, settings, author)
        model = load_chat_model(model_spec, embedder=corpus.index.embedder)
        emit = started.watching(ignore if quiet else Trail(err()))
        return await ask_corpus(db, corpus, question, recipe, model, limits, emit)
