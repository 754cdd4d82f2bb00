"""Fetching the captions of one video: what comes, what is recorded, and what a refusal means."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from datetime import timedelta

import pytest

from answertrail.corpus.origins.base import Blocked, Withheld
from answertrail.errors import ServiceError
from tests.corpus.origins.youtube_fixtures import NOW
from tests.corpus.origins.youtube_server import DROP, Captions, Reply, Video, spoken, timedtext, video_id

A = video_id(1)


async def fetched(origin):
    return await origin.fetch(await listed(origin))


async def listed(origin):
    await origin.resolve()
    (item,) = [item async for item in origin.items()]
    return item


def result(origin):
    return asyncio.run(fetched(origin))


def outcome(origin):
    with pytest.raises(Withheld) as caught:
        result(origin)
    return caught.value


def block(origin):
    with pytest.raises(Blocked) as caught:
        result(origin)
    return caught.value


def test_a_video_becomes_a_document(youtube, opened):
    youtube.add(Video(A, title="Caches", captions=[Captions("en-US", spoken(), "asr"), Captions("de", spoken())]))
    found = result(opened(A))
    document = found.document
    assert (document.id, document.title, document.language, document.captions) == (A, "Caches", "en-US", "auto")
    assert (document.published_at, document.duration_s) == ("2024-03-01T10:00:00Z", 600.0)
    assert document.url == f"https://www.youtube.com/watch?v={A}"
    assert document.description == "What is said in Caches."
    assert document.tags == ["databases"]
    assert document.meta["track"]["id"] == "a.en-US"
    assert [track["id"] for track in document.meta["tracks"]] == ["a.en-US", ".de"]
    assert (document.meta["channel"], document.meta["spoken_language"]) == ("Talks", "en")
    assert len(document.segments) == 120
    assert found.notes == ()
    assert "signature" not in json.dumps(document.meta)


def test_without_a_key_date_length_and_title_come_from_the_page(youtube, opened):
    youtube.add(Video(A, title="Caches"))
    youtube.faults["/oembed"] = [Reply(404)]
    document = result(opened(A, key=None)).document
    assert (document.title, document.duration_s) == ("Caches", 600.0)
    assert document.published_at == "2024-03-01T10:00:00Z"
    assert document.published_at_source == "watch page datePublished"


@pytest.mark.parametrize("stated", [None, "2024-03-01"])
def test_without_a_key_and_an_instant_on_the_page_the_date_is_unknown_and_it_is_said(youtube, opened, stated):
    youtube.add(Video(A, page_date=stated))
    found = result(opened(A, key=None))
    assert found.document.published_at is None
    assert found.document.published_at_source is None
    assert any("date is not known" in note for note in found.notes)


def test_the_real_answers_give_the_human_english_track(youtube, opened, answers):
    real = json.loads((answers / "youtube.innertube.json.static").read_text())
    youtube.add(Video("GJLlxj_dtq8", language=None, duration="PT5M16S", player=real))
    youtube.faults["/api/timedtext"] = [Reply(200, (answers / "transcript.xml.static").read_text(), "text/xml")]
    # Twelve seconds of words for five minutes are refused; the video is said to be as short as they are.
    origin = opened("GJLlxj_dtq8")
    item = asyncio.run(listed(origin))
    found = asyncio.run(origin.fetch(replace(item, duration_s=12.0)))
    assert found.document.meta["track"]["id"] == ".en"
    assert [segment.text for segment in found.document.segments][1] == "this is not the original transcript"
    assert len(found.document.meta["tracks"]) == 9
    assert "lang=en" in youtube.asked[-1]
    assert "fmt=" not in youtube.asked[-1]


def test_a_track_only_for_browsers_gives_way_to_the_next_and_it_is_said(youtube, opened, answers):
    real = json.loads((answers / "youtube_po_token_required.innertube.json.static").read_text())
    youtube.add(Video("GJLlxj_dtq8", player=real))
    youtube.faults["/api/timedtext"] = [Reply(200, spoken(), "text/xml")]
    found = result(opened("GJLlxj_dtq8"))
    assert found.document.meta["track"]["id"] == "a.en"
    assert found.document.captions == "auto"
    assert ".en are given only to browsers" in found.notes[0]


def test_a_track_only_for_browsers_without_another_is_looked_at_again(youtube, opened):
    youtube.add(Video(A, captions=[Captions("en", spoken(), extra="&exp=xpe")]))
    found = outcome(opened(A))
    assert (found.kind, found.failed) == ("other", True)
    assert youtube.count("/api/timedtext") == 0


def test_the_real_answer_the_library_calls_disabled_is_looked_at_again(youtube, opened, answers):
    real = json.loads((answers / "youtube_transcripts_disabled.innertube.json.static").read_text())
    youtube.add(Video("dsMFmonKDD4", player=real))
    found = outcome(opened("dsMFmonKDD4"))
    assert (found.kind, found.retry_at) == ("no_captions_yet", NOW + timedelta(days=1))


@pytest.mark.parametrize(
    ("status", "kind", "days"),
    [
        (
            {"status": "UNPLAYABLE", "reason": "Join this channel to get access to members-only content"},
            "members_only",
            7,
        ),
        ({"status": "LOGIN_REQUIRED", "reason": "Sign in to confirm your age"}, "age_restricted", 30),
        ({"status": "LOGIN_REQUIRED", "reason": "This is a private video."}, "private", 30),
        ({"status": "ERROR", "reason": "This video is unavailable"}, "unavailable", 30),
        ({"status": "ERROR", "reason": "This video has been removed by the uploader"}, "unavailable", None),
        ({"status": "LIVE_STREAM_OFFLINE", "reason": "Premieres soon"}, "upcoming", 1),
    ],
)
def test_states_of_a_video_are_told_apart_and_looked_at_again(youtube, opened, status, kind, days):
    youtube.add(Video(A, captions=[], playability=status))
    found = outcome(opened(A))
    assert (found.kind, found.failed) == (kind, False)
    assert found.retry_at == (None if days is None else NOW + timedelta(days=days))


def test_a_stream_has_no_captions_until_it_ended(youtube, opened):
    youtube.add(Video(A))
    youtube.videos[A].player = youtube.videos[A].answer()
    youtube.videos[A].player["videoDetails"]["isLive"] = True
    found = outcome(opened(A))
    assert (found.kind, found.retry_at) == ("live", NOW + timedelta(hours=3))


def test_a_video_that_has_not_begun_is_not_asked_for(youtube, opened):
    youtube.add(Video(A, live="upcoming", duration="P0D", scheduled="2026-06-03T12:00:00Z"))
    found = outcome(opened("@talks"))
    assert (found.kind, found.retry_at) == ("upcoming", NOW + timedelta(days=2, hours=3))
    assert youtube.count("/watch") == 0


def test_too_many_requests_is_a_block_for_as_long_as_asked(youtube, opened, clock):
    youtube.add(Video(A))
    for path in ("/watch", "/youtubei", "/api/timedtext"):
        youtube.faults[path] = [Reply(429, "", headers={"Retry-After": "900"})]
        assert block(opened(A)).resume_at == NOW + timedelta(minutes=15)
        youtube.faults[path] = [Reply(429)]
        assert block(opened(A)).resume_at == NOW + timedelta(hours=1)
    assert clock.slept == []


CAPTCHA = '<!DOCTYPE html><html><form><div class="g-recaptcha"></div></form></html>'
CONSENT = '<html><form action="https://consent.youtube.com/s"></form></html>'


@pytest.mark.parametrize(("path", "page"), [("/watch", CAPTCHA), ("/api/timedtext", CAPTCHA), ("/watch", CONSENT)])
def test_a_captcha_is_a_block(youtube, opened, path, page):
    youtube.add(Video(A))
    youtube.faults[path] = [Reply(200, page, "text/html")]
    assert block(opened(A)).resume_at == NOW + timedelta(hours=6)


@pytest.mark.parametrize("path", ["/watch", "/youtubei", "/api/timedtext"])
@pytest.mark.parametrize("fault", [DROP, Reply(500, "<html>oops"), Reply(503)])
def test_dropped_connections_and_server_errors_are_waited_out_with_jitter(youtube, opened, clock, path, fault):
    youtube.add(Video(A))
    youtube.faults[path] = [fault, fault]
    assert len(result(opened(A)).document.segments) == 120
    first, second = clock.slept
    assert 0.5 <= first <= 1.0
    assert 1.0 <= second <= 2.0
    youtube.faults[path] = [fault] * 9
    found = outcome(opened(A))
    assert (found.kind, found.failed) == ("network", True)
    assert "after 3 attempts" in found.reason
    assert found.retry_at == NOW + timedelta(minutes=15)


def test_a_server_error_that_names_a_time_is_left_alone_until_then(youtube, opened):
    youtube.add(Video(A))
    youtube.faults["/watch"] = [Reply(503, headers={"Retry-After": "7200"})]
    assert outcome(opened(A)).retry_at == NOW + timedelta(hours=2)
    assert youtube.count("/watch") == 1


@pytest.mark.parametrize(
    ("path", "reply", "kind"),
    [
        ("/watch", Reply(200, "", "text/html"), "empty_body"),
        ("/watch", Reply(200, "<html>something else</html>", "text/html"), "other"),
        ("/watch", Reply(403, "no", "text/html"), "other"),
        ("/youtubei", Reply(200, "not json"), "other"),
        ("/youtubei", Reply(200, "[1, 2]"), "other"),
        ("/youtubei", Reply(200, "{}"), "other"),
        ("/api/timedtext", Reply(200, "", "text/xml"), "empty_body"),
        ("/api/timedtext", Reply(200, " \n", "text/xml"), "empty_body"),
        ("/api/timedtext", Reply(403, "", "text/xml"), "network"),
        ("/api/timedtext", Reply(200, "<transcript>", "text/xml"), "not_captions"),
        ("/api/timedtext", Reply(200, b"\xff\xfe\x00", "text/xml"), "not_captions"),
    ],
)
def test_answers_of_another_shape_are_faults_that_pass(youtube, opened, path, reply, kind):
    youtube.add(Video(A))
    youtube.faults[path] = [reply] * 9
    found = outcome(opened(A))
    assert (found.kind, found.failed) == (kind, True)
    assert found.retry_at > NOW


def test_captions_that_run_past_the_end_are_of_another_video(youtube, opened):
    youtube.add(Video(A, captions=[Captions("en", spoken(900))]))
    assert "belong to another video" in outcome(opened(A)).reason
    youtube.videos[A].captions = [Captions("en", spoken(610))]
    found = result(opened(A))
    assert found.document.duration_s == 605.0
    assert any("extended" in note for note in found.notes)


def test_korean_comes_whole_though_the_server_names_no_encoding(youtube, opened):
    lines = ["오늘은 캐시가 어떻게 동작하는지 살펴보겠습니다"] * 120
    youtube.add(Video(A, language="ko", captions=[Captions("ko", "")]))
    youtube.faults["/api/timedtext"] = [Reply(200, timedtext(*lines), "text/xml")]
    assert result(opened(A)).document.segments[0].text == lines[0]


def test_without_the_package_it_is_said_what_to_install(youtube, opened, monkeypatch):
    youtube.add(Video(A))
    monkeypatch.setitem(sys.modules, "youtube_transcript_api", None)
    with pytest.raises(ServiceError, match="not installed") as caught:
        result(opened(A))
    assert "answertrail[youtube]" in caught.value.hint
