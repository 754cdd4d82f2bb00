"""Scores of each question over its repeats: important ones first, then those that went worst."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from answertrail.experiments.answer_scores import MissedNugget, QuestionScore
from answertrail.metrics.answers.asked import Asked, AskedRun
from answertrail.metrics.answers.citations import citation_retrieved, citation_support
from answertrail.metrics.answers.grid import STANCE, Cell, Grid
from answertrail.metrics.answers.grounded import groundedness
from answertrail.metrics.answers.rates import Counted
from answertrail.metrics.answers.verdicts import Judged
from answertrail.metrics.values import Ratio, Undefined
from answertrail.records import Question


def per_question(questions: Sequence[Question], asked: Asked, grid: Grid, judged: Judged) -> tuple[QuestionScore, ...]:
    """Return one score a question, in the order a reader should look at them.

    Important questions first; within them those with runs that did not complete, then by recall,
    lowest first, then by id; questions without a recall come last.
    """
    counts = {
        "groundedness": _grouped(groundedness(asked, judged).rows),
        "citation_retrieved": _grouped(citation_retrieved(asked).rows),
        "citation_support": _grouped(citation_support(asked, judged).rows),
    }
    cells_of: dict[str, list[Cell]] = defaultdict(list)
    runs_of: dict[str, list[AskedRun]] = defaultdict(list)
    for cell in grid.cells:
        cells_of[cell.question_id].append(cell)
    for run in asked.runs:
        runs_of[run.question.question_id].append(run)
    rows = []
    for question in questions:
        name = question.question_id
        cells, runs = cells_of[name], runs_of[name]
        rates = {"recall": _stated(cells), "ceiling": _retrieved(cells)}
        rates |= {measure: _summed(found[name]) for measure, found in counts.items()}
        rows.append(_score(question, runs, cells, rates))
    return tuple(sorted(rows, key=_urgency))


def _score(question: Question, runs: list[AskedRun], cells: list[Cell], rates: dict[str, Ratio]) -> QuestionScore:
    return QuestionScore(
        question_id=question.question_id,
        question=question.question,
        tier=question.tier,
        group=question.group,
        language=question.language,
        important=bool(question.important),
        runs=sum(row.completed for row in runs),
        errored_runs=sum(not row.completed for row in runs),
        abstained_runs=sum(row.abstained for row in runs),
        rates=rates,
        unscored=sum(not cell.scored for cell in cells),
        missed=_missed(cells),
    )


def _urgency(row: QuestionScore) -> tuple[bool, bool, float, str]:
    value = row.rates["recall"].value
    return not row.important, not row.errored_runs, 2.0 if isinstance(value, Undefined) else value, row.question_id


def _stated(cells: list[Cell]) -> Ratio:
    marks = [cell.recall.mark for cell in cells if cell.kind in STANCE and cell.recall.scored]
    return Ratio(marks.count("HIT"), len(marks), if_empty="no nugget is scored")


def _retrieved(cells: list[Cell]) -> Ratio:
    marks = [cell.ceiling.mark for cell in cells if cell.kind in STANCE and cell.ceiling.scored]
    return Ratio(marks.count("HIT"), len(marks), if_empty="no nugget is scored")


def _grouped(rows: Iterable[Counted]) -> Mapping[str, list[Counted]]:
    out: dict[str, list[Counted]] = defaultdict(list)
    for row in rows:
        out[row.question_id].append(row)
    return out


def _summed(rows: Sequence[Counted]) -> Ratio:
    return Ratio(sum(row.hits for row in rows), sum(row.scored for row in rows), if_empty="nothing is scored")


def _missed(cells: list[Cell]) -> tuple[MissedNugget, ...]:
    out = []
    for nugget_id in dict.fromkeys(cell.nugget_id for cell in cells):
        same = [cell for cell in cells if cell.nugget_id == nugget_id]
        lost = [cell for cell in same if cell.recall.mark == "MISS"]
        if lost:
            scored = sum(cell.recall.scored for cell in same)
            judged = [cell.ceiling.mark for cell in lost if cell.ceiling.scored]
            found = judged.count("HIT") if judged else None
            rest = len(lost) - len(judged)
            out.append(MissedNugget(nugget_id, same[0].text, same[0].kind, len(lost), scored, found, rest))
    return tuple(out)
