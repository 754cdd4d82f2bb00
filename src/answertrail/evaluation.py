"""The evaluation in a dozen names, for scripts and notebooks; the command line is made of the same.

Read with `read_questions`, `read_runs`, `read_rankings`, `read_verdicts`, `read_resolutions`. Score
with `score_answers`, `score_refusals`, `score_trajectories`, `score_retrieval`,
`score_resolutions`; compare two systems with `compare`. Every result is a frozen value with
`measures`, `as_json()` and lists of all that was left out; `frames(result)` gives its tables as
pandas data frames, `write_report` one file for a colleague.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.answers import score_answers
from answertrail.experiments.compare import Comparison
from answertrail.experiments.inputs import QuestionSet, read_runs, read_verdicts
from answertrail.experiments.inputs import read_questions as _read_questions
from answertrail.experiments.rankings import read_rankings
from answertrail.experiments.refusal import RefusalScores, score_refusals
from answertrail.experiments.registration import Registration
from answertrail.experiments.resolution import ResolutionScores, read_resolutions, score_resolutions
from answertrail.experiments.retrieval import score_retrieval
from answertrail.experiments.retrieval_scores import RetrievalScores
from answertrail.experiments.trajectory import TrajectoryScores, score_trajectories
from answertrail.experiments.view.table import ReportTable
from answertrail.metrics.measured import Intervals
from answertrail.records import RetrievalRun, Run, Verdict

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
    "tables",
    "write_report",
]


def read_questions(path: str | Path, *, purpose: str = "python") -> QuestionSet:
    """Read a question file; a look at held-out questions is written to the access log.

    Raises InputError naming file, line and id.
    """
    from answertrail.experiments.splits import open_split
    from answertrail.settings import Settings

    questions = _read_questions(Path(path))
    home = Settings.from_environment().home
    open_split(questions, home=home, purpose=purpose, artefacts=(), command="read_questions")
    return questions


def compare(
    questions: QuestionSet,
    first: Sequence[Run] | Sequence[RetrievalRun],
    second: Sequence[Run] | Sequence[RetrievalRun],
    *,
    verdicts: Sequence[Verdict] = (),
    measures: Sequence[str] = (),
    labels: tuple[str, str] = ("A", "B"),
    ks: Sequence[int] = (10,),
    under_test: Sequence[str] = ("recipe", "prompt"),
    allow_different: Sequence[str] = (),
    allow_unequal_repeats: bool = False,
    registration: Registration | None = None,
    alpha: float = 0.05,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Comparison:
    """Compare two systems' runs, or two modes' rankings: differences second - first, paired by question.

    `measures` are names, NAME or TIER/NAME, `all`, or none for the registered or else the headline
    ones; with a registration deviations from it are listed and its alpha holds. Raises MismatchError when anything
    that is not under test differs, or repeats do, unless allowed.
    """
    from answertrail.experiments import compare as comparing
    from answertrail.experiments.sides import names_to_compare, side_of, with_tiers

    a = side_of(labels[0], _records(first), questions, verdicts, ks=ks)
    b = side_of(labels[1], _records(second), questions, verdicts, ks=ks)
    registered = [measure.name for measure in registration.measures] if registration else []
    names = names_to_compare(a, b, measures, registered)
    return comparing.compare(
        with_tiers(a, questions, names),
        with_tiers(b, questions, names),
        names,
        under_test=under_test,
        allow_different=allow_different,
        allow_unequal_repeats=allow_unequal_repeats,
        registration=registration,
        alpha=alpha,
        intervals=intervals,
    )


def _records(rows: Sequence[Run] | Sequence[RetrievalRun]) -> tuple[tuple[Run, ...], tuple[RetrievalRun, ...]]:
    runs = tuple(row for row in rows if isinstance(row, Run))
    return runs, tuple(row for row in rows if isinstance(row, RetrievalRun))


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
    reader must know first. Raises InputError for another ending or a disk that refuses.
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
        notes=tuple(warnings(questions, runs, verdicts, answers.measures if answers else {})),
        made_at=newest(runs, verdicts),
    )
    write(Path(path), build_report(scored, title=title))
    return Path(path)
