"""Searches with other wordings, on from passages that were shown, and in another order."""

from __future__ import annotations

import json

import pytest

from answertrail.agent.recipe import load
from answertrail.agent.sealed import seal
from answertrail.agent.tools import exploration_tools
from answertrail.agent.verify import faults_of
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.models.reader.chat import ReaderModel
from tests.agent.world import ANSWER, BARN, KILN, ask, open_corpus, ready, says, search

FIRST = search("where was the kiln moved", k=2)


def recipe(**switches):
    default = load("default")
    return default.model_copy(update={"search": default.search.model_copy(update=switches)})


def asked(*steps, **switches):
    model = ScriptedModel([*[says(step) for step in steps], says(search("glaze")), says(ready()), says(ANSWER)])
    return model, ask(model, recipe=recipe(**switches))


def shown_to(model, number):
    return json.loads(model.requests[number].messages[-1].text)


def test_what_was_searched_beside_a_query_is_kept_by_search_and_verifies():
    model, run = asked(FIRST, search("kiln", also=["oven", "kiln shed"], like=[KILN], order="spread"))
    assert run.status == "completed"
    assert run.searches[1].mode == "spread"
    kept = run.meta["wordings"]
    assert kept.keys() == {"s2"}
    assert kept["s2"]["also"] == ["oven", "kiln shed"]
    assert kept["s2"]["like"].keys() == {KILN}
    assert "kiln" in kept["s2"]["like"][KILN].split()
    assert shown_to(model, 2)["like"] == kept["s2"]["like"]
    assert list(faults_of(run)) == []


def test_a_run_that_says_it_went_on_from_a_passage_not_shown_before_is_faulted():
    _, run = asked(FIRST, search("kiln", like=[KILN]))
    meta = {**run.meta, "wordings": {"s1": {"also": [], "like": {KILN: "kiln"}}}}
    told = [fault.message for fault in faults_of(seal(run.model_copy(update={"meta": meta})))]
    assert told == [f"search s1 goes on from {KILN}, which was not shown before it"]


@pytest.mark.parametrize("meta", [[], {"s1": 3}, {"s1": {"like": 7}}])
def test_a_run_that_holds_anything_there_is_read_all_the_same(meta):
    _, run = asked(FIRST)
    assert list(faults_of(seal(run.model_copy(update={"meta": {**run.meta, "wordings": meta}})))) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"like": ["ep9:00000"]}, "No passage with the id 'ep9:00000' was shown to you in this run"),
        ({"also": [" "]}, "also.0: the query is empty"),
        ({"also": ["kiln"] * 6}, "at most 5"),
        ({"order": "newest"}, "order: Input should be 'spread' or 'meaning'"),
    ],
)
def test_what_cannot_be_searched_for_comes_back_as_a_sentence(arguments, told):
    model, run = asked(FIRST, search("kiln", **arguments))
    assert told in shown_to(model, 2)["error"]
    assert run.status == "completed"


@pytest.mark.parametrize(
    ("switch", "arguments"),
    [
        ("wordings", {"also": ["oven"]}),
        ("like", {"like": [KILN]}),
        ("spread", {"order": "spread"}),
        ("meaning", {"order": "meaning"}),
    ],
)
def test_each_is_a_switch_of_the_recipe(switch, arguments):
    [name] = arguments
    offered = {tool.name: tool.parameters["properties"] for tool in exploration_tools(recipe(**{switch: False}))}
    assert offered != {tool.name: tool.parameters["properties"] for tool in exploration_tools(load("default"))}
    assert arguments[name] not in offered["search_transcripts"].get(name, {}).get("enum", ())
    model, _ = asked(FIRST, search("kiln", **arguments), **{switch: False})
    assert "error" in shown_to(model, 2)
    model, _ = asked(FIRST, search("kiln", **arguments))
    assert "hits" in shown_to(model, 2)


def test_by_meaning_alone_words_count_for_nothing():
    model, run = asked(search("kiln", order="meaning"))
    assert run.searches[0].mode == "dense"
    assert all(hit["lexical"] is None for hit in shown_to(model, 1)["hits"])


def test_going_on_from_a_passage_is_another_search_and_paging_on_is_not():
    model = ScriptedModel([says(FIRST), says(FIRST), says(ready()), says(search("glaze")), says(ready()), says(ANSWER)])
    ask(model, recipe=recipe())
    assert "Not yet" in shown_to(model, 3)["error"]
    again = search("where was the kiln moved", k=2, like=[KILN])
    model = ScriptedModel([says(FIRST), says(again), says(ready()), says(ANSWER)])
    assert ask(model, recipe=recipe()).status == "completed"


def test_the_built_in_reader_uses_them_from_end_to_end_and_its_run_verifies():
    corpus = open_corpus()
    reader = ReaderModel(corpus.index.embedder)
    run = ask(reader, question="How has the place of the kiln changed over time?", corpus=corpus)
    assert run.status == "completed"
    assert {BARN, KILN} <= set(run.retrieved)
    first, second = run.meta["wordings"]["s1"], run.meta["wordings"]["s2"]
    assert first == {"also": ["place kiln changed time", "place kiln"], "like": {}}
    assert second["like"].keys() <= set(run.searches[0].returned)
    assert [search.mode for search in run.searches][:2] == ["spread", "spread"]
    assert "timeline" in [search.mode for search in run.searches]
    assert list(faults_of(run)) == []
    fact = ask(reader, question="How many people did it take to move the kiln?", corpus=corpus)
    assert "dense" in [search.mode for search in fact.searches]
    assert list(faults_of(fact)) == []
