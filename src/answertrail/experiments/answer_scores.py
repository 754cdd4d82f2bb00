"""What scoring answers gives: measures with their counts, by tier and slice, and every list behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from answertrail.experiments.conditions import Conditions
from answertrail.experiments.stamp import Stamp
from answertrail.metrics.answers.applicable import NotApplicable
from answertrail.metrics.answers.asked import Errored, LeftOut
from answertrail.metrics.answers.effort import Effort
from answertrail.metrics.answers.grid import Cell, Grid
from answertrail.metrics.answers.rates import Rate
from answertrail.metrics.answers.repeats import RepeatRange
from answertrail.metrics.answers.waterfall import MissSplit, Waterfall
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Json, Ratio, Undefined


@dataclass(frozen=True, slots=True)
class TierScores:
    """Scores of one tier, or of all. `rates` carry the counts; `measures` the values alone."""

    questions: int
    runs: int
    errored_runs: int
    rates: Mapping[str, Rate]
    waterfall: Waterfall
    miss_split: MissSplit
    ranges: Mapping[str, RepeatRange]
    effort: Effort

    @property
    def measures(self) -> Mapping[str, Measured | Undefined]:
        """Each measure by its name: with its observations, or why it has no value."""
        return {name: rate.value for name, rate in self.rates.items()}

    def as_json(self) -> Json:
        """Return measures, waterfall, miss split, ranges over repeats and effort."""
        return {
            "questions": self.questions,
            "runs": self.runs,
            "errored_runs": self.errored_runs,
            "measures": {name: rate.as_json() for name, rate in self.rates.items()},
            "waterfall": self.waterfall.as_json(),
            "miss_split": self.miss_split.as_json(),
            "ranges": {name: found.as_json() for name, found in self.ranges.items()},
            "effort": self.effort.as_json(),
        }


@dataclass(frozen=True, slots=True)
class MissedNugget:
    """A nugget that some completed runs of its question did not state; of how many, and retrieved how often.

    `retrieved_when_missed` counts those of the misses whose ceiling has a verdict, and is None where
    none has; `unscored_when_missed` are the misses whose ceiling has none.
    """

    nugget_id: str
    text: str
    kind: str
    missed: int
    scored: int
    retrieved_when_missed: int | None
    unscored_when_missed: int = 0

    def as_json(self) -> Json:
        """Return plain values; null is not judged, and how many were not is there where there are any."""
        return {
            "nugget_id": self.nugget_id,
            "text": self.text,
            "kind": self.kind,
            "missed": self.missed,
            "scored": self.scored,
            "retrieved_when_missed": self.retrieved_when_missed,
            **({"unscored_when_missed": self.unscored_when_missed} if self.unscored_when_missed else {}),
        }


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """One question over all its repeats."""

    question_id: str
    question: str
    tier: str
    group: str | None
    language: str | None
    important: bool
    runs: int
    errored_runs: int
    abstained_runs: int
    rates: Mapping[str, Ratio]
    unscored: int
    missed: tuple[MissedNugget, ...]

    def as_json(self) -> Json:
        """Return plain values; rates as counts without intervals."""
        return {
            "question_id": self.question_id,
            "question": self.question,
            "tier": self.tier,
            "group": self.group,
            "language": self.language,
            "important": self.important,
            "runs": self.runs,
            "errored_runs": self.errored_runs,
            "abstained_runs": self.abstained_runs,
            "measures": {name: ratio.as_json() for name, ratio in self.rates.items()},
            "unscored": self.unscored,
            "missed": [item.as_json() for item in self.missed],
        }


@dataclass(frozen=True, slots=True)
class IneligibleQuestion:
    """A question some measures could not be taken of: why, and which."""

    question_id: str
    reason: str
    measures: tuple[str, ...]

    def as_json(self) -> Json:
        """Return plain values."""
        return {"question_id": self.question_id, "reason": self.reason, "measures": list(self.measures)}


@dataclass(frozen=True)
class AnswerScores:
    """All scores of one system by one judge.

    `slices` maps `group` and `language` to measures by their values, or to the reason why they are
    not shown. `stated_without_evidence` lists every such nugget; `left_out` every run and verdict
    that took no part; `outdated` the verdicts whose claim is not their nugget's text.
    """

    system: str
    judge: str | None
    support_source: str
    whole: TierScores
    tiers: Mapping[str, TierScores]
    effort: Mapping[str, Effort]
    slices: Mapping[str, Mapping[str, Mapping[str, Rate]] | Undefined]
    per_question: tuple[QuestionScore, ...]
    stated_without_evidence: tuple[Cell, ...]
    ineligible: tuple[IneligibleQuestion, ...]
    not_applicable: tuple[NotApplicable, ...]
    errors: tuple[Errored, ...]
    left_out: tuple[LeftOut, ...]
    outdated: tuple[str, ...]
    grid: Grid
    conditions: Conditions
    stamp: Stamp

    @property
    def measures(self) -> Mapping[str, Measured | Undefined]:
        """The measures over all tiers, by name."""
        return self.whole.measures

    @property
    def rates(self) -> Mapping[str, Rate]:
        """The measures over all tiers with their counts."""
        return self.whole.rates

    @property
    def waterfall(self) -> Waterfall:
        """The four classes over all tiers."""
        return self.whole.waterfall

    @property
    def by_tier(self) -> Mapping[str, Measured | Undefined]:
        """Every measure by its name, and by TIER/NAME for one tier."""
        parts = {f"{tier}/{name}": found for tier, row in self.tiers.items() for name, found in row.measures.items()}
        return {**self.measures, **parts}

    def as_json(self) -> Json:
        """Return the document `eval score --json` prints, without the parts of other measures."""
        whole = self.whole.as_json()
        return {
            "system": self.system,
            "judge": self.judge,
            "support_source": self.support_source,
            "measures": whole["measures"],
            "tiers": {name: tier.as_json() for name, tier in self.tiers.items()},
            "slices": {by: _slices(found) for by, found in self.slices.items()},
            "waterfall": whole["waterfall"],
            "miss_split": whole["miss_split"],
            "ranges": whole["ranges"],
            "effort": {name: found.as_json() for name, found in self.effort.items()},
            "stated_without_evidence": [cell.as_json() for cell in self.stated_without_evidence],
            "per_question": [row.as_json() for row in self.per_question],
            "ineligible": [row.as_json() for row in self.ineligible],
            "not_applicable": [row.as_json() for row in self.not_applicable],
            "errors": [row.as_json() for row in self.errors],
            "left_out": [row.as_json() for row in self.left_out],
            "outdated": list(self.outdated),
            "provenance": {
                "questions_hash": self.stamp.questions_hash,
                "conditions": self.conditions.as_json(),
                **self.stamp.runtime(),
            },
        }


def _slices(found: Mapping[str, Mapping[str, Rate]] | Undefined) -> Json:
    if isinstance(found, Undefined):
        return found.as_json()
    return {value: {name: rate.as_json() for name, rate in rates.items()} for value, rates in found.items()}
