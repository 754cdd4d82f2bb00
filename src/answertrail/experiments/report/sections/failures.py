"""Failures first: which questions went wrong, what was missed, and what was said instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from answertrail.experiments.answer_scores import AnswerScores, MissedNugget, QuestionScore
from answertrail.experiments.refusal import RefusalScores
from answertrail.experiments.report.model import Case, CaseLine, Link, Section
from answertrail.experiments.report.sections.parts import keyed, picked
from answertrail.experiments.view import answers as answers_view
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.answers.asked import Errored
from answertrail.metrics.refusal.cases import Case as Said
from answertrail.records import Run
from answertrail.records.run import RunChunk

_STATEMENTS = 12
FALSE_ANSWER, OVER_REFUSAL = "false answer", "over-refusal"


@dataclass
class _Wrong:
    """What went wrong with one question, apart from what it missed."""

    errors: list[Errored] = field(default_factory=list)
    false_answers: list[Said] = field(default_factory=list)
    over_refusals: list[Said] = field(default_factory=list)


def answer_failures(scores: AnswerScores, runs: Sequence[Run], refusals: RefusalScores | None = None) -> Section:
    """Return the failing questions as tables and, one by one, with what the worst run of each said."""
    wrong = _wrong(scores, refusals)
    bad = _failing(scores, wrong)
    shown = _run_shown(scores, runs, wrong)
    tables = keyed("answers", picked(answers_view.tables(scores), ("failures", "errors", "missed_nuggets")))
    return Section(
        "failures",
        "Failures first",
        (
            f"{len(bad)} of {len(scores.per_question)} questions have a run that did not complete, an answer the "
            "corpus cannot give, a refusal of what it can, a nugget that was not stated, or, where a judge was asked, "
            "one without a verdict. Important questions first, then false answers, then the worst. A run that did "
            "not complete is no miss: it is counted apart.",
        ),
        (*_said_wrongly(bad, wrong), *tables),
        cases=tuple(
            _case(number, row, wrong.get(row.question_id, _Wrong()), shown.get(row.question_id))
            for number, row in enumerate(bad, 1)
        ),
    )


def _wrong(scores: AnswerScores, refusals: RefusalScores | None) -> Mapping[str, _Wrong]:
    out: dict[str, _Wrong] = {}
    for error in scores.errors:
        out.setdefault(error.question_id, _Wrong()).errors.append(error)
    for case in refusals.false_answers if refusals else ():
        out.setdefault(case.question_id, _Wrong()).false_answers.append(case)
    for case in refusals.over_refusals if refusals else ():
        out.setdefault(case.question_id, _Wrong()).over_refusals.append(case)
    return out


def _failing(scores: AnswerScores, wrong: Mapping[str, _Wrong]) -> list[QuestionScore]:
    """The questions that went wrong: important ones first, then false answers, else in the scores' order."""
    names = {row.question_id for row in answers_view.failing(scores)} | set(wrong)
    bad = [row for row in scores.per_question if row.question_id in names]
    return sorted(bad, key=lambda row: (not row.important, not wrong.get(row.question_id, _Wrong()).false_answers))


def _said_wrongly(bad: Sequence[QuestionScore], wrong: Mapping[str, _Wrong]) -> Iterator[ReportTable]:
    """Yield the runs that answered what the corpus cannot answer, then those that declined what it can."""
    found = [(row, wrong[row.question_id]) for row in bad if row.question_id in wrong]
    cases = [
        *((FALSE_ANSWER, row, case) for row, one in found for case in one.false_answers),
        *((OVER_REFUSAL, row, case) for row, one in found for case in one.over_refusals),
    ]
    rows: list[tuple[Cell, ...]] = [
        (row.question_id, what, case.kind or case.tier, case.repeat, case.said.replace("_", " "), row.question)
        for what, row, case in cases
    ]
    columns = ("question", "what went wrong", "kind", "repeat", "how it ended", "text")
    if rows:
        yield table("report-said_wrongly", "False answers and over-refusals", columns, rows)


