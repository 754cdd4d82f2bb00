"""Put a report together from scores: what was given is in it, in one order, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.compare import Comparison
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.refusal import RefusalScores
from answertrail.experiments.registration import Deviation, Registration
from answertrail.experiments.report.model import Report, Section
from answertrail.experiments.report.sections import more
from answertrail.experiments.report.sections.effort import effort
from answertrail.experiments.report.sections.failures import answer_failures
from answertrail.experiments.report.sections.headline import answers_headline
from answertrail.experiments.report.sections.known import known_by_question
from answertrail.experiments.report.sections.nuggets import heat_map, waterfall
from answertrail.experiments.report.sections.over_time import over_time
from answertrail.experiments.report.sections.parts import Value, keyed, picked
from answertrail.experiments.report.sections.provenance import provenance
from answertrail.experiments.report.sections.retrieval import retrieval
from answertrail.experiments.report.sections.unsupported import unsupported
from answertrail.experiments.resolution import ResolutionScores
from answertrail.experiments.retrieval_scores import RetrievalScores
from answertrail.experiments.splits import Seal
from answertrail.experiments.trajectory import TrajectoryScores
from answertrail.experiments.view import answers as answers_view
from answertrail.experiments.view.splits import seal_table
from answertrail.experiments.view.table import ReportTable
from answertrail.records import Run


@dataclass(frozen=True)
class Scored:
    """Everything a report can show; None is what was not scored. `runs` are those the answers come from.

    `files` are (what, name, hash) of what was read; `made_at` is the time of the newest record.
    """

    questions: QuestionSet
    runs: Sequence[Run] = ()
    answers: AnswerScores | None = None
    refusals: RefusalScores | None = None
    retrieval: RetrievalScores | None = None
    trajectory: TrajectoryScores | None = None
    resolution: ResolutionScores | None = None
    comparison: Comparison | None = None
    registration: Registration | None = None
    deviations: Sequence[Deviation] = ()
    seal: Seal | None = None
    notes: Sequence[str] = ()
    files: Sequence[tuple[str, str, str]] = ()
    made_at: str | None = None


def build_report(scored: Scored, *, title: str = "Evaluation report") -> Report:
    """Return the report of these scores. The same scores give the same report: no clock, no chance."""
    sections = list(_sections(scored))
    if scored.answers is not None:
        sections += _there(_left_out(scored.answers, sections))
    return Report(title, scored.made_at, (*sections, _provenance(scored)), dict(_scores(scored)))


def _sections(scored: Scored) -> Iterator[Section]:
    """Yield headline, failures, where nuggets are lost, slices, time, unsupported questions, the rest."""
    answers = scored.answers
    warnings = (*((scored.seal.note,) if scored.seal else ()), *scored.notes)
    if warnings:
        yield Section("notes", "Read this first", tuple(warnings))
    if answers is not None:
        yield answers_headline(answers, scored.refusals, scored.trajectory)
        yield answer_failures(answers, scored.runs, scored.refusals)
        yield from _there(waterfall(answers), _by_question(scored, answers), _slices(answers))
        yield from _there(over_time(scored.questions, answers, scored.runs))
    if scored.refusals is not None:
        yield unsupported(scored.refusals)
    if scored.retrieval is not None:
        yield retrieval(scored.retrieval)
    if scored.resolution is not None:
        yield more.resolution(scored.resolution)
    if scored.trajectory is not None:
        yield more.trajectory(scored.trajectory)
    if answers is not None:
        yield from _there(effort(answers))
    if scored.comparison is not None:
        yield more.comparison(scored.comparison)
    if scored.registration is not None:
        yield more.registration(scored.registration, scored.deviations)


def _there(*sections: Section | None) -> Iterator[Section]:
    return (section for section in sections if section is not None)


def _by_question(scored: Scored, answers: AnswerScores) -> Section | None:
    if answers.judge is not None:
        return heat_map(answers)
    if scored.refusals is None or scored.trajectory is None:
        return None
    return known_by_question(answers, scored.refusals, scored.trajectory)


def _slices(answers: AnswerScores) -> Section | None:
    tables = picked(answers_view.tables(answers), ("by_*", "ranges"))
    intro = ("The same measures over parts of the questions. The parts add up to the whole, or they are not shown.",)
    return Section("slices", "Slices and repeats", intro, keyed("answers", tables)) if tables else None


def _left_out(answers: AnswerScores, sections: Sequence[Section]) -> Section | None:
    """What no other section took, so that no table of the area can be lost."""
    shown = {table.key for section in sections for table in section.tables}
    rest = [table for table in keyed("answers", answers_view.tables(answers)) if table.key not in shown]
    intro = ("What is in no number above, and why.",)
    return Section("left-out", "Left out", intro, tuple(rest)) if rest else None


def _provenance(scored: Scored) -> Section:
    answers, search = scored.answers, scored.retrieval
    stamp = answers.stamp if answers else search.stamp if search else None
    return provenance(
        scored.questions,
        _measures(scored),
        conditions=answers.conditions if answers else None,
        corpus=search.stamp.corpus if search else None,
        code=stamp.code if stamp else None,
        files=scored.files,
        more=(seal_table(scored.seal),) if scored.seal else (),
    )


def _measures(scored: Scored) -> Iterator[tuple[str, Mapping[str, Value]]]:
    if scored.answers is not None:
        yield "answers", scored.answers.measures
    if scored.refusals is not None:
        yield "unsupported questions", scored.refusals.measures
    if scored.retrieval is not None:
        for name, mode in scored.retrieval.modes.items():
            yield f"retrieval, {name}", mode.measures
    if scored.resolution is not None:
        yield "node resolution", scored.resolution.measures
    if scored.trajectory is not None:
        yield "trajectories", scored.trajectory.measures


def _scores(scored: Scored) -> Iterator[tuple[str, object]]:
    parts = {
        "answers": scored.answers,
        "unsupported": scored.refusals,
        "retrieval": scored.retrieval,
        "resolution": scored.resolution,
        "trajectory": scored.trajectory,
        "comparison": scored.comparison,
        "registration": scored.registration,
        "seal": scored.seal,
    }
    return ((name, part.as_json()) for name, part in parts.items() if part is not None)


def opening(report: Report) -> list[ReportTable]:
    """Return the tables a terminal shows: the headline and the failures, or else the first section that has any."""
    named = [
        table for section in report.sections if section.key in ("headline", "failures") for table in section.tables
    ]
    first = next((section.tables for section in report.sections if section.tables), ())
    return named or list(first)
