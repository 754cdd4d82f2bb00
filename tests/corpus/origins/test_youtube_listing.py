"""What a channel, a playlist or a video lists."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import hypothesis
import pytest
from hypothesis import strategies as st

from answertrail.corpus.origins.listings import as_row, from_row
from answertrail.corpus.origins.youtube.details import duration_seconds, listed_video
from answertrail.corpus.origins.youtube.service import KEY_VARIABLE, quota_reset, retry_after
from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.chat.failures import EndpointError
from tests.corpus.origins.youtube_fixtures import NOW
from tests.corpus.origins.youtube_server import (
    CHANNEL,
    DROP,
    KEY,
    PLAYLIST,
    Reply,
    Video,
    api_error,
    video_id,
)

A, B, C = (video_id(n) for n in range(3))


def listed(origin):
    async def run():
        await origin.resolve()
        return [item async for item in origin.items()]

    return asyncio.run(run())


def test_a_channel_is_listed_page_by_page_with_details_in_batches(youtube, opened):
    youtube.add(*[Video(video_id(n)) for n in range(120)])
    origin = opened("@Talks")
    items = listed(origin)
    assert [item.id for item in items] == [video_id(n) for n in reversed(range(120))]
    assert (origin.key, origin.title) == (f"youtube:channel/{CHANNEL}", "Talks")
    assert [youtube.count(f"/youtube/v3/{m}") for m in ("channels", "playlistItems", "videos")] == [1, 3, 3]
    assert set(youtube.keys) == {KEY}
    assert not any(KEY in path for path in youtube.asked)


def test_what_is_listed_of_a_video(youtube, opened):
    youtube.add(Video(A, title="Wie  geht das?", language="de-DE", duration="PT1H2M3S"))
    (item,) = listed(opened(CHANNEL))
    assert (item.title, item.language, item.duration_s) == ("Wie geht das?", "de-DE", 3723.0)
    assert (item.published_at, item.published_at_source) == ("2024-03-01T10:00:00Z", "videos.snippet.publishedAt")
    assert (item.url, item.tags) == (f"https://www.youtube.com/watch?v={A}", ("databases",))
    assert item.description.startswith("What is said in")
    assert item.meta == {"channel": "Talks", "channel_id": CHANNEL}
    assert item.left_out is None


@pytest.mark.parametrize(("duration", "left"), [("PT3M", True), ("PT2M59S", True), ("PT3M1S", False), ("P0D", False)])
def test_videos_of_three_minutes_or_less_are_left_out(youtube, opened, duration, left):
    youtube.add(Video(A, duration=duration))
    (item,) = listed(opened("@talks"))
    assert (item.left_out is not None) == left
    if left:
        assert "180 s or less" in item.left_out
    assert listed(opened("@talks", min_duration_s=60))[0].left_out is None
    assert listed(opened(A))[0].left_out is None  # asked for by name


def test_private_and_deleted_entries_of_a_playlist_are_left_out_and_each_video_is_once(youtube, opened):
    youtube.videos = {A: Video(A), B: Video(B, privacy="private"), C: Video(C, privacy="privacyStatusUnspecified")}
    youtube.playlists[PLAYLIST] = [A, B, C, A]
    items = listed(opened(f"https://youtube.com/playlist?list={PLAYLIST}"))
    assert [(item.id, item.left_out) for item in items] == [(A, None), (B, "private video"), (C, "private video")]


def test_a_live_or_upcoming_video_has_no_length_and_says_so(youtube, opened):
    youtube.add(Video(A, live="upcoming", duration="P0D", scheduled="2026-06-02T00:00:00Z"), Video(B, live="live"))
    live, upcoming = listed(opened("@talks"))
    assert live.meta["live"] == "live"
    assert (upcoming.meta["live"], upcoming.meta["scheduled_start"]) == ("upcoming", "2026-06-02T00:00:00Z")
    assert (upcoming.duration_s, upcoming.left_out) == (None, None)


@pytest.mark.parametrize(
    ("typed", "asked"),
    [("@TALKS", 1), (f"youtube.com/channel/{CHANNEL}", 1), ("youtube.com/user/talks1", 1), ("youtube.com/c/talks", 1)],
)
def test_one_channel_has_one_key_however_it_is_spelled(youtube, opened, typed, asked):
    youtube.user = "talks1"
    youtube.add(Video(A))
    origin = opened(typed)
    listed(origin)
    assert origin.key == f"youtube:channel/{CHANNEL}"
    assert youtube.count("/youtube/v3/channels") == asked


def test_a_custom_name_that_is_no_handle_is_searched_and_must_agree(youtube, opened):
    youtube.add(Video(A))
    youtube.searched, youtube.custom_url = [CHANNEL], "TalksOfOld"
    assert listed(opened("youtube.com/c/talksofold"))[0].id == A
    with pytest.raises(NotFoundError, match="no channel 'talksofnew'") as caught:
        listed(opened("youtube.com/c/talksofnew"))
    assert "@" in caught.value.hint


def test_a_channel_without_videos_lists_none_and_a_missing_playlist_is_an_error(youtube, opened):
    assert listed(opened("@talks")) == []
    with pytest.raises(NotFoundError, match="no public or unlisted playlist"):
        listed(opened(PLAYLIST))
    with pytest.raises(NotFoundError, match="no channel '@nobody'"):
        listed(opened("@nobody"))
    with pytest.raises(NotFoundError, match="no public or unlisted video"):
        listed(opened(A))


def test_without_a_key_it_is_said_how_to_get_one(youtube, opened):
    with pytest.raises(ServiceError) as caught:
        listed(opened("@talks", key=None))
    assert KEY_VARIABLE in caught.value.hint
    assert "docs/youtube.md" in caught.value.hint
    assert youtube.asked == []


def test_a_wrong_key_is_named_and_never_shown(youtube, opened):
    with pytest.raises(ServiceError, match="API key not valid") as caught:
        listed(opened("@talks", key="not-the-key"))
    assert KEY_VARIABLE in caught.value.hint
    assert "not-the-key" not in str(caught.value)
    youtube.faults["/youtube/v3"] = [api_error(403, "forbidden", f"the key {KEY} may not")]
    with pytest.raises(ServiceError) as caught:
        listed(opened("@talks"))
    assert KEY not in str(caught.value)
    with pytest.raises(ServiceError, match="characters that no key has"):
        listed(opened("@talks", key="ключ"))


def test_a_relay_that_drops_the_header_gets_the_key_in_the_address(youtube, opened):
    youtube.add(Video(A))
    youtube.drops_headers = True
    assert [item.id for item in listed(opened("@talks"))] == [A]


def test_a_single_video_needs_no_key(youtube, opened):
    youtube.add(Video(A, title="A talk"))
    (item,) = listed(opened(A, key=None))
    assert (item.title, item.published_at, item.published_at_source) == ("A talk", None, None)
    youtube.faults["/oembed"] = [Reply(401, "Unauthorized", "text/plain")]
    assert listed(opened(A, key=None))[0].title == A


def test_quota_used_up_stops_and_says_when_it_is_renewed(youtube, opened, clock):
    youtube.add(*[Video(video_id(n)) for n in range(60)])
    youtube.faults["/youtube/v3/playlistItems"] = []
    youtube.faults["/youtube/v3/videos"] = [api_error(403, "quotaExceeded")]
    with pytest.raises(ServiceError, match="2026-06-02 07:00 UTC"):
        listed(opened("@talks"))
    assert clock.slept == []


@pytest.mark.parametrize(
    ("now", "reset"),
    [
        (datetime(2026, 6, 1, 12, tzinfo=UTC), datetime(2026, 6, 2, 7, tzinfo=UTC)),
        (datetime(2026, 6, 1, 6, 59, tzinfo=UTC), datetime(2026, 6, 1, 7, tzinfo=UTC)),
        (datetime(2026, 12, 31, 12, tzinfo=UTC), datetime(2027, 1, 1, 8, tzinfo=UTC)),
    ],
)
def test_the_quota_is_renewed_at_midnight_in_california(now, reset):
    assert quota_reset(now) == reset


def test_faults_that_pass_are_waited_out(youtube, opened, clock):
    youtube.add(Video(A))
    youtube.faults["/youtube/v3"] = [DROP, Reply(503, "busy", "text/html")]
    assert [item.id for item in listed(opened("@talks"))] == [A]
    youtube.faults["/youtube/v3"] = [api_error(403, "rateLimitExceeded"), Reply(200, "<html>", "text/html")]
    assert [item.id for item in listed(opened("@talks"))] == [A]
    youtube.faults["/youtube/v3"] = [Reply(429, "", headers={"Retry-After": "17"})]
    clock.slept.clear()
    listed(opened("@talks"))
    assert 17 <= clock.slept[0] <= 18


def test_a_fault_that_stays_is_an_error_in_the_middle_of_a_listing(youtube, opened):
    youtube.add(*[Video(video_id(n)) for n in range(120)])
    youtube.faults["/youtube/v3/videos"] = [DROP] * 3
    with pytest.raises(EndpointError, match="after 3 attempts"):
        listed(opened("@talks"))
    youtube.faults["/youtube/v3/playlistItems"] = [Reply(200, "{}")]
    with pytest.raises(ServiceError, match="holds no items"):
        listed(opened("@talks"))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT15M33S", 933),
        ("PT1H", 3600),
        ("P1DT2H", 93600),
        ("P1W", 604800),
        ("PT0.5S", 0.5),
        ("P0D", None),
        ("PT0S", None),
        ("", None),
        ("15:33", None),
        (None, None),
        (7, None),
        ("PT1M-3S", None),
    ],
)
def test_durations(text, seconds):
    assert duration_seconds(text) == seconds


def test_a_video_of_another_shape_is_not_listed_or_listed_with_what_it_has():
    assert listed_video({}, min_duration_s=None) is None
    item = listed_video({"id": A, "snippet": {"publishedAt": "yesterday", "tags": "x"}}, min_duration_s=180)
    assert (item.title, item.published_at, item.tags) == (A, None, ())


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=9)
    | st.sampled_from([A, "PT5M", "2024-01-01T00:00:00Z"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "snippet", "contentDetails", "duration", "publishedAt", "title", "tags", "description"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@hypothesis.settings(deadline=None)
@hypothesis.given(_JSON)
def test_no_answer_breaks_the_listing(answer):
    video = answer if isinstance(answer, dict) else {"id": A, "snippet": answer}
    item = listed_video(video, min_duration_s=180)
    if item is not None:
        assert as_row(item)["title"]
        assert from_row(item.id, as_row(item)) == item


def test_retry_after_is_a_number_or_a_date():
    assert retry_after({}) is None
    assert retry_after({"retry-after": "12"}) == 12
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "1e99"}) == 7 * 86400


def test_options_that_cannot_be_used_are_refused(opened):
    with pytest.raises(InputError, match="no language code"):
        opened(A, languages=["english!"])
    with pytest.raises(InputError, match="language to translate into"):
        opened(A, translate=True)
    assert NOW.tzinfo is UTC
