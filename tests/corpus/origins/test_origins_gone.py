"""What counts as gone: an item that no origin lists any more, and never one that a window leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest
import pytest_asyncio

from answertrail.corpus.fetching import fetch_all
from answertrail.corpus.origins.base import Listed
from answertrail.corpus.origins.stage import list_origin
from answertrail.corpus.report import IngestReport, Silent
from answertrail.corpus.request import OriginChoices
from answertrail.store import corpora, documents
from answertrail.store import origins as rows
from tests.corpus.origins.test_origins_stage import Shelf
from tests.store.samples import IDENTITY, corpus_of

pytestmark = pytest.mark.asyncio

CHANNEL, PLAYLIST = "youtube:channel/C", "youtube:playlist/P"


@pytest_asyncio.fixture
async def take(database):
    corpus = await corpora.create(database, "talks", "toy:3", IDENTITY, "en")

    async def take(*origins: Shelf) -> list[str]:
        report = IngestReport(corpus="talks")
        await fetch_all(database, corpus, origins, OriginChoices(pace_s=0), "w", report, Silent())
        return [item.source for item in report.gone]

    take.corpus = corpus
    return take


async def sources(database, take):
    return await documents.document_sources(database, take.corpus)


@pytest.mark.parametrize("channel_first", [True, False])
async def test_a_video_taken_off_one_list_belongs_to_the_one_that_still_has_it(database, take, channel_first):
    playlist, channel = Shelf("a", "b", key=PLAYLIST), Shelf("a", "b", key=CHANNEL)
    assert await take(playlist, channel) == []
    playlist.listed = playlist.listed[1:]
    origins = (channel, playlist) if channel_first else (playlist, channel)
    assert await take(*origins) == []
    assert await sources(database, take) == {"a": f"{CHANNEL}#a", "b": f"{PLAYLIST}#b"}
    assert await take(*origins) == []
    channel.listed = channel.listed[1:]
    assert await take(*origins) == [f"{CHANNEL}#a"]


async def test_a_list_that_only_shows_a_video_as_deleted_keeps_it_not(database, take):
    playlist, channel = Shelf("a", "b", key=PLAYLIST), Shelf("a", "b", key=CHANNEL)
    await take(channel, playlist)
    channel.listed = channel.listed[1:]
    playlist.listed = [replace(playlist.listed[0], left_out="deleted video"), playlist.listed[1]]
    assert await take(playlist, channel) == [f"{CHANNEL}#a"]


async def test_a_handed_over_video_keeps_what_was_noted_of_it(database, take):
    playlist, channel = Shelf("a", "b", key=PLAYLIST), Shelf("a", "b", key=CHANNEL)
    await take(playlist, channel)
    async with database.transaction() as conn:
        await conn.execute("UPDATE source_items SET notes = '[\"a note\"]' WHERE source = %s", (f"{PLAYLIST}#a",))
    playlist.listed = playlist.listed[1:]
    await take(playlist)
    async with database.transaction() as conn:
        cursor = await conn.execute("SELECT source, notes FROM source_items WHERE document_id = 'a'")
        assert await cursor.fetchall() == [(f"{CHANNEL}#a", ["a note"])]


@pytest.mark.parametrize("trailer", ["2020-01-01T00:00:00Z", None])
async def test_no_episode_of_a_feed_is_gone_whatever_stays_in_its_window(database, take, trailer):
    names = [f"episode-{n}" for n in range(1, 7)]
    feed = Shelf(*names)
    if trailer is None:
        feed.listed = [replace(item, published_at=None) for item in feed.listed]
    pinned = [Listed(id="trailer", title="Trailer", published_at=trailer)]
    every, feed.listed = feed.listed, [*pinned, *feed.listed[:4]]
    assert await take(feed) == []
    feed.listed = [*pinned, *every[2:]]
    assert await take(feed) == []
    assert set(await sources(database, take)) == {"trailer", *names}


async def test_a_channel_that_is_full_may_have_older_videos(database):
    channel = Shelf(key=CHANNEL)
    days = [f"{2000 + n // 336}-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}T00:00:00Z" for n in range(19_002)]
    every = [Listed(id=f"v{n:05}", title="T", published_at=day) for n, day in enumerate(days)]
    corpus = await corpus_of(database)
    channel.listed = every[:-1]
    await list_origin(database, corpus, channel)
    channel.listed = [item for item in every[1:] if item.id != "v00500"]
    assert (await list_origin(database, corpus, channel)).gone == ("v00500",)
    # With fewer it is not full, and all of it is told.
    channel.listed = channel.listed[1001:]
    assert len((await list_origin(database, corpus, channel)).gone) == 1002


async def test_a_slow_listing_takes_nothing_away_that_a_quicker_one_brought(database):
    slow, quick = Shelf("a"), Shelf("a", "b")
    corpus = await corpus_of(database)
    listed = slow.items

    async def items():
        await list_origin(database, corpus, quick)
        async for item in listed():
            yield item

    slow.items = items
    assert (await list_origin(database, corpus, slow)).gone == ()
    assert {item.id: item.gone_at for item in await rows.items(database, corpus, quick.key)} == {"a": None, "b": None}
    slow.items = listed
    assert (await list_origin(database, corpus, slow)).gone == ("b",)
