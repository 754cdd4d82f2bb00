"""`answertrail eval score`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from answertrail.cli.common import err, json_option, out, print_json
from answertrail.cli.gating import checked, exit_code, gate_option, gates_json, print_gates
from answertrail.cli.gold_option import questions_option

if TYPE_CHECKING:
    from answertrail.cli.gold_option import Gold
    from answertrail.experiments.gates import Gate
    from answertrail.records import Run, Verdict


@click.command("score")
@questions_option
@click.option(
    "--runs", "run_files", multiple=True, required=True, metavar="F", type=click.Path(path_type=Path),
    help="Runs (run/1); repeatable.",
)  # fmt: skip
@click.option(
    "--verdicts", "verdict_files", multiple=True, metavar="F", type=click.Path(path_type=Path),
    help="Verdicts of a judge (verdict/1); repeatable. Without any, what needs no judge is printed.",
)  # fmt: skip
@click.option("--judge", metavar="NAME", help="Whose verdicts, where there are several judges'.")
@click.option("--system", metavar="NAME", help="Whose runs, where there are several systems'.")
@click.option(
    "--max-unscored", default=0.2, show_default=True, type=click.FloatRange(0, 1), metavar="SHARE",
    help="Above this share of unscored units a measure has no headline.",
)  # fmt: skip
@json_option
@gate_option
def command(
    gold: Gold,
    run_files: tuple[Path, ...],
    verdict_files: tuple[Path, ...],
    judge: str | None,
    system: str | None,
    max_unscored: float,
    as_json: bool,
    gates: tuple[Gate, ...],
) -> int:
    """Score runs of one system: answers, citations, waterfall, abstention, effort.

    A gate may name a measure of one tier as TIER/MEASURE.
    """
    from answertrail.experiments.answers import score_answers

    questions = gold.read()
    runs, verdicts = _runs(run_files), _verdicts(verdict_files)
    scores = score_answers(
        questions, runs, verdicts, judge=judge, system=system, max_unscored_share=max_unscored
    )
    outcomes = checked(scores.gateable(), gates)
    if as_json:
        print_json({**scores.as_json(), **gates_json(outcomes)})
    else:
        from answertrail.cli.table_view import print_tables
        from answertrail.experiments.view.answers import tables

        print_tables(out(), tables(scores))
        print_gates(out(), outcomes)
    return exit_code(outcomes)
