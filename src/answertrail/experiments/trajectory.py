"""Describe trajectories: what runs retrieved, what of it they cited, and how that meets the gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from answertrail.errors import InputError, NotFoundError
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.unlabelled import questions_of
from answertrail.metrics.answers.applicable import NotApplicable
from answertrail.metrics.answers.asked import Errored, LeftOut, asked
from answertrail.metrics.answers.lost import lost_runs
from answertrail.metrics.measured import Ineligible, Intervals, Measured
from answertrail.metrics.ranking.gold import Gold, gold_of
from answertrail.metrics.trajectory.cited_share import cited_share, fabricated
from answertrail.metrics.trajectory.definitions import (
    CITED_SHARE,
    DRIFT,
    INFORMATIONAL,
    RECALL_ANALOG,
    refuse_rank_measure,
)
from answertrail.metrics.trajectory.drift import Drift
from answertrail.metrics.trajectory.measures import (
    NO_SEARCHES,
    Part,
    Taken,
    evidence_measures,
    search_measures,
    taken,
)
from answertrail.metrics.trajectory.needles import NOT_SAID_RETRIEVED, Facts, by_document, facts_of
from answertrail.metrics.trajectory.trail import Trail, trail_of
from answertrail.metrics.values import Json, Ratio, Undefined
from answertrail.records import Question, Run

Unit = Literal["chunk", "document"]
CLUSTERED = Intervals()


@dataclass(frozen=True, slots=True)
class RunRow:
    """One completed run. `facts` is None and `units` empty where its question has no gold; no `drift` unless asked."""

    question: str
    trail: Trail
    share: Ratio | Undefined
    fabricated: tuple[str, ...]
    units: tuple[str, ...]
    facts: Facts | None
    drift: Drift | None

    def as_json(self) -> Json:
        """Return the run's counts; null is unknown."""
        trail, facts = self.trail, self.facts
        out: Json = {
            "run_id": trail.run_id,
            "question_id": trail.question_id,
            "repeat": trail.repeat,
            "searches": None if trail.searches is None else len(trail.searches),
            "retrieved": None if trail.retrieved is None else len(trail.retrieved),
            "cited": None if trail.cited is None else len(trail.cited),
            "cited_share": self.share.as_json(),
            "fabricated": list(self.fabricated),
        }
        if facts is not None:
            out["evidence"] = {
                "units": facts.units,
                "surfaced": None if facts.surfaced is None else list(facts.surfaced),
                "cited": None if facts.cited_units is None else list(facts.cited_units),
                "supporting_fact_f1": facts.f1,
            }
        if self.drift is not None:
            out["retrieval_drift"] = self.drift.as_json()
        return out


@dataclass(frozen=True, slots=True)
class TrajectoryScores:
    """Measures over the completed runs, every run by itself, and all that took no part.

    `unit` says what counts as gold and as cited. `questions_hash` is None when no questions were given.
    `missing` are the questions without a run, `ineligible` those without gold.
    """

    measures: Mapping[str, Measured]
    rows: tuple[RunRow, ...]
    unit: Unit
    questions_hash: str | None
    missing: tuple[str, ...]
    ineligible: tuple[Ineligible, ...]
    not_applicable: tuple[NotApplicable, ...]
    errored: tuple[Errored, ...]
    left_out: tuple[LeftOut, ...]

    def measure(self, name: str) -> Measured:
        """Return a measure by name.

        Raises InputError for a measure of rankings, with the reason why a trajectory has none, and
        NotFoundError for any other name that is not there.
        """
        refuse_rank_measure(name)
        if name not in self.measures:
            raise NotFoundError(f"there is no measure {name!r}", hint=f"known: {', '.join(self.measures)}")
        return self.measures[name]

    @property
    def fabricated(self) -> tuple[tuple[str, str], ...]:
        """Each cited id that its run never retrieved, as (run id, id)."""
        return tuple((row.trail.run_id, name) for row in self.rows for name in row.fabricated)

    def as_json(self) -> Json:
        """Return measures (the informational ones say so), definitions, runs, and what was left out."""
        measures = {name: value.as_json() | _remark(name) for name, value in self.measures.items()}
        return {
            "measures": measures,
            "definitions": definitions(self.measures),
            "unit": self.unit,
            "per_run": [row.as_json() for row in self.rows],
            "fabricated": [{"run_id": run_id, "id": name} for run_id, name in self.fabricated],
            "missing": list(self.missing),
            "ineligible": [row._asdict() for row in self.ineligible],
            "not_applicable": [row.as_json() for row in self.not_applicable],
            "errored": [row.as_json() for row in self.errored],
            "left_out": [row.as_json() for row in self.left_out],
            "questions_hash": self.questions_hash,
        }


