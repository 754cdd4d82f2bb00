"""`answertrail eval register`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from answertrail.cli.amounts import Finite
from answertrail.cli.common import corpus_option, json_option, out, print_json, run_async

if TYPE_CHECKING:
    from answertrail.experiments.registration import Registration

_RULE = "Every question is asked as often as registered, then scored once; no look before all runs are there."


@click.command("register")
@click.option("--questions", type=click.Path(path_type=Path), required=True, metavar="F", help="Gold file.")
@click.option("--split", type=click.Choice(["dev", "held_out", "regression"]), help="Only questions of this split.")
@click.option("--recipe", "recipes", multiple=True, required=True, help="A system; give the baseline first.")
@click.option(
    "--measure", "measures", multiple=True, required=True, metavar="NAME[:totals|means]", help="A primary measure."
)
@click.option("--repeats", type=click.IntRange(1, 1000), default=1, show_default=True, help="Runs of each question.")
@click.option("--out", "path", type=click.Path(path_type=Path), required=True, metavar="F", help="A new file.")
@corpus_option
@click.option("--model", default="reader", show_default=True, help="The model that will drive all recipes.")
@click.option("--question", help="What is asked of the systems, in words.")
@click.option("--hypothesis", help="What is expected, in words.")
@click.option("--stopping-rule", default=_RULE, show_default=True, help="When the work is over.")
@click.option("--alpha", type=Finite(1e-6, 0.5), default=0.05, show_default=True)
@json_option
def command(path: Path, as_json: bool, **options: Any) -> int:
    """Write down what is to be measured before it is run, and hash it.

    `eval run`, `eval compare` and `eval report` take the file by --registration and print every
    deviation from it.
    """
    from answertrail.experiments.registration import write_registration

    registration = run_async(_registration(**options))
    write_registration(path, registration)
    if as_json:
        print_json(registration.as_json())
        return 0
    out().print(f"registered {path}\n{registration.hash}", soft_wrap=True)
    out().print(f"Next: answertrail eval run --registration {path} ...", soft_wrap=True)
    return 0


async def _registration(
    *,
    questions: Path,
    split: str | None,
    recipes: tuple[str, ...],
    measures: tuple[str, ...],
    repeats: int,
    corpus_name: str | None,
    model: str,
    question: str | None,
    hypothesis: str | None,
    stopping_rule: str,
    alpha: float,
) -> Registration:
    import asyncio
    from datetime import UTC, datetime

    from answertrail.agent.provenance import code_ref
    from answertrail.agent.recipe import load
    from answertrail.cli.open import author_model, chosen_name
    from answertrail.errors import InputError
    from answertrail.experiments.conditions import prompt_hash
    from answertrail.experiments.inputs import read_questions
    from answertrail.experiments.measure_names import check_names
    from answertrail.experiments.registration import register
    from answertrail.experiments.splits import of_split
    from answertrail.experiments.systems import models_named
    from answertrail.models.chat.load import load_chat_model
    from answertrail.search.load import open_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    gold = read_questions(questions)
    gold = of_split(gold, split) if split else gold
    check_names(tuple(_measure(text)["name"] for text in measures), gold)
    loaded = [load(name) for name in recipes]
    if len({recipe.hash for recipe in loaded}) != len(loaded):
        raise InputError("two of the recipes have the same settings", where=", ".join(recipes))
    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = await open_corpus(db, settings, await chosen_name(db, corpus_name))
        chat = load_chat_model(model, embedder=corpus.index.embedder)
    translating = any(recipe.search.translate for recipe in loaded)
    author = {"author": author_model(settings).name} if translating else {}
    code = await asyncio.to_thread(code_ref)
    names = " and ".join(recipe.name for recipe in loaded)
    wanted = ", ".join(name.partition(":")[0] for name in measures)
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return register(
        {
            "schema": "registration/1",
            "created_at": now,
            "question": question or f"Do {names} differ in {wanted}?",
            "hypothesis": hypothesis or "Two-sided: they differ, in either direction.",
            "measures": [_measure(text) for text in measures],
            "systems": [
                {
                    "name": recipe.name,
                    "hash": recipe.hash,
                    "model": models_named(chat.name, author if recipe.search.translate else {}),
                    "version": recipe.version,
                    "prompt_hash": prompt_hash(recipe),
                }
                for recipe in loaded
            ],
            "corpus": corpus.ref.name,
            "snapshot": corpus.ref.snapshot,
            "gold_hash": gold.hash,
            "question_ids": list(gold.ids),
            "repeats": repeats,
            "stopping_rule": stopping_rule,
            "alpha": alpha,
            "correction": "holm",
            "code": " ".join(part for part in (code.version, code.git_sha, "dirty" if code.dirty else "") if part),
        }
    )


def _measure(text: str) -> dict[str, str]:
    from answertrail.errors import InputError

    name, colon, statistic = text.partition(":")
    if not name or (colon and statistic not in ("totals", "means")):
        raise InputError("not a measure", where=f"--measure {text}", hint="write NAME, NAME:totals or NAME:means")
    return {"name": name, "statistic": statistic} if colon else {"name": name}
