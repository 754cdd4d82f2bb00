"""What a run does with warnings and translations of its searches."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from answertrail.agent.recipe import load
from answertrail.errors import InputError, ServiceError
from answertrail.models.chat.scripted import ScriptedModel, say
from answertrail.search.translate import Translator
from tests.agent.world import ANSWER, ask, open_corpus, ready, says, search

KOREAN = "가마는 어디로 옮겼나요?"
STEPS = [says(search(KOREAN)), says(search("glaze temperature")), says(search(KOREAN)), says(ready()), says(ANSWER)]


def translating(*steps):
    return replace(open_corpus(), translator=Translator(ScriptedModel(steps, name="scripted:author"), ("en",)))


def recipe():
    default = load("default")
    return default.model_copy(update={"search": default.search.model_copy(update={"translate": True})})


def shown_to(model, number):
    return json.loads(model.requests[number].messages[-1].text)


def test_a_query_the_embedder_does_not_read_is_told_to_the_model_and_kept_once():
    model = ScriptedModel(STEPS)
    run = ask(model)
    assert run.status == "completed"
    warned = [guard for guard in run.guards if guard["guard"] == "search_warning"]
    assert len(warned) == 1
    assert "in Korean, which the embedder wordllama does not read" in warned[0]["detail"]
    assert shown_to(model, 1)["warnings"] == [warned[0]["detail"]]
    assert "warnings" not in shown_to(model, 2)


def test_a_translation_is_shown_to_the_model_kept_in_the_run_and_paid_for_once():
    model = ScriptedModel(STEPS)
    corpus = translating(say('{"translation": "where was the kiln moved"}'))
    run = ask(model, recipe=recipe(), corpus=corpus)
    assert run.models["author"] == "scripted:author"
    said = {"language": "en", "text": "where was the kiln moved", "model": "scripted:author"}
    assert run.meta["translations"] == {"s1": [said], "s3": [said]}
    assert [entry["phase"] for entry in run.usage].count("translate") == 1
    assert run.cost_usd == 0.0
    assert shown_to(model, 1)["also_searched_as"] == ["where was the kiln moved"]
    assert not [guard for guard in run.guards if guard["guard"] == "search_warning"]
    assert [entry.query for entry in run.searches] == [KOREAN, "glaze temperature", KOREAN]


def test_a_failed_translation_leaves_its_cost_unknown_and_the_run_goes_on():
    run = ask(ScriptedModel(STEPS), recipe=recipe(), corpus=translating(ServiceError("down"), ServiceError("down")))
    assert run.status == "completed"
    assert "translations" not in run.meta
    assert run.cost_usd is None
    assert "not translated into English" in run.guards[0]["detail"]


def test_a_recipe_that_translates_needs_an_author_and_a_setting_unused_keeps_the_hash():
    with pytest.raises(InputError, match="there is no author model"):
        ask(ScriptedModel(STEPS), recipe=recipe())
    default = load("default")
    assert recipe().hash != default.hash
    off = default.model_copy(update={"search": default.search.model_copy(update={"translate": False})})
    assert off.hash == default.hash
