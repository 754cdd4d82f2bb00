"""What a budget of chunks brings: evidence within N distinct chunks, time windows covered, repeats, latency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypedDict

import numpy as np

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.ranking.gold import evidence_gold, evidence_spans
from answertrail.metrics.ranking.hits import hits_of
from answertrail.metrics.ranking.units import Span
from answertrail.metrics.values import Estimate, Undefined
from answertrail.records.question import Question


class BudgetResult(NamedTuple):
    """The chunks one ranking gave a question, each once, in order; a question without a ranking has none."""

    question: Question
    chunk_ids: Sequence[str]
    repeat: int = 0


Sought = tuple[list[list[Span]], list[Ineligible]]
"""What is to be found for a question, each a list of evidence items of which one is enough; and what is left out."""


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
    return measure(
        f"evidence_recall@b{budget}",
        **_found(_items, results, budget, lost, ineligible),
        statistic="totals",
        if_empty="no eligible question has an evidence item",
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
    return measure(
        f"window_coverage@b{budget}",
        **_found(_windows, results, budget, lost, ineligible),
        statistic="totals",
        if_empty="no eligible question has a nugget with a window and evidence",
        intervals=intervals,
    )


class _Parts(TypedDict):
    observations: list[Observation]
    ineligible: list[Ineligible]
    unscored: list[Unscored]


def _found(
    sought_by: Callable[[Question], Sought],
    results: Iterable[BudgetResult],
    budget: int,
    lost: Iterable[tuple[Question, str]],
    ineligible: Iterable[Ineligible],
) -> _Parts:
    observed: list[Observation] = []
    outside = list(ineligible)
    for question, chunk_ids, repeat in results:
        sought, reasons = sought_by(question)
        outside += reasons
        gold = evidence_gold(question)
        if not sought or isinstance(gold, Ineligible):
            continue
        names = set(hits_of(gold, chunk_ids[:budget], neighbours=True).names)
        count = sum(any(span.name in names for span in spans) for spans in sought)
        observed.append(Observation(question.question_id, count, len(sought), repeat))
    unscored = [
        Unscored(question.question_id, count, reason)
        for question, reason in lost
        if (count := len(sought_by(question)[0]))
    ]
    return {"observations": observed, "ineligible": list(dict.fromkeys(outside)), "unscored": unscored}


def _items(question: Question) -> Sought:
    gold = evidence_gold(question)
    if isinstance(gold, Ineligible):
        return [], [gold]
    return [[span] for spans in gold.spans.values() for span in spans], []


def _windows(question: Question) -> Sought:
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
