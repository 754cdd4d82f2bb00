"""`answertrail eval trajectory --runs F`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from answertrail.cli.common import json_option, out, print_json, run_async
from answertrail.cli.gating import checked, exit_code, gate_option, gates_json, print_gates
from answertrail.cli.gold_option import print_seal
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.experiments.gates import Gate, Gateable
    from answertrail.experiments.provenance import ProvenanceScores
    from answertrail.experiments.trajectory import TrajectoryScores
    from answertrail.metrics.trajectory.drift import Drift
    from answertrail.records import Run

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("trajectory")
@click.option("--runs", "runs_file", type=_FILE, help="run/1 lines.")
@click.option("--system", metavar="NAME", help="Whose runs, where there are several systems'.")
@click.option("--questions", "questions_file", type=_FILE, help="question/1 lines: their gold gives the recall analog.")
@click.option("--split", type=click.Choice(["dev", "held_out", "regression"]), help="Only the questions of this split.")
@click.option("--unit", type=click.Choice(["chunk", "document"]), default="chunk", show_default=True, help="Gold unit.")
@click.option("--provenance", "provenance_file", type=_FILE, help="provenance.jsonl, one retrieval a line.")
@click.option("--citations", "citations_file", type=_FILE, help="citations.json, the ids cited; with --provenance.")
@click.option("--drift", is_flag=True, help="Also how far queries are from the question; needs an embedder.")
@click.option("--corpus", "corpus_name", metavar="NAME", help="With --drift: the embedder of this corpus.")
@click.option("--embedder", metavar="SPEC", help="With --drift: this embedder, such as fast.")
@gate_option
@json_option
def command(
    runs_file: Path | None,
    system: str | None,
    questions_file: Path | None,
    split: str | None,
    unit: Literal["chunk", "document"],
    provenance_file: Path | None,
    citations_file: Path | None,
    drift: bool,
    corpus_name: str | None,
    embedder: str | None,
    gates: tuple[Gate, ...],
    as_json: bool,
) -> int:
    """Describe what runs retrieved and what of it they cited; with gold, which evidence they found.

    Takes run/1 lines, or the two files of a provenance ledger, or both.
    """
    from answertrail.metrics.trajectory.definitions import refuse_rank_measure

    for gate in gates:
        refuse_rank_measure(gate.measure)
    _refuse_halves(runs_file, questions_file, provenance_file, citations_file, drift, corpus_name, embedder)
    from answertrail.experiments.provenance import score_provenance

    ledger = score_provenance(provenance_file, citations_file) if provenance_file and citations_file else None
    scores = seal = invalid = None
    known: dict[str, Gateable] = {}
    if runs_file is not None:
        from answertrail.cli.gold_option import Gold
        from answertrail.evaluation import read_runs, score_trajectories
        from answertrail.experiments.answers import one_system
        from answertrail.experiments.attempts import no_result
        from answertrail.experiments.registered import artefacts_of
        from answertrail.experiments.tiers import tier_measures

        found = read_runs(runs_file)
        if not found:
            raise InputError("no run in the file", where=str(runs_file))
        _, runs = one_system(found, system)
        gold = Gold(questions_file, split) if questions_file else None
        questions = gold.read() if gold else None
        if gold and questions:
            seal = gold.open(questions, "eval trajectory", artefacts_of(runs))
        drifts = run_async(_drifts(runs, corpus_name, embedder)) if drift else None
        scores = score_trajectories(runs, questions, unit=unit, drifts=drifts)
        known |= scores.measures
        known |= tier_measures(known, questions, [gate.measure for gate in gates]) if questions else {}
        invalid = no_result(runs, questions.questions if questions else None)
    outcomes = checked(known, gates, no_result=invalid)
    if as_json:
        flags = {"flags": [invalid] if invalid else []} if scores else {}
        sealed = {"seal": seal.as_json()} if seal else {}
        print_json({**_json(scores, ledger), **flags, **sealed, **gates_json(outcomes)})
    else:
        _print(scores, ledger)
        if invalid:
            out().print(f"FLAG: {invalid}", soft_wrap=True)
        print_seal(out(), seal)
        print_gates(out(), outcomes)
    return exit_code(outcomes)


def _refuse_halves(
    runs: Path | None,
    questions: Path | None,
    provenance: Path | None,
    citations: Path | None,
    drift: bool,
    corpus: str | None,
    embedder: str | None,
) -> None:
    """Raise InputError for options that say nothing without another."""
    fault = None
    if bool(provenance) != bool(citations):
        fault = "--provenance and --citations belong together"
    elif runs is None and provenance is None:
        fault = "nothing to score: give --runs FILE, or --provenance FILE and --citations FILE"
    elif runs is None and (questions or drift):
        fault = f"{'--questions' if questions else '--drift'} needs --runs FILE"
    elif drift and bool(corpus) == bool(embedder):
        fault = "--drift needs an embedder: give either --corpus NAME or --embedder SPEC"
    elif not drift and (corpus or embedder):
        fault = f"{'--corpus' if corpus else '--embedder'} is used by --drift only"
    if fault:
        raise InputError(fault)


async def _drifts(runs: Sequence[Run], corpus_name: str | None, spec: str | None) -> Mapping[str, Drift]:
    from answertrail.experiments.drift import run_drifts
    from answertrail.models.embedding.load import load_embedder

    if corpus_name is None:
        return await run_drifts(runs, load_embedder(spec or ""))
    from answertrail.settings import Settings
    from answertrail.store import corpora
    from answertrail.store.connection import connect

    async with connect(Settings.from_environment()) as db:
        corpus = await corpora.get(db, corpus_name)
    embedder = load_embedder(corpus.spec)
    corpora.check_identity(corpus, embedder.identity)
    return await run_drifts(runs, embedder)


def _json(scores: TrajectoryScores | None, ledger: ProvenanceScores | None) -> dict[str, Any]:
    if scores is None:
        return ledger.as_json() if ledger else {}
    return {**scores.as_json(), **({"provenance": ledger.as_json()} if ledger else {})}


def _print(scores: TrajectoryScores | None, ledger: ProvenanceScores | None) -> None:
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.view.trajectory import provenance_table, tables

    print_tables(out(), [provenance_table(ledger)] if ledger else [])
    print_tables(out(), tables(scores) if scores else [])
