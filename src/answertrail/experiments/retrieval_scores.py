"""What scoring retrieval returns: measures by mode, every question, and all that was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from answertrail.experiments.stamp import Stamp
from answertrail.metrics.measured import Ineligible, Measured
from answertrail.metrics.values import Estimate, Json, Undefined

Value = Measured | Estimate | Undefined


class QuestionRow(NamedTuple):
    """One question in one mode and repeat. `found` and `missed` are its gold units, by the largest k.

    `first_rank` is the rank of the first gold unit in the whole list, None where there is none.
    `state`: `missing` has no ranking and counts as 0; `error` is unscored.
    """

    question_id: str
    mode: str
    repeat: int
    found: tuple[str, ...]
    missed: tuple[str, ...]
    first_rank: int | None
    important: bool
    tier: str
    group: str | None
    state: Literal["scored", "missing", "error"] = "scored"

    def as_json(self) -> Json:
        """Return the contract's per-question object with what we add."""
        return {
            "question_id": self.question_id,
            "mode": self.mode,
            "repeat": self.repeat,
            "found": list(self.found),
            "missed": list(self.missed),
            "first_rank": self.first_rank,
            "important": self.important,
            "tier": self.tier,
            "group": self.group,
            "state": self.state,
        }


class FailedRanking(NamedTuple):
    """A ranking that is an error (`meta.error`): neither hit nor miss."""

    question_id: str
    repeat: int
    reason: str


class MissingRanking(NamedTuple):
    """A question with gold that a mode (in this repeat) has no ranking of; it counts as 0."""

    question_id: str
    repeat: int


class StrayRanking(NamedTuple):
    """A ranking of a question that is not in the question file."""

    question_id: str
    mode: str


@dataclass(frozen=True, slots=True)
class ModeScores:
    """One search mode. `measures` are Undefined throughout when `invalid` says why the mode cannot be scored.

    `slices` maps "tier" and "group" to part -> measure; the parts of a slice add up to the whole.
    `longest` is the length of the longest list,
    `tied` counts questions with equal scores in their list; `duplicates` repeats removed from lists.
    """

    mode: str
    measures: Mapping[str, Value]
    slices: Mapping[str, Mapping[str, Mapping[str, Measured]]]
    rankings: int
    repeats: tuple[int, ...]
    longest: int = 0
    duplicates: int = 0
    tied: int = 0
    missing: tuple[MissingRanking, ...] = ()
    errors: tuple[FailedRanking, ...] = ()
    invalid: str | None = None
    tie_averaged: Mapping[str, Measured | Undefined] = field(default_factory=dict)
    unsupported_asked: int = 0
    unsupported_returned: int = 0

    def as_json(self) -> Json:
        """Return everything beside the measures themselves."""
        return {
            "rankings": self.rankings,
            "repeats": list(self.repeats),
            "longest": self.longest,
            "duplicates": self.duplicates,
            "tied_questions": self.tied,
            "missing": [row._asdict() for row in self.missing],
            "errors": [row._asdict() for row in self.errors],
            "invalid": self.invalid,
            "unsupported": {"asked": self.unsupported_asked, "returned": self.unsupported_returned},
            "slices": {
                kind: {part: {name: row.as_json() for name, row in rows.items()} for part, rows in parts.items()}
                for kind, parts in self.slices.items()
            },
            **({"tie_averaged": {n: v.as_json() for n, v in self.tie_averaged.items()}} if self.tie_averaged else {}),
        }


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """Search modes side by side over one question set.

    `questions` come important ones first, then failures first. `eligible` counts questions with gold.
    """

    modes: Mapping[str, ModeScores]
    questions: tuple[QuestionRow, ...]
    ineligible: tuple[Ineligible, ...]
    unknown: tuple[StrayRanking, ...]
    unit: str
    ks: tuple[int, ...]
    budget: int | None
    eligible: int
    stamp: Stamp

    @property
    def questions_hash(self) -> str:
        """The hash of the question set."""
        return self.stamp.questions_hash

    def as_json(self) -> Json:
        """Return the contract's shape of `eval retrieval`, with details beside it."""
        return {
            "modes": {
                name: {key: value.as_json() for key, value in mode.measures.items()}
                for name, mode in self.modes.items()
            },
            "per_question": [row.as_json() for row in self.questions],
            "ineligible": [row._asdict() for row in self.ineligible],
            "corpus": self.stamp.corpus.as_json() if self.stamp.corpus else None,
            "questions_hash": self.questions_hash,
            "unit": self.unit,
            "k": list(self.ks),
            "budget": self.budget,
            "eligible": self.eligible,
            "unknown": [row._asdict() for row in self.unknown],
            "details": {name: mode.as_json() for name, mode in self.modes.items()},
            "runtime": self.stamp.runtime(),
        }
