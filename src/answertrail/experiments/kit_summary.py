"""What the kit's rankings come to: counts by mode, and every question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.kit_recording import K
from answertrail.experiments.retrieval import score_retrieval
from answertrail.experiments.retrieval_scores import QuestionRow, RetrievalScores
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.ranking.answer_checks import sources_of
from answertrail.metrics.ranking.units import document_of
from answertrail.metrics.values import Json, Undefined
from answertrail.records import Question, RetrievalRun

MEASURES = (f"recall@{K}", f"mean_recall@{K}", f"all@{K}", "returned_precision", "mean_returned_precision")


@dataclass(frozen=True, slots=True)
class Sources:
    """What one mode returned, against the checks a question names under `meta.checks`.

    `stale_first`: questions whose list has an outdated source above the current one, or without it.
    `out_of_scope` of `returned` sources are of the project that was not asked about.
    """

    stale_first: tuple[str, ...]
    out_of_scope: int
    returned: int

    def as_json(self) -> Json:
        """Return plain values."""
        return {"stale_first": list(self.stale_first), "out_of_scope": self.out_of_scope, "returned": self.returned}


@dataclass(frozen=True, slots=True)
class KitSummary:
    """One split: measures by mode (no intervals: seven questions are counted, not estimated)."""

    scores: RetrievalScores
    sources: dict[str, Sources]

    def measures(self, mode: str) -> dict[str, Measured]:
        """Return the measures of one mode that the summary shows."""
        found = self.scores.modes[mode].measures
        return {name: value for name in MEASURES if isinstance(value := found[name], Measured)}

    @property
    def failures(self) -> tuple[QuestionRow, ...]:
        """Questions whose labelled sources were not all found."""
        return tuple(row for row in self.scores.questions if row.missed)

    def as_json(self) -> Json:
        """Return the summary as it is written beside the rankings."""
        return {
            "questions": len({row.question_id for row in self.scores.questions} | self._ineligible),
            "eligible": self.scores.eligible,
            "ineligible": [row._asdict() for row in self.scores.ineligible],
            "modes": {
                name: {
                    **{key: _counts(value) for key, value in self.measures(name).items()},
                    "unsupported": {"asked": mode.unsupported_asked, "returned": mode.unsupported_returned},
                    "sources": self.sources[name].as_json(),
                }
                for name, mode in self.scores.modes.items()
            },
            "per_question": [
                {
                    "question_id": row.question_id,
                    "mode": row.mode,
                    "found": list(row.found),
                    "missed": list(row.missed),
                    "first_rank": row.first_rank,
                }
                for row in self.scores.questions
            ],
        }

    @property
    def _ineligible(self) -> set[str]:
        return {row.question_id for row in self.scores.ineligible}


def summarize(questions: QuestionSet, runs: Sequence[RetrievalRun]) -> KitSummary:
    """Return the summary of a split's rankings."""
    scores = score_retrieval(questions, runs, ks=(K,), unit="document", intervals=Intervals("none"))
    by_id = questions.by_id
    sources = {mode: _sources(by_id, [run for run in runs if run.mode == mode]) for mode in scores.modes}
    return KitSummary(scores, sources)


def _sources(questions: dict[str, Question], runs: Iterable[RetrievalRun]) -> Sources:
    stale_first, outside, returned = [], 0, 0
    for run in runs:
        checks = sources_of(questions[run.question_id])
        ids = list(dict.fromkeys(document_of(row.id) for row in run.ranked))
        stale = [rank for rank, name in enumerate(ids) if name in checks.stale]
        current = [rank for rank, name in enumerate(ids) if name in checks.current]
        if stale and (not current or stale[0] < current[0]):
            stale_first.append(run.question_id)
        outside += sum(name in checks.out_of_scope for name in ids)
        returned += len(ids)
    return Sources(tuple(stale_first), outside, returned)


def _counts(value: Measured) -> Json:
    number = value.value
    if isinstance(number, Undefined):
        return number.as_json()
    numerator = value.ratio.numerator
    rounded = numerator if isinstance(numerator, int) else round(numerator, 9)
    return {"value": round(number, 9), "numerator": rounded, "denominator": value.ratio.denominator}
