"""`answertrail eval score`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from answertrail.cli.amounts import Finite
from answertrail.cli.common import corpus_option, json_option, out, print_json, run_async
from answertrail.cli.gating import checked, exit_code, gate_option, gates_json, print_gates
from answertrail.cli.gold_option import print_seal, questions_option

if TYPE_CHECKING:
    from answertrail.cli.gold_option import Gold
    from answertrail.experiments.gates import Gate

_FILE = click.Path(path_type=Path)


@click.command("score")
@questions_option
@click.option("--runs", "run_files", multiple=True, required=True, metavar="F", type=_FILE, help="run/1; repeatable.")
@click.option("--verdicts", "verdict_files", multiple=True, metavar="F", type=_FILE, help="verdict/1; repeatable.")
@click.option("--judge", metavar="NAME", help="Whose verdicts, where there are several judges'.")
@click.option("--system", metavar="NAME", help="Whose runs, where there are several systems'.")
@click.option(
    "--max-unscored",
    default=0.2,
    show_default=True,
    metavar="SHARE",
    type=Finite(0, 1),
    help="A measure with a larger share of unscored units (or runs) has no headline.",
)
@corpus_option
@gate_option
@json_option
def command(
    gold: Gold,
    run_files: tuple[Path, ...],
    verdict_files: tuple[Path, ...],
    judge: str | None,
    system: str | None,
    max_unscored: float,
    corpus_name: str | None,
    gates: tuple[Gate, ...],
    as_json: bool,
) -> int:
    """Score the runs of one system: answers, citations, abstention, effort.

    Without --verdicts, what needs no judge is printed and the rest says so. With --corpus, cited
    ids of runs that carry no citation checks are looked up there. Gates know every measure by its
    name, and one tier's as TIER/NAME. They count what failed or was never asked against it.
    """
    from answertrail.evaluation import (
        read_runs,
        read_verdicts,
        score_answers,
        score_refusals,
        score_trajectories,
        tables,
    )
    from answertrail.experiments.answers import one_system
    from answertrail.experiments.attempts import no_result
    from answertrail.experiments.ceilings import doubts
    from answertrail.experiments.inputs import read_files
    from answertrail.experiments.registered import artefacts_of
    from answertrail.experiments.tiers import tier_measures

    questions = gold.read()
    _, runs = one_system(read_files(run_files, read_runs, lambda run: run.run_id), system)
    verdicts = read_files(verdict_files, read_verdicts, lambda verdict: verdict.verdict_id)
    seal = gold.open(questions, "eval score", artefacts_of(runs))
    ids = run_async(_chunk_ids(corpus_name)) if corpus_name else None
    scores = score_answers(questions, runs, verdicts, judge=judge, corpus_ids=ids, max_unscored_share=max_unscored)
    refusals = score_refusals(questions, runs, verdicts=verdicts, judge=judge, max_unscored_share=max_unscored)
    trails = score_trajectories(runs, questions)
    known = {**refusals.measures, **trails.measures, **scores.by_tier}
    known |= tier_measures(known, questions, [gate.measure for gate in gates])
    invalid = no_result(runs, questions.questions)
    outcomes = checked(known, gates, no_result=invalid)
    doubted = (*((invalid,) if invalid else ()), *doubts(scores.measures, questions, runs, verdicts))
    if as_json:
        found, path = scores.as_json(), trails.as_json()
        found["measures"]["cited_share"] = path["measures"]["cited_share"]
        parts = {"flags": list(doubted), "unsupported": refusals.as_json(), "trajectory": path}
        sealed = {"seal": seal.as_json()} if seal else {}
        print_json({**found, **parts, **sealed, **gates_json(outcomes)})
    else:
        from answertrail.cli.table_view import print_tables

        for result in (scores, refusals, trails):
            print_tables(out(), tables(result))
        for doubt in doubted:
            out().print(f"FLAG: {doubt}", soft_wrap=True)
        print_seal(out(), seal)
        print_gates(out(), outcomes)
    return exit_code(outcomes)


async def _chunk_ids(name: str) -> frozenset[str]:
    from answertrail.settings import Settings
    from answertrail.store import chunks, corpora
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        table = await chunks.chunk_table(db, await corpora.get(db, name))
    return frozenset(row.chunk.id for row in table)
