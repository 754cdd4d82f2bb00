"""The whole loop against a real small model behind a real server: protocol, not wit."""

from __future__ import annotations

import asyncio

import pytest

from answertrail.agent.recipe import load
from answertrail.agent.verify import faults_of
from answertrail.models.chat.load import load_chat_model
from tests.agent.world import MemoryStore, ask, open_corpus


@pytest.mark.parametrize("name", ["default", "no-loop"])
def test_a_real_model_drives_the_loop_to_a_typed_end_with_checked_citations(local_endpoint, name):
    base_url, served = local_endpoint
    model = load_chat_model(f"openai-compatible:{served}", base_url=base_url, environment={})
    recipe = load(name)
    recipe = recipe.model_copy(
        update={
            # A model of this size reads slowly and remembers little.
            "prompt_text": "Search the corpus, then answer with citations.",
            "loop": recipe.loop.model_copy(update={"max_steps": 3, "max_submit_attempts": 2, "context_chars": 4000}),
            "search": recipe.search.model_copy(update={"k": 2}),
            "model": recipe.model.model_copy(update={"max_tokens": 160, "temperature": 0.0}),
        }
    )
    corpus, store = open_corpus(), MemoryStore()
    run = ask(model, recipe=recipe, corpus=corpus, store=store)
    assert run.status in {"completed", "failed"}
    assert run.status == "completed" or run.error["kind"] in {"never_searched", "no_valid_answer"}
    # The endpoint ignores tool choice, so the JSON protocol was chosen; under it every turn acts.
    assert asyncio.run(model.protocol()).protocol == "json_action"
    assert not {"nudge", "empty_turns"} & {guard["guard"] for guard in run.guards}
    assert all(entry["input_tokens"] for entry in run.usage)
    assert run.cost_usd is None
    assert [fault.message for fault in faults_of(run)] == []
    for statement in (run.answer.statements or []) if run.answer else []:
        assert set(statement.citations) <= set(run.retrieved)
    assert store.last == run
