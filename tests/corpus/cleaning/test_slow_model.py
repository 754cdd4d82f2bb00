"""A model slower than a claim lasts: nobody else takes the document, and one that was lost is left alone."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from answertrail.corpus.cleaning import CleaningSettings, clean_pending
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.store import Database, claims, cleaning
from tests.corpus.cleaning.worlds import corpus_with, data_of, many, mending, reply_of, texts

pytestmark = pytest.mark.asyncio

LEASE_S = 1.0
ONE_BY_ONE = CleaningSettings(concurrency=1)


@pytest.fixture(autouse=True)
def short_lease(monkeypatch):
    monkeypatch.setattr(claims, "DEFAULT_LEASE", timedelta(seconds=LEASE_S))


class Slow(ScriptedModel):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__(self._mended, name="scripted:mender")
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    @staticmethod
    def _mended(request):
        return reply_of([line["text"].replace("hole", "whole") for line in data_of(request)["lines"]])

    async def complete(self, request):
        self.asked.set()
        await self.go_on.wait()
        return await super().complete(request)


async def test_another_worker_does_not_take_a_document_from_a_slow_model(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 20))
    slow, quick = Slow(), mending(("hole", "whole"))
    first = asyncio.create_task(clean_pending(database, corpus, slow))
    await slow.asked.wait()
    second = asyncio.create_task(clean_pending(database, corpus, quick))
    await asyncio.sleep(3 * LEASE_S)
    assert quick.requests == []
    slow.go_on.set()
    reports = await asyncio.gather(first, second)
    assert [report.documents for report in reports] == [1, 0]
    assert [report.elsewhere for report in reports] == [0, 1]
    assert (len(slow.requests), len(quick.requests)) == (1, 0)


async def test_a_document_that_another_took_is_left_to_it(database: Database) -> None:
    corpus = await corpus_with(database, many("a", 100))
    slow = Slow()
    first = asyncio.create_task(clean_pending(database, corpus, slow, settings=ONE_BY_ONE))
    await slow.asked.wait()
    async with claims.working(database) as other:
        async with database.transaction() as conn:
            # As after a silence of the network that was longer than the claim.
            await conn.execute("UPDATE claims SET worker = %s, until = 'infinity', watched = true", (other,))
        await asyncio.sleep(LEASE_S)
        slow.go_on.set()
        await asyncio.sleep(LEASE_S)
        # The call under way ended and is kept, no other was begun, and nothing is written.
        assert len(slow.requests) == 1
        assert await cleaning.get(database, corpus, "a") is None
        report = await clean_pending(database, corpus, mending(("hole", "whole")), worker=other)
        assert (report.documents, report.remembered) == (1, 1)
    report = await first
    assert (report.documents, report.elsewhere, report.pending) == (0, 1, 0)
    assert "hole" not in " ".join(await texts(database, corpus, "a")).split()


async def test_what_is_lost_at_the_last_moment_is_not_written(database: Database, monkeypatch) -> None:
    monkeypatch.setattr(claims, "DEFAULT_LEASE", timedelta(minutes=1))
    corpus = await corpus_with(database, many("a", 20))
    slow = Slow()
    first = asyncio.create_task(clean_pending(database, corpus, slow))
    await slow.asked.wait()
    async with database.transaction() as conn:
        assert (await conn.execute("DELETE FROM claims")).rowcount == 1
    async with claims.working(database) as other:
        assert await claims.claim(database, corpus, "clean", ["a"], other) == ["a"]
        slow.go_on.set()
        await asyncio.sleep(0.3)
        assert await cleaning.get(database, corpus, "a") is None
        assert not first.done()
    # The other went without doing it.
    report = await first
    assert (report.documents, report.remembered, report.pending, len(slow.requests)) == (1, 1, 0, 1)
