"""An agent that plans its own searches, as a ranking: what the built-in reader is shown under a recipe."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from answertrail.agent.ask import Ask
from answertrail.agent.coverage import AROUND_MODE
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import Recipe
from answertrail.agent.recipe import load as load_recipe
from answertrail.models.reader.chat import ReaderModel
from answertrail.models.reader.settings import PLAN, PlanSettings
from answertrail.records import RetrievalRun, Run
from answertrail.records.base import instant
from answertrail.records.retrieval import Ranked
from answertrail.search.hits import Filter
from answertrail.search.open_corpus import OpenCorpus
from benchmarks.in_memory import Opened

BUDGET = 40


async def agent_rankings(
    opened: Opened, recipe: str | Recipe, settings: PlanSettings = PLAN, tiers: Collection[str] | None = None
) -> list[RetrievalRun]:
    """Let the reader search a corpus under a recipe and a plan; return two rankings a question of these tiers.

    `agent RECIPE` is all it was shown, in order, repeats too: by search, timeline search (in the order
    of its choice, not by date) and reading around. `agent RECIPE to 40` goes on where
    that is fewer than 40 distinct chunks: its own searches in turn, each ten places deeper, so that
    a reader that stops early is compared at the same budget. A run that fails is a ranking with
    `meta.error`.
    """
    corpus = opened.fresh()
    model = ReaderModel(corpus.index.embedder, settings)
    used = load_recipe(recipe) if isinstance(recipe, str) else recipe
    rows = []
    for question in opened.questions:
        if tiers is not None and question.tier not in tiers:
            continue
        run = await run_agent(Ask(question.question, used, model, corpus), _NotKept())
        meta: dict[str, Any] = {"searches": len(run.searches or ())}
        if run.status != "completed":
            meta["error"] = run.error or {"message": run.status}
        shown = [chunk for search in run.searches or () for chunk in search.returned]
        name = f"agent {used.name}"
        lists = {name: shown, f"{name} to {BUDGET}": await _deeper(corpus, used, run, shown)}
        rows += [
            RetrievalRun(
                question_id=question.question_id,
                mode=mode,
                unit="chunk",
                ranked=[Ranked(id=chunk) for chunk in names],
                elapsed_ms=run.elapsed_ms,
                meta=meta,
            )
            for mode, names in lists.items()
        ]
    return rows


async def _deeper(corpus: OpenCorpus, recipe: Recipe, run: Run, shown: list[str]) -> list[str]:
    """Return what was shown, and the next places of the same searches until enough distinct chunks are."""
    beside: dict[str, Any] = (run.meta or {}).get("wordings", {})
    asked = dict.fromkeys(
        (
            search.query,
            search.mode,
            search.from_,
            search.to,
            tuple(beside.get(search.search_id, {}).get("also", ())),
            tuple(beside.get(search.search_id, {}).get("like", ())),
        )
        for search in run.searches or ()
        if search.mode != AROUND_MODE
    )
    names = list(shown)
    step = recipe.search.k
    for depth in range(step, BUDGET + step, step):
        for query, mode, start, end, also, like in asked:
            if len(set(names)) >= BUDGET:
                return names
            within = Filter(instant(start) if start else None, instant(end) if end else None)
            found = await corpus.search(
                query, mode=mode or recipe.search.mode, k=depth + step, within=within, reworded=also, like=like
            )
            fresh = [hit.chunk_id for hit in found.hits[depth:] if hit.chunk_id not in names]
            names += fresh[: BUDGET - len(set(names))]
    return names


class _NotKept:
    """A run store that keeps nothing: the searches are all that is looked at."""

    async def start(self, run: Run) -> None: ...

    async def progress(self, run: Run) -> None: ...

    async def finish(self, run: Run) -> None: ...
