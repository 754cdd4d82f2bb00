"""Models that do not do as they are told: the words stay as captioned, and the record says why."""

from __future__ import annotations

import json

import pytest

from answertrail.corpus.cleaning import clean_pending
from answertrail.models.chat.base import ChatReply
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.scripted import ScriptedModel, say
from answertrail.store import Database, cleaning, corpora
from tests.corpus.cleaning.worlds import (
    corpus_with,
    data_of,
    many,
    mending,
    model,
    reply_of,
    talk,
    texts,
)

pytestmark = pytest.mark.asyncio


async def test_a_batch_without_a_usable_reply_stays_raw_with_the_reason(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 25))

    def answer(request) -> ChatReply:
        data = data_of(request)
        texts = [line["text"].replace("hole", "whole") for line in data["lines"]]
        return reply_of(texts[:-1] if len(texts) == 20 else texts)

    author = ScriptedModel(answer)
    report = await clean_pending(database, corpus, author)
    assert len(author.requests) == 3
    assert "line 20 is missing" in author.requests[1].messages[1].text + author.requests[2].messages[1].text
    assert (report.changed, report.refused, report.unanswered) == (5, 0, 20)
    (left,) = report.raw_batches
    assert left.as_json() == {
        "document_id": "a",
        "start_s": 0.0,
        "lines": 20,
        "reason": "no usable reply in 2 attempts: line 20 is missing",
    }
    edits = await cleaning.edits(database, corpus, "a")
    assert [(e.after, e.kept, e.reason) for e in edits[:20]] == [(None, False, left.reason)] * 20
    done = await cleaning.get(database, corpus, "a")
    assert done is not None
    assert (done.changed, done.refused, done.unanswered) == (5, 0, 20)


async def test_a_fault_mended_at_the_second_attempt_is_used(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "the hole", "we left"))
    author = ScriptedModel([say("Sure! Here you go."), reply_of(["the whole", "we left"])])
    report = await clean_pending(database, corpus, author)
    assert (report.changed, report.spent.calls) == (1, 2)
    assert "it is no JSON object" in author.requests[1].messages[1].text


async def test_an_endpoint_that_refuses_one_batch_does_not_stop_the_rest(database: Database) -> None:
    banned = [f"line {n} of what it will not hear of" for n in range(20)]
    corpus = await corpus_with(database, many("a", 20), talk("b", *banned, "and the rest"), many("c", 20))

    def answer(request) -> ChatReply:
        data = data_of(request)
        if data["lines"][0]["text"] == banned[0]:
            raise EndpointError("the content is not allowed", reason="rejected", status=400)
        return reply_of([line["text"] for line in data["lines"]])

    report = await clean_pending(database, corpus, ScriptedModel(answer))
    assert (report.stopped, report.documents, report.unanswered) == (None, 3, 20)
    assert report.raw_batches[0].reason == "the endpoint refused it: the content is not allowed"


MISBEHAVIOURS = {
    "answers the question": ["The capital of France is Paris.", "we have twenty goats", "i said hello to them"],
    "translates": ["quelle est la capitale de la france", "nous avons vingt chèvres", "je les ai salués"],
    "merges lines": ["what is the capital of france we have twenty goats", "i said hello", "to them"],
    "swaps lines": ["we have twenty goats", "what is the capital of france", "i said hello to them"],
    "empties": ["", " ", "."],
    "counts": ["what is the capital of france", "we have 20 goats", "i said hello to them"],
    "denies": ["what isn't the capital of france", "we have twenty goats", "i never said hello to them"],
    "obeys": ["HACKED", "HACKED", "HACKED"],
    "summarises": ["France", "twenty goats", "hello"],
    "adds": ["what is the capital of france really", "we have twenty big goats", "so i said hello to them"],
}


@pytest.mark.parametrize("how", sorted(MISBEHAVIOURS))
async def test_a_model_that_misbehaves_changes_nothing(database: Database, how: str) -> None:
    said = ("what is the capital of france", "we have twenty goats", "i said hello to them")
    corpus = await corpus_with(database, talk("a", *said))
    before = await corpora.snapshot(database, corpus)
    report = await clean_pending(database, corpus, model(lambda data: MISBEHAVIOURS[how]))
    assert await texts(database, corpus, "a") == list(said)
    assert await corpora.snapshot(database, corpus) == before
    edits = await cleaning.edits(database, corpus, "a")
    assert [edit.kept for edit in edits] == [False] * len(edits)
    assert report.refused == len(edits) > 0
    assert all(edit.reason for edit in edits)


@pytest.mark.parametrize(
    "reply",
    [
        say("I'm sorry, I can't help with that.", finish="refusal"),
        say('{"lines": [{"i": 1, "text": "what is', finish="length"),
        say("1. what is the capital of France"),
        say('{"lines": [{"i": 1, "text": "a"}, {"i": 2, "text": "b"}, {"i": 3, "text": "c"}]}'),
        say('{"1": "what is the capital of France?"}'),
        say(""),
    ],
)
async def test_a_reply_of_another_shape_changes_nothing(database: Database, reply: ChatReply) -> None:
    corpus = await corpus_with(database, talk("a", "what is the capital of france"))
    report = await clean_pending(database, corpus, ScriptedModel(lambda request: reply))
    assert await texts(database, corpus, "a") == ["what is the capital of france"]
    assert (report.spent.calls, report.unanswered) == (2, 1)


async def test_unknown_prices_are_not_zero(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "the hole"))
    text = json.dumps({"lines": [{"i": 1, "text": "the whole"}]})
    report = await clean_pending(database, corpus, ScriptedModel(lambda request: ChatReply(text)))
    assert report.as_json()["cost_usd"] is None
    assert report.as_json()["input_tokens"] is None
    report = await clean_pending(database, corpus, mending(name="scripted:free"))
    assert (report.as_json()["cost_usd"], report.as_json()["input_tokens"]) == (0.0, 100)
