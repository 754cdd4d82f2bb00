"""`answertrail eval power`: what so many questions can show, and how many a difference needs."""

from __future__ import annotations

from pathlib import Path

import click

from answertrail.cli.common import json_option, out, print_json

_FILE = click.Path(path_type=Path)


@click.command("power")
@click.option("--questions-n", metavar="N", type=int, help="So many questions: which difference do they show?")
@click.option("--difference", metavar="D", type=float, help="Such a difference (0.05 is 5 points): how many questions?")
@click.option("--spread", metavar="S", type=float, help="Standard deviation of the per-question differences.")
@click.option("--pilot-a", metavar="FILE", type=_FILE, help="Pilot of the first system: retrieval_run/1 or run/1.")
@click.option("--pilot-b", metavar="FILE", type=_FILE, help="Pilot of the second system, asked the same questions.")
@click.option("--questions", metavar="FILE", type=_FILE, help="The pilot's question/1 file.")
@click.option("--measure", metavar="NAME", help="Which measure of the pilot (the error lists those it has).")
@click.option("--verdicts", metavar="FILE", type=_FILE, help="verdict/1 of the pilot's runs, for measures that need them.")
@click.option("--binary", is_flag=True, help="Each question is right or wrong (McNemar's test).")
@click.option("--discordant", metavar="P", type=float, help="With --binary: share of questions only one system gets right.")
@click.option(
    "--baseline",
    metavar="P",
    type=float,
    help="With --binary: the first system's share right. Without --discordant the two are taken to fail independently, "
    "which is cautious: most systems fail on the same questions.",
)
@click.option("--power", default=0.8, show_default=True, help="Chance of finding a difference that is there.")
@click.option("--alpha", default=0.05, show_default=True, help="Chance of finding one that is not, two-sided.")
@json_option
def command(
    questions_n: int | None,
    difference: float | None,
    spread: float | None,
    pilot_a: Path | None,
    pilot_b: Path | None,
    questions: Path | None,
    measure: str | None,
    verdicts: Path | None,
    binary: bool,
    discordant: float | None,
    baseline: float | None,
    power: float,
    alpha: float,
    as_json: bool,
) -> int:
    """Say which difference a number of questions can show, or how many questions a difference needs.

    Two systems asked the same questions. The spread that counts is that of the per-question
    differences: take it from a pilot, give it with --spread, or use --binary.
    """
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.power import needed_for, shown_by
    from answertrail.experiments.view.power import tables

    if questions_n is not None and difference is not None:
        raise InputError("give --questions-n or --difference, not both")
    design, pilot_n = _design(
        spread, (pilot_a, pilot_b, questions, verdicts, measure), (binary, discordant, baseline), power, alpha
    )
    if difference is not None:
        plan = needed_for(difference, design)
    else:
        plan = shown_by(_count(questions_n, questions, pilot_n), design)
    if as_json:
        print_json(plan.as_json())
    else:
        print_tables(out(), tables(plan))
    return 0
