"""Score one search mode: its measures, its questions, and what it left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answertrail.errors import InputError
from answertrail.experiments.retrieval_scores import FailedRanking, MissingRanking, ModeScores, QuestionRow, Value
from answertrail.experiments.retrieval_unit import chunk_rankings
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured
from answertrail.metrics.ranking import budget as at_budget
from answertrail.metrics.ranking import ties
from answertrail.metrics.ranking.gold import Gold
from answertrail.metrics.ranking.hits import Hits, found, hits_of
from answertrail.metrics.ranking.measures import NOTHING, Lost, Result, ranking_measures
from answertrail.metrics.ranking.ranked import RankedList, by_document, ranked_list
from answertrail.metrics.ranking.slices import sliced
from answertrail.metrics.ranking.units import UnitKind
from answertrail.metrics.values import Undefined
from answertrail.records import Question, RetrievalRun

Key = tuple[str, int]  # question and repeat


@dataclass(frozen=True, slots=True)
class Task:
    """What all modes are scored with."""

    questions: Mapping[str, Question]
    golds: Mapping[str, Gold]
    ineligible: tuple[Ineligible, ...]
    unit: UnitKind
    ks: tuple[int, ...]
    budget: int | None
    intervals: Intervals
    averaged: bool
    max_error_share: float


def score_mode(task: Task, mode: str, rows: Mapping[Key, RetrievalRun]) -> tuple[ModeScores, list[QuestionRow]]:
    """Return a mode's scores and one row for each eligible question and repeat."""
    failed = {key: _error(row) for key, row in rows.items() if _failed(row)}
    given = {key: _ready(row) for key, row in rows.items() if key not in failed}
    repeats = tuple(sorted({repeat for _, repeat in rows})) or (0,)
    expected = [(name, repeat) for name in task.golds for repeat in repeats]
    lost = [
        Lost(task.golds[name], repeat, failed[name, repeat]) for name, repeat in expected if (name, repeat) in failed
    ]
    lists = {
        key: _in_unit(task.unit, rows[key], given[key]) if key in given else RankedList(())
        for key in expected
        if key not in failed
    }
    results = [
        Result(task.golds[name], hits_of(task.golds[name], ranked.ids) if ranked.ids else NOTHING, repeat)
        for (name, repeat), ranked in lists.items()
    ]
    ranking = ranking_measures(results, task.ks, lost=lost, ineligible=task.ineligible, intervals=task.intervals)
    measures: dict[str, Value] = {**ranking, **_beside(task, rows, given, list(lists), failed)}
    averaged: Mapping[str, Measured | Undefined] = {}
    if task.averaged:
        tied = [ties.tied_list(task.golds[name], ranked, repeat) for (name, repeat), ranked in lists.items()]
        averaged = ties.tie_averaged(tied, task.ks, lost=lost, ineligible=task.ineligible, intervals=task.intervals)
    invalid = _invalid(len(failed), len(rows), task.max_error_share)
    unsupported = [key for key in given if task.questions[key[0]].tier == "unanswerable"]
    scores = ModeScores(
        mode,
        {name: Undefined(invalid) for name in measures} if invalid else measures,
        {} if invalid else _slices(task, ranking),
        len(rows),
        repeats,
        max((len(ranked.ids) for ranked in lists.values()), default=0),
        sum(ranked.repeated for ranked in given.values()),
        len({name for name, _ in given if any(given[name, r].tied for r in repeats if (name, r) in given)}),
        tuple(MissingRanking(*key) for key in expected if key not in rows),
        tuple(FailedRanking(name, repeat, reason) for (name, repeat), reason in failed.items()),
        invalid,
        {name: Undefined(invalid) for name in averaged} if invalid else averaged,
        len(unsupported),
        sum(bool(given[key].ids) for key in unsupported),
    )
    shown = [
        _row(task, mode, row.gold, row.repeat, row.hits, key_known=(row.gold.question_id, row.repeat) in given)
        for row in results
    ]
    return scores, shown + [_error_row(task, mode, row) for row in lost]


