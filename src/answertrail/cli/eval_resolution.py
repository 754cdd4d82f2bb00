"""`answertrail eval resolution --questions F --run F`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from answertrail.cli.common import json_option, out, print_json
from answertrail.cli.gating import checked, exit_code, gate_option, gates_json, print_gates
from answertrail.cli.gold_option import print_seal, questions_option
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.cli.gold_option import Gold
    from answertrail.experiments.gates import Gate

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("resolution")
@questions_option
@click.option("--run", "run_file", type=_FILE, help="resolution/1 lines, one a question.")
@click.option("--rule", metavar="NAME", help="Score only the resolutions of this rule; the others are listed.")
@gate_option
@json_option
def command(gold: Gold, run_file: Path | None, rule: str | None, gates: tuple[Gate, ...], as_json: bool) -> int:
    """Score node resolution: found, resolved right or wrong, and where questions are lost.

    Gold is each question's `relevant`.
    """
    if run_file is None:
        raise InputError(
            "nothing to score: AnswerTrail does not resolve questions to nodes itself yet",
            hint="give --run FILE with the resolution/1 records of your resolver",
        )
    from answertrail.evaluation import read_resolutions, score_resolutions, tables
    from answertrail.experiments.artefacts import resolution_artefacts

    questions, resolutions = gold.read(), read_resolutions(run_file)
    seal = gold.open(questions, "eval resolution", resolution_artefacts(resolutions))
    scores = score_resolutions(questions, resolutions, rule=rule)
    outcomes = checked(scores.measures, gates)
    if as_json:
        sealed = {"seal": seal.as_json()} if seal else {}
        print_json({**scores.as_json(), **sealed, **gates_json(outcomes)})
    else:
        from answertrail.cli.table_view import print_tables

        print_tables(out(), tables(scores))
        print_seal(out(), seal)
        print_gates(out(), outcomes)
    return exit_code(outcomes)
