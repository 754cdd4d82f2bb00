"""The evaluation for scripts and notebooks; the command line is made of the same.

Read with `read_questions`, `read_runs`, `read_rankings`, `read_verdicts`, `read_resolutions`. Score
with `score_answers`, `score_refusals`, `score_trajectories`, `score_retrieval`,
`score_resolutions`; compare two systems with `compare`. Every result is a frozen value with
`measures`, `as_json()` and lists of all that was left out; `tables(result)` gives what the terminal
shows, `frames(result)` the same as pandas data frames, `write_report` one file for a colleague.
`Intervals` says how intervals are made.

Held-out questions are logged when they are scored; `seal_of(questions)` says whether they still
count as held out, and `write_report` prints it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.answers import score_answers as _score_answers
from answertrail.experiments.artefacts import ranking_artefacts, record_artefacts, resolution_artefacts
from answertrail.experiments.compare import Comparison
from answertrail.experiments.inputs import QuestionSet, read_runs, read_verdicts
from answertrail.experiments.inputs import read_questions as _read_questions
from answertrail.experiments.rankings import read_rankings
from answertrail.experiments.refusal import RefusalScores
from answertrail.experiments.refusal import score_refusals as _score_refusals
from answertrail.experiments.registered import artefacts_of
from answertrail.experiments.resolution import ResolutionScores, read_resolutions
from answertrail.experiments.resolution import score_resolutions as _score_resolutions
from answertrail.experiments.retrieval import score_retrieval as _score_retrieval
from answertrail.experiments.retrieval_scores import RetrievalScores
from answertrail.experiments.sealed import SealedQuestions, logged, seal_of
from answertrail.experiments.sides import compare_records
from answertrail.experiments.splits import of_split
from answertrail.experiments.trajectory import TrajectoryScores
from answertrail.experiments.trajectory import score_trajectories as _score_trajectories
from answertrail.experiments.view.table import ReportTable
from answertrail.metrics.measured import Intervals
from answertrail.records import Run, Verdict
from answertrail.settings import Settings

if TYPE_CHECKING:
    from pandas import DataFrame

Scores = AnswerScores | RefusalScores | TrajectoryScores | RetrievalScores | ResolutionScores | Comparison

__all__ = [
    "Intervals",
    "compare",
    "frames",
    "read_questions",
    "read_rankings",
    "read_resolutions",
    "read_runs",
    "read_verdicts",
    "score_answers",
    "score_refusals",
    "score_resolutions",
    "score_retrieval",
    "score_trajectories",
    "seal_of",
    "tables",
    "write_report",
]


def read_questions(path: str | Path, *, split: str | None = None, purpose: str = "python") -> SealedQuestions:
    """Read a question file, or the questions of one `split` of it.

    A look at held-out questions is written to the access log when they are scored, with `purpose`;
    the same system again is the same look (`seal_of`). Raises InputError naming file, line and id.
    """
    questions = _read_questions(Path(path))
    if split is not None:
        questions = of_split(questions, split)
    return SealedQuestions(questions.questions, questions.hash, Settings.from_environment().home, purpose)


score_answers = logged(_score_answers, runs=artefacts_of)
score_refusals = logged(_score_refusals, runs=artefacts_of)
score_trajectories = logged(_score_trajectories, runs=artefacts_of)
score_retrieval = logged(_score_retrieval, rankings=ranking_artefacts)
score_resolutions = logged(_score_resolutions, resolutions=resolution_artefacts)
compare = logged(compare_records, first=record_artefacts, second=record_artefacts)


def tables(scores: Scores) -> list[ReportTable]:
    """Return the tables of a result, the same that the terminal and the reports show."""
    from answertrail.experiments import view
    from answertrail.experiments.view import answers, comparison, refusal, resolution, retrieval, trajectory

    if isinstance(scores, AnswerScores):
        return answers.tables(scores)
    if isinstance(scores, RefusalScores):
        return refusal.tables(scores)
    if isinstance(scores, TrajectoryScores):
        return trajectory.tables(scores)
    if isinstance(scores, RetrievalScores):
        return retrieval.tables(scores)
    if isinstance(scores, ResolutionScores):
        return resolution.tables(scores)
    if isinstance(scores, Comparison):
        return comparison.tables(scores)
    raise TypeError(f"{type(scores).__name__} is no result; see {view.__name__}")


def frames(scores: Scores) -> dict[str, DataFrame]:
    """Return the tables of a result as pandas data frames by their key; rates keep parts and interval.

    Raises ServiceError when pandas is not installed.
    """
    from answertrail.experiments.view.frames import frames as framed

    return framed(tables(scores))


def write_report(
    path: str | Path,
    questions: QuestionSet,
    *,
    runs: Sequence[Run] = (),
    verdicts: Sequence[Verdict] = (),
    answers: AnswerScores | None = None,
    refusals: RefusalScores | None = None,
    trajectory: TrajectoryScores | None = None,
    retrieval: RetrievalScores | None = None,
    resolution: ResolutionScores | None = None,
    comparison: Comparison | None = None,
    title: str = "Evaluation report",
) -> Path:
    """Write one report of these results; the ending of the name says in which form (.html, .md, .json).

    `runs` and `verdicts` are those the answers come from: they date the report and name what a
    reader must know first. With held-out questions the report says what the looks at them amount to
    (`seal_of`). Raises InputError for another ending or a disk that refuses.
    """
    from answertrail.experiments.report.build import Scored, build_report
    from answertrail.experiments.report.load import newest, warnings
    from answertrail.experiments.report.write import write

    scored = Scored(
        questions,
        tuple(runs),
        answers=answers,
        refusals=refusals,
        trajectory=trajectory,
        retrieval=retrieval,
        resolution=resolution,
        comparison=comparison,
        seal=seal_of(questions),
        notes=tuple(warnings(questions, runs, verdicts, answers.measures if answers else {})),
        made_at=newest(runs, verdicts),
    )
    write(Path(path), build_report(scored, title=title))
    return Path(path)