def _beside(
    task: Task,
    rows: Mapping[Key, RetrievalRun],
    given: Mapping[Key, RankedList],
    expected: Sequence[Key],
    failed: Mapping[Key, str],
) -> dict[str, Value]:
    """The measures at a budget, and those that need no gold."""
    out: dict[str, Value] = {}
    if task.budget is not None:
        chunks = all(chunk_rankings(rows[key]) for key in given)
        results = [
            at_budget.BudgetResult(task.questions[name], given[name, r].ids if (name, r) in given else (), r)
            for name, r in expected
        ]
        lost = [(task.questions[name], reason) for (name, _), reason in failed.items()]
        for label, rate in (
            ("evidence_recall", at_budget.evidence_recall),
            ("window_coverage", at_budget.window_coverage),
        ):
            out[f"{label}@b{task.budget}"] = (
                rate(results, task.budget, lost=lost, ineligible=task.ineligible, intervals=task.intervals)
                if chunks
                else Undefined("the rankings are not of chunks")
            )
    shown = [Observation(name, len(given[name, r].ids), given[name, r].shown, r) for name, r in given]
    out["distinct_yield"] = at_budget.distinct_yield(shown, intervals=task.intervals)
    times = [time for key in given if (time := rows[key].elapsed_ms) is not None]
    out["latency_p50_ms"] = at_budget.latency(times, 50)
    out["latency_p95_ms"] = at_budget.latency(times, 95)
    return out


def _ready(row: RetrievalRun) -> RankedList:
    try:
        return ranked_list([entry.id for entry in row.ranked], [entry.score for entry in row.ranked])
    except ValueError as error:
        raise InputError(
            str(error), where=where(row), hint="rank is the order given: sort the list, or leave the scores out"
        ) from None


def _in_unit(unit: UnitKind, row: RetrievalRun, ranked: RankedList) -> RankedList:
    return by_document(ranked) if unit == "document" and row.unit != "document" else ranked


def _failed(row: RetrievalRun) -> bool:
    return bool(row.meta and row.meta.get("error"))


def _error(row: RetrievalRun) -> str:
    error = (row.meta or {}).get("error")
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)


def _invalid(errors: int, rankings: int, allowed: float) -> str | None:
    if not errors or errors <= allowed * rankings:
        return None
    return f"invalid: {errors} of {rankings} rankings are errors ({errors / rankings:.1%}), more than {allowed:.1%}"


def _slices(task: Task, measures: Mapping[str, Measured]) -> dict[str, dict[str, dict[str, Measured]]]:
    tiers = {name: task.questions[name].tier for name in task.golds}
    groups = {name: group for name in task.golds if (group := task.questions[name].group) is not None}
    kinds: dict[str, Mapping[str, str]] = {"tier": tiers, **({"group": groups} if groups else {})}
    return {kind: sliced(measures, part_of) for kind, part_of in kinds.items()}


def _row(task: Task, mode: str, gold: Gold, repeat: int, hits: Hits, *, key_known: bool) -> QuestionRow:
    question = task.questions[gold.question_id]
    names = tuple(hits.names[: found(hits, max(task.ks))])
    return QuestionRow(
        gold.question_id,
        mode,
        repeat,
        names,
        tuple(name for name in gold.names if name not in set(names)),
        hits.ranks[0] if hits.ranks else None,
        bool(question.important),
        question.tier,
        question.group,
        "scored" if key_known else "missing",
    )


def _error_row(task: Task, mode: str, lost: Lost) -> QuestionRow:
    row = _row(task, mode, lost.gold, lost.repeat, NOTHING, key_known=True)
    return row._replace(missed=(), state="error")


def where(row: RetrievalRun) -> str:
    """Name a ranking in an error."""
    return f"question {row.question_id}, mode {row.mode}" + (f", repeat {row.repeat}" if row.repeat else "")
