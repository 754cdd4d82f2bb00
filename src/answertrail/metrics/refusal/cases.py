"""One case: what a run said to a question that the corpus can or cannot answer."""

from __future__ import annotations

from typing import Literal, NamedTuple

from answertrail.metrics.values import Undefined
from answertrail.records import Question, Run

Said = Literal["answered", "partly_answered", "declined", "failed", "unknown"]
SAID: tuple[Said, ...] = ("answered", "partly_answered", "declined", "failed", "unknown")
TIERS = ("factual", "longitudinal", "comparative", "lookup", "unanswerable")
KINDS = ("missing_topic", "near_miss", "false_premise", "outside_window", "missing_fact")
UNSTATED = "unstated"
ASSUMED_OUTCOME = "answer.outcome"
UNKNOWN = "the run does not say whether it answered or declined"


class Case(NamedTuple):
    """A question, one run of it, and how the run ended.

    `kind` is the kind of an unanswerable question (`unstated` when the gold does not say) and None
    for an answerable one. `grade` is the correctness of an answer to an answerable question by
    recall verdicts, or why there is none; it is None where nothing was to be graded.
    """

    question_id: str
    repeat: int
    run_id: str
    tier: str
    kind: str | None
    said: Said
    status: str
    confidence: float | None = None
    grade: float | Undefined | None = None

    @property
    def answerable(self) -> bool:
        """Whether the corpus can answer: any tier but `unanswerable`."""
        return self.tier != "unanswerable"

    @property
    def gave_an_answer(self) -> bool:
        """Whether the run claimed to answer, wholly or in part."""
        return self.said in ("answered", "partly_answered")

    @property
    def outcome_known(self) -> bool:
        """Whether the run completed and said how."""
        return self.gave_an_answer or self.said == "declined"


def kind_of(question: Question) -> str | None:
    """Return the kind of an unanswerable question, `unstated` when absent; None for an answerable one."""
    if question.tier != "unanswerable":
        return None
    return question.unanswerable_kind or UNSTATED


def said_by(run: Run) -> Said:
    """Class a run by its typed status and outcome, never by its text.

    A run that did not complete is `failed`, whatever else it carries. A completed one without an
    outcome, or whose outcome an importer had to assume (`meta.assumed` names `answer.outcome`), is
    `unknown`.
    """
    if run.status != "completed":
        return "failed"
    assumed = (run.meta or {}).get("assumed")
    if run.answer is None or (isinstance(assumed, list) and ASSUMED_OUTCOME in assumed):
        return "unknown"
    return "declined" if run.answer.outcome == "cannot_answer" else run.answer.outcome
