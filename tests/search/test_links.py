"""The link of a citation opens at the second."""

from __future__ import annotations

import pytest

from answertrail.search.links import at_second


@pytest.mark.parametrize(
    ("url", "start", "link"),
    [
        ("https://www.youtube.com/watch?v=abc", 90.0, "https://www.youtube.com/watch?v=abc&t=90s"),
        ("https://www.youtube.com/watch?v=abc", 0.0, "https://www.youtube.com/watch?v=abc&t=0s"),
        ("https://www.youtube.com/watch?v=abc", 89.9, "https://www.youtube.com/watch?v=abc&t=89s"),
        ("https://youtu.be/abc", 90.0, "https://youtu.be/abc?t=90s"),
        ("https://youtu.be/abc?t=5", 90.0, "https://youtu.be/abc?t=90s"),
        (
            "https://www.youtube.com/watch?v=abc&t=5s&list=PL1",
            90.0,
            "https://www.youtube.com/watch?v=abc&list=PL1&t=90s",
        ),
        ("https://www.youtube.com/watch?t=5&v=abc&start=7", 90.0, "https://www.youtube.com/watch?v=abc&t=90s"),
        ("https://example.org/ep/1.mp3", 90.0, "https://example.org/ep/1.mp3#t=90"),
        ("https://example.org/ep?id=3#chapter", 90.0, "https://example.org/ep?id=3#t=90"),
        ("https://example.org/notes", None, "https://example.org/notes"),
        ("https://www.youtube.com/watch?v=abc", None, "https://www.youtube.com/watch?v=abc"),
        (None, 90.0, None),
        (None, None, None),
        ("", 90.0, None),
        ("HTTPS://example.org/notes", None, "HTTPS://example.org/notes"),
    ],
)
def test_a_link_opens_at_the_second_where_the_page_has_seconds(url, start, link):
    assert at_second(url, start) == link


@pytest.mark.parametrize("start", [None, 90.0])
@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript://x/%0aalert(1)",
        " java\tscript:alert(1)",
        "javascript://[%0aalert(1)",  # nothing that urlsplit can take apart
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///home/me/kiln.srt",
        "ftp://example.org/kiln.srt",
        "blob:https://example.org/1",
        "//example.org/kiln",
        "/home/me/My Notes/kiln.srt",
        "notes/kiln.md",
        "https://[::1",
        "http://[not an address]/x",
    ],
)
def test_only_http_and_https_that_can_be_taken_apart_are_linked(url, start):
    assert at_second(url, start) is None


def test_a_link_made_twice_is_the_same_link():
    for url in ("https://www.youtube.com/watch?v=abc", "https://youtu.be/abc", "https://example.org/a#b"):
        once = at_second(url, 90.0)
        assert at_second(once, 90.0) == once
        assert at_second(once, 30.0) == at_second(url, 30.0)
