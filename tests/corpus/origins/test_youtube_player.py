"""What the player's answer says."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.corpus.origins.youtube.player import published_on_page, read_player


def test_the_real_answer_gives_all_nine_tracks(answers):
    player = read_player(json.loads((answers / "youtube.innertube.json.static").read_text()))
    assert [track.id for track in player.tracks] == [".zh", ".cs", ".en", "a.en", ".de", ".hi", ".ja", ".ko", ".es"]
    assert [track.automatic for track in player.tracks].count(True) == 1
    assert (player.title, player.duration_s, player.default) == ("Surface Go Review - It’s Awesome", 316.0, 2)
    assert player.refusal is None
    assert player.whole
    assert "zh-Hant" in player.translations


def test_the_real_answer_with_a_token_says_which_track_is_locked(answers):
    player = read_player(json.loads((answers / "youtube_po_token_required.innertube.json.static").read_text()))
    assert [track.id for track in player.tracks if track.locked] == [".en"]


def test_the_real_answer_without_captions_does_not_say_why(answers):
    player = read_player(json.loads((answers / "youtube_transcripts_disabled.innertube.json.static").read_text()))
    assert (player.tracks, player.whole, player.says_disabled, player.refusal) == ((), True, False, None)


@pytest.mark.parametrize(
    ("status", "reason", "kind", "final"),
    [
        (
            "UNPLAYABLE",
            "Join this channel to get access to members-only content like this video.",
            "members_only",
            False,
        ),
        ("UNPLAYABLE", "This video is available to this channel's members on level: Fan.", "members_only", False),
        ("LOGIN_REQUIRED", "Sign in to confirm your age", "age_restricted", False),
        ("LOGIN_REQUIRED", "This video may be inappropriate for some users.", "age_restricted", False),
        ("LOGIN_REQUIRED", "This is a private video. Please sign in to verify that you may see it.", "private", False),
        ("ERROR", "This video is unavailable", "unavailable", False),
        ("ERROR", "This video has been removed by the uploader", "unavailable", True),
        ("ERROR", "Etwas anderes", "unavailable", False),
        ("UNPLAYABLE", "This video requires payment to watch.", "unavailable", False),
        ("LIVE_STREAM_OFFLINE", "Premieres in 3 hours", "upcoming", False),
        ("UNPLAYABLE", "Premieres in 3 hours", "upcoming", False),
        ("UNPLAYABLE", "Quelque chose", "other", False),
        ("LOGIN_REQUIRED", "Please sign in", "other", False),
    ],
)
def test_why_a_video_cannot_be_had(status, reason, kind, final):
    player = read_player({"playabilityStatus": {"status": status, "reason": reason}})
    assert (player.refusal.kind, player.refusal.final) == (kind, final)
    assert reason in player.refusal.reason


def test_an_upcoming_video_says_when_it_begins():
    slate = {"liveStreamOfflineSlateRenderer": {"scheduledStartTime": "1780000000"}}
    status = {
        "status": "LIVE_STREAM_OFFLINE",
        "liveStreamability": {"liveStreamabilityRenderer": {"offlineSlate": slate}},
    }
    assert read_player({"playabilityStatus": status}).refusal.begins_at == datetime.fromtimestamp(1780000000, UTC)


def test_the_page_states_an_instant_or_nothing():
    page = '<meta itemprop="datePublished" content="{}">'
    assert published_on_page(page.format("2023-12-26T13:30:09-08:00")) == "2023-12-26T21:30:09Z"
    for stated in ("2016-11-14", "2016-11-14T10:00:00", "2016-99-14T10:00:00Z", ""):
        assert published_on_page(page.format(stated)) is None
    assert published_on_page("") is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "playabilityStatus",
                    "status",
                    "reason",
                    "messages",
                    "errorScreen",
                    "captions",
                    "captionTracks",
                    "baseUrl",
                    "playerCaptionsTracklistRenderer",
                    "languageCode",
                    "name",
                    "runs",
                    "text",
                    "audioTracks",
                    "videoDetails",
                    "defaultAudioTrackIndex",
                    "defaultCaptionTrackIndex",
                    "translationLanguages",
                    "lengthSeconds",
                    "kind",
                    "liveStreamability",
                    "liveStreamabilityRenderer",
                    "offlineSlate",
                    "scheduledStartTime",
                    "simpleText",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(deadline=None)
@given(_JSON)
def test_no_answer_breaks_it(answer):
    player = read_player(answer)
    assert all(track.url and track.language for track in player.tracks)
