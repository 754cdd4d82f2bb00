"""Complaints about fetching from YouTube elsewhere, each as what happens here."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from answertrail.corpus.origins.base import Blocked, Withheld
from answertrail.corpus.origins.stage import fetch_pending, list_origin, states
from answertrail.corpus.origins.youtube.tracks import Track, choose
from answertrail.store import documents
from answertrail.store import origins as rows
from tests.corpus.origins.youtube_fixtures import NOW, answers, clock, opened, pace, youtube
from tests.corpus.origins.youtube_server import (
    PLAYLIST,
    Captions,
    Reply,
    Video,
    spoken,
    timedtext,
    video_id,
)
from tests.store.samples import corpus_of

__all__ = ["answers", "clock", "opened", "pace", "youtube"]

A, B, C, D = (video_id(n) for n in range(4))


async def listed(origin):
    await origin.resolve()
    return [item async for item in origin.items()]


async def fetched(origin):
    (item,) = await listed(origin)
    return await origin.fetch(item)


def words(result) -> str:
    return " ".join(segment.text for segment in result.document.segments)


def outcome(origin) -> Withheld:
    with pytest.raises(Withheld) as caught:
        asyncio.run(fetched(origin))
    return caught.value


def test_complaint_4_what_is_no_caption_track_is_refused_by_its_form(youtube, opened):
    chat = '{"replayChatItemAction": {"actions": []}}\n' * 50
    youtube.add(Video(A, captions=[Captions("en", chat)]))
    found = outcome(opened(A))
    assert (found.kind, found.failed) == ("not_captions", True)
    assert found.retry_at is not None


def test_complaint_5_a_recording_without_captions_yet_is_looked_at_again(youtube, opened):
    yesterday = (NOW - timedelta(hours=20)).isoformat().replace("+00:00", "Z")
    youtube.add(Video(A, captions=[], published=yesterday), Video(B, captions=[]))
    fresh, old = outcome(opened(A)), outcome(opened(B))
    assert fresh.kind == old.kind == "no_captions_yet"
    assert not fresh.failed
    assert NOW < fresh.retry_at < old.retry_at


def test_complaint_5_an_error_page_is_never_captions(youtube, opened, clock):
    page = "<!DOCTYPE html><html><body>Error 500: this is on us</body></html>"
    youtube.add(Video(A))
    youtube.faults["/api/timedtext"] = [Reply(500, page, "text/html")]
    result = asyncio.run(fetched(opened(A)))
    assert "Error 500" not in words(result)
    assert len(clock.slept) == 1
    youtube.faults["/api/timedtext"] = [Reply(200, page, "text/html")] * 9
    assert outcome(opened(A)).kind == "not_captions"


def test_complaint_6_an_empty_list_of_tracks_is_not_final(youtube, opened):
    youtube.add(Video(A, captions=[]))
    found = outcome(opened(A))
    assert (found.kind, found.retry_at is None) == ("no_captions_yet", False)
    youtube.videos[A].captions = [Captions("en", spoken(), "asr")]
    assert asyncio.run(fetched(opened(A))).document.captions == "auto"


def test_complaint_7_an_empty_body_is_its_own_fault_and_tried_again(youtube, opened, clock):
    youtube.add(Video(A))
    youtube.faults["/api/timedtext"] = [Reply(200, "", "text/xml")] * 2
    assert "the cache keeps" in words(asyncio.run(fetched(opened(A))))
    assert len(clock.slept) == 2
    youtube.faults["/api/timedtext"] = [Reply(200, "", "text/xml")] * 9
    found = outcome(opened(A))
    assert (found.kind, found.failed) == ("empty_body", True)
    assert found.retry_at == NOW + timedelta(hours=1)


def test_complaint_8_a_block_never_reads_as_disabled(youtube, opened, answers):
    bot = {"status": "LOGIN_REQUIRED", "reason": "Sign in to confirm you’re not a bot"}
    youtube.add(Video(A, captions=[], playability=bot))
    with pytest.raises(Blocked):
        asyncio.run(fetched(opened(A)))
    youtube.videos[A].playability = {**bot, "reason": "Sign in to confirm you're not a bot. This helps."}
    with pytest.raises(Blocked):
        asyncio.run(fetched(opened(A)))
    youtube.videos[A].player = {"playabilityStatus": {"status": "OK"}}
    assert outcome(opened(A)).kind == "other"


def test_complaint_8_only_plain_words_make_disabled_final(youtube, opened):
    said = {"status": "OK", "messages": ["Subtitles are disabled for this video."]}
    youtube.add(Video(A, captions=[], playability=said))
    found = outcome(opened(A))
    assert (found.kind, found.retry_at) == ("disabled", None)
    youtube.videos[A].player = {"playabilityStatus": said}
    assert outcome(opened(A)).retry_at is not None


@pytest.mark.asyncio
async def test_complaint_9_a_block_stops_the_batch_and_keeps_what_is_done(youtube, opened, database, pace, clock):
    youtube.playlists[PLAYLIST] = [video_id(n) for n in range(154)]
    youtube.videos = {
        i: Video(i, published=f"2024-01-01T00:{n % 60:02}:00Z") for n, i in enumerate(youtube.playlists[PLAYLIST])
    }
    corpus, origin = await corpus_of(database), opened(PLAYLIST)
    await origin.resolve()
    assert (await list_origin(database, corpus, origin)).listed == 154
    refused = Reply(429, "", "text/html", {"Retry-After": "7200"})
    await fetch_pending(database, corpus, origin, "w", pace=pace, limit=5)
    youtube.faults["/watch"] = [refused]
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert (report.fetched, report.left) == ([], 148)
    assert "429" in report.stopped
    assert report.resume_at == NOW + timedelta(hours=2)
    assert youtube.count("/watch") == 6  # not one request after the refusal
    assert await states(database, corpus, origin.key, NOW) == {
        "pending": 148, "fetched": 5, "skipped": 0, "failed": 1, "gone": 0
    }  # fmt: skip
    clock.now = report.resume_at
    report = await fetch_pending(database, corpus, origin, "w", pace=pace, limit=5)
    assert (len(report.fetched), report.stopped) == (5, None)


def test_complaint_10_words_about_code_keep_their_signs(youtube, opened):
    lines = [
        "if x < 3 and y > 4 then stop",
        "loss < 0.1 or acc > 0.9",
        "a vector<int> of ITALICS",
        "AT&T, not AT&amp;T",
    ]
    body = timedtext(*lines, *["and so we go on to the next part"] * 100)
    body = body.replace("ITALICS", "&lt;i&gt;these&lt;/i&gt;")  # markup is escaped once, words twice
    youtube.add(Video(A, captions=[Captions("en", body)]))
    said = [segment.text for segment in asyncio.run(fetched(opened(A))).document.segments][:4]
    assert said == [
        "if x < 3 and y > 4 then stop",
        "loss < 0.1 or acc > 0.9",
        "a vector<int> of these",
        "AT&T, not AT&amp;T",
    ]


def test_complaint_11_two_tracks_of_one_language_are_both_seen(youtube, opened):
    tracks = [
        Captions("en", spoken().replace("the cache", "[door slams] the cache"), name="for the hard of hearing"),
        Captions("en", spoken()),
        Captions("en", spoken(), name="second thoughts"),
    ]
    youtube.add(Video(A, captions=tracks))
    document = asyncio.run(fetched(opened(A))).document
    assert len(document.meta["tracks"]) == 3
    assert document.meta["track"] == {
        "id": ".en",
        "language": "en",
        "automatic": False,
        "label": "en",
        "captions": "human",
    }
    assert "[door slams]" not in document.segments[0].text


@pytest.mark.parametrize(
    ("wanted", "there"), [("en", "en-US"), ("en-US", "en"), ("en-orig", "en-GB"), ("en", "en-orig")]
)
def test_complaint_12_variants_of_a_language_serve_each_other(youtube, opened, wanted, there):
    youtube.add(Video(A, captions=[Captions("fr", spoken()), Captions(there, spoken())]))
    assert asyncio.run(fetched(opened(A, languages=[wanted]))).document.meta["track"]["id"] == f".{there}"


def test_complaint_12_a_korean_video_is_taken_in_korean_and_none_in_yours_says_which_exist(youtube, opened):
    youtube.add(Video(A, language="ko", captions=[Captions("ko", spoken(), "asr"), Captions("ja", spoken())]))
    assert asyncio.run(fetched(opened(A))).document.language == "ko"
    found = outcome(opened(A, languages=["de", "fr"]))
    assert found.kind == "no_captions_in_languages"
    assert "ko (automatic), ja" in found.reason
    assert "de, fr" in found.reason
    assert found.retry_at is not None


def test_complaint_13_a_translation_comes_only_when_asked_for_and_says_so(youtube, opened):
    youtube.add(Video(A, captions=[Captions("en", spoken(), "asr")]))
    assert outcome(opened(A, languages=["ko"])).kind == "no_captions_in_languages"
    result = asyncio.run(fetched(opened(A, languages=["ko"], translate=True)))
    assert "[ko]" in words(result)
    assert (result.document.captions, result.document.language) == ("translated", "ko")
    assert result.document.meta["track"]["translated_to"] == "ko"
    assert result.document.meta["track"]["language"] == "en"
    assert any("translated by machine" in note for note in result.notes)


@pytest.mark.asyncio
@pytest.mark.parametrize("at", ["2024-03-31T23:45:00Z", "2024-04-01T00:15:00Z"])
async def test_complaint_14_the_instant_is_kept_with_zone_and_field(youtube, opened, database, pace, at):
    youtube.add(Video(A, published=at))
    corpus, origin = await corpus_of(database), opened("@talks")
    await origin.resolve()
    await list_origin(database, corpus, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    stored = await documents.get_document(database, corpus, A)
    assert stored.document.published_at == at
    assert stored.document.published_at_source == "videos.snippet.publishedAt"
    assert stored.published_at == datetime.fromisoformat(at).astimezone(UTC)


def test_complaint_15_the_date_is_the_videos_not_the_playlists(youtube, opened):
    youtube.videos[A] = Video(A, published="2015-05-05T05:05:05Z", added="2018-08-08T08:08:08Z")
    youtube.playlists[PLAYLIST] = [A]
    (item,) = asyncio.run(listed(opened(PLAYLIST)))
    assert item.published_at == "2015-05-05T05:05:05Z"
    assert item.published_at_source == "videos.snippet.publishedAt"


MEMBERS = {"status": "UNPLAYABLE", "reason": "Join this channel to get access to members-only content like this video."}


@pytest.mark.asyncio
async def test_complaint_16_a_members_only_video_is_a_skip_that_is_not_asked_for_again(
    youtube, opened, database, pace, clock
):
    youtube.add(Video(A, playability=MEMBERS, captions=[]))
    corpus, origin = await corpus_of(database), opened("@talks")
    await origin.resolve()
    await list_origin(database, corpus, origin)
    report = await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert [(item.kind, item.failed) for item in report.without] == [("members_only", False)]
    for _ in range(3):
        clock.now += timedelta(days=1)
        assert (await fetch_pending(database, corpus, origin, "w", pace=pace)).without == []
    assert youtube.count("/watch") == 1


@pytest.mark.asyncio
async def test_complaint_17_a_video_made_public_later_is_picked_up_on_a_slow_schedule(
    youtube, opened, database, pace, clock
):
    youtube.add(Video(A, playability=MEMBERS, captions=[]))
    corpus, origin = await corpus_of(database), opened("@talks")
    await origin.resolve()
    await list_origin(database, corpus, origin)
    looked = []
    for day in range(70):
        before = youtube.count("/watch")
        await fetch_pending(database, corpus, origin, "w", pace=pace)
        looked += [day] * (youtube.count("/watch") - before)
        clock.now += timedelta(days=1)
    assert looked == [0, 7, 21, 49]  # each wait twice as long, 30 days at most
    youtube.videos[A] = Video(A)
    clock.now += timedelta(days=30)
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace)).fetched == [A]


@pytest.mark.asyncio
async def test_complaint_18_each_video_is_kept_when_it_is_fetched(youtube, opened, database, pace):
    youtube.add(*[Video(video_id(n), published=f"2024-01-01T00:00:{n:02}Z") for n in range(6)])
    corpus, origin = await corpus_of(database), opened("@talks")
    await origin.resolve()
    await list_origin(database, corpus, origin)
    seen = []
    fetch = origin.fetch

    async def watched(item):
        seen.append((item.id, await documents.document_ids(database, corpus)))
        if len(seen) == 4:
            raise KeyError("the program dies here")
        return await fetch(item)

    origin.fetch = watched
    with pytest.raises(KeyError):
        await fetch_pending(database, corpus, origin, "w", pace=pace)
    assert [len(kept) for _, kept in seen] == [0, 1, 2, 3]
    origin.fetch = fetch
    report = await fetch_pending(database, corpus, origin, "another", pace=pace)
    assert [item for item, _ in seen[:3]] + report.fetched == [video_id(n) for n in reversed(range(6))]


@pytest.mark.asyncio
async def test_complaint_19_one_deleted_and_one_added_are_both_seen(youtube, opened, database, pace):
    youtube.add(Video(A), Video(B), Video(C))
    corpus, origin = await corpus_of(database), opened("@talks")
    await origin.resolve()
    await list_origin(database, corpus, origin)
    await fetch_pending(database, corpus, origin, "w", pace=pace)
    youtube.uploads.remove(B)
    youtube.add(Video(D))
    report = await list_origin(database, corpus, origin)
    assert (report.listed, report.new, report.gone) == (3, (D,), (B,))
    assert (await fetch_pending(database, corpus, origin, "w", pace=pace)).fetched == [D]
    kept = {item.id: item.gone_at is not None for item in await rows.items(database, corpus, origin.key)}
    assert kept == {A: False, B: True, C: False, D: False}


def test_complaint_20_page_chrome_and_stray_words_are_no_transcript(youtube, opened):
    youtube.add(Video(A, captions=[Captions("en", timedtext("YouTube"))], duration="PT45M"))
    found = outcome(opened(A))
    assert found.kind == "not_captions"
    assert "three words a minute" in found.reason


@pytest.mark.parametrize("wanted", [["en"], ["en-US"], ["de", "en"], []])
def test_complaints_11_and_12_the_language_taken_does_not_hang_on_the_order_of_tracks(wanted):
    tracks = [
        Track(".fr", "fr", False),
        Track("a.en", "en", True),
        Track(".en", "en", False),
        Track(".de", "de", False),
    ]
    choices = {choose(order, wanted=wanted, spoken="en").track for order in permutations(tracks)}
    assert [choice.id for choice in choices] == [".de" if wanted[:1] == ["de"] else ".en"]
