"""Holding: a claim lasts while its worker lives and is at work, and a worker that lost its item learns it."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import timedelta
from hashlib import sha256

import numpy as np
import psycopg
import pytest

from answertrail.corpus import reading
from answertrail.corpus.embedding import embed_missing
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.origins.stage import Pace, fetch_pending
from answertrail.errors import ServiceError
from answertrail.store import claims, corpora, documents, embeddings
from answertrail.store.holding import holding
from tests.corpus.origins.test_origins_stage import Shelf, ready
from tests.search.worlds import TinyEmbedder
from tests.store.samples import corpus_of, timed

pytestmark = pytest.mark.asyncio

LEASE_S = 1.0
LEASE = timedelta(seconds=LEASE_S)


async def wait_until(reached):
    for _ in range(500):
        if reached():
            return
        await asyncio.sleep(0.02)
    pytest.fail("that never came")


async def taken_by(database, worker):
    """Give every claim to another worker, as one would take it that had run out."""
    async with database.transaction() as conn:
        await conn.execute("UPDATE claims SET worker = %s, until = 'infinity', watched = false", (worker,))


async def test_a_claim_lasts_for_as_long_as_it_is_held_and_no_longer(database):
    corpus = await corpus_of(database)
    for worker in ("unwatched", None):
        async with claims.working(database) as one, claims.working(database) as two:
            me = worker or one
            assert await claims.claim(database, corpus, "read", ["b", "a"], me, LEASE) == ["b", "a"]
            async with holding(database, corpus, "read", ["b", "a"], me, LEASE) as hold:
                for _ in range(6):
                    await asyncio.sleep(LEASE_S / 2)
                    assert await claims.claim(database, corpus, "read", ["a", "b"], two) == []
                assert not hold.lost
            await asyncio.sleep(1.5 * LEASE_S)
            assert await claims.claim(database, corpus, "read", ["a"], two) == ["a"]


@pytest.mark.parametrize("how", ["deleted", "taken"])
async def test_a_holder_learns_that_one_of_its_items_is_lost(database, how):
    corpus = await corpus_of(database)
    await claims.claim(database, corpus, "read", ["a", "b"], "me", LEASE)
    async with holding(database, corpus, "read", ["a", "b"], "me", LEASE) as hold:
        assert await hold.renew()
        async with database.transaction() as conn:
            if how == "taken":
                await conn.execute("UPDATE claims SET worker = 'other' WHERE item = 'b'")
            else:
                await conn.execute("DELETE FROM claims WHERE item = 'b'")
        await wait_until(lambda: hold.lost)
        assert not await hold.renew()
    left = {"a": "me", "b": "other"} if how == "taken" else {"a": "me"}
    async with database.transaction() as conn:
        rows = await (await conn.execute("SELECT item, worker FROM claims")).fetchall()
    assert dict(rows) == left


@pytest.mark.parametrize("fault", [ServiceError("the database failed"), psycopg.InterfaceError("closed")])
async def test_a_renewal_that_fails_is_not_the_last(database, monkeypatch, fault):
    corpus = await corpus_of(database)
    await claims.claim(database, corpus, "read", ["a"], "me", LEASE)
    renew, renewals = claims.renew, []

    async def failing(*given):
        renewals.append(given)
        if len(renewals) == 1:
            raise fault
        return await renew(*given)

    monkeypatch.setattr(claims, "renew", failing)
    async with holding(database, corpus, "read", ["a"], "me", LEASE) as hold:
        await wait_until(lambda: len(renewals) > 2)
        assert not hold.lost
        await taken_by(database, "other")
        await wait_until(lambda: hold.lost)
    done = len(renewals)
    await asyncio.sleep(LEASE_S)
    assert len(renewals) == done


async def test_a_renewal_takes_nothing_and_gives_what_ran_out_but_is_nobody_elses(database):
    corpus = await corpus_of(database)
    await claims.claim(database, corpus, "read", ["a"], "me", timedelta(milliseconds=1))
    await claims.claim(database, corpus, "read", ["b"], "other")
    await asyncio.sleep(0.01)
    assert await claims.renew(database, corpus, "read", ["c", "b", "a"], "me") == ["a"]
    assert await claims.claim(database, corpus, "read", ["a", "c"], "other") == ["c"]
    assert await claims.renew(database, corpus, "read", [], "me") == []


def lines(path, count):
    rows = [{"schema": "document/1", "id": f"d{n}", "title": f"Day {n}", "text": f"On day {n} it rained."}
            for n in range(count)]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


class SlowReading:
    """Holds a file back after its first block of documents, as one does that is long."""

    def __init__(self, monkeypatch):
        self.blocks, self.go_on, self._next = 0, threading.Event(), reading._next
        monkeypatch.setattr(reading, "_next", self)

    def __call__(self, results):
        self.blocks += 1
        if self.blocks == 2:
            assert self.go_on.wait(30)
        return self._next(results)

    async def at_the_second(self):
        await wait_until(lambda: self.blocks == 2)


async def test_a_long_file_is_kept_by_the_worker_that_reads_it(database, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "DEFAULT_LEASE", LEASE)
    lines(tmp_path / "days.jsonl", 150)
    request = IngestRequest(corpus="c", sources=(tmp_path,), embedder="fast")
    slow = SlowReading(monkeypatch)
    first = asyncio.create_task(ingest(database, request, settings=settings))
    await slow.at_the_second()
    second = asyncio.create_task(ingest(database, request, settings=settings))
    await asyncio.sleep(3 * LEASE_S)
    assert slow.blocks == 2
    slow.go_on.set()
    reports = await asyncio.gather(first, second)
    assert [(report.added, report.elsewhere, report.failed) for report in reports] == [(150, 0, []), (0, 150, [])]


async def test_a_long_file_that_another_took_is_left_to_it(database, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "DEFAULT_LEASE", LEASE)
    lines(tmp_path / "days.jsonl", 150)
    slow = SlowReading(monkeypatch)
    request = IngestRequest(corpus="c", sources=(tmp_path,), embedder="fast")
    first = asyncio.create_task(ingest(database, request, settings=settings))
    await slow.at_the_second()
    corpus = await corpora.get(database, "c")
    await taken_by(database, "other")
    await asyncio.sleep(LEASE_S)
    slow.go_on.set()
    await asyncio.sleep(LEASE_S)
    assert len(await documents.document_ids(database, corpus)) == 64
    async with database.transaction() as conn:
        await conn.execute("DELETE FROM claims WHERE worker = 'other'")
    # The other went without doing it: no document of the file is in its own way.
    report = await first
    assert report.failed == []
    assert len(await documents.document_ids(database, corpus)) == 150


async def test_what_another_took_is_not_put_into_the_corpus_by_a_slow_download(database, monkeypatch):
    monkeypatch.setattr(claims, "DEFAULT_LEASE", LEASE)
    shelf = Shelf("a", "b")
    corpus = await ready(database, shelf)
    fetch = shelf.fetch
    lost = []

    async def slow(item):
        if not lost:
            lost.append(item.id)
            await taken_by(database, "other")
        else:
            await asyncio.sleep(2 * LEASE_S)
        return await fetch(item)

    shelf.fetch = slow
    async with claims.working(database) as worker:
        report = await fetch_pending(database, corpus, shelf, worker, pace=Pace(seconds=0))
    assert (report.added, report.held) == (1, 1)
    assert lost[0] not in await documents.document_ids(database, corpus)


async def test_texts_that_another_took_are_not_embedded_twice_by_a_slow_embedder(database, monkeypatch):
    monkeypatch.setattr(claims, "DEFAULT_LEASE", LEASE)
    corpus = await corpora.create(database, "c", "tiny", TinyEmbedder(8).identity)
    async with database.transaction() as conn:
        for n in range(6):
            document, chunks = timed(f"d{n}", f"On day {n} it rained.")
            await documents.replace(conn, corpus, document, chunks, content_hash=f"sha256:{n}", source=f"{n}.vtt")

    class Slow(TinyEmbedder):
        batch_size = 2

        async def embed(self, texts, role):
            await taken_by(database, "other")
            rest = [key for key, _ in await embeddings.pending(database, corpus, 10)]
            await claims.claim(database, corpus, "embed", rest, "other", timedelta(hours=1))
            await asyncio.sleep(LEASE_S)
            return await super().embed(texts, role)

    slow = Slow(8)
    # A worker begins at the hash of its name: this one takes all at once.
    worker = next(name for name in map(str, range(10_000)) if sha256(name.encode()).hexdigest().startswith("000"))
    one = asyncio.create_task(embed_missing(database, corpus, slow, worker=worker))
    await wait_until(lambda: slow.asked)
    await asyncio.sleep(LEASE_S)
    assert len(slow.asked) == 2
    missing = await embeddings.pending(database, corpus, 10)
    assert len(missing) == 4
    async with database.transaction() as conn:
        await embeddings.save(conn, corpus.embedder_id, [key for key, _ in missing], np.ones((4, 8)))
        await conn.execute("DELETE FROM claims")
    assert await one == 2
    assert len(slow.asked) == 2
