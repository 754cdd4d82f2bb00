"""Listing and fetching into a corpus: sets of ids, states from rows, one item a transaction, several workers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from answertrail.corpus.origins.base import Fetched, Listed, Withheld
from answertrail.corpus.origins.listings import from_row
from answertrail.corpus.origins.stage import Pace, fetch_pending, list_origin, states
from answertrail.errors import ServiceError
from answertrail.records import Document, Segment
from answertrail.store import claims, corpora, documents
from answertrail.store import origins as rows
from tests.corpus.origins.youtube_fixtures import NOW
from tests.corpus.origins.youtube_server import DROP, PLAYLIST, Reply, Video, video_id
from tests.store.samples import IDENTITY, corpus_of

pytestmark = pytest.mark.asyncio

A, B, C, D = (video_id(n) for n in range(4))


class Shelf:
    """An origin of our own making: what is listed, and what each fetch gives or raises."""

    def __init__(self, *ids: str, key: str = "rss:https://example.org/feed") -> None:
        self.key = key
        self.notes: tuple[str, ...] = ()
        self.listed = [
            Listed(id=i, title=f"About {i}", published_at=f"2024-01-0{n}T00:00:00Z") for n, i in enumerate(ids, 1)
        ]
        self.outcomes: dict[str, Exception] = {}
        self.asked: list[str] = []

    async def resolve(self) -> None:
        """Nothing to find out."""

    async def items(self):
        for item in self.listed:
            yield item

    async def fetch(self, item: Listed) -> Fetched:
        self.asked.append(item.id)
        if item.id in self.outcomes:
            raise self.outcomes[item.id]
        segment = Segment(start_s=0, end_s=4, text=f"the words of {item.id}")
        return Fetched(Document(id=item.id, title=item.title, published_at=item.published_at, segments=[segment]))


async def ready(database, origin, **more):
    corpus = await corpora.create(database, "talks", "toy:3", IDENTITY, "en", **more)
    await origin.resolve()
    await list_origin(database, corpus, origin)
    return corpus


async def of(database, corpus, origin, now=NOW):
    return {item.id: item.state(now) for item in await rows.items(database, corpus, origin.key)}


async def test_from_a_channel_to_chunks(youtube, opened, database, pace):
    youtube.add(Video(A), Video(B, duration="PT2M"), Video(C, captions=[]))
    origin = opened("@talks")
    corpus = await ready(database, origin)
    assert await of(database, corpus, origin) == {A: "pending", B: "skipped", C: "pending"}
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (report.fetched, report.added, report.stopped) == ([A], 1, None)
    assert [(item.item, item.kind) for item in report.skipped] == [(C, "no_captions_yet")]
    assert await states(database, corpus, origin.key, NOW) == {
        "pending": 0,
        "fetched": 1,
        "skipped": 2,
        "failed": 0,
        "gone": 0,
    }
    stored = await documents.get_document(database, corpus, A)
    assert stored.source == f"{origin.key}#{A}"
    assert await rows.origins_of(database, corpus) == (origin.key,)
    kept = await rows.item(database, corpus, origin.key, B)
    assert "180 s or less" in kept.why
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace)).fetched == []


async def test_the_newest_is_fetched_first(database, pace):
    origin = Shelf("a", "b", "c")
    corpus = await ready(database, origin)
    report = await fetch_pending(database, corpus, origin, "w", pace=pace, limit=2)
    assert report.fetched == ["c", "b"]


async def test_half_a_listing_changes_nothing(youtube, opened, database):
    youtube.add(*[Video(video_id(n)) for n in range(60)])
    origin = opened("@talks")
    corpus = await ready(database, origin)
    youtube.add(Video(video_id(99)))
    youtube.uploads.remove(A)
    youtube.videos[B].title = "Another"
    before = await rows.items(database, corpus, origin.key)
    youtube.faults["/youtube/v3/videos"] = [youtube.reply("/youtube/v3/videos", {"id": B}, b"", "test-key")] + [
        DROP
    ] * 9
    with pytest.raises(ServiceError):
        await list_origin(database, corpus, origin)
    assert await rows.items(database, corpus, origin.key) == before


async def test_an_empty_listing_where_there_were_items_changes_nothing(database):
    origin = Shelf("a", "b")
    corpus = await ready(database, origin)
    origin.listed = []
    with pytest.raises(ServiceError, match="came back empty"):
        await list_origin(database, corpus, origin)
    assert set((await of(database, corpus, origin)).values()) == {"pending"}


async def test_gone_items_keep_their_document_and_come_back_without_a_fetch(database, pace):
    origin = Shelf("a", "b")
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    all_items, origin.listed = origin.listed, origin.listed[:1]
    assert (await list_origin(database, corpus, origin)).gone == ("b",)
    assert await of(database, corpus, origin) == {"a": "fetched", "b": "gone"}
    assert await documents.document_ids(database, corpus) == ["a", "b"]
    assert (await list_origin(database, corpus, origin)).gone == ()
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "b")
    origin.listed = all_items
    assert (await list_origin(database, corpus, origin)).back == ("b",)
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (report.shared, report.added) == (["b"], 1)
    assert origin.asked == ["b", "a"]
    assert await of(database, corpus, origin) == {"a": "fetched", "b": "fetched"}


async def test_a_changed_title_or_date_reaches_the_document_without_a_fetch(youtube, opened, database, pace):
    youtube.add(Video(A, title="Caches"))
    origin = opened("@talks")
    corpus = await ready(database, origin, context=("title", "date"))
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    before = await documents.get_document(database, corpus, A)
    snapshot = await corpora.snapshot(database, corpus)
    youtube.videos[A] = Video(A, title="Caches, second edition", published="2024-05-01T00:00:00Z", tags=[])
    report = await list_origin(database, corpus, origin)
    assert (report.changed, report.new, report.renewed) == ((A,), (), ())
    after = await documents.get_document(database, corpus, A)
    assert (after.document.title, after.document.published_at) == ("Caches, second edition", "2024-05-01T00:00:00Z")
    assert after.published_at.month == 5
    assert after.document.tags is None
    assert after.document.segments == before.document.segments
    assert after.document.meta == before.document.meta
    assert await corpora.snapshot(database, corpus) != snapshot
    assert youtube.count("/watch") == 1
    async with database.transaction() as conn:
        cursor = await conn.execute("SELECT DISTINCT context FROM chunks")
        assert await cursor.fetchall() == [("Caches, second edition | 2024-05-01",)]
    # As if it had been fetched so in the first place.
    other = await corpora.create(database, "other", "toy:3", IDENTITY, "en", context=("title", "date"))
    await list_origin(database, other, origin)
    await fetch_pending(database, other, origin, "w", pace=pace)
    fresh = await documents.get_document(database, other, A)
    assert (fresh.document, fresh.content_hash) == (after.document, after.content_hash)
    assert await corpora.snapshot(database, other) == await corpora.snapshot(database, corpus)
    assert await _chunks(database, other) == await _chunks(database, corpus)


async def _chunks(database, corpus):
    async with database.transaction() as conn:
        cursor = await conn.execute(
            "SELECT chunk_id, text, context, embedded_hash FROM chunks WHERE corpus_id = %s ORDER BY 1", (corpus.id,)
        )
        return await cursor.fetchall()


async def test_an_unchanged_listing_changes_no_document(youtube, opened, database, pace):
    youtube.add(Video(A))
    origin = opened("@talks")
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    before = await corpora.revision(database, corpus)
    report = await list_origin(database, corpus, origin)
    assert (report.changed, report.new, report.gone) == ((), (), ())
    assert await corpora.revision(database, corpus) == before


async def test_a_video_that_was_cut_is_fetched_anew(youtube, opened, database, pace):
    youtube.add(Video(A))
    origin = opened("@talks")
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    youtube.videos[A].duration = "PT11M"
    assert (await list_origin(database, corpus, origin)).renewed == (A,)
    assert await documents.document_ids(database, corpus) == [A]  # searchable until the new words are here
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (report.fetched, report.changed) == ([A], 1)


async def test_a_video_that_turns_private_keeps_its_title_and_words(youtube, opened, database, pace):
    youtube.videos = {A: Video(A, title="Caches"), B: Video(B)}
    youtube.playlists[PLAYLIST] = [A, B]
    origin = opened(PLAYLIST)
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    youtube.videos[A].privacy = "private"
    report = await list_origin(database, corpus, origin)
    assert (report.changed, report.left_out) == ((), {A: "private video"})
    assert (await documents.get_document(database, corpus, A)).document.title == "Caches"
    assert (await of(database, corpus, origin))[A] == "fetched"


async def test_a_video_of_a_channel_and_a_playlist_is_one_document_fetched_once(youtube, opened, database, pace):
    youtube.add(Video(A), Video(B))
    youtube.playlists[PLAYLIST] = [A]
    channel, playlist = opened("@talks"), opened(PLAYLIST)
    corpus = await ready(database, channel)
    await playlist.resolve()
    await list_origin(database, corpus, playlist)
    await fetch_pending(database, corpus, channel, "w", pace=pace)
    revision = await corpora.revision(database, corpus)
    report = await fetch_pending(database, corpus, playlist, "w", pace=pace)
    assert (report.fetched, report.shared, report.unchanged) == ([], [A], 1)
    assert youtube.count("/api/timedtext") == 2
    assert await documents.document_ids(database, corpus) == [A, B]
    assert await corpora.revision(database, corpus) == revision
    assert (await of(database, corpus, playlist)) == {A: "fetched"}


async def test_two_workers_share_the_work_and_do_nothing_twice(youtube, opened, database, pace):
    youtube.add(*[Video(video_id(n)) for n in range(12)])
    corpus = await ready(database, opened("@talks"))

    async def work():
        origin = opened("@talks")
        await origin.resolve()
        async with claims.working(database) as worker:
            return await fetch_pending(database, corpus, origin, worker, pace=pace)

    reports = await asyncio.gather(work(), work(), work())
    done = [item for report in reports for item in report.fetched]
    assert sorted(done) == [video_id(n) for n in range(12)]
    assert youtube.count("/api/timedtext") == 12
    assert sum(report.added for report in reports) == 12


async def test_what_another_worker_has_in_hand_is_left_to_it(database, pace):
    origin = Shelf("a", "b")
    corpus = await ready(database, origin)
    assert await claims.claim(database, corpus, "fetch", ["a"], "another") == ["a"]
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (report.fetched, report.held) == (["b"], 1)


async def test_an_id_that_belongs_to_another_source_is_a_failure_that_mends_itself(database, pace):
    first, second = Shelf("a"), Shelf("a", "b", key="rss:https://example.org/other")
    corpus = await ready(database, first)
    await list_origin(database, corpus, second)
    await fetch_pending(database, corpus, first, "w", pace=pace)
    report = await fetch_pending(database, corpus, second, "w", pace=pace)
    assert report.fetched == ["b"]
    assert "already belongs to rss:https://example.org/feed#a" in report.failed[0].reason
    assert second.asked == ["b"]
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "a")
    assert (await fetch_pending(database, corpus, second, "w", pace=pace)).fetched == ["a"]


async def test_faults_in_a_row_stop_the_batch_and_single_ones_do_not(youtube, opened, database, pace, clock):
    youtube.add(*[Video(video_id(n), published=f"2024-01-01T00:00:{n:02}Z") for n in range(8)])
    origin = opened("@talks")
    corpus = await ready(database, origin)
    # Three attempts an item: one item fails, one works, then all fail.
    youtube.faults["/api/timedtext"] = [DROP] * 3
    youtube.faults["/watch"] = []
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace, limit=2)).stopped is None
    youtube.faults["/watch"] = [DROP] * 99
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert "3 items in a row failed" in report.stopped
    assert (len(report.failed), report.left) == (3, 3)
    assert report.resume_at == NOW + timedelta(minutes=15)
    clock.now += timedelta(minutes=15)
    youtube.faults["/watch"] = []
    assert len((await fetch_pending(database, corpus, origin, "w", pace=pace)).fetched) == 7


async def test_a_video_that_always_brings_a_block_keeps_none_from_its_turn(youtube, opened, database, pace, clock):
    bot = {"status": "LOGIN_REQUIRED", "reason": "Sign in to confirm you’re not a bot"}
    youtube.add(Video(A), Video(B, published="2024-04-01T00:00:00Z", playability=bot, captions=[]), Video(C))
    origin = opened("@talks")
    corpus = await ready(database, origin)
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert [(item.item, item.kind, item.retry_at) for item in report.failed] == [(B, "blocked", report.resume_at)]
    assert (report.fetched, report.left) == ([], 2)
    clock.now = report.resume_at
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (sorted(report.fetched), report.left) == ([A, C], 0)
    assert report.resume_at == clock.now + timedelta(hours=6)


async def test_each_look_that_finds_nothing_new_waits_twice_as_long(database, pace, clock):
    origin = Shelf("a")
    corpus = await ready(database, origin)
    waits = []
    for _ in range(7):
        origin.outcomes["a"] = Withheld("empty_body", "nothing", retry_at=clock.now + timedelta(hours=1), failed=True)
        (item,) = (await fetch_pending(database, corpus, origin, "w", pace=pace)).failed
        waits.append((item.retry_at - clock.now) / timedelta(hours=1))
        clock.now = item.retry_at
    assert waits == [1, 2, 4, 8, 16, 24, 24]
    origin.outcomes["a"] = Withheld("members_only", "for members", retry_at=clock.now + timedelta(days=7))
    (item,) = (await fetch_pending(database, corpus, origin, "w", pace=pace)).skipped
    assert item.retry_at - clock.now == timedelta(days=7)


async def test_a_final_answer_is_never_asked_again_unless_told_to(database, pace, clock):
    origin = Shelf("a", "b")
    corpus = await ready(database, origin)
    origin.outcomes["a"] = Withheld("disabled", "turned off", retry_at=None)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    clock.now += timedelta(days=900)
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace)).without == []
    again = await fetch_pending(database, corpus, origin, "w", pace=pace, recheck=["disabled"])
    assert [item.item for item in again.without] == ["a"]
    assert again.as_json()["without_words"][0]["retry_at"] is None


async def test_a_setting_that_leaves_less_out_makes_items_pending(youtube, opened, database, pace):
    youtube.add(Video(A, duration="PT2M"), Video(B))
    corpus = await ready(database, opened("@talks"))
    origin = opened("@talks", min_duration_s=60)
    await origin.resolve()
    assert (await list_origin(database, corpus, origin)).left_out == {}
    assert (await of(database, corpus, origin))[A] == "pending"


async def test_text_that_no_database_can_hold_fails_that_item_alone(database, pace):
    origin = Shelf("a", "b")
    corpus = await ready(database, origin)
    good = origin.fetch

    async def fetch(item):
        found = await good(item)
        bad = [Segment(start_s=0, text="half a pair \ud800")]
        return found if item.id == "a" else Fetched(found.document.model_copy(update={"segments": bad}))

    origin.fetch = fetch
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert report.fetched == ["a"]
    assert [(item.item, item.kind) for item in report.failed] == [("b", "not_captions")]


async def test_items_are_asked_for_at_a_polite_pace(database, clock):
    origin = Shelf("a", "b", "c")
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=Pace(seconds=2.0, sleep=clock.sleep, clock=clock))
    assert len(clock.slept) == 2
    assert all(1.0 <= wait <= 3.0 for wait in clock.slept)


async def test_a_listing_that_knows_less_takes_nothing_away(youtube, opened, database):
    youtube.add(Video(A, title="Caches"))
    corpus = await ready(database, opened(A))
    origin = opened(A, key=None)
    await origin.resolve()
    youtube.faults["/oembed"] = [Reply(404)]
    report = await list_origin(database, corpus, origin)
    assert report.changed == ()
    (item,) = await rows.items(database, corpus, origin.key)
    assert (item.listing["title"], item.listing["published_at"]) == ("Caches", "2024-03-01T10:00:00Z")


async def test_a_date_learnt_later_reaches_the_document(youtube, opened, database, pace):
    youtube.add(Video(A, page_date=None))
    origin = opened(A, key=None)
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (await documents.get_document(database, corpus, A)).published_at is None
    keyed = opened(A)
    await keyed.resolve()
    assert (await list_origin(database, corpus, keyed)).changed == (A,)
    stored = await documents.get_document(database, corpus, A)
    assert stored.document.published_at_source == "videos.snippet.publishedAt"
    assert stored.published_at.year == 2024


async def test_rows_come_back_as_they_were_listed(database):
    item = Listed(id="a", title="T", tags=("x",), meta={"k": [1]}, duration_s=1.5, language="en", left_out="why")
    origin = Shelf()
    origin.listed = [item, replace(item, id="b", tags=(), meta={}, left_out=None)]
    corpus = await corpus_of(database)
    await list_origin(database, corpus, origin)
    kept = {row.id: from_row(row.id, row.listing) for row in await rows.items(database, corpus, origin.key)}
    assert kept == {listed.id: listed for listed in origin.listed}
