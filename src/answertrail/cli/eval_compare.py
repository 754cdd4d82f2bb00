"""`answertrail eval compare A B`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from answertrail.cli.amounts import Finite
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
@click.option(
    "--allow-unequal-repeats", is_flag=True, help="Leave out the repeats one side never made, and compare the rest."
)
@click.option("--allow-invalid", is_flag=True, help="Compare although more than 2 % of a side ended by an accident.")
@click.option(
    "--alpha", type=Finite(1e-6, 0.5), default=0.05, show_default=True,
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
    allow_invalid: bool,
    alpha: float,
    as_json: bool,
) -> int:
    """Compare B with A on the questions both were asked, run by run.

    A and B are run or ranking files (ours or TREC's); FILE#NAME takes one system or one mode of a
    file that holds several. Refused, before held-out questions are looked at, when anything else
    than what is under test differs.
    """
    from answertrail.experiments.comparable import Allowed
    from answertrail.experiments.inputs import read_verdicts
    from answertrail.experiments.registration import read_registration
    from answertrail.experiments.side_files import read_side
    from answertrail.experiments.sides import artefacts, check_records, compare_records
    from answertrail.experiments.view.comparison import tables

    tested = _under_test(under_test)
    registration = read_registration(registration_file) if registration_file else None
    questions = gold.read()
    records = [read_side(first), read_side(second)]
    verdicts = [verdict for path in verdict_files for verdict in read_verdicts(path)]
    (a, first_found), (b, second_found) = records
    allowed = Allowed(tested, allow_different, allow_unequal_repeats, allow_invalid)
    check_records(questions, first_found, second_found, labels=(a, b), verdicts=verdicts, allowed=allowed)
    seal = gold.open(questions, "compare", artefacts(records))
    comparison = compare_records(
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
        allow_invalid=allow_invalid,
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
