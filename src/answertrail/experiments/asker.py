"""Asks the questions of `eval run` by our agent, over one open corpus."""

from __future__ import annotations

from dataclasses import dataclass, field

from answertrail.agent.ask import Ask, Limits, RunStore
from answertrail.agent.events import EventSink
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import Recipe
from answertrail.errors import NotFoundError
from answertrail.models.chat.base import ChatModel
from answertrail.records import Run
from answertrail.search.open_corpus import OpenCorpus
from answertrail.store import runs
from answertrail.store.connection import Database
from answertrail.store.evidence import StoredRuns


@dataclass(frozen=True, slots=True)
class AgentAsker:
    """One recipe, one model, one corpus. Each run's evidence is kept in the store as it works."""

    db: Database
    corpus: OpenCorpus
    recipe: Recipe
    model: ChatModel
    limits: Limits = field(default_factory=Limits)

    async def ask(self, question: str, *, question_id: str, repeat: int, tier: str, emit: EventSink) -> Run:
        """Ask; the model is given the question's text and nothing else of the record."""
        store: RunStore = StoredRuns(self.db)
        request = Ask(
            question,
            self.recipe,
            self.model,
            self.corpus,
            self.limits,
            question_id=question_id,
            repeat=repeat,
            tier=tier,
        )
        return await run_agent(request, store, emit)

    async def recall(self, run_id: str) -> Run | None:
        """Return the run as far as its last turn, from the store."""
        try:
            return await runs.get(self.db, run_id)
        except NotFoundError:
            return None
