"""An endpoint that refuses a batch, and one that refuses everything: only the first lets a document be cleaned."""

from __future__ import annotations

import json

import pytest

from answertrail.corpus.cleaning import CleaningSettings, clean_pending
from answertrail.models.chat.base import ChatReply
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.load import load_chat_model
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.store import Database, cleaning, reached
from tests.corpus.cleaning.worlds import corpus_with, data_of, many, mending, put, reply_of, talk, texts
from tests.models.chat.fake_server import Answer, chat, running

pytestmark = pytest.mark.asyncio

ONE_BY_ONE = CleaningSettings(concurrency=1)
PLAIN = "and then we went home and had a cup of tea"


def rejected(reason="rejected") -> EndpointError:
    return EndpointError("HTTP 400: no such thing", reason=reason, status=400)


def mended(data) -> ChatReply:
    return reply_of([line["text"].replace("hole", "whole") for line in data["lines"]])


def failing(*refused: int, after: int | None = None, reason="rejected") -> ScriptedModel:
    """Refuse the calls of these numbers, counted from 1, and every call after one."""
    calls = 0

    def answer(request) -> ChatReply:
        nonlocal calls
        calls += 1
        if calls in refused or (after is not None and calls > after):
            raise rejected(reason)
        return mended(data_of(request))

    return ScriptedModel(answer, name="scripted:mender")


def is_plain(request) -> bool:
    return {line["text"] for line in data_of(request)["lines"]} == {PLAIN}


def choosy(word: str) -> ScriptedModel:
    """Refuse every batch in which a word is said."""

    def answer(request) -> ChatReply:
        data = data_of(request)
        if any(word in line["text"].split() for line in data["lines"]):
            raise rejected()
        return mended(data)

    return ScriptedModel(answer, name="scripted:mender")


@pytest.mark.parametrize("reason", ["rejected", "too_long"])
async def test_an_endpoint_that_refuses_everything_from_some_call_on_ends_the_stage(database: Database, reason) -> None:
    corpus = await corpus_with(database, *(talk(f"d{n}", f"the hole thing {n}") for n in range(9)))
    author = failing(after=1, reason=reason)
    report = await clean_pending(database, corpus, author)
    assert str(report.stopped) == "HTTP 400: no such thing"
    assert (report.documents, report.pending, report.unanswered) == (1, 8, 0)
    # One was answered, three were refused, and so was the plain one.
    assert [is_plain(request) for request in author.requests] == [False] * 4 + [True]
    assert [await cleaning.get(database, corpus, f"d{n}") is not None for n in range(9)] == [True] + [False] * 8
    assert (await reached.counts(database, corpus))["cleaned"] == 1
    report = await clean_pending(database, corpus, mending(("hole", "whole")))
    assert (report.stopped, report.documents, report.already, report.pending) == (None, 8, 1, 0)
    for n in range(9):
        assert await texts(database, corpus, f"d{n}") == [f"the whole thing {n}"]


async def test_the_document_in_hand_when_the_refusals_begin_is_not_written(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 200))
    author = failing(after=2)
    report = await clean_pending(database, corpus, author, settings=ONE_BY_ONE)
    assert (str(report.stopped), report.documents, report.pending) == ("HTTP 400: no such thing", 0, 1)
    assert len(author.requests) == 2 + 3 + 1
    assert await cleaning.get(database, corpus, "a") is None
    report = await clean_pending(database, corpus, failing())
    assert (report.stopped, report.remembered, report.changed) == (None, 2, 200)


async def test_a_document_whose_last_batch_begins_the_refusals_is_not_written_either(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 60))
    report = await clean_pending(database, corpus, failing(after=2), settings=ONE_BY_ONE)
    assert (str(report.stopped), report.spent.calls) == ("HTTP 400: no such thing", 4)
    assert await cleaning.get(database, corpus, "a") is None
    # Where only that batch is refused, it is: the plain one is answered.
    report = await clean_pending(database, corpus, failing(1), settings=ONE_BY_ONE)
    assert (report.stopped, report.remembered, report.changed, report.unanswered) == (None, 2, 40, 20)


