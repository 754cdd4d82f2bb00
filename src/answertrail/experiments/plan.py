"""What `eval run` is to make, who asks and who watches, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from answertrail.agent.events import EventSink
from answertrail.experiments import attempts
from answertrail.experiments.attempts import Spent
from answertrail.experiments.conditions import Conditions
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.run_file import Key
from answertrail.records import Question, Run


class Asker(Protocol):
    """Asks one question. `question_id`, `repeat` and `tier` are labels of the record, not for the model."""

    async def ask(self, question: str, *, question_id: str, repeat: int, tier: str, emit: EventSink) -> Run:
        """Return the ended run."""
        ...

    async def recall(self, run_id: str) -> Run | None:
        """Return what is known of a run whose process died; None when nothing is."""
        ...


class Watcher(Protocol):
    """Is told how far the work is."""

    def begin(self, todo: int, done: int) -> None:
        """Hear how many runs are to be made and how many were there."""
        ...

    def ended(self, run: Run, spent: Spent) -> None:
        """Hear of an ended run and of all that was spent so far."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run. The caps are for all runs together, those of earlier invocations included.

    `made_by` is what the record of a question that could not even be asked says of the system:
    recipe, corpus, models and code as in run/1.
    """

    questions: QuestionSet
    repeats: int
    conditions: Conditions
    registration: str | None = None
    concurrency: int = 4
    failed_again: bool = False
    max_cost_usd: float | None = None
    max_tokens: int | None = None
    allow_different: frozenset[str] = frozenset()
    made_by: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keys(self) -> list[tuple[Question, Key]]:
        """Each question in each repeat, in the order of the file."""
        return [(q, (q.question_id, repeat)) for q in self.questions.questions for repeat in range(self.repeats)]

    @property
    def note(self) -> dict[str, Any]:
        """What each run's `meta.evaluation` says."""
        prompt = self.conditions.get("prompt").value
        found = {"questions_hash": self.questions.hash, "prompt_hash": prompt, "registration": self.registration}
        return {key: value for key, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Made:
    """The runs there are now, in order; how many were planned, kept and made; why it ended early, if it did."""

    runs: tuple[Run, ...]
    planned: int
    kept: int
    made: int
    repaired: bool
    spent: Spent
    stopped: str | None

    @property
    def complete(self) -> bool:
        """Whether each question has its repeats."""
        return len(self.runs) == self.planned

    @property
    def valid(self) -> bool:
        """Whether at most 2 % of the runs ended by an accident, and there is a run."""
        return bool(self.runs) and not attempts.too_many_accidents(self.runs)
