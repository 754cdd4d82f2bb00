"""Search modes side by side, and the same question by question."""

from __future__ import annotations

from collections.abc import Iterable

from answertrail.experiments.report.data import HeatCell, HeatMap, HeatRow
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.parts import forest, keyed, spoken
from answertrail.experiments.retrieval_scores import QuestionRow, RetrievalScores
from answertrail.experiments.view import retrieval as retrieval_view

_DRAWN = ("recall", "all", "success", "mrr", "ndcg", "returned_precision", "evidence_recall", "window_coverage")


def retrieval(scores: RetrievalScores) -> Section:
    """Return each measure with the modes below one another, questions by modes, and every table."""
    every = dict.fromkeys(name for mode in scores.modes.values() for name in mode.measures)
    names = [name for name in every if name.partition("@")[0] in _DRAWN]
    rows = [
        (name, mode.mode, mode.measures[name])
        for name in names
        for mode in scores.modes.values()
        if name in mode.measures
    ]
    caption = (
        f"By {scores.unit}, over {scores.eligible} questions with gold. Intervals resample questions. "
        "The table has all measures."
    )
    measures = forest("figure-modes", "Search modes side by side", rows, caption)
    figures = tuple(figure for figure in (measures, _heat_map(scores)) if figure)
    intro = (
        "What each search mode retrieves of what it should, before any model writes an answer. A passage that is "
        "returned for an unanswerable question supports nothing.",
    )
    return Section("retrieval", "Retrieval", intro, keyed("retrieval", retrieval_view.tables(scores)), figures)


def _heat_map(scores: RetrievalScores) -> Figure | None:
    by_question: dict[str, dict[str, list[QuestionRow]]] = {}
    for row in scores.questions:
        by_question.setdefault(row.question_id, {}).setdefault(row.mode, []).append(row)
    if not by_question:
        return None
    columns = tuple(scores.modes)
    rows = tuple(
        HeatRow(name, tuple(_cell(modes.get(mode, ())) for mode in columns)) for name, modes in by_question.items()
    )
    rows = tuple(sorted(rows, key=_share))
    said = (f"{row.label} {', '.join(cell.text for cell in row.cells)}" for row in rows)
    caption = (
        f"Each cell: gold units found by rank {max(scores.ks)} / wanted, repeats added up. The worst questions first."
    )
    title = "Questions by search mode"
    return Figure("figure-question-modes", title, HeatMap(columns, rows), caption, spoken(said, "Found of wanted"))


def _cell(rows: Iterable[QuestionRow]) -> HeatCell:
    kept = list(rows)
    if not kept:
        return HeatCell(None, None, "not asked")
    scored = [row for row in kept if row.state != "error"]
    if not scored:
        return HeatCell(None, None, "error")
    found = sum(len(row.found) for row in scored)
    return HeatCell(found, found + sum(len(row.missed) for row in scored))


def _share(row: HeatRow) -> float:
    shares = [cell.share for cell in row.cells if cell.share is not None]
    return sum(shares) / len(shares) if shares else -1.0
