"""`answertrail eval retrieval`: search modes or ranking files against labelled questions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from answertrail.cli.amounts import Finite
from answertrail.cli.common import corpus_option, err, json_option, out, print_json, run_async
from answertrail.cli.gating import checked, exit_code, gate_option, gates_json, print_gates
from answertrail.cli.rank_options import budget_option, k_option
from answertrail.cli.retrieval_source import Searched, checked_corpus, read_files, searched
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.experiments.answer_checks import AnswerCheckScores
    from answertrail.experiments.gates import Gate, Gateable
    from answertrail.experiments.inputs import QuestionSet
    from answertrail.experiments.retrieval_scores import RetrievalScores
    from answertrail.metrics.measured import IntervalMethod
    from answertrail.records import RetrievalRun, Run

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("retrieval")
@click.option("--questions", "questions_file", type=_FILE, help="question/1 lines with their gold.")
@click.option("--split", type=click.Choice(["dev", "held_out", "regression"]), help="Only the questions of this split.")
@click.option("--qrels", "qrels_file", type=_FILE, help="A TREC qrels file in place of --questions.")
@click.option("--modes", metavar="A,B", help="Search the corpus with these: default, dense, lexical, hybrid, fused.")
@click.option(
    "--run", "run_files", type=_FILE, multiple=True, help="retrieval_run/1 lines or a TREC run; may be repeated."
)
@k_option
@budget_option
@click.option("--unit", metavar="U", help="chunk, document or node (default: as the gold and the rankings have it).")
@click.option(
    "--answers", "answers_file", type=_FILE, help="run/1 lines: also check support, scope, freshness, refusal."
)
@click.option("--tie-averaged", is_flag=True, help="Also the expected values over all orders of equal scores.")
@click.option(
    "--trec-order",
    type=click.Choice(["rank", "score"]),
    default="rank",
    show_default=True,
    help="Order a TREC run by its rank column, or by score as trec_eval does.",
)
@click.option("--min-grade", type=int, default=1, show_default=True, help="With --qrels: the lowest relevant grade.")
@click.option(
    "--interval",
    type=click.Choice(["percentile", "bca", "none"]),
    default="percentile",
    show_default=True,
    help="How intervals are made.",
)
@click.option(
    "--max-errors", type=Finite(0, 1), default=0.02, show_default=True, help="A mode with more errors is invalid."
)
@click.option(
    "--save",
    type=_FILE,
    metavar="FILE",
    help="Write the rankings as retrieval_run/1 lines, those read from TREC runs too.",
)
@gate_option
@corpus_option
@json_option
def command(
    questions_file: Path | None,
    split: str | None,
    qrels_file: Path | None,
    modes: str | None,
    run_files: tuple[Path, ...],
    ks: tuple[int, ...],
    budget: int | None,
    unit: str | None,
    answers_file: Path | None,
    tie_averaged: bool,
    trec_order: Literal["rank", "score"],
    min_grade: int,
    interval: IntervalMethod,
    max_errors: float,
    save: Path | None,
    gates: tuple[Gate, ...],
    corpus_name: str | None,
    as_json: bool,
) -> int:
    """Score search modes or ranking files against labelled questions.

    Gates name a measure as it is printed (recall@10), with several modes as MODE/MEASURE. Exit 1 when
    a gate fell short or a ranking is an error.
    """
    from answertrail.cli.gold_option import Gold, print_seal
    from answertrail.evaluation import read_runs, score_retrieval
    from answertrail.experiments.rankings import corpus_of
    from answertrail.metrics.measured import Intervals

    _refuse(questions_file, split, qrels_file, min_grade, modes, run_files, unit)
    gold = Gold(questions_file, split) if questions_file else None
    questions = gold.read() if gold else _qrels(qrels_file, min_grade)
    answers = _one_system(read_runs(answers_file), answers_file) if answers_file else ()
    if modes is not None:
        rankings, unit, corpus = run_async(searched(questions, modes.split(","), corpus_name, max(ks), budget, unit))
    else:
        rankings = read_files(run_files, trec_order)
        corpus = Searched(corpus_of(rankings))
        if corpus_name is not None:
            corpus = run_async(checked_corpus(questions, corpus_name, corpus.ref, unit))
    seal = None
    if gold is not None:
        seal = gold.open(questions, "eval retrieval", _artefacts(rankings, answers))
    if save is not None:
        from answertrail.records import jsonl

        err().print(f"{jsonl.write(save, rankings)} rankings written to {save}", soft_wrap=True)
    intervals = Intervals(interval)
    scores = score_retrieval(
        questions,
        rankings,
        ks=ks,
        unit=unit,
        budget=budget,
        intervals=intervals,
        averaged_ties=tie_averaged,
        max_error_share=max_errors,
        corpus=corpus.ref,
        documents=corpus.documents,
    )
    checks = None
    if answers_file is not None:
        from answertrail.experiments.answer_checks import check_answers

        checks = check_answers(questions, answers, intervals=intervals)
    outcomes = checked(_gateable(scores, checks) if gates else {}, gates)
    if as_json:
        print_json(
            {
                **scores.as_json(),
                **({"seal": seal.as_json()} if seal else {}),
                **({"answer_checks": checks.as_json()} if checks else {}),
                **gates_json(outcomes),
            }
        )
    else:
        _print(scores, checks)
        print_seal(out(), seal)
        print_gates(out(), outcomes)
    return exit_code(outcomes) or int(any(mode.errors for mode in scores.modes.values()))


def _refuse(
    questions: Path | None,
    split: str | None,
    qrels: Path | None,
    min_grade: int,
    modes: str | None,
    runs: tuple[Path, ...],
    unit: str | None,
) -> None:
    fault = None
    if (questions is None) == (qrels is None):
        fault = "give one of --questions and --qrels"
    elif (modes is None) == (not runs):
        fault = "give one of --modes (search a corpus) and --run (score a file)"
    elif qrels is not None and split is not None:
        fault = "--split goes with --questions: qrels have no splits"
    elif qrels is None and min_grade != 1:
        fault = "--min-grade goes with --qrels: a question's grades are its own"
    elif unit not in (None, "chunk", "document", "node"):
        fault = f"--unit is chunk, document or node, not {unit!r}"
    if fault:
        raise InputError(fault, hint="see answertrail eval retrieval --help")


def _qrels(path: Path | None, min_grade: int) -> QuestionSet:
    from answertrail.experiments.importing.trec import read_qrels

    assert path is not None, "one of --questions and --qrels was given"
    return read_qrels(path, min_grade)


def _one_system(runs: Sequence[Run], path: Path) -> Sequence[Run]:
    from answertrail.experiments.systems import by_system

    if len(names := list(by_system(runs))) > 1:
        raise InputError(
            f"runs of {len(names)} systems: {', '.join(names)}", where=str(path), hint="check one system at a time"
        )
    return runs


def _artefacts(rankings: Sequence[RetrievalRun], answers: Sequence[Run]) -> list[str]:
    from answertrail.experiments.artefacts import ranking_artefacts
    from answertrail.experiments.registered import artefacts_of

    return [*ranking_artefacts(rankings), *artefacts_of(answers)]


def _gateable(scores: RetrievalScores, checks: AnswerCheckScores | None) -> dict[str, Gateable]:
    from answertrail.experiments.gates import named

    out: dict[str, Gateable] = {}
    for name, mode in scores.modes.items():
        if len(scores.modes) == 1:
            out |= mode.measures
        out |= named(name, mode.measures)
    return {**out, **(checks.measures if checks else {})}


def _print(scores: RetrievalScores, checks: AnswerCheckScores | None) -> None:
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.view import answer_checks, retrieval

    print_tables(out(), retrieval.tables(scores))
    if checks is not None:
        print_tables(out(), answer_checks.tables(checks))
