"""Node resolution as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from answertrail.experiments.resolution import ResolutionScores
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.resolution.cases import Case
from answertrail.metrics.resolution.funnel import TITLES
from answertrail.metrics.resolution.slices import Row, SliceTable

MEANINGS: Mapping[str, str] = {
    "r@1": "gold node ranked first / answerable",
    "r@3": "gold node in the first three / answerable",
    "r@5": "gold node in the list of five / answerable",
    "correct": "resolved to the gold node / answerable",
    "wrong": "resolved to another node / answerable",
    "unanswerable_resolved": "resolved to some node / unanswerable",
    "choose_rate": "answered with a list to choose from / all",
    "none_rate": "answered with nothing / all",
    "precision": "resolved to the gold node / resolved, answerable or not",
}


def tables(scores: ResolutionScores) -> list[ReportTable]:
    """Return measures, funnel, slices, the wrong resolutions, the questions lost, and what was left out."""
    found = [_measures(scores), _funnel(scores)]
    by_gold = ("r@1", "r@3", "r@5", "correct", "wrong")
    found += _slices("Language pair (question → node)", scores.by_language_pair, by_gold)
    found += _slices("Gold node type", scores.by_node_type, by_gold)
    found += _slices("Kind of unanswerable question", scores.by_unanswerable_kind, ("unanswerable_resolved",))
    return [*found, *_wrong(scores), *_lost(scores), *_left_out(scores)]


def _measures(scores: ResolutionScores) -> ReportTable:
    rows = [(name, value, MEANINGS[name]) for name, value in scores.measures.items()]
    rules = ", ".join(f"{name} ({count})" for name, count in sorted(scores.rules.items()))
    notes = [f"Rule: {rules or 'no resolution'}. Intervals: Wilson's, questions as trials."]
    if missing := len(scores.matched.missing):
        notes.append(
            f"{missing} question(s) without a resolution: not found in r@k and correct, unscored in all other measures."
        )
    return table("resolution", "Node resolution", ("measure", "value", "what is counted"), rows, notes)


def _funnel(scores: ResolutionScores) -> ReportTable:
    rows = [(TITLES[step], value, len(scores.funnel.lost_at(step))) for step, value in scores.funnel.steps.items()]
    return table("funnel", "Where answerable questions are lost", ("the gold node is", "passed", "lost here"), rows)


def _slices(title: str, cut: SliceTable, rates: tuple[str, ...]) -> Iterator[ReportTable]:
    if not cut.rows:
        return
    counts = tuple(cut.total.counts)
    columns = (title.split(" (")[0].lower(), "n", *rates, *(name.replace("_", " ") for name in counts))
    rows = [_row(row, rates, counts) for row in (*cut.rows, cut.total)]
    yield table(f"by_{cut.by}", title, columns, rows, ("Every column adds up to the last row.",))


def _row(row: Row, rates: tuple[str, ...], counts: tuple[str, ...]) -> list[Cell]:
    shown: list[Cell] = [row.value, row.n]
    for name in rates:
        rate = row.rates[name]
        shown.append(int(rate.ratio.numerator) if name in ("correct", "wrong") else rate)
    return [*shown, *(row.counts[name] for name in counts)]


def _wrong(scores: ResolutionScores) -> Iterator[ReportTable]:
    rows = [(case.question_id, _why_wrong(case), case.node) for case in scores.wrong]
    if rows:
        yield table("wrong", "Resolved to a wrong node", ("question", "the gold node was", "resolved to"), rows)


def _why_wrong(case: Case) -> str:
    if not case.answerable:
        return f"none ({case.unanswerable_kind or 'unanswerable'})"
    return f"ranked {case.rank}" if case.rank else "not in the list"


def _lost(scores: ResolutionScores) -> Iterator[ReportTable]:
    groups: dict[tuple[str, str, int], list[str]] = {}
    for row in scores.funnel.lost:
        groups.setdefault((row.step, row.status, row.rank), []).append(row.question_id)
    steps = list(TITLES)
    rows = [
        (TITLES[step], status, rank or None, len(ids), ", ".join(ids))
        for (step, status, rank), ids in sorted(groups.items(), key=lambda item: (steps.index(item[0][0]), item[0]))
    ]
    if rows:
        columns = ("the gold node was not", "outcome", "its rank", "n", "questions")
        yield table("lost", "Questions lost, by the first step not passed", columns, rows)


def _left_out(scores: ResolutionScores) -> Iterator[ReportTable]:
    found = scores.matched
    rows = [
        *((row.question_id, f"ineligible: {row.reason}") for row in found.ineligible),
        *((name, "no resolution: not found in r@k and correct, else unscored") for name in found.missing),
        *((name, "a resolution of no question in the set: not scored") for name in found.not_asked),
        *((name, "a resolution of another rule: not scored") for name in scores.other_rules),
        *((name, "resolved to a node that is not among its candidates") for name in found.unlisted),
        *((name, "asked in other words than the question set has") for name in found.reworded),
    ]
    if rows:
        yield table("left_out", "Left out, or to be looked at", ("question", "what"), rows)
