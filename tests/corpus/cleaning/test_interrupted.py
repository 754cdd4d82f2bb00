"""The stage killed, refused, shared and overtaken: nothing is lost and nothing is paid for twice."""

from __future__ import annotations

import asyncio

import pytest

from answertrail.corpus.cleaning import CleaningSettings, Glossary, clean_pending
from answertrail.errors import InputError, ServiceError
from answertrail.models.chat.base import ChatReply
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.store import Database, claims, cleaning
from tests.corpus.cleaning.worlds import (
    corpus_with,
    data_of,
    many,
    put,
    reply_of,
    talk,
    texts,
)

pytestmark = pytest.mark.asyncio


async def test_a_document_that_changes_while_the_model_works_is_cleaned_as_it_is_then(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "the hole one"))

    class Slow(ScriptedModel):
        async def complete(self, request):
            if not self.requests:
                await put(database, corpus, talk("a", "the hole two"))
            return await super().complete(request)

    author = Slow(lambda r: reply_of([x["text"].replace("hole", "whole") for x in data_of(r)["lines"]]))
    report = await clean_pending(database, corpus, author)
    assert await texts(database, corpus, "a") == ["the whole two"]
    assert (report.documents, len(author.requests)) == (1, 2)


class KilledError(BaseException):
    """As a kill: nothing of ours catches it."""


async def test_a_run_killed_in_the_middle_pays_for_no_batch_twice(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 100), many("b", 20))
    asked: list[str] = []

    def dying(after: int) -> ScriptedModel:
        def answer(request) -> ChatReply:
            if len(asked) == after:
                raise KilledError
            data = data_of(request)
            asked.append(data["lines"][0]["text"])
            return reply_of([line["text"].replace("hole", "whole") for line in data["lines"]])

        return ScriptedModel(answer, name="scripted:mender")

    one_by_one = CleaningSettings(concurrency=1)
    for after in (1, 3, 5):
        with pytest.raises(KilledError):
            await clean_pending(database, corpus, dying(after), settings=one_by_one)
    # The last death was between the two documents: the first is whole, the second untouched.
    assert (await texts(database, corpus, "a"))[99] == "line 99 of the whole thing"
    assert await texts(database, corpus, "b") == [f"line {n} of the hole thing" for n in range(20)]
    report = await clean_pending(database, corpus, dying(99), settings=one_by_one)
    assert (report.documents, report.already, report.spent.calls) == (1, 1, 1)
    assert len(asked) == 6


async def test_a_killed_run_leaves_what_an_uninterrupted_one_makes(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 100))
    calls = 0

    def answer(request) -> ChatReply:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KilledError
        return reply_of([line["text"].replace("hole", "whole") for line in data_of(request)["lines"]])

    with pytest.raises(KilledError):
        await clean_pending(database, corpus, ScriptedModel(answer), settings=CleaningSettings(concurrency=1))
    assert await cleaning.get(database, corpus, "a") is None
    assert await texts(database, corpus, "a") == [f"line {n} of the hole thing" for n in range(100)]
    report = await clean_pending(database, corpus, ScriptedModel(answer))
    assert (report.batches, report.remembered, report.spent.calls, calls) == (5, 2, 3, 6)
    assert await texts(database, corpus, "a") == [f"line {n} of the whole thing" for n in range(100)]


async def test_a_failing_service_stops_the_stage_with_its_progress(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 20), many("b", 60), many("c", 20))
    calls = 0

    def answer(request) -> ChatReply:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise ServiceError("the endpoint is down", where="scripted:mender")
        return reply_of([line["text"].replace("hole", "whole") for line in data_of(request)["lines"]])

    report = await clean_pending(database, corpus, ScriptedModel(answer), settings=CleaningSettings(concurrency=1))
    assert str(report.stopped) == "scripted:mender: the endpoint is down"
    assert (report.documents, report.pending) == (1, 2)
    # Two calls cost nothing, and what the failed one cost nobody knows: that is not zero.
    assert report.spent.cost_usd is None
    assert report.as_json()["cost_usd"] is None
    assert "at least $0.0000, since the price of 1 call is not known" in report.in_words()[1]
    assert report.in_words()[-1] == "stopped with 2 documents left: scripted:mender: the endpoint is down"
    async with claims.working(database) as other:
        assert await claims.claim(database, corpus, "clean", ["b"], other) == ["b"]
    report = await clean_pending(database, corpus, ScriptedModel(answer))
    assert (report.stopped, report.documents, report.already, report.remembered) == (None, 2, 1, 1)
    assert report.spent.cost_usd == 0.0


async def test_calls_under_way_are_kept_when_another_fails(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 80))

    class Uneven(ScriptedModel):
        """The first batch fails when the other two are under way, and they end after that."""

        under_way = 0
        both, failed = asyncio.Event(), asyncio.Event()

        async def complete(self, request):
            if not self.failed.is_set() and data_of(request)["lines"][0]["text"].startswith("line 0 "):
                await self.both.wait()
                self.failed.set()
                raise ServiceError("down")
            self.under_way += 1
            if self.under_way == 2:
                self.both.set()
            await self.failed.wait()
            return await super().complete(request)

    author = Uneven(lambda r: reply_of([x["text"] for x in data_of(r)["lines"]]))
    report = await clean_pending(database, corpus, author, settings=CleaningSettings(concurrency=3))
    assert report.stopped is not None
    report = await clean_pending(database, corpus, author, settings=CleaningSettings(concurrency=3))
    assert (report.batches, report.remembered) == (4, 2)


async def test_two_workers_share_the_documents_and_ask_for_none_twice(database: Database) -> None:
    corpus = await corpus_with(database, *(many(f"d{n}", 20) for n in range(6)))

    class Slow(ScriptedModel):
        async def complete(self, request):
            await asyncio.sleep(0.02)
            return await super().complete(request)

    def author() -> ScriptedModel:
        return Slow(lambda r: reply_of([x["text"].replace("hole", "whole") for x in data_of(r)["lines"]]))

    models = author(), author()
    reports = await asyncio.gather(*(clean_pending(database, corpus, one) for one in models))
    assert sum(report.documents for report in reports) == 6
    assert sum(len(one.requests) for one in models) == 6
    assert [report.pending for report in reports] == [0, 0]
    for n in range(6):
        assert "hole" not in " ".join(await texts(database, corpus, f"d{n}")).split()


async def test_a_script_that_ends_is_no_fault_of_a_service(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 40))
    with pytest.raises(InputError, match="script ended"):
        await clean_pending(database, corpus, ScriptedModel([]), Glossary())


async def test_a_full_disk_of_the_database_is_no_fault_of_the_model(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 20))
    async with database.transaction() as conn:
        await conn.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'the disk is full' USING ERRCODE = 'disk_full'; END $$"
        )
        await conn.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON cleaning_batches EXECUTE FUNCTION full_disk()",
        )
    author = ScriptedModel(lambda r: reply_of([x["text"] for x in data_of(r)["lines"]]))
    try:
        with pytest.raises(ServiceError, match="the database failed: the disk is full"):
            await clean_pending(database, corpus, author)
    finally:
        async with database.transaction() as conn:
            await conn.execute("DROP FUNCTION full_disk CASCADE")
    assert len(author.requests) == 1
    # The claim ended with the worker, and nothing counts as cleaned.
    report = await clean_pending(database, corpus, author)
    assert (report.stopped, report.documents) == (None, 1)
