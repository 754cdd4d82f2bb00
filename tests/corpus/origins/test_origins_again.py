"""A second run: other languages, other transcripts, other titles, a refusal that still holds, an id taken meanwhile."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from answertrail.corpus.cleaning.stage import clean_pending
from answertrail.corpus.fetching import fetch_all
from answertrail.corpus.origins.base import Blocked, Fetched, Withheld
from answertrail.corpus.origins.stage import fetch_pending, list_origin
from answertrail.corpus.report import IngestReport, Silent
from answertrail.corpus.request import OriginChoices
from answertrail.store import claims, documents
from answertrail.store import origins as rows
from tests.corpus.cleaning.worlds import mending, put, talk, texts
from tests.corpus.origins.test_origins_stage import Shelf, ready
from tests.corpus.origins.youtube_server import Captions, Video, spoken, video_id

pytestmark = pytest.mark.asyncio

CHANNEL = "youtube:channel/C"


async def test_what_had_no_words_in_one_language_is_asked_for_in_another_at_once(database, pace, clock):
    origin = Shelf("a")
    corpus = await ready(database, origin)

    async def run(wish):
        retry = clock.now + timedelta(days=30)
        origin.outcomes["a"] = Withheld("no_captions_in_languages", f"none in {wish}", retry_at=retry)
        return await fetch_pending(database, corpus, origin, "w", pace=pace, wish=wish)

    for wish in ("fr", "de"):
        (item,) = (await run(wish)).skipped
        assert (item.reason, item.retry_at) == (f"none in {wish}", clock.now + timedelta(days=30))
        assert (await run(wish)).without == []
    origin.outcomes.clear()
    report = await fetch_pending(database, corpus, origin, "w", pace=pace, wish="en")
    assert (report.fetched, origin.asked) == (["a"], ["a"] * 3)


async def test_another_language_leaves_other_answers_alone(database, pace):
    origin = Shelf("a")
    corpus = await ready(database, origin)
    origin.outcomes["a"] = Withheld("disabled", "turned off", retry_at=None)
    await fetch_pending(database, corpus, origin, "w", pace=pace, wish="fr")
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace, wish="de")).without == []


async def test_languages_chosen_later_fetch_what_had_none_and_count_what_stays(youtube, opened, database):
    a, b = video_id(0), video_id(1)
    youtube.add(Video(a, captions=[Captions("en", spoken(), "asr")]), Video(b, captions=[Captions("ko", spoken())]))

    async def run(corpus, *languages):
        origin = opened("@talks", languages=languages)
        await origin.resolve()
        report = IngestReport(corpus="talks")
        choices = OriginChoices(languages=languages, pace_s=0)
        await fetch_all(database, corpus, [origin], choices, "w", report, Silent())
        return report

    origin = opened("@talks")
    corpus = await ready(database, origin)
    assert [item.source[-len(b) :] for item in (await run(corpus, "en")).skipped] == [b]
    report = await run(corpus, "ko")
    assert (report.added, report.changed) == (1, 0)
    (note,) = report.notes[origin.key]
    assert note.endswith("kept: 1 in en")
    assert (await run(corpus, "ko", "en")).notes == {}


async def test_a_refusal_holds_until_its_time_for_every_run(database, pace, clock):
    origin = Shelf("a", "b")
    corpus = await ready(database, origin)
    until = clock.now + timedelta(hours=6)
    origin.outcomes["b"] = Blocked("slow down", resume_at=until)
    first = await fetch_pending(database, corpus, origin, "w", pace=pace)
    clock.now += timedelta(hours=5)
    again = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (first.stopped, first.resume_at, first.left) == ("slow down", until, 1)
    assert (again.stopped, again.resume_at, again.left) == ("slow down", until, 1)
    assert origin.asked == ["b"]
    origin.outcomes.clear()
    now = await rows.clock(database)
    told = await fetch_pending(database, corpus, origin, "w", pace=pace, recheck=["blocked"], since=now)
    assert (sorted(told.fetched), told.stopped) == (["a", "b"], None)


async def test_a_file_that_takes_the_id_while_it_is_fetched_keeps_it(database, pace):
    origin = Shelf("a")
    corpus = await ready(database, origin)

    async def fetch(item):
        await put(database, corpus, talk(item.id, "words of a file"))
        return Fetched(talk(item.id, "words of the feed"))

    origin.fetch = fetch
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (report.fetched, report.changed) == ([], 0)
    assert "already belongs to" in report.failed[0].reason
    assert await texts(database, corpus, "a") == ["words of a file"]


async def test_an_id_of_another_is_tried_once_a_run_however_long_others_take(database):
    origin = Shelf("a", "b")
    corpus = await ready(database, origin)
    await put(database, corpus, talk("a", "words of a file"))
    report, asked = IngestReport(corpus="talks"), []
    step = claims.claim

    async def claim(db, corpus, stage, items, worker, *rest):
        asked.extend(items)
        if asked.count("b") == 3:
            await claims.give_back(database, corpus, "fetch", ["b"], "another")
        return await step(db, corpus, stage, items, worker, *rest)

    assert await claims.claim(database, corpus, "fetch", ["b"], "another") == ["b"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "claim", claim)
        patch.setattr("answertrail.corpus.fetching._WAIT_S", 0)
        await asyncio.wait_for(
            fetch_all(database, corpus, [origin], OriginChoices(pace_s=0), "w", report, Silent()), 30
        )
    assert (asked.count("a"), asked.count("b")) == (1, 3)
    assert (await rows.item(database, corpus, origin.key, "a")).attempts == 1
    assert report.added == 1


async def test_a_new_title_does_not_have_the_words_cleaned_again(database, pace):
    origin = Shelf("a", key=CHANNEL)

    async def fetch(item):
        return Fetched(talk(item.id, "the hole thing", published_at=item.published_at))

    origin.fetch = fetch
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    model = mending(("hole", "whole"))
    assert (await clean_pending(database, corpus, model)).batches == 1
    origin.listed = [replace(origin.listed[0], title="Another title", description="And more")]
    assert (await list_origin(database, corpus, origin)).changed == ("a",)
    again = await clean_pending(database, corpus, model)
    assert (again.documents, again.batches) == (0, 0)
    assert await texts(database, corpus, "a") == ["the whole thing"]
    stored = await documents.get_document(database, corpus, "a")
    assert stored.document.title == "Another title"
    # Other words are another matter.
    origin.listed = [replace(origin.listed[0], duration_s=500.0)]
    await list_origin(database, corpus, origin)
    origin.listed = [replace(origin.listed[0], duration_s=900.0)]

    async def cut(item):
        return Fetched(talk(item.id, "a hole of its own", published_at=item.published_at))

    origin.fetch = cut
    assert (await list_origin(database, corpus, origin)).renewed == ("a",)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (await clean_pending(database, corpus, model)).batches == 1


async def test_a_new_title_leaves_a_files_document_of_that_id_alone(database, pace):
    origin = Shelf("a", key=CHANNEL)
    corpus = await ready(database, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    async with database.transaction() as conn:
        assert await documents.delete(conn, corpus, "a")
    await put(database, corpus, talk("a", "the words of a file"))
    origin.listed = [replace(origin.listed[0], title="Another title")]
    assert (await list_origin(database, corpus, origin)).changed == ("a",)
    stored = await documents.get_document(database, corpus, "a")
    assert (stored.document.title, await texts(database, corpus, "a")) == ("About a", ["the words of a file"])


async def test_a_corrected_transcript_of_a_feed_arrives(database, pace):
    origin = Shelf("a")
    corpus = await ready(database, origin)

    def names(*urls, language="en"):
        said = [{"url": f"https://example.org/{url}", "language": language} for url in urls]
        origin.listed = [replace(origin.listed[0], meta={"transcripts": said} if said else {})]

    async def fetch(item):
        url = item.meta["transcripts"][0]["url"]
        return Fetched(talk(item.id, f"words of {url.rpartition('/')[2]}"))

    origin.fetch = fetch
    names("auto.srt?signed=1")
    await list_origin(database, corpus, origin)
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace)).added == 1
    names("auto.srt?signed=2")
    assert (await list_origin(database, corpus, origin)).renewed == ()
    names("corrected.vtt?signed=3", "auto.srt?signed=3")
    assert (await list_origin(database, corpus, origin)).renewed == ("a",)
    assert await texts(database, corpus, "a") == ["words of auto.srt?signed=1"]  # until the new ones are here
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace)).changed == 1
    assert await texts(database, corpus, "a") == ["words of corrected.vtt?signed=3"]
    names()
    assert (await list_origin(database, corpus, origin)).renewed == ()  # there is nothing else to read
