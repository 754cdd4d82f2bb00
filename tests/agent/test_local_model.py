"""The whole loop against a real small model behind a real server: protocol, not wit."""

from __future__ import annotations

from answertrail.agent.recipe import load
from answertrail.agent.verify import faults_of
from answertrail.models.chat.load import load_chat_model
from tests.agent.world import MemoryStore, ask, open_corpus


def test_a_real_model_drives_the_loop_to_a_typed_end_with_checked_citations(local_endpoint):
    base_url, name = local_endpoint
    model = load_chat_model(f"openai-compatible:{name}", base_url=base_url, environment={})
    recipe = load("default")
    recipe = recipe.model_copy(
        update={
            # A model of this size reads slowly and remembers little.
            "loop": recipe.loop.model_copy(update={"max_steps": 3, "max_submit_attempts": 2, "context_chars": 6000}),
            "search": recipe.search.model_copy(update={"k": 2}),
            "model": recipe.model.model_copy(update={"max_tokens": 220, "temperature": 0.0}),
        }
    )
    corpus, store = open_corpus(), MemoryStore()
    run = ask(model, recipe=recipe, corpus=corpus, store=store)
    assert run.status in {"completed", "failed"}
    assert run.searches, run.error
    assert all(entry["input_tokens"] for entry in run.usage)
    assert run.cost_usd is None
    assert [fault.message for fault in faults_of(run)] == []
    for statement in (run.answer.statements or []) if run.answer else []:
        assert set(statement.citations) <= set(run.retrieved)
    assert store.last == run
