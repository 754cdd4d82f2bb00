"""What a budget of chunks brings: evidence within N distinct chunks, time windows covered, repeats, latency."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.ranking.gold import Gold, evidence_gold, evidence_spans
from answertrail.metrics.ranking.hits import hits_of
from answertrail.metrics.ranking.units import Span
from answertrail.metrics.values import Estimate, Undefined
from answertrail.records.question import Question


class BudgetResult(NamedTuple):
    """The chunks one ranking gave a question, each once, in order; a question without a ranking has none."""

    question: Question
    chunk_ids: Sequence[str]
    repeat: int = 0


def evidence_recall(
    results: Iterable[BudgetResult],
    budget: int,
    *,
    lost: Iterable[tuple[Question, str]] = (),
    ineligible: Iterable[Ineligible] = (),
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Measured:
    """Return evidence items found within the first `budget` distinct chunks / evidence items, pooled.

    A chunk also finds what lies in the window before or after its own. Questions without an
    evidence item are ineligible; undefined when all are. Lost rankings are unscored.
    """
    observed, outside, unscored = [], list(ineligible), []
    for question, chunk_ids, repeat in results:
        gold = evidence_gold(question)
        if isinstance(gold, Ineligible):
            outside.append(gold)
            continue
        found = hits_of(gold, chunk_ids[:budget], neighbours=True)
        observed.append(Observation(question.question_id, len(found.names), gold.size, repeat))
    for question, reason in lost:
        gold = evidence_gold(question)
        if isinstance(gold, Gold):
            unscored.append(Unscored(question.question_id, gold.size, reason))
    return measure(
        f"evidence_recall@b{budget}",
        observed,
        statistic="totals",
        if_empty="no eligible question has an evidence item",
        ineligible=dict.fromkeys(outside),
        unscored=unscored,
        intervals=intervals,
    )


def window_coverage(
    results: Iterable[BudgetResult],
    budget: int,
    *,
    lost: Iterable[tuple[Question, str]] = (),
    ineligible: Iterable[Ineligible] = (),
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Measured:
    """Return nugget windows with evidence found / nugget windows, pooled; neighbours as in `evidence_recall`.

    The windows are those of nuggets that name evidence; one found item covers its window. A nugget
    with a window and no evidence is listed among the ineligible, and so is a question without windows.
    """
    observed, outside, unscored = [], list(ineligible), []
    for question, chunk_ids, repeat in results:
        windows, faults = _windows(question)
        outside += faults
        gold = evidence_gold(question)
        if not windows or isinstance(gold, Ineligible):
            continue
        names = set(hits_of(gold, chunk_ids[:budget], neighbours=True).names)
        covered = sum(any(span.name in names for span in spans) for spans in windows)
        observed.append(Observation(question.question_id, covered, len(windows), repeat))
    for question, reason in lost:
        if count := len(_windows(question)[0]):
            unscored.append(Unscored(question.question_id, count, reason))
    return measure(
        f"window_coverage@b{budget}",
        observed,
        statistic="totals",
        if_empty="no eligible question has a nugget with a window and evidence",
        ineligible=dict.fromkeys(outside),
        unscored=unscored,
        intervals=intervals,
    )


def _windows(question: Question) -> tuple[list[list[Span]], list[Ineligible]]:
    if question.tier == "unanswerable":
        return [], [Ineligible(question.question_id, "unanswerable: it has no supporting unit to find")]
    spans = evidence_spans(question)
    windows, faults = [], []
    for nugget in question.nuggets or ():
        if nugget.window is None:
            continue
        if nugget.evidence:
            windows.append([spans[index] for index in nugget.evidence])
        else:
            reason = f"nugget {nugget.nugget_id} has a window and no evidence"
            faults.append(Ineligible(question.question_id, reason))
    if not windows and not faults:
        faults.append(Ineligible(question.question_id, "no nugget with a window"))
    return windows, faults


def distinct_yield(
    shown: Iterable[Observation],
    *,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Measured:
    """Return distinct units / units shown, pooled over all rankings, of unanswerable questions too."""
    return measure("distinct_yield", shown, statistic="totals", if_empty="nothing was returned", intervals=intervals)


def latency(elapsed_ms: Sequence[float], percent: float) -> Estimate | Undefined:
    """Return a percentile of the time a search took, linear between the two nearest; Undefined without times."""
    if not elapsed_ms:
        return Undefined("no ranking says how long it took (elapsed_ms)")
    return Estimate(float(np.percentile(np.asarray(elapsed_ms, dtype=np.float64), percent)))
