"""Score what runs did with questions the corpus cannot answer, and what they refused of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.judge_choice import one_judge
from answertrail.metrics.answers.asked import AskedRun, asked
from answertrail.metrics.answers.lost import LostRuns, lost_runs
from answertrail.metrics.answers.rates import MAX_UNSCORED_SHARE
from answertrail.metrics.answers.verdicts import Judged, judged
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.refusal.cases import KINDS, UNSTATED, Case, kind_of, said_by
from answertrail.metrics.refusal.confidence import Curve, false_answer_curve, risk_coverage
from answertrail.metrics.refusal.grade import grade_of
from answertrail.metrics.refusal.rates import (
    Rate,
    correct_refusal_rate,
    failure_rate,
    false_answer_rate,
    over_refusal_rate,
)
from answertrail.metrics.refusal.table import AnswerTable, answer_table
from answertrail.metrics.refusal.truthfulness import crag_score
from answertrail.metrics.values import Estimate, Json, Undefined
from answertrail.records import Run, Verdict


@dataclass(frozen=True)
class RefusalScores:
    """The answerable x said table, its rates with exact bounds, the scores, and every case by name.

    `by_kind` has the false-answer rate of each kind of unanswerable question, also of kinds the
    set does not have (undefined). `left_out` lists runs that belong to no question of the set,
    `not_asked` questions without a run, `notes` what a reader must know.
    """

    questions_hash: str
    table: AnswerTable
    rates: Mapping[str, Rate]
    by_kind: Mapping[str, Rate]
    crag: Mapping[str, Measured | Undefined]
    curves: Mapping[str, Curve | Undefined]
    cases: tuple[Case, ...]
    not_asked: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    @property
    def measures(self) -> Mapping[str, Measured | Estimate | Undefined]:
        """All values by name: rates, `false_answer_rate/KIND`, the scores, the areas."""
        areas = {f"{name}_area": _area(curve) for name, curve in self.curves.items()}
        kinds = {f"false_answer_rate/{kind}": rate.value for kind, rate in self.by_kind.items()}
        return {**{name: rate.value for name, rate in self.rates.items()}, **kinds, **self.crag, **areas}

    @property
    def false_answers(self) -> tuple[Case, ...]:
        """Runs that answered a question the corpus cannot answer."""
        return tuple(case for case in self.cases if not case.answerable and case.gave_an_answer)

    @property
    def over_refusals(self) -> tuple[Case, ...]:
        """Runs that declined a question the corpus can answer."""
        return tuple(case for case in self.cases if case.answerable and case.said == "declined")

    @property
    def failed(self) -> tuple[Case, ...]:
        """Runs that did not complete."""
        return tuple(case for case in self.cases if case.said == "failed")

    @property
    def unknown(self) -> tuple[Case, ...]:
        """Completed runs that do not say whether they answered."""
        return tuple(case for case in self.cases if case.said == "unknown")

    def as_json(self) -> Json:
        """Return everything but the cases that went as they should."""
        return {
            "questions_hash": self.questions_hash,
            "table": self.table.as_json(),
            "measures": {
                **{name: rate.as_json() for name, rate in self.rates.items()},
                **{name: score.as_json() for name, score in self.crag.items()},
            },
            "false_answer_rate_by_kind": {kind: rate.as_json() for kind, rate in self.by_kind.items()},
            "curves": {name: curve.as_json() for name, curve in self.curves.items()},
            "false_answers": [_listed(case) for case in self.false_answers],
            "over_refusals": [_listed(case) for case in self.over_refusals],
            "failed": [_listed(case) for case in self.failed],
            "outcome_unknown": [_listed(case) for case in self.unknown],
            "not_asked": list(self.not_asked),
            "left_out": [{"run_id": run_id, "reason": reason} for run_id, reason in self.left_out],
            "notes": list(self.notes),
        }


def score_refusals(
    questions: QuestionSet,
    runs: Sequence[Run],
    *,
    verdicts: Iterable[Verdict] = (),
    confidence: Mapping[str, float] | None = None,
    judge: str | None = None,
    max_unscored_share: float = MAX_UNSCORED_SHARE,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> RefusalScores:
    """Score runs on both sides of answerability.

    Answerability is the question's tier, abstention the run's outcome: no text is looked at.
    `confidence` maps run ids to numbers; without it `meta.confidence` of the runs is used. A rate or
    score with a larger unscored share than `max_unscored_share` is undefined. Raises InputError as
    `asked` and `judged`, and for a confidence that is no finite number or of a run that is not here.
    """
    joined = asked(questions.questions, runs)
    chosen = one_judge(verdicts, judge)
    verdict_of = judged(chosen.verdicts, joined.runs, judge=chosen.judge)
    sure = _confidences(joined.runs, confidence)
    cases = tuple(_case(row, verdict_of, sure.get(row.run_id)) for row in joined.runs)
    table = answer_table(questions.questions, cases)
    if table.runs != len(cases):
        raise ValueError(f"the table holds {table.runs} of {len(cases)} runs")
    by_id = questions.by_id
    lost = lost_runs(questions.questions, joined)
    sides = {
        side: [row for row in lost if (by_id[row.question_id].tier != "unanswerable") == side] for side in (True, False)
    }
    return RefusalScores(
        questions.hash,
        table,
        {
            "false_answer_rate": false_answer_rate(cases, intervals, sides[False], max_unscored_share),
            "correct_refusal_rate": correct_refusal_rate(cases, intervals, sides[False], max_unscored_share),
            "over_refusal_rate": over_refusal_rate(cases, intervals, sides[True], max_unscored_share),
            "failure_rate": failure_rate(cases, intervals, lost),
        },
        {
            kind: false_answer_rate(
                [case for case in cases if case.kind == kind],
                intervals,
                [row for row in lost if kind_of(by_id[row.question_id]) == kind],
                max_unscored_share,
            )
            for kind in (*KINDS, UNSTATED)
        },
        dict(_crag(cases, sides, intervals, max_unscored_share)),
        {
            "risk_coverage": risk_coverage(cases, lost, max_unscored_share),
            "false_answer_curve": false_answer_curve(cases, lost, max_unscored_share),
        },
        cases,
        tuple(row.question_id for row in joined.unasked),
        tuple((row.id, row.reason) for row in joined.left_out),
        tuple(_notes(questions, table, cases)),
    )


def _crag(
    cases: Sequence[Case], lost: Mapping[bool, Sequence[LostRuns]], intervals: Intervals, max_unscored_share: float
) -> Iterator[tuple[str, Measured | Undefined]]:
    """The score over all, and over each side of answerability."""
    yield "crag_score", crag_score(cases, intervals, "crag_score", (*lost[True], *lost[False]), max_unscored_share)
    for name, side in (("crag_score_answerable", True), ("crag_score_unanswerable", False)):
        own = [case for case in cases if case.answerable == side]
        yield name, crag_score(own, intervals, name, lost[side], max_unscored_share)


def _case(row: AskedRun, verdict_of: Judged, confidence: float | None) -> Case:
    said = said_by(row.run)
    to_grade = row.question.tier != "unanswerable" and said in ("answered", "partly_answered")
    marks = {name: verdict.verdict for name, verdict in verdict_of.of(row.run_id, "recall").items()}
    return Case(
        row.question.question_id,
        row.repeat,
        row.run_id,
        row.question.tier,
        kind_of(row.question),
        said,
        row.run.status,
        confidence,
        grade_of(row.question, marks) if to_grade else None,
    )


def _confidences(rows: Sequence[AskedRun], given: Mapping[str, float] | None) -> dict[str, float]:
    values: dict[str, object] = dict(given or {})
    if given is None:
        found = {row.run_id: (row.run.meta or {}).get("confidence") for row in rows}
        values = {run_id: value for run_id, value in found.items() if value is not None}
    elif strange := sorted(set(given) - {row.run_id for row in rows}):
        raise InputError(f"a confidence for {len(strange)} run(s) that are not here", where=strange[0])
    out: dict[str, float] = {}
    for run_id, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise InputError(f"confidence {value!r} is not a finite number", where=run_id)
        out[run_id] = value
    return out


def _notes(questions: QuestionSet, table: AnswerTable, cases: Sequence[Case]) -> Iterable[str]:
    for answerable, name in ((False, "unanswerable"), (True, "answerable")):
        if not table.questions(answerable=answerable):
            yield f"the set has no {name} question: nothing here says how the system treats one"
        elif not sum(table.row(answerable=answerable).values()):
            yield f"none of the {table.questions(answerable=answerable)} {name} questions was asked"
    odd = [q.question_id for q in questions.questions if q.unanswerable_kind and q.tier != "unanswerable"]
    if odd:
        yield f"counted as answerable, by tier, although they name an unanswerable_kind: {', '.join(odd)}"
    if unknown := sum(case.said == "unknown" for case in cases):
        yield f"{unknown} completed runs do not say whether they answered: unscored, listed, in no rate"


def _area(curve: Curve | Undefined) -> Estimate | Undefined:
    return curve if isinstance(curve, Undefined) else curve.area


def _listed(case: Case) -> Json:
    out: Json = {"question_id": case.question_id, "run_id": case.run_id, "repeat": case.repeat, "tier": case.tier}
    if case.kind is not None:
        out["kind"] = case.kind
    return out | {"said": case.said, "status": case.status}
