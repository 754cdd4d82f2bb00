"""`answertrail eval compare A B`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from answertrail.cli.common import json_option, out, print_json
from answertrail.cli.gold_option import print_seal, questions_option

if TYPE_CHECKING:
    from answertrail.cli.gold_option import Gold

_FILE = click.Path(path_type=Path)
_CONDITIONS = ["recipe", "prompt", "model", "corpus", "embedder", "code"]


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@questions_option
@click.option("--verdicts", "verdict_files", multiple=True, metavar="F", type=_FILE, help="verdict/1; repeatable.")
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="Repeatable; TIER/NAME for one tier, `all` for all."
)
@click.option("--k", "ks", multiple=True, type=click.IntRange(min=1), default=(10,), help="Cutoff of rankings.")
@click.option("--registration", "registration_file", metavar="F", type=_FILE, help="Print deviations from it.")
@click.option(
    "--under-test", default="recipe,prompt", show_default=True, metavar="WHAT,...", help="Conditions meant to differ."
)
@click.option(
    "--allow-different", multiple=True, type=click.Choice(_CONDITIONS), help="Compare although this differs as well."
)
@click.option("--allow-unequal-repeats", is_flag=True, help="Compare although questions were not asked equally often.")
@click.option(
    "--alpha", type=click.FloatRange(0, 0.5, min_open=True, max_open=True), default=0.05, show_default=True,
    help="What adjusted p-values are held against; a registration's own goes first.",
)  # fmt: skip
@json_option
def command(
    first: str,
    second: str,
    gold: Gold,
    verdict_files: tuple[Path, ...],
    measures: tuple[str, ...],
    ks: tuple[int, ...],
    registration_file: Path | None,
    under_test: str,
    allow_different: tuple[str, ...],
    allow_unequal_repeats: bool,
    alpha: float,
    as_json: bool,
) -> int:
    """Compare B with A on the questions both were asked.

    A and B are run or ranking files; FILE#NAME takes one system or one mode of a file that holds
    several. Refused when anything else than what is under test differs.
    """
    from answertrail.evaluation import compare, read_verdicts, tables
    from answertrail.experiments.registration import read_registration
    from answertrail.experiments.sides import artefacts, read_side

    tested = _under_test(under_test)
    registration = read_registration(registration_file) if registration_file else None
    questions = gold.read()
    records = [read_side(first), read_side(second)]
    verdicts = [verdict for path in verdict_files for verdict in read_verdicts(path)]
    seal = gold.open(questions, "compare", artefacts(records))
    (a, first_found), (b, second_found) = records
    comparison = compare(
        questions,
        first_found[0] or first_found[1],
        second_found[0] or second_found[1],
        verdicts=verdicts,
        measures=measures,
        labels=(a, b),
        ks=ks,
        under_test=tested,
        allow_different=allow_different,
        allow_unequal_repeats=allow_unequal_repeats,
        registration=registration,
        alpha=alpha,
    )
    if as_json:
        print_json({**comparison.as_json(), **({"seal": seal.as_json()} if seal else {})})
        return 0
    from answertrail.cli.table_view import print_tables

    print_tables(out(), tables(comparison))
    print_seal(out(), seal)
    return 0


def _under_test(text: str) -> tuple[str, ...]:
    from answertrail.errors import InputError

    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if unknown := [name for name in names if name not in _CONDITIONS]:
        raise InputError(
            f"{unknown[0]!r} cannot be under test", where="--under-test", hint=f"choose from {', '.join(_CONDITIONS)}"
        )
    return names
