"""Claims: an item is in one worker's hands, and a worker that is gone holds nothing."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from datetime import timedelta

import pytest
import pytest_asyncio

from answertrail.models.embedding.load import load_embedder
from answertrail.store import claims, corpora
from tests.soak import rounds

pytestmark = pytest.mark.asyncio

_HOLDER = """
import asyncio, sys
from pathlib import Path
from answertrail.settings import Settings
from answertrail.store import claims, corpora
from answertrail.store.connection import connect

async def main():
    async with connect(Settings(Path(sys.argv[1]), sys.argv[2])) as db, claims.working(db) as worker:
        await claims.claim(db, await corpora.get(db, "kiln"), "read", ["a"], worker)
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


def _holder(settings) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _HOLDER, str(settings.home), settings.database_url]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest_asyncio.fixture
async def corpus(database):
    embedder = load_embedder("fast")
    return await corpora.create(database, "kiln", "fast", embedder.identity)


async def test_an_item_is_in_one_hand_until_released(database, corpus):
    async with claims.working(database) as one, claims.working(database) as two:
        assert await claims.claim(database, corpus, "read", ["b", "a"], one) == ["b", "a"]
        assert await claims.claim(database, corpus, "read", ["a", "c"], two) == ["c"]
        assert await claims.claim(database, corpus, "embed", ["a"], two) == ["a"]  # another stage
        assert list(await claims.held_by_others(database, corpus, "read", two)) == ["a", "b"]
        async with database.transaction() as conn:
            await claims.release(conn, corpus, "read", ["a"], one)
        assert await claims.claim(database, corpus, "read", ["a", "b"], two) == ["a"]


async def test_one_worker_may_take_its_item_again(database, corpus):
    async with claims.working(database) as one:
        await claims.claim(database, corpus, "read", ["a"], one)
        assert await claims.claim(database, corpus, "read", ["a"], one) == ["a"]


async def test_what_a_worker_held_is_free_when_it_ends(database, corpus):
    async with claims.working(database) as one:
        await claims.claim(database, corpus, "read", ["a"], one)
    async with claims.working(database) as two:
        assert await claims.held_by_others(database, corpus, "read", two) == {}
        assert await claims.claim(database, corpus, "read", ["a"], two) == ["a"]


async def test_a_claim_without_a_watched_worker_ends_with_its_time(database, corpus):
    assert await claims.claim(database, corpus, "read", ["a"], "unwatched", timedelta(seconds=0.2)) == ["a"]
    async with claims.working(database) as two:
        assert await claims.claim(database, corpus, "read", ["a"], two) == []
        await asyncio.sleep(0.25)
        assert await claims.claim(database, corpus, "read", ["a"], two) == ["a"]


async def test_what_a_killed_worker_held_is_free_at_once(database, corpus, settings):
    holder = _holder(settings)
    assert holder.stdout.readline() == "held\n"
    async with claims.working(database) as two:
        assert await claims.claim(database, corpus, "read", ["a"], two) == []
        holder.kill()
        holder.communicate()
        for _ in range(100):  # the server notices a closed connection within milliseconds
            if await claims.claim(database, corpus, "read", ["a"], two):
                break
            await asyncio.sleep(0.05)
        assert list(await claims.held_by_others(database, corpus, "read", "three")) == ["a"]


async def test_a_new_worker_sweeps_away_what_dead_ones_held(database, corpus, settings):
    holder = _holder(settings)
    assert holder.stdout.readline() == "held\n"
    await claims.claim(database, corpus, "read", ["b"], "unwatched")
    holder.kill()
    holder.communicate()
    for _ in range(100):
        async with claims.working(database), database.transaction() as conn:
            left = [item for (item,) in await (await conn.execute("SELECT item FROM claims")).fetchall()]
        if left == ["b"]:
            break
        await asyncio.sleep(0.05)
    assert left == ["b"]  # nobody watches its worker, so its time has to run out


async def test_many_at_once_share_the_items_out(database, corpus):
    items = [f"item {number}" for number in range(200)]

    async def take():
        async with claims.working(database) as worker:
            mine = []
            for start in range(0, 200, 10):
                mine += await claims.claim(database, corpus, "read", items[start : start + 10], worker)
            await asyncio.sleep(0.5)
            return mine

    shares = await asyncio.gather(*(take() for _ in range(4)))
    assert sorted(item for share in shares for item in share) == sorted(items)


async def test_sweeping_and_ending_never_wait_in_a_ring_with_those_who_take(database, corpus):
    chance = random.Random(3)

    async def begin_and_end():
        async with claims.working(database):
            pass

    async def take(worker, items):
        mine = await claims.claim(database, corpus, "embed", items, worker)
        await claims.give_back(database, corpus, "embed", mine, worker)

    async with claims.working(database) as one, claims.working(database) as two:
        for _ in range(rounds(ci=12, soak=200)):
            items = sorted(f"sha256:{chance.getrandbits(256):064x}" for _ in range(512))
            # What a killed worker leaves, in the order in which the table had room for it.
            async with database.transaction() as conn:
                for part in (items[256:], items[:256]):
                    await conn.execute(
                        "INSERT INTO claims SELECT %s, 'embed', item, 'dead', clock_timestamp() + interval '1 h', true"
                        " FROM unnest(%s::text[]) item",
                        (corpus.id, part),
                    )
            await asyncio.gather(begin_and_end(), take(one, items), begin_and_end(), take(two, items))
            async with claims.working(database) as three:
                for part in (items[256:], items[:256]):
                    await claims.claim(database, corpus, "embed", part, three)
                taking = asyncio.gather(take(one, items), take(two, items))
                await asyncio.sleep(chance.uniform(0, 0.03))
            await taking
            async with database.transaction() as conn:
                assert await (await conn.execute("SELECT count(*) FROM claims")).fetchone() == (0,)
