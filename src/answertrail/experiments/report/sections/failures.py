"""Failures first: which questions went wrong, what was missed, and what was said instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from answertrail.experiments.answer_scores import AnswerScores, MissedNugget, QuestionScore
from answertrail.experiments.report.model import Case, CaseLine, Link, Section
from answertrail.experiments.report.sections.parts import keyed, picked
from answertrail.experiments.view import answers as answers_view
from answertrail.metrics.answers.asked import Errored
from answertrail.metrics.values import Undefined
from answertrail.records import Run
from answertrail.records.run import RunChunk

_STATEMENTS = 12


def answer_failures(scores: AnswerScores, runs: Sequence[Run]) -> Section:
    """Return the failing questions as tables and, one by one, with what the worst run of each said."""
    bad = answers_view.failing(scores)
    errors: dict[str, list[Errored]] = {}
    for error in scores.errors:
        errors.setdefault(error.question_id, []).append(error)
    worst = _worst(scores, runs)
    return Section(
        "failures",
        "Failures first",
        (
            f"{len(bad)} of {len(scores.per_question)} questions have a run that did not complete, a nugget that "
            "was not stated, or, where a judge was asked, one without a verdict. Important questions first, then the "
            "worst. A run that did not complete is no miss: it is counted apart.",
        ),
        keyed("answers", picked(answers_view.tables(scores), ("failures", "errors", "missed_nuggets"))),
        cases=tuple(
            _case(number, row, errors.get(row.question_id, []), worst.get(row.question_id))
            for number, row in enumerate(bad, 1)
        ),
    )


def _worst(scores: AnswerScores, runs: Sequence[Run]) -> Mapping[str, Run]:
    """The run of each question that stated the fewest of its nuggets, the earliest repeat of several."""
    stated: dict[tuple[str, str], int] = {}
    for cell in scores.grid.cells:
        key = (cell.question_id, cell.run_id)
        stated[key] = stated.get(key, 0) + (cell.recall.mark == "HIT")
    by_id = {run.run_id: run for run in runs}
    out: dict[str, tuple[int, Run]] = {}
    for (question_id, run_id), count in stated.items():
        if run_id in by_id and (question_id not in out or count < out[question_id][0]):
            out[question_id] = (count, by_id[run_id])
    return {question_id: run for question_id, (_, run) in out.items()}


def _case(number: int, row: QuestionScore, errors: Iterable[Errored], run: Run | None) -> Case:
    retrieval_scored = not isinstance(row.rates["ceiling"].value, Undefined)
    lines = [
        *(CaseLine("did not complete", f"repeat {error.repeat}, {error.status}: {error.reason}") for error in errors),
        *(CaseLine("missed", f"{nugget.text} ({_how(nugget, retrieval_scored)})") for nugget in row.missed),
        *([CaseLine("without a verdict", f"{row.unscored} units")] if row.unscored else []),
        *(_said(run) if run and run.answer else ()),
    ]
    return Case(f"case-{number}", f"{row.question_id}: {row.question}", tuple(lines))


def _how(nugget: MissedNugget, retrieval_scored: bool) -> str:
    found = f", retrieved in {nugget.retrieved_when_missed} of those" if retrieval_scored else ""
    return f"not stated in {nugget.missed} of {nugget.scored} runs{found}"


def _said(run: Run) -> Iterator[CaseLine]:
    if run.answer is None:
        return
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    yield CaseLine("the run that stated least", f"{run.run_id}: {run.answer.outcome.replace('_', ' ')}")
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
