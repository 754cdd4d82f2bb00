"""An empty result says why it is empty and what to try: a search at a time, on a corpus that is there."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from answertrail.agent.advice import advice_for
from answertrail.search.hits import Filter
from tests.agent.seasons import FIRST, PAGING, QUESTION, seasons, switched, told
from tests.agent.world import ScriptedModel, ask, open_corpus, ready, says, search, submit

LEXICAL = switched(search={**PAGING, "mode": "lexical"})


def advice(*steps, recipe=LEXICAL):
    model = ScriptedModel(
        [*[says(step) for step in steps], says(search("toaster")), says(search("ash")), says(ready()),
         says(submit("answered", ("An electric kiln is a toaster.", [FIRST])))]
    )  # fmt: skip
    run = ask(model, recipe=recipe, question=QUESTION, corpus=seasons())
    assert run.status == "completed"
    [body] = told(model, len(steps))
    assert body["hits"] == []
    assert "the same search will not help" in body["advice"]
    return body["advice"]


def test_words_the_corpus_does_not_have_are_named():
    text = advice(search("zeppelin airships"))
    assert "No passage has any of these words: zeppelin, airship;" in text
    assert "own words" in text
    assert "this word: zeppelin;" in advice(search("zeppelin"))


def test_all_shown_is_told_apart_from_nothing_there():
    text = advice(search("grog"), search("grog"))
    assert text.startswith("All that matches was already shown")
    assert "mark_ready" in text


def test_dates_that_are_too_narrow_say_from_when_the_rest_is():
    text = advice(search("electric", **{"from": "2023-08-01", "to": "2023-09-01"}))
    assert text.startswith("Nothing matches from 2023-08-01 to 2023-09-01;")
    assert "Widen the dates or drop them." in text
    assert "is from: 2023-02-10, 2023-05-20, 2024-02-01." in text
    assert "no date" in advice(search("elements", **{"from": "2024-12-01"}))


def test_dates_around_what_was_shown_say_both():
    text = advice(search("grog"), search("grog clay", to="2023-09-01"))
    assert text.startswith("All that matches before 2023-09-01 was already shown")
    assert "other dates" in text


def test_dates_are_not_blamed_where_the_rest_is_empty_too():
    text = advice(search("zeppelin", **{"from": "2023-08-01"}))
    assert "No passage has this word: zeppelin" in text
    assert "Without the dates" not in text


def test_a_look_beyond_the_dates_is_no_search_of_the_run():
    model = ScriptedModel([says(search("electric", **{"from": "2031-01-01"})), says(search("toaster")),
                           says(ready()), says(submit("cannot_answer", not_found=["x"]))])  # fmt: skip
    run = ask(model, recipe=LEXICAL, question=QUESTION, corpus=seasons())
    assert len(run.searches) == 2
    assert run.retrieved == [FIRST]


@pytest.mark.parametrize("mode", ["fused", "dense", "timeline"])
def test_an_empty_corpus_says_that_it_is_empty(mode):
    corpus = open_corpus({})
    result = asyncio.run(corpus.search("kiln", mode=mode, k=3, within=Filter()))
    assert advice_for(result, (None, None)).startswith("The corpus holds no passages")


def test_a_timeline_without_any_period_near_enough_names_the_nearest():
    result = asyncio.run(seasons().search("ceramics", mode="timeline", k=3, within=Filter()))
    text = advice_for(replace(result, hits=(), terms={}), (None, None))
    assert "No period has a passage that is near enough (nearest is 20" in text
    assert "search_transcripts" in text
