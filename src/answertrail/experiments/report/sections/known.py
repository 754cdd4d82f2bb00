"""What is known without verdicts: gold evidence, answering and refusing, citations; also question by question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.refusal import RefusalScores
from answertrail.experiments.report.data import HeatCell, HeatMap, HeatRow
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.parts import Value, chosen, spoken
from answertrail.experiments.trajectory import RunRow, TrajectoryScores
from answertrail.experiments.view import answers as answers_view
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.refusal.cases import Case

_CITATIONS = {
    "citation_exists": "distinct cited ids that are chunks of the corpus / distinct cited ids",
    "citation_retrieved": "distinct cited ids the run's searches returned / distinct cited ids",
    "citation_support": "statements their cited chunks support / statements that cite",
}
_EVIDENCE = {
    "needle_recall": "gold units retrieved / gold units",
    "citation_recall": "gold units cited / gold units",
    "supporting_fact_f1": "F1 of what a run cites against its gold, mean over questions",
}
_ANSWERING = {
    "false_answer_rate": "unanswerable runs that answered / such runs; low is good",
    "over_refusal_rate": "answerable runs that declined / such runs; low is good",
}
MEANINGS = {**_CITATIONS, **_EVIDENCE, **_ANSWERING}


def known(
    answers: AnswerScores, refusals: RefusalScores | None, trails: TrajectoryScores | None
) -> list[tuple[str, str, Value]]:
    """Return (group, name, value) of the measures that need no verdict."""
    parts = (
        ("gold evidence", trails.measures if trails else {}, _EVIDENCE),
        ("answering", refusals.measures if refusals else {}, _ANSWERING),
        ("citations", answers.measures, _CITATIONS),
    )
    return [(group, name, value) for group, measures, names in parts for name, value in chosen(measures, names)]


def known_table(rows: Sequence[tuple[str, str, Value]]) -> ReportTable:
    """Return these measures with what is counted."""
    shown = [(name, value, MEANINGS[name]) for _, name, value in rows]
    return table("report-known", "What is known without verdicts", ("measure", "value", "what is counted"), shown)


def known_by_question(answers: AnswerScores, refusals: RefusalScores, trails: TrajectoryScores) -> Section | None:
    """Return each question with how its runs ended and what of its gold they retrieved and cited; None without any."""
    ended: dict[str, list[Case]] = {}
    for case in refusals.cases:
        ended.setdefault(case.question_id, []).append(case)
    rows: dict[str, list[RunRow]] = {}
    for row in trails.rows:
        rows.setdefault(row.trail.question_id, []).append(row)
    found = {name: _evidence(rows.get(name, ())) for name in ended}
    order = sorted(ended, key=lambda name: (_rank(found[name]), name))
    if not order:
        return None
    texts = {row.question_id: row for row in answers.per_question}
    shown: list[list[Cell]] = [
        [
            name,
            "; ".join(_words(case) for case in ended[name]),
            *(cell.text for cell in found[name]),
            texts[name].tier,
            answers_view.cut(texts[name].question),
        ]
        for name in order
    ]
    columns = ("question", "how its runs ended", "gold retrieved", "gold cited", "tier", "text")
    intro = "Without verdicts nobody knows what an answer states; this is what the runs themselves show."
    listed = table("report-by_question", "What each question came to", columns, shown)
    figures = tuple(_figure(order, found))
    return Section("questions", "Question by question", (intro,), (listed,), figures)


def _figure(order: Sequence[str], found: dict[str, tuple[HeatCell, HeatCell]]) -> Iterator[Figure]:
    """Yield the questions with gold that is known to be retrieved or not."""
    rows = tuple(HeatRow(name, found[name]) for name in order if any(cell.of for cell in found[name]))
    if rows:
        caption = "Each cell: gold units found / wanted, repeats added up. Darker is more; the worst questions first."
        if rest := len(order) - len(rows):
            caption += f" {rest} questions without gold evidence or a completed run are not in it."
        said = (f"{row.label} {', '.join(cell.text for cell in row.cells)}" for row in rows)
        data = HeatMap(("retrieved", "cited"), rows)
        yield Figure("figure-questions", "Gold evidence by question", data, caption, spoken(said, "Found of wanted"))


def _evidence(rows: Sequence[RunRow]) -> tuple[HeatCell, HeatCell]:
    facts = [row.facts for row in rows if row.facts]
    if not rows or not facts:
        none = HeatCell(None, None, "no gold" if rows else "no completed run")
        return none, none
    surfaced = [(len(fact.surfaced), fact.units) for fact in facts if fact.surfaced is not None]
    cited = [(len(fact.cited_units), fact.units) for fact in facts if fact.cited_units is not None]
    return _summed(surfaced), _summed(cited)


def _summed(pairs: Sequence[tuple[int, int]]) -> HeatCell:
    if not pairs:
        return HeatCell(None, None, "not recorded")
    return HeatCell(sum(found for found, _ in pairs), sum(units for _, units in pairs))


def _rank(cells: tuple[HeatCell, HeatCell]) -> tuple[float, ...]:
    return tuple(2.0 if cell.share is None else cell.share for cell in cells)


def _words(case: Case) -> str:
    return case.status.replace("_", " ") if case.said == "failed" else case.said.replace("_", " ")