def score_trajectories(
    runs: Sequence[Run],
    questions: QuestionSet | None = None,
    *,
    unit: Unit = "chunk",
    drifts: Mapping[str, Drift] | None = None,
    intervals: Intervals = CLUSTERED,
) -> TrajectoryScores:
    """Score the trajectories of runs; with questions also against their gold.

    A run that did not complete is in no count and is listed. `unit` "document" takes gold,
    retrieved and cited ids by document. `drifts` by run id come from `drift.run_drifts`. Raises
    InputError as `asked`, and for a question whose gold contradicts itself.
    """
    found = asked(questions.questions if questions else questions_of(runs), runs)
    trails = [trail_of(row) for row in found.completed]
    made = search_measures(trails, intervals)
    golds: dict[str, Gold | Ineligible] = {}
    facts: dict[str, Facts] = {}
    if questions:
        golds = {question.question_id: _gold(question, unit) for question in questions.questions}
        facts = _facts(trails, golds, unit)
        pairs = [(trail, facts[trail.run_id]) for trail in trails if trail.run_id in facts]
        unasked = [row for row in found.unasked if isinstance(golds[row.question_id], Gold)]
        sizes = {name: gold.size for name, gold in golds.items() if isinstance(gold, Gold)}
        gone = lost_runs(questions.questions, found)
        made |= evidence_measures(pairs, [*_without(golds), *unasked], intervals, gone, sizes)
    if drifts is not None:
        made |= _drift_measures(trails, drifts, intervals)
    rows = [
        RunRow(
            row.run.question,
            trail,
            _share(trail),
            _made_up(trail),
            gold.names if isinstance(gold := golds.get(trail.question_id), Gold) else (),
            facts.get(trail.run_id),
            (drifts or {}).get(trail.run_id),
        )
        for row, trail in zip(found.completed, trails, strict=True)
    ]
    return TrajectoryScores(
        {name: one.measured for name, one in made.items()},
        tuple(rows),
        unit,
        questions.hash if questions else None,
        tuple(row.question_id for row in found.unasked),
        _without(golds),
        tuple(row for one in made.values() for row in one.not_applicable),
        found.errors,
        found.left_out,
    )


def definitions(names: Iterable[str]) -> dict[str, str]:
    """Return the plain-language definitions that go beside these measures wherever they are shown."""
    found, shown = set(names), {}
    if "cited_share" in found:
        shown["cited_share"] = CITED_SHARE
    if "needle_recall" in found:
        shown["recall_analog"] = RECALL_ANALOG
    if "retrieval_drift" in found:
        shown["retrieval_drift"] = DRIFT
    return shown


def _gold(question: Question, unit: Unit) -> Gold | Ineligible:
    try:
        return gold_of(question, unit)
    except ValueError as error:
        raise InputError(str(error), where=question.question_id) from None


def _without(golds: Mapping[str, Gold | Ineligible]) -> tuple[Ineligible, ...]:
    return tuple(gold for gold in golds.values() if isinstance(gold, Ineligible))


def _facts(trails: Iterable[Trail], golds: Mapping[str, Gold | Ineligible], unit: Unit) -> dict[str, Facts]:
    out: dict[str, Facts] = {}
    for trail in trails:
        gold = golds[trail.question_id]
        if isinstance(gold, Gold):
            out[trail.run_id] = facts_of(by_document(trail) if unit == "document" else trail, gold)
    return out


def _share(trail: Trail) -> Ratio | Undefined:
    if trail.retrieved is None or trail.cited is None:
        return Undefined(NOT_SAID_RETRIEVED if trail.retrieved is None else "the run does not say what it cites")
    return cited_share(trail.retrieved, trail.cited)


def _made_up(trail: Trail) -> tuple[str, ...]:
    return () if trail.retrieved is None else fabricated(trail.retrieved, trail.cited or ())


def _drift_measures(trails: Sequence[Trail], drifts: Mapping[str, Drift], intervals: Intervals) -> dict[str, Taken]:
    """`retrieval_drift`: mean over questions of a run's mean distance; `retrieval_drift_slope`: of its slope."""

    def part(trail: Trail, name: Literal["mean", "slope"]) -> Part | str:
        if trail.run_id not in drifts:
            return NO_SEARCHES
        value: float | Undefined = getattr(drifts[trail.run_id], name)
        return value.reason if isinstance(value, Undefined) else Part(value, 1)

    wanted: Mapping[str, Literal["mean", "slope"]] = {"retrieval_drift": "mean", "retrieval_drift_slope": "slope"}
    return {
        name: taken(name, [(trail, part(trail, which)) for trail in trails], "means", intervals, share=False)
        for name, which in wanted.items()
    }


def _remark(name: str) -> Json:
    remark: Json = {"informational": INFORMATIONAL[name]} if name in INFORMATIONAL else {}
    if name in ("cited_share", "mean_cited_share"):
        remark["definition"] = CITED_SHARE
    return remark
