"""Where nuggets are lost: the waterfall, and the same question by question."""

from __future__ import annotations

from collections.abc import Mapping

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.report.data import HeatCell, HeatMap, HeatRow, Part, Waterfall, Whole
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.parts import keyed, picked, spoken
from answertrail.experiments.view import answers as answers_view
from answertrail.metrics.answers.grid import STANCE, Cell
from answertrail.metrics.answers.waterfall import Waterfall as Counts


def waterfall(scores: AnswerScores) -> Section | None:
    """Return the four classes by tier, drawn so that they add up; the reason where no nugget has both verdicts.

    None without a nugget, and without a judge unless a definition alone decided on some.
    """
    tiers = {name: part.waterfall for name, part in scores.tiers.items() if part.waterfall.total}
    tables = keyed(
        "answers", picked(answers_view.tables(scores), ("waterfall", "miss_split", "stated_without_evidence"))
    )
    if not tiers:
        why = f"No nugget has both verdicts, of recall and of ceiling: {scores.waterfall.unscored} are without."
        there = bool(tables) or (scores.judge is not None and bool(scores.waterfall.unscored))
        return Section("waterfall", "Where nuggets are lost", (why,), tables) if there else None
    figures = (_falls(tiers, scores.waterfall.unscored),)
    intro = (
        "Every nugget of every run is in one of four classes. What is retrieved but unused is lost in writing the "
        "answer; what is in neither class is lost in searching; what is stated without its evidence is listed one by "
        "one, since it is knowledge of the model's own, an error of the judge, or a fault of the gold."
    )
    return Section("waterfall", "Where nuggets are lost", (intro,), tables, figures)


def _falls(tiers: Mapping[str, Counts], unscored: int) -> Figure:
    wholes = tuple(Whole(name, classes(counts), counts.total) for name, counts in tiers.items())
    said = [
        f"{whole.label}, {part.label} {part.count:g} of {whole.total:g}" for whole in wholes for part in whole.parts
    ]
    caption = "The bars add up to all nuggets that have both verdicts. Stated: the first and the third; retrieved: "
    caption += "the first and the second."
    if unscored:
        caption += f" {unscored} without both verdicts are in no bar."
    title = "From all nuggets to those stated"
    return Figure("figure-waterfall", title, Waterfall(wholes), caption, spoken(said, "Four classes that add up"))


def classes(counts: Counts) -> tuple[Part, ...]:
    """Return the four classes as parts."""
    return (
        Part("stated with evidence", counts.stated_with_evidence),
        Part("retrieved but unused", counts.retrieved_unused),
        Part("stated without evidence", counts.stated_without_evidence),
        Part("neither", counts.neither),
    )


def heat_map(scores: AnswerScores) -> Section | None:
    """Return questions by repeats: nuggets stated of those scored; None where no question has any."""
    cells: dict[str, dict[int, list[Cell]]] = {}
    for cell in scores.grid.of(STANCE):
        cells.setdefault(cell.question_id, {}).setdefault(cell.repeat, []).append(cell)
    states = {(error.question_id, error.repeat): error.status.replace("_", " ") for error in scores.errors}
    repeats = sorted({repeat for by_repeat in cells.values() for repeat in by_repeat} | {r for _, r in states})
    kept = [row.question_id for row in scores.per_question if row.question_id in cells]
    if not kept:
        return None
    rows = tuple(
        HeatRow(name, tuple(_cell(cells[name].get(repeat), states.get((name, repeat))) for repeat in repeats))
        for name in kept
    )
    rest = len(scores.per_question) - len(kept)
    caption = "Each cell: nuggets stated / those with a verdict, in one run. Darker is more; the worst questions first."
    if rest:
        caption += f" {rest} questions without a scored nugget are not in it."
    data = HeatMap(tuple(f"repeat {repeat}" for repeat in repeats), rows)
    said = (f"{row.label} {', '.join(cell.text for cell in row.cells)}" for row in rows)
    figure = Figure(
        "figure-questions", "Questions by repeats", data, caption, spoken(said, "Nuggets stated of nuggets scored")
    )
    intro = "Rows that differ from left to right are questions that the same system answers now one way, now another."
    return Section("questions", "Question by question", (intro,), figures=(figure,))


def _cell(cells: list[Cell] | None, status: str | None) -> HeatCell:
    if status:
        return HeatCell(None, None, status)
    if not cells:
        return HeatCell(None, None, "not asked")
    marks = [cell.recall.mark for cell in cells if cell.recall.scored]
    if not marks:
        return HeatCell(None, None, "unscored")
    return HeatCell(marks.count("HIT"), len(marks))
