"""Hundreds of runs with a model that misbehaves: no unchecked citation, no lost run, no crash."""

from __future__ import annotations

import asyncio

from answertrail.agent.ask import Ask, Limits
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import load
from answertrail.agent.verify import faults_of
from answertrail.settings import Settings
from answertrail.store import runs
from answertrail.store.connection import connect
from answertrail.store.evidence import StoredRuns
from tests.agent.adversary import Adversary
from tests.agent.world import open_corpus
from tests.soak import rounds

STATUSES = {"completed", "failed", "over_budget"}
QUESTIONS = ("Where did the kiln go?", "How did the place of the kiln change over time?")
RECIPES = ("default", "default", "no-loop", "answertrail-2026", "hybrid")


def test_no_unchecked_citation_ever_reaches_an_answer_and_no_run_is_lost(settings: Settings):
    corpus = open_corpus()
    exists = set(corpus.index.by_id)
    asyncio.run(_ask_all(settings, corpus, exists, rounds(ci=50, soak=500)))


async def _ask_all(settings: Settings, corpus, exists: set[str], count: int) -> None:
    ended: dict[str, int] = {}
    told: set[str] = set()
    async with connect(settings) as db:
        for seed in range(count):
            recipe = load(RECIPES[seed % len(RECIPES)])
            limits = Limits(max_tokens=120) if seed % 11 == 0 else Limits()
            ask = Ask(QUESTIONS[seed % 3 == 0], recipe, Adversary(seed), corpus, limits)
            run = await run_agent(ask, StoredRuns(db))
            assert await runs.get(db, run.run_id) == run, seed
            _check(run, recipe.name, exists, seed)
            ended[run.status] = ended.get(run.status, 0) + 1
            told.update(_told(run))
        assert len(await runs.list_runs(db, limit=count + 1)) == count
    # The adversary must reach every ending, or this test shows nothing.
    assert set(ended) == STATUSES
    assert told >= {"timeline", "read_around", "table", "no table", "coverage"}


def _told(run) -> set[str]:
    """Which of the things about time a run came to."""
    guards = {guard["guard"] for guard in run.guards}
    reached = {
        "table": "rows" in run.meta.get("timeline", {}),
        "no table": "no_table" in guards,
        "coverage": bool(run.answer and run.answer.coverage),
    }
    modes = {search.mode for search in run.searches} & {"timeline", "read_around"}
    return modes | {name for name, there in reached.items() if there}


def _check(run, recipe: str, exists: set[str], seed: int) -> None:
    assert run.status in STATUSES, seed
    assert (run.answer is not None) == (run.status == "completed"), seed
    assert run.status == "completed" or (run.error["kind"] and run.error["message"]), seed
    for period in (run.answer.coverage or []) if run.answer else []:
        assert set(period.evidence) <= set(run.retrieved), seed
        assert period.searched or not period.evidence, seed
    for row in run.meta.get("timeline", {}).get("rows", []):
        assert set(row.get("citations", [])) <= set(run.retrieved), seed
    for statement in (run.answer.statements or []) if run.answer else []:
        assert set(statement.citations) <= exists, seed
        assert "ep9" not in statement.text, seed
        assert "example.com" not in statement.text, seed
        if recipe == "default":
            assert set(statement.citations) <= set(run.retrieved), seed
            assert statement.kind == "framing" or statement.citations, seed
    # The 2026 recipe and its ablations only flag what the last checks find; verify still tells.
    allowed = set() if recipe == "default" else {"citation", "cited"}
    assert {fault.kind for fault in faults_of(run)} <= allowed, seed