async def test_many_batches_in_a_row_may_be_refused_for_what_they_say(database: Database) -> None:
    lines = [f"line {n} of the hole {'ban' if 40 <= n < 140 else 'thing'}" for n in range(200)]
    corpus = await corpus_with(database, talk("a", *lines), talk("b", "the hole rest"))
    author = choosy("ban")
    report = await clean_pending(database, corpus, author, settings=ONE_BY_ONE)
    assert (report.stopped, report.documents, report.pending) == (None, 2, 0)
    assert (report.changed, report.unanswered) == (101, 100)
    assert report.raw_batches[0].reason == "the endpoint refused it: HTTP 400: no such thing"
    assert [is_plain(request) for request in author.requests].count(True) == 1


async def test_a_document_that_is_refused_as_a_whole_is_put_off_and_keeps_no_other_from_its_turn(
    database: Database,
) -> None:
    banned = [talk(f"a{n}", *(f"the ban of hole {line}" for line in range(60))) for n in range(3)]
    corpus = await corpus_with(database, *banned, talk("b", "the hole one"))
    for added in (None, "c"):
        if added:
            await put(database, corpus, talk(added, "the hole other"))
        report = await clean_pending(database, corpus, choosy("ban"), settings=ONE_BY_ONE)
        assert (report.stopped, report.documents, report.pending) == (None, 1, 3)
        assert set(report.put_off) == {"a0", "a1", "a2"}
        assert (report.lines, report.unanswered) == (1, 0)
        assert report.in_words()[-1] == (
            "3 documents put off until the next time: the endpoint refused it: HTTP 400: no such thing"
        )
        assert report.as_json()["put_off"][0] == {
            "document_id": "a0",
            "reason": "the endpoint refused it: HTTP 400: no such thing",
        }
        assert await texts(database, corpus, added or "b") == [f"the whole {'other' if added else 'one'}"]
    report = await clean_pending(database, corpus, mending(("hole", "whole")))
    assert (report.documents, report.put_off, report.pending) == (3, {}, 0)
    assert "put_off" not in report.as_json()


async def test_an_endpoint_that_has_answered_nothing_yet_is_asked_plainly_at_once(database: Database) -> None:
    corpus = await corpus_with(database, *(many(f"d{n}", 40) for n in range(9)))
    author = failing(after=0)
    report = await clean_pending(database, corpus, author, settings=ONE_BY_ONE)
    assert (str(report.stopped), report.pending) == ("HTTP 400: no such thing", 9)
    assert [is_plain(request) for request in author.requests] == [False, True]


async def test_a_server_started_anew_with_another_model_marks_nothing_as_cleaned(database: Database) -> None:
    corpus = await corpus_with(database, *(talk(f"d{n}", f"the hole thing {n}") for n in range(5)))
    with running() as server:
        model = load_chat_model(
            "openai-compatible:m",
            base_url=f"{server.url}/v1",
            environment={"ANSWERTRAIL_CHAT_PROTOCOL": "json_action", "NO_PROXY": "127.0.0.1"},
        )

        def healthy(body) -> Answer:
            said = body["messages"][-1]["content"]
            lines = json.loads(said[said.index("{") : said.rindex("}") + 1])["lines"]
            return chat(
                json.dumps({"lines": [{"i": x["i"], "text": x["text"].replace("hole", "whole")} for x in lines]})
            )

        def restarted(body) -> Answer:
            if len(server.seen) == 1:
                return healthy(body)
            return Answer({"error": {"message": "model 'm' does not support this", "code": 400}}, status=400)

        server.behave = restarted
        report = await clean_pending(database, corpus, model)
        assert "does not support this" in str(report.stopped)
        assert (report.documents, report.pending) == (1, 4)
        server.behave = healthy
        report = await clean_pending(database, corpus, model)
    assert (report.stopped, report.documents, report.pending) == (None, 4, 0)
    assert [await texts(database, corpus, f"d{n}") for n in range(5)] == [[f"the whole thing {n}"] for n in range(5)]
