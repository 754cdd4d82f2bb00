"""What a user may type for YouTube."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.corpus.origins.youtube.address import parse_address
from answertrail.errors import InputError
from tests.corpus.origins.youtube_server import CHANNEL, PLAYLIST, UPLOADS

VIDEO = "dQw4w9WgXcQ"


@pytest.mark.parametrize(
    ("typed", "kind", "value"),
    [
        (f"https://www.youtube.com/channel/{CHANNEL}", "channel", CHANNEL),
        (f"https://www.youtube.com/channel/{CHANNEL}/videos?view=0", "channel", CHANNEL),
        (CHANNEL, "channel", CHANNEL),
        (UPLOADS, "channel", CHANNEL),
        (f"https://www.youtube.com/playlist?list={UPLOADS}", "channel", CHANNEL),
        ("https://www.youtube.com/@code4AI", "handle", "@code4AI"),
        ("youtube.com/@code4AI/streams", "handle", "@code4AI"),
        ("https://www.youtube.com/%40code4AI", "handle", "@code4AI"),
        ("@서울.talks", "handle", "@서울.talks"),
        ("https://www.youtube.com/%EC%84%9C%EC%9A%B8%ED%86%A0%ED%81%AC", "custom", "서울토크"),
        ("https://www.youtube.com/c/Talks", "custom", "Talks"),
        ("https://m.youtube.com/Talks", "custom", "Talks"),
        ("http://youtube.com/user/talks1", "user", "talks1"),
        (f"https://www.youtube.com/playlist?list={PLAYLIST}&si=x", "playlist", PLAYLIST),
        (f"https://music.youtube.com/playlist?list={PLAYLIST}", "playlist", PLAYLIST),
        (f"https://www.youtube.com/watch?list={PLAYLIST}", "playlist", PLAYLIST),
        (f"https://www.youtube.com/embed/videoseries?list={PLAYLIST}", "playlist", PLAYLIST),
        (PLAYLIST, "playlist", PLAYLIST),
        (f"https://www.youtube.com/watch?v={VIDEO}", "video", VIDEO),
        (f"https://www.youtube.com/watch?app=desktop&v={VIDEO}&t=42s#x", "video", VIDEO),
        (f"HTTPS://WWW.YOUTUBE.COM:443/watch?v={VIDEO}", "video", VIDEO),
        (f"youtu.be/{VIDEO}?t=9", "video", VIDEO),
        (f"https://youtube.com/shorts/{VIDEO}", "video", VIDEO),
        (f"https://www.youtube.com/live/{VIDEO}?feature=share", "video", VIDEO),
        (f"https://www.youtube-nocookie.com/embed/{VIDEO}", "video", VIDEO),
        (f"https://www.youtube.com/v/{VIDEO}", "video", VIDEO),
        (f"https://www.youtube.com/attribution_link?a=b&u=%2Fwatch%3Fv%3D{VIDEO}%26x", "video", VIDEO),
        (f"  {VIDEO}\n", "video", VIDEO),
    ],
)
def test_what_is_typed_names_a_channel_a_playlist_or_a_video(typed, kind, value):
    found = parse_address(typed)
    assert (found.kind, found.value) == (kind, value)
    assert found.note is None


def test_a_video_in_a_playlist_is_the_video_and_it_is_said():
    found = parse_address(f"https://www.youtube.com/watch?v={VIDEO}&list={PLAYLIST}&index=3")
    assert (found.kind, found.value) == ("video", VIDEO)
    assert f"youtube.com/playlist?list={PLAYLIST}" in found.note


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "talks",
        "./talks",
        "talks/",
        "transcripts",  # eleven letters, as an id has
        "Transcripts",
        "my-podcasts",
        "talk.en.vtt",
        "notes@2024",
        "@",
        "@a b",
        "https://example.com/watch?v=dQw4w9WgXcQ",
        "https://notyoutube.com/@talks",
        "https://youtube.com.example.com/@talks",
        "https://vimeo.com/1234",
        "C:\\youtube.com\\talks",
        "http://[youtube.com/",
        "dQw4w9WgXcR",  # no id ends in R
        "UCshort",
    ],
)
def test_anything_else_is_not_youtube(typed):
    assert parse_address(typed) is None


def test_only_what_is_typed_bare_may_be_a_file_of_that_name():
    assert [parse_address(t).bare for t in (VIDEO, "@talks", CHANNEL, PLAYLIST, UPLOADS)] == [True] * 5
    assert not parse_address(f"youtu.be/{VIDEO}").bare


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("https://www.youtube.com/", "no channel, playlist or video"),
        ("https://www.youtube.com/feed/subscriptions", "no channel, playlist or video"),
        ("https://www.youtube.com/results?search_query=x", "no channel, playlist or video"),
        ("https://www.youtube.com/watch?v=short", "'short' is not the id of a video"),
        ("https://www.youtube.com/watch", "is not the id of a video"),
        ("https://youtu.be/", "is not the id of a video"),
        ("https://www.youtube.com/channel/UC123", "'UC123' is not the id of a channel"),
        ("https://www.youtube.com/playlist?list=WL", "belongs to a viewer"),
        ("https://www.youtube.com/playlist?list=RDdQw4w9WgXcQ", "made up for each anew"),
        ("https://www.youtube.com/@x", "is not a handle"),
    ],
)
def test_another_page_of_youtube_is_an_error_that_says_what_to_give(typed, said):
    with pytest.raises(InputError, match=said) as caught:
        parse_address(typed)
    assert caught.value.where == typed
    assert caught.value.hint


_PIECES = st.sampled_from(
    [
        "https://",
        "//",
        "www.",
        "youtube.com",
        "youtu.be",
        "/",
        "watch",
        "?v=",
        "&list=",
        "@",
        "UC",
        "PL",
        "%",
        "[",
        "]",
        VIDEO,
        CHANNEL,
        "attribution_link",
        "u=",
        ":",
        "#",
        "..",
        "\x00",
        "é",
        "channel",
        "c",
        "user",
    ]
)


@settings(deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=10).map("".join)))
def test_no_text_breaks_it(typed):
    try:
        found = parse_address(typed)
    except InputError:
        return
    assert found is None or found.value
