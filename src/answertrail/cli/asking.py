"""Asking from the command line: recipe, model and corpus put together."""

from __future__ import annotations

from answertrail.agent.ask import Ask, Limits
from answertrail.agent.events import EventSink
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import Recipe
from answertrail.models.chat.base import ChatModel
from answertrail.records.run import Run
from answertrail.search.open_corpus import OpenCorpus
from answertrail.store.connection import Database
from answertrail.store.evidence import StoredRuns


async def ask_corpus(
    db: Database, corpus: OpenCorpus, question: str, recipe: Recipe, model: ChatModel, limits: Limits, emit: EventSink
) -> Run:
    """Ask one question and return the stored run."""
    return await run_agent(Ask(question, recipe, model, corpus, limits), StoredRuns(db), emit)