def _run_shown(scores: AnswerScores, runs: Sequence[Run], wrong: Mapping[str, _Wrong]) -> Mapping[str, tuple[str, Run]]:
    """The run of each question to look at, and why: the first false answer, else the one that stated least."""
    by_id = {run.run_id: run for run in runs}
    out = {name: ("the run that stated least", run) for name, run in _worst(scores, by_id).items()}
    for name, found in wrong.items():
        for what, cases in ((OVER_REFUSAL, found.over_refusals), (FALSE_ANSWER, found.false_answers)):
            if cases and cases[0].run_id in by_id:
                out[name] = (f"the {what}", by_id[cases[0].run_id])
    return out


def _worst(scores: AnswerScores, by_id: Mapping[str, Run]) -> Mapping[str, Run]:
    """The run of each question that stated the fewest of its nuggets, the earliest repeat of several."""
    stated: dict[tuple[str, str], int] = {}
    for cell in scores.grid.cells:
        key = (cell.question_id, cell.run_id)
        stated[key] = stated.get(key, 0) + (cell.recall.mark == "HIT")
    out: dict[str, tuple[int, Run]] = {}
    for (question_id, run_id), count in stated.items():
        if run_id in by_id and (question_id not in out or count < out[question_id][0]):
            out[question_id] = (count, by_id[run_id])
    return {question_id: run for question_id, (_, run) in out.items()}


def _case(number: int, row: QuestionScore, wrong: _Wrong, shown: tuple[str, Run] | None) -> Case:
    lines = [
        *(
            CaseLine("did not complete", f"repeat {error.repeat}, {error.status}: {error.reason}")
            for error in wrong.errors
        ),
        *(
            CaseLine(FALSE_ANSWER, f"repeat {case.repeat}: {case.said.replace('_', ' ')}; unanswerable, {case.kind}")
            for case in wrong.false_answers
        ),
        *(
            CaseLine(OVER_REFUSAL, f"repeat {case.repeat}: declined; the corpus can answer")
            for case in wrong.over_refusals
        ),
        *(CaseLine("missed", f"{nugget.text} ({_how(nugget)})") for nugget in row.missed),
        *([CaseLine("without a verdict", f"{row.unscored} units")] if row.unscored else []),
        *(_said(*shown) if shown else ()),
    ]
    return Case(f"case-{number}", f"{row.question_id}: {row.question}", tuple(lines))


def _how(nugget: MissedNugget) -> str:
    missed = f"not stated in {nugget.missed} of {nugget.scored} runs"
    if nugget.retrieved_when_missed is None:
        return f"{missed}, not judged whether it was retrieved"
    if nugget.unscored_when_missed:
        return f"{missed}, retrieved in {answers_view.retrieved(nugget)}"
    return f"{missed}, retrieved in {nugget.retrieved_when_missed} of those"


def _said(why: str, run: Run) -> Iterator[CaseLine]:
    if run.answer is None:
        return
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    yield CaseLine(why, f"{run.run_id}: {run.answer.outcome.replace('_', ' ')}")
    statements = run.answer.statements or []
    for statement in statements[:_STATEMENTS]:
        links = tuple(_link(name, chunks.get(name)) for name in statement.citations)
        yield CaseLine("it says", statement.text, links)
    if len(statements) > _STATEMENTS:
        yield CaseLine("", f"and {len(statements) - _STATEMENTS} more statements")
    if run.answer.text and not statements:
        yield CaseLine("it says", run.answer.text)
    for part in run.answer.not_found or []:
        yield CaseLine("it did not find", part)


def _link(name: str, chunk: RunChunk | None) -> Link:
    return Link(name if chunk is None or not chunk.title else f"{chunk.title} ({name})", chunk.url if chunk else None)
