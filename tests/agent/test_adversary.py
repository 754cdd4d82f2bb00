"""Hundreds of runs with a model that misbehaves: no unchecked citation, no lost run, no crash."""

from __future__ import annotations

from answertrail.agent.loop import Limits
from answertrail.agent.verify import faults_of
from tests.agent.adversary import Adversary
from tests.agent.world import MemoryStore, ask, open_corpus
from tests.soak import rounds

STATUSES = {"completed", "failed", "over_budget"}


def test_no_unchecked_citation_ever_reaches_an_answer_and_every_run_ends_typed():
    corpus = open_corpus()
    ended: dict[str, int] = {}
    for seed in range(rounds(ci=50, soak=500)):
        store = MemoryStore()
        recipe = ("default", "default", "no-loop", "answertrail-2026", "hybrid")[seed % 5]
        limits = Limits(max_tokens=120) if seed % 11 == 0 else Limits()
        run = ask(Adversary(seed), corpus=corpus, store=store, recipe=recipe, limits=limits)
        assert run.status in STATUSES, seed
        assert store.last == run, seed
        assert store.kept[0].run_id == run.run_id, seed
        assert (run.answer is not None) == (run.status == "completed"), seed
        assert run.status == "completed" or (run.error and run.error["kind"] and run.error["message"]), seed
        exists = set(corpus.index.by_id)
        for statement in (run.answer.statements or []) if run.answer else []:
            assert set(statement.citations) <= exists, seed
            assert "ep9" not in statement.text, seed
            assert "example.com" not in statement.text, seed
            if recipe == "default":
                assert set(statement.citations) <= set(run.retrieved), seed
                assert statement.kind == "framing" or statement.citations, seed
        allowed = {"citation", "cited"} if recipe != "default" else set()
        assert {fault.kind for fault in faults_of(run)} <= allowed, seed
        ended[run.status] = ended.get(run.status, 0) + 1
    # The adversary must reach every ending, or this test shows nothing.
    assert set(ended) == STATUSES
