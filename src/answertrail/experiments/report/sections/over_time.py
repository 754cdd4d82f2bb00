"""Coverage over time: periods the runs say they searched, and nuggets by the period they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.report.data import Part, Stacked, Whole
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.nuggets import classes
from answertrail.experiments.report.sections.parts import spoken
from answertrail.metrics.answers.waterfall import waterfall
from answertrail.records import Run
from answertrail.records.base import instant
from answertrail.records.run import CoveragePeriod

_MOST = 16


def over_time(questions: QuestionSet, scores: AnswerScores, runs: Sequence[Run]) -> Section | None:
    """Return both figures, as far as there is anything to show; None where there is nothing."""
    figures = [figure for figure in (_searched(runs), _found(questions, scores)) if figure]
    if not figures:
        return None
    intro = (
        "A question about change needs evidence from every period. Periods searched without result are a finding; "
        "periods never searched are a gap.",
    )
    return Section("over-time", "Coverage over time", intro, figures=tuple(figures))


@dataclass(frozen=True, slots=True)
class _Periods:
    """How dates are grouped: by quarter, or by year when that makes too many."""

    by_year: bool

    def name(self, date: str) -> str:
        moment = instant(date)
        return f"{moment.year}" if self.by_year else f"{moment.year} Q{(moment.month + 2) // 3}"


def _periods(dates: Iterable[str]) -> _Periods:
    quarters = _Periods(by_year=False)
    return _Periods(by_year=len({quarters.name(date) for date in dates}) > _MOST)


def _searched(runs: Sequence[Run]) -> Figure | None:
    said = [period for run in runs if run.answer for period in run.answer.coverage or []]
    if not said:
        return None
    periods = _periods(period.from_ for period in said)
    groups: dict[str, list[CoveragePeriod]] = {}
    for period in said:
        groups.setdefault(periods.name(period.from_), []).append(period)
    wholes = tuple(Whole(name, _states(groups[name]), len(groups[name])) for name in sorted(groups))
    with_coverage = sum(1 for run in runs if run.answer and run.answer.coverage)
    return _figure(
        "figure-coverage",
        "Periods searched, as the runs report them",
        wholes,
        f"{with_coverage} of {len(runs)} runs report their periods, counted by the period's beginning. "
        "Beside each bar: periods with evidence of all reported.",
    )


def _states(periods: Sequence[CoveragePeriod]) -> tuple[Part, ...]:
    evidence = sum(1 for period in periods if period.evidence)
    nothing = sum(1 for period in periods if not period.evidence and period.searched)
    never = sum(1 for period in periods if not period.evidence and period.searched is False)
    rest = len(periods) - evidence - nothing - never
    return (
        Part("with evidence", evidence),
        Part("searched, nothing found", nothing),
        Part("not searched", never),
        Part("not said", rest),
    )


def _found(questions: QuestionSet, scores: AnswerScores) -> Figure | None:
    windows: Mapping[tuple[str, str], str] = {
        (question.question_id, nugget.nugget_id): nugget.window.from_
        for question in questions.questions
        for nugget in question.nuggets or []
        if nugget.window
    }
    dated = [cell for cell in scores.grid.cells if (cell.question_id, cell.nugget_id) in windows]
    if not dated:
        return None
    periods = _periods(windows.values())
    names = [periods.name(windows[cell.question_id, cell.nugget_id]) for cell in dated]
    wholes = []
    for name in sorted(set(names)):
        counts = waterfall(cell for cell, period in zip(dated, names, strict=True) if period == name)
        if counts.total:
            wholes.append(Whole(name, classes(counts), counts.total))
    if not wholes:
        return None
    return _figure(
        "figure-windows",
        "Nuggets by the beginning of their time window",
        tuple(wholes),
        "Nuggets with a time window and both verdicts, all runs together, shift and no-change nuggets left out. "
        "Beside each bar: those stated with evidence of all.",
    )


def _figure(key: str, title: str, wholes: tuple[Whole, ...], caption: str) -> Figure:
    said = (f"{whole.label} {whole.parts[0].label} {whole.parts[0].count:g} of {whole.total:g}" for whole in wholes)
    return Figure(key, title, Stacked(wholes), caption, spoken(said, "By period"))
