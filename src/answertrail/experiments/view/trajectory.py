"""Trajectories as tables; every table that shows `cited_share` says what it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from answertrail.experiments.provenance import ProvenanceScores
from answertrail.experiments.trajectory import RunRow, TrajectoryScores, definitions
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.trajectory.definitions import CITED_SHARE, DRIFT, INFORMATIONAL, RECALL_ANALOG

MEANINGS: Mapping[str, str] = {
    "needle_recall": "gold units retrieved / gold units",
    "mean_needle_recall": "the same, mean over questions",
    "citation_recall": "gold units cited / gold units",
    "mean_citation_recall": "the same, mean over questions",
    "supporting_fact_precision": "distinct ids cited that find a gold unit / distinct ids cited",
    "mean_supporting_fact_precision": "the same, mean over questions",
    "supporting_fact_f1": "F1 of a run's precision and citation recall, mean over questions",
    "cited_share": "distinct retrieved and cited / distinct retrieved",
    "mean_cited_share": "the same, mean over questions",
    "duplicate_search_rate": "searches with results that brought nothing new / searches with results",
    "chunks_per_search": "distinct retrieved / searches, mean over questions",
    "retrieval_drift": "1 - cosine of query and question, mean over a run's searches and over questions",
    "retrieval_drift_slope": "its change from one search to the next, mean over questions",
}


def tables(scores: TrajectoryScores) -> list[ReportTable]:
    """Return the recall analog, what only informs, made-up ids, missed evidence, the runs, and what was left out."""
    found = [*_evidence(scores), _informational(scores), *_fabricated(scores), *_missed(scores)]
    return [*found, *_runs(scores), *_left_out(scores)]


def provenance_table(scores: ProvenanceScores) -> ReportTable:
    """Return what was retrieved and cited by the two files, and the ids that do not meet."""
    rows: list[tuple[str, Cell]] = [
        ("distinct ids retrieved", len(scores.retrieved)),
        ("distinct ids cited", len(scores.cited)),
        ("cited_share", scores.cited_share),
        ("cited but never retrieved", ", ".join(scores.fabricated) or "none"),
    ]
    return table("provenance", "Retrieved and cited", ("", "value"), rows, (CITED_SHARE,))


def _evidence(scores: TrajectoryScores) -> Iterator[ReportTable]:
    names = [name for name in scores.measures if name not in INFORMATIONAL]
    if names:
        notes = (RECALL_ANALOG, f"Unit: {scores.unit}. Unanswerable questions are in none of these.")
        yield _measures(scores, "recall_analog", "Gold evidence found and cited", names, notes)


def _informational(scores: TrajectoryScores) -> ReportTable:
    names = [name for name in scores.measures if name in INFORMATIONAL]
    notes = [text for name, text in definitions(names).items() if name != "recall_analog"]
    return _measures(scores, "trajectory", "How the runs searched (informational; no gate can be set)", names, notes)


def _measures(
    scores: TrajectoryScores, key: str, title: str, names: list[str], notes: tuple[str, ...] | list[str]
) -> ReportTable:
    rows = [(name, scores.measures[name], MEANINGS[name]) for name in names]
    return table(key, title, ("measure", "value", "what is counted"), rows, notes)


def _fabricated(scores: TrajectoryScores) -> Iterator[ReportTable]:
    rows = [(row.trail.question_id, row.trail.run_id, name) for row in scores.rows for name in row.fabricated]
    if rows:
        yield table("fabricated", "Cited but never retrieved", ("question", "run", "id"), rows)


def _missed(scores: TrajectoryScores) -> Iterator[ReportTable]:
    """One row a gold unit that some run of its question did not retrieve or did not cite."""
    runs: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for row in scores.rows:
        if row.facts is None or row.facts.surfaced is None or row.facts.cited_units is None:
            continue
        for unit in row.units:
            seen = unit in row.facts.surfaced, unit in row.facts.cited_units
            runs.setdefault((row.trail.question_id, unit), []).append(seen)
    rows = [
        (question, unit, f"{sum(s for s, _ in seen)}/{len(seen)}", f"{sum(c for _, c in seen)}/{len(seen)}")
        for (question, unit), seen in runs.items()
        if not all(surfaced and cited for surfaced, cited in seen)
    ]
    if rows:
        columns = ("question", "gold unit", "retrieved in runs", "cited in runs")
        yield table("missed", "Gold evidence not retrieved, or retrieved and not cited", columns, rows)


def _runs(scores: TrajectoryScores) -> Iterator[ReportTable]:
    if not scores.rows:
        return
    with_gold = any(row.facts for row in scores.rows)
    with_drift = any(row.drift for row in scores.rows)
    columns = ["question", "repeat", "searches", "retrieved", "cited", "cited_share"]
    columns += ["gold retrieved", "gold cited", "F1"] if with_gold else []
    columns += ["drift", "slope"] if with_drift else []
    notes = [CITED_SHARE, *([DRIFT] if with_drift else [])]
    rows = [
        (row.trail.question_id if scores.questions_hash else row.question, *_run(row, with_gold, with_drift))
        for row in scores.rows
    ]
    yield table("runs", "Run by run", columns, rows, notes)


def _run(row: RunRow, with_gold: bool, with_drift: bool) -> list[Cell]:
    trail, facts = row.trail, row.facts
    cells: list[Cell] = [
        trail.repeat,
        None if trail.searches is None else len(trail.searches),
        None if trail.retrieved is None else len(trail.retrieved),
        None if trail.cited is None else len(trail.cited),
        row.share,
    ]
    if with_gold:
        cells += (
            [None] * 3 if facts is None else [_of(facts.surfaced, facts.units), _of(facts.cited_units, facts.units)]
        )
        cells += [] if facts is None else [facts.f1]
    if with_drift:
        cells += [None, None] if row.drift is None else [row.drift.mean, row.drift.slope]
    return cells


def _of(units: tuple[str, ...] | None, whole: int) -> str | None:
    return None if units is None else f"{len(units)}/{whole}"


def _left_out(scores: TrajectoryScores) -> Iterator[ReportTable]:
    groups: dict[tuple[str, str], list[str]] = {}
    for run in scores.errored:
        groups.setdefault((f"run ended {run.status}, in no count", run.reason), []).append(run.run_id)
    for record in scores.left_out:
        groups.setdefault((f"{record.kind} not scored", record.reason), []).append(record.id)
    for name in scores.missing:
        groups.setdefault(("question in no count", "no run"), []).append(name)
    for question in scores.ineligible:
        groups.setdefault(("question not in the recall analog", question.reason), []).append(question.question_id)
    for row in scores.not_applicable:
        groups.setdefault((f"run not in {row.measure}", row.reason), []).append(row.run_id)
    rows = [(*key, len(ids), ", ".join(ids)) for key, ids in groups.items()]
    if rows:
        notes = definitions(row.measure for row in scores.not_applicable).values()
        yield table("left_out", "Left out", ("what", "why", "n", "which"), rows, notes)
