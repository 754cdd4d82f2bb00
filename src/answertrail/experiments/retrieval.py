"""Score rankings against labelled questions: modes side by side, every question, nothing left out in silence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.retrieval_mode import Key, Task, score_mode, where
from answertrail.experiments.retrieval_scores import ModeScores, QuestionRow, RetrievalScores, StrayRanking
from answertrail.experiments.retrieval_unit import document_namer, ranking_unit
from answertrail.experiments.stamp import stamp
from answertrail.metrics.measured import Ineligible, Intervals
from answertrail.metrics.ranking.gold import Gold, gold_of
from answertrail.metrics.ranking.units import UnitKind
from answertrail.records import Question, RetrievalRun
from answertrail.records.run import CorpusRef

MAX_ERROR_SHARE = 0.02


def score_retrieval(
    questions: QuestionSet,
    rankings: Iterable[RetrievalRun],
    *,
    ks: Sequence[int] = (10,),
    unit: str | None = None,
    budget: int | None = None,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
    averaged_ties: bool = False,
    max_error_share: float = MAX_ERROR_SHARE,
    corpus: CorpusRef | None = None,
    documents: Collection[str] = (),
) -> RetrievalScores:
    """Return the contract's retrieval measures of every mode at each k, and at a budget of chunks when given.

    A question without a ranking counts 0 in every repeat the mode has. A ranking whose `meta.error`
    is set is unscored; a mode with more than `max_error_share` of them is invalid and its measures
    are Undefined. Rankings of unknown questions are listed. `documents` are ids known to be
    documents, for collections whose document ids look like chunk ids (`document_namer`).

    Raises InputError without a ranking of a known question, for a (question, mode, repeat) given
    twice, a score that rises along its list, k or budget below 1, one relevant id with two grades,
    and as `ranking_unit`.
    """
    rows = list(rankings)
    chosen = tuple(dict.fromkeys(ks))
    for name, value in (*(("k", k) for k in chosen), ("budget", budget)):
        if value is not None and value < 1:
            raise InputError(f"{name} must be at least 1, not {value}")
    if not chosen:
        raise InputError("no k given")
    by_id = questions.by_id
    modes = _by_mode(rows, by_id)
    kind = ranking_unit(questions.questions, rows, unit)
    document = document_namer(questions.questions, rows, documents)
    golds = {question.question_id: _gold(question, kind, document) for question in questions.questions}
    task = Task(
        by_id,
        {name: gold for name, gold in golds.items() if isinstance(gold, Gold)},
        tuple(gold for gold in golds.values() if isinstance(gold, Ineligible)),
        kind,
        chosen,
        budget,
        intervals,
        averaged_ties,
        max_error_share,
    )
    scored = {name: score_mode(task, name, kept) for name, kept in modes.items()}
    return RetrievalScores(
        {name: mode for name, (mode, _) in scored.items()},
        _ordered([row for _, shown in scored.values() for row in shown], questions.ids, list(scored)),
        task.ineligible,
        tuple(dict.fromkeys(StrayRanking(r.question_id, r.mode) for r in rows if r.question_id not in by_id)),
        kind,
        chosen,
        budget,
        len(task.golds),
        stamp(questions.hash, corpus),
    )


def _by_mode(rows: Sequence[RetrievalRun], questions: Mapping[str, Question]) -> dict[str, dict[Key, RetrievalRun]]:
    modes: dict[str, dict[Key, RetrievalRun]] = {}
    for row in rows:
        kept = modes.setdefault(row.mode, {})
        key = (row.question_id, row.repeat or 0)
        if key in kept:
            raise InputError(
                "two rankings of one question, mode and repeat",
                where=where(row),
                hint="number the repeats with `repeat`, or name the modes apart",
            )
        kept[key] = row
    if not any(row.question_id in questions for row in rows):
        hint = "give the question file the rankings were made for"
        said = f"none of the {len(rows)} rankings is of a question in the file" if rows else "there is no ranking"
        raise InputError(said, hint=hint)
    return {mode: {key: row for key, row in kept.items() if key[0] in questions} for mode, kept in modes.items()}


def _gold(question: Question, unit: UnitKind, document: Callable[[str], str]) -> Gold | Ineligible:
    try:
        return gold_of(question, unit, document)
    except ValueError as error:
        raise InputError(str(error), where=f"question {question.question_id}") from None


def _ordered(rows: Iterable[QuestionRow], ids: Sequence[str], modes: Sequence[str]) -> tuple[QuestionRow, ...]:
    """Important questions first, then those of which nothing was found, then those found in part."""
    place = {name: number for number, name in enumerate(ids)}
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                not row.important,
                2 if row.found and not row.missed else 1 if row.found else 0,
                place[row.question_id],
                modes.index(row.mode),
                row.repeat,
            ),
        )
    )


__all__ = ["MAX_ERROR_SHARE", "ModeScores", "QuestionRow", "RetrievalScores", "score_retrieval"]
