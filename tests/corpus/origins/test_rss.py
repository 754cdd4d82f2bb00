"""Podcast feeds against a local server: listing, choosing transcripts, reading them, and faults."""

from __future__ import annotations

import gzip
import json
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from answertrail.corpus.origins.base import Blocked, Fetched, Listed, Withheld
from answertrail.corpus.origins.rss import RssOptions, RssOrigin, rss_origin
from answertrail.corpus.origins.rss.feed import duration, item_id, parse_feed
from answertrail.corpus.origins.rss.markup import NotAFeed, NotWhole
from answertrail.corpus.origins.rss.transcripts import read_transcript
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.chat.retry import RetryPolicy
from tests.soak import rounds

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
SAID = "so today we look at how the kiln keeps its heat and why the glaze turns green in the smoke"
VTT = "WEBVTT\n\n" + "".join(
    f"00:{n // 60:02}:{n % 60:02}.000 --> 00:{n // 60:02}:{n % 60:02}.900\n{SAID}\n\n" for n in range(0, 60, 6)
)
SRT = f"1\n00:00:01,000 --> 00:00:05,000\nAnn: {SAID}\n\n2\n00:00:05,000 --> 00:00:09,000\n{SAID}\n"
JSON = json.dumps(
    {
        "version": "1.0.0",
        "segments": [
            {"speaker": "Ann", "startTime": 0.5, "endTime": 4, "body": SAID},
            {"speaker": "Bob", "startTime": "4.0", "endTime": 9, "body": SAID},
            {"startTime": 9, "body": " "},
        ],
    }
)
HTML = (
    f"<html><body><cite>Ann:</cite>\n<time>0:00</time>\n<p>{SAID}</p><p>And more.</p>"
    f"<cite>Bob:</cite><time>1:02:03</time><p>{SAID}</p><script>x</script></body></html>"
)
ERROR_PAGE = "<!DOCTYPE html><html><body><h1>Something went wrong</h1><p>Please try again later.</p></body></html>"


@dataclass
class Site:
    """A local web site: what each path answers, and what was asked for."""

    url: str = ""
    pages: dict[str, list[Callable[[BaseHTTPRequestHandler], None]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, path: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        """Answer a path; several answers to one path come one after the other, the last for ever."""
        raw = body if isinstance(body, bytes) else body.encode()

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("Content-Length", str(len(raw)))
            handler.end_headers()
            handler.wfile.write(raw)

        self.pages.setdefault(path, []).append(answer)

    def drop(self, path: str) -> None:
        """Close the connection in the middle of an answer."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000000")
            handler.end_headers()
            handler.wfile.write(b"WEBVTT\n\n")
            handler.close_connection = True

        self.pages.setdefault(path, []).append(answer)

    def flood(self, path: str, size: int) -> None:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.end_headers()
            try:
                for _ in range(size // 2**20):
                    handler.wfile.write(b"a " * 2**19)
            except OSError:
                pass

        self.pages.setdefault(path, []).append(answer)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            answers = made.pages.get(self.path)
            if not answers:
                self.send_error(404)
                return
            (answers.pop(0) if len(answers) > 1 else answers[0])(self)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


def item(guid: str = "episode-0001", inner: str = "", transcripts: str = "", **tags: str) -> str:
    known = {"title": "Firing", "pubDate": "Mon, 06 May 2024 23:45:00 -0700", "link": "https://clay.example/1"} | tags
    body = "".join(f"<{name}>{value}</{name}>" for name, value in known.items() if value)
    return f"<item><guid isPermaLink='false'>{guid}</guid>{body}{inner}{transcripts}</item>"


def track(url: str, kind: str = "text/vtt", **more: str) -> str:
    extra = "".join(f' {name}="{value}"' for name, value in more.items())
    return f'<podcast:transcript url="{url}" type="{kind}"{extra}/>'


def feed(*items: str, channel: str = "<language>en-us</language>") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" '
        'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" '
        'xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Clay Weekly</title>'
        f"{channel}{''.join(items)}</channel></rss>"
    )


slept: list[float] = []


def opened(site: Site, path: str = "/feed.xml", **more: Any) -> RssOrigin:
    slept.clear()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    options = RssOptions(policy=RetryPolicy(attempts=3, sleep=sleep), clock=lambda: NOW, **more)
    return RssOrigin(site.url + path, options)


async def listed(origin: RssOrigin) -> list[Listed]:
    return [one async for one in origin.items()]


async def fetched(site: Site, *transcripts: str, **more: Any) -> Fetched:
    site.put("/feed.xml", feed(item(transcripts="".join(transcripts), **more)))
    origin = opened(site)
    (one,) = await listed(origin)
    return await origin.fetch(one)


@pytest.mark.asyncio
async def test_an_item_keeps_all_that_the_feed_says_of_it(site: Site) -> None:
    inner = (
        "<itunes:title>Firing a kiln</itunes:title><itunes:duration>1:02:03</itunes:duration>"
        '<enclosure url="https://cdn.example/1.mp3?x=1&amp;y=2" type="audio/mpeg" length="1"/>'
        '<podcast:person role="host">Ann Potter</podcast:person><podcast:person role="guest">Bob</podcast:person>'
        '<podcast:chapters url="https://clay.example/1.json" type="application/json+chapters"/>'
        "<podcast:season name='x'>2</podcast:season><podcast:episode>3.5</podcast:episode>"
        "<description><![CDATA[<p>About <b>fire</b>.</p><p>And clay.</p>]]></description>"
    )
    site.put("/feed.xml", feed(item(inner=inner, transcripts=track("/1.vtt", language="en", rel="captions"))))
    origin = opened(site)
    await origin.resolve()
    (one,) = await listed(origin)
    assert (origin.title, origin.key) == ("Clay Weekly", f"rss:{site.url}/feed.xml")
    assert (one.id, one.title, one.duration_s, one.language) == ("episode-0001", "Firing a kiln", 3723.0, "en-US")
    assert (one.published_at, one.published_at_source) == ("2024-05-06T23:45:00-07:00", "pubDate")
    assert one.description == "About fire.\n\nAnd clay."
    assert one.url == "https://cdn.example/1.mp3?x=1&y=2"
    assert one.meta == {
        "guid": "episode-0001",
        "page": "https://clay.example/1",
        "audio": "https://cdn.example/1.mp3?x=1&y=2",
        "transcripts": [{"url": f"{site.url}/1.vtt", "type": "text/vtt", "language": "en", "rel": "captions"}],
        "speakers": ["Ann Potter", "Bob"],
        "chapters_url": "https://clay.example/1.json",
        "season": 2,
        "episode": 3.5,
    }
    assert json.loads(json.dumps(one.meta)) == one.meta


@pytest.mark.parametrize(
    ("body", "kind", "starts", "speakers"),
    [
        (VTT, "text/vtt", [float(n) for n in range(0, 60, 6)], [None] * 10),
        (SRT, "application/x-subrip", [1.0, 5.0], ["Ann", None]),
        (SRT, "text/vtt", [1.0, 5.0], None),
        (VTT, "text/plain", [float(n) for n in range(0, 60, 6)], None),
        (JSON, "application/json", [0.5, 4.0], ["Ann", "Bob"]),
        (HTML, "text/html", [0.0, 3723.0], ["Ann", "Bob"]),
        ("[00:01] **Ann**: hi there\n[00:05] **Bob**: bye now\n", "text/plain", [1.0, 5.0], ["Ann", "Bob"]),
    ],
)
@pytest.mark.asyncio
async def test_timed_transcripts(site: Site, body: str, kind: str, starts: list[float], speakers: Any) -> None:
    site.put("/t", body)
    enclosure = '<enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/>'
    document = (await fetched(site, track("/t", kind), inner=enclosure)).document
    assert document.segments is not None
    assert [segment.start_s for segment in document.segments] == starts
    if speakers is not None and kind != "application/x-subrip":
        assert [segment.speaker for segment in document.segments] == speakers
    is_timed_by_type = kind not in ("text/plain", "text/html")
    assert document.url == ("https://cdn.example/1.mp3" if is_timed_by_type else "https://clay.example/1")
    assert document.meta is not None
    assert document.meta["track"]["url"] == f"{site.url}/t"


@pytest.mark.asyncio
async def test_the_words_of_html_are_those_of_its_paragraphs(site: Site) -> None:
    site.put("/t", HTML)
    document = (await fetched(site, track("/t", "text/html"))).document
    assert [segment.text for segment in document.segments or ()] == [f"{SAID} And more.", SAID]


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
@pytest.mark.asyncio
async def test_untimed_transcripts_link_to_the_page(site: Site, kind: str) -> None:
    site.put("/t", f"<p>{SAID}.</p><p>{SAID}.</p>" if kind == "text/html" else f"{SAID}.\n\n{SAID}.\n")
    document = (await fetched(site, track("/t", kind))).document
    assert document.text == f"{SAID}.\n\n{SAID}."
    assert (document.segments, document.url) == (None, "https://clay.example/1")


@pytest.mark.parametrize(
    ("tracks", "languages", "taken"),
    [
        ([("text/html", "en"), ("text/vtt", "en")], [], 1),
        ([("application/json", "en"), ("application/srt", "en")], [], 1),
        ([("text/plain", ""), ("application/json", "")], [], 1),
        ([("text/vtt", "es"), ("text/html", "en")], [], 1),
        ([("text/vtt", "es"), ("text/html", "en-GB")], ["en"], 1),
        ([("text/vtt", "en"), ("text/plain", "ko")], ["ko-KR", "en"], 1),
        ([("text/vtt", "en"), ("text/plain", "ko")], ["ko-KR,en"], 1),
        ([("text/vtt", ""), ("text/vtt", "de")], ["de"], 1),
        ([("application/pdf", ""), ("text/plain", "")], [], 1),
        ([("", ""), ("text/plain", "")], [], 0),
    ],
)
@pytest.mark.asyncio
async def test_the_best_transcript_is_taken(site: Site, tracks: Any, languages: list[str], taken: int) -> None:
    bodies = {"text/vtt": VTT, "application/srt": SRT, "application/json": JSON, "text/html": HTML}
    names = [f"/{place}.vtt" for place in range(len(tracks))]
    said = [track(name, kind, language=code) for name, (kind, code) in zip(names, tracks, strict=True)]
    for name, (kind, _) in zip(names, tracks, strict=True):
        site.put(name, bodies.get(kind, VTT))
    site.put("/feed.xml", feed(item(transcripts="".join(said))))
    origin = opened(site, languages=languages)
    (one,) = await listed(origin)
    await origin.fetch(one)
    assert site.asked[1:] == [names[taken]]


@pytest.mark.asyncio
async def test_captions_go_before_another_of_the_same_kind(site: Site) -> None:
    site.put("/a", VTT)
    site.put("/b", VTT)
    document = (await fetched(site, track("/a"), track("/b", rel="captions"))).document
    assert document.meta is not None
    assert document.meta["track"]["url"].endswith("/b")


@pytest.mark.asyncio
async def test_what_cannot_be_used_gives_way_to_the_next(site: Site) -> None:
    site.put("/a.vtt", ERROR_PAGE)
    site.put("/c.json", JSON)
    result = await fetched(
        site, track("/a.vtt"), track("/gone", "application/srt"), track("/c.json", "application/json")
    )
    assert [segment.speaker for segment in result.document.segments or ()] == ["Ann", "Bob"]
    assert "the address gives a web page, no transcript" in result.notes[0]
    assert "HTTP 404" in result.notes[1]


@pytest.mark.parametrize(
    ("put", "kind", "reason", "wait"),
    [
        (lambda site: None, "unavailable", "HTTP 404", timedelta(days=7)),
        (lambda site: site.put("/t", "", 403), "unavailable", "HTTP 403", timedelta(days=7)),
        (lambda site: site.put("/t", ERROR_PAGE),
         "not_captions", "the address gives a web page, no transcript", timedelta(days=7)),
        (lambda site: site.put("/t", " \n"), "empty_body", "empty", timedelta(hours=1)),
        (lambda site: site.put("/t", "x", 503), "network", "HTTP 503", timedelta(minutes=15)),
        (lambda site: site.drop("/t"), "network", "no connection", timedelta(minutes=15)),
        (lambda site: site.flood("/t", 40 * 2**20), "not_captions", "larger than 32 MB", timedelta(days=7)),
        (lambda site: site.put("/t", gzip.compress(b"0" * (40 * 2**20)), Content_Encoding="gzip"),
         "not_captions", "larger than 32 MB", timedelta(days=7)),
        (lambda site: site.put("/t", b"\0\1\2"), "not_captions", "binary", timedelta(days=7)),
        (lambda site: site.put("/t", '{"segments": [{"x": 1}]}'), "not_captions", "JSON", timedelta(days=7)),
    ],
)  # fmt: skip
@pytest.mark.asyncio
async def test_faults_of_a_transcript_are_typed(
    site: Site, put: Callable[[Site], None], kind: str, reason: str, wait: timedelta
) -> None:
    put(site)
    with pytest.raises(Withheld) as caught:
        await fetched(site, track("/t"))
    assert (caught.value.kind, caught.value.failed) == (kind, True)
    assert reason in caught.value.reason
    assert caught.value.retry_at == NOW + wait


@pytest.mark.asyncio
async def test_an_item_without_a_transcript_is_asked_for_again(site: Site) -> None:
    site.put("/feed.xml", feed(item(), item("episode-0002", pubDate=format_datetime(NOW - timedelta(days=2)))))
    origin = opened(site)
    waits = []
    for one in await listed(origin):
        with pytest.raises(Withheld) as caught:
            await origin.fetch(one)
        assert (caught.value.kind, caught.value.failed) == ("no_captions_yet", False)
        assert caught.value.retry_at is not None
        waits.append(caught.value.retry_at - NOW)
    assert waits == [timedelta(days=30), timedelta(days=1)]


@pytest.mark.asyncio
async def test_no_transcript_in_the_languages_wanted_says_which_exist(site: Site) -> None:
    site.put("/feed.xml", feed(item(transcripts=track("/t", language="es") + track("/u", language="de"))))
    origin = opened(site, languages=["ko"])
    (one,) = await listed(origin)
    with pytest.raises(Withheld, match="transcripts in de, es, not in ko") as caught:
        await origin.fetch(one)
    assert (caught.value.kind, caught.value.failed) == ("no_captions_in_languages", False)


@pytest.mark.asyncio
async def test_passing_faults_pass_and_the_server_says_how_long_to_wait(site: Site) -> None:
    site.drop("/t")
    site.put("/t", "busy", 503, Retry_After="7")
    site.put("/t", VTT)
    assert (await fetched(site, track("/t"))).document.segments
    assert len(slept) == 2
    assert 7 <= slept[1] < 8


@pytest.mark.asyncio
async def test_a_server_that_asks_to_stay_away_stops_the_batch(site: Site) -> None:
    site.put("/t", "", 429, Retry_After="3600")
    with pytest.raises(Blocked) as caught:
        await fetched(site, track("/t"))
    assert caught.value.resume_at == NOW + timedelta(hours=1)
    assert site.asked.count("/t") == 1


@pytest.mark.asyncio
async def test_times_past_the_stated_length_belong_to_something_else(site: Site) -> None:
    site.put("/t", VTT)
    with pytest.raises(Withheld, match="after the end of the recording") as caught:
        await fetched(site, track("/t"), inner="<itunes:duration>30</itunes:duration>")
    assert caught.value.kind == "not_captions"


@pytest.mark.asyncio
async def test_redirects_are_followed_and_a_move_is_told(site: Site) -> None:
    site.put("/old.xml", "", 301, Location="/new.xml")
    site.put("/new.xml", feed(item(transcripts=track("t.vtt"))))
    site.put("/t.vtt", "", 302, Location="/real.vtt")
    site.put("/real.vtt", VTT)
    origin = opened(site, "/old.xml")
    await origin.resolve()
    (one,) = await listed(origin)
    assert origin.notes == (f"the feed moved to {site.url}/new.xml",)
    assert origin.key == f"rss:{site.url}/old.xml"
    assert (await origin.fetch(one)).document.segments


@pytest.mark.asyncio
async def test_pages_of_a_feed_are_followed_and_a_missing_one_is_no_end(site: Site) -> None:
    def page(n: int, after: str) -> str:
        return feed(item(f"episode-{n:04}"), item("episode-0001"), channel=f'<atom:link rel="next" href="{after}"/>')

    site.put("/feed.xml", page(1, "/2.xml"))
    site.put("/2.xml", page(2, "/3.xml"))
    origin = opened(site)
    with pytest.raises(ServiceError, match="a page of the feed is missing"):
        await listed(origin)
    site.put("/3.xml", page(3, "/feed.xml"))
    assert [one.id for one in await listed(origin)] == ["episode-0001", "episode-0002", "episode-0003"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title></feed>", "an Atom feed"),
        (ERROR_PAGE, "a web page"),
        ("just words", "no podcast feed"),
        ("", "no podcast feed"),
        ("{}", "no podcast feed"),
        ("<opml><body/></opml>", "<opml>"),
    ],
)
@pytest.mark.asyncio
async def test_what_is_no_feed_is_the_users_mistake(site: Site, body: str, message: str) -> None:
    site.put("/feed.xml", body)
    with pytest.raises(InputError, match=message):
        await opened(site).resolve()


@pytest.mark.asyncio
async def test_a_feed_that_is_gone_and_one_that_cannot_be_asked(site: Site) -> None:
    with pytest.raises(NotFoundError, match="HTTP 404"):
        await opened(site).resolve()
    site.put("/feed.xml", "", 500)
    with pytest.raises(ServiceError, match=r"HTTP 500.*after 3 attempts"):
        await opened(site).resolve()


@pytest.mark.parametrize(
    ("text", "value"),
    [("3723", 3723.0), ("62:03", 3723.0), ("1:02:03", 3723.0), ("0", None), ("", None), ("an hour", None),
     ("-5", None), ("nan", None), ("3723.5", 3723.5), (None, None)],
)  # fmt: skip
def test_durations_in_their_spellings(text: str | None, value: float | None) -> None:
    assert duration(text) == value


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("Mon, 06 May 2024 10:00:00 GMT", "2024-05-06T10:00:00Z"),
        ("Mon, 06 May 2024 10:00:00 EST", "2024-05-06T10:00:00-05:00"),
        ("Mon, 06 May 2024 10:00:00 CEST", "2024-05-06"),
        ("Mon, 06 May 2024 10:00:00", "2024-05-06T10:00:00Z"),
        ("6 May 24 10:00 UT", "2024-05-06T10:00:00Z"),
        ("2024-05-06T10:00:00+02:00", "2024-05-06T10:00:00+02:00"),
        ("soon", None),
    ],
)
def test_dates_keep_their_zone_or_only_the_day(written: str, instant: str | None) -> None:
    (one,) = parse_feed(feed(item(pubDate=written)).encode(), base="http://a.example", salt="s").items
    assert one.published_at == instant


@pytest.mark.parametrize(
    ("guid", "expected"),
    [
        ("Buzzsprout-14812345", "Buzzsprout-14812345"),
        ("5f9c1d6e-0b0a-4b3e-9a7e-2f1d3c4b5a69", "5f9c1d6e-0b0a-4b3e-9a7e-2f1d3c4b5a69"),
        ("https://clay.example/?p=42", "clay.example-p-42-"),
        ("  spaced   out ", "spaced-out-"),
        ("가마 일지", ""),
        ("42", "42-"),
    ],
)
def test_ids_are_stable_valid_and_apart(guid: str, expected: str) -> None:
    made = item_id(" ".join(guid.split()), "rss:https://a.example/feed")
    assert made == item_id(" ".join(guid.split()), "rss:https://a.example/feed")
    assert made.startswith(expected)
    assert made == expected or len(made) == len(expected) + 8
    other = item_id(" ".join(guid.split()), "rss:https://b.example/feed")
    assert (other == made) == (len(" ".join(guid.split())) >= 8)


def test_guids_that_differ_in_odd_characters_only_stay_apart() -> None:
    assert len({item_id(guid, "s") for guid in ("tag:a,1:x/y z", "tag:a,1:x/y?z", "tag:a,1:x-y-z")}) == 3


def test_feeds_with_mistakes_are_read_past_them() -> None:
    text = feed(
        item("no-title-here", title="", pubDate="never"),
        "<item><title>No guid, no address</title></item>",
        item("episode-0001", title="Q &amp; A &nbsp; &eacute;", inner=track("javascript:x") + track("http://[bad")),
        item("episode-0001", title="Twice"),
    ).replace(' xmlns:podcast="https://podcastindex.org/namespace/1.0"', "")
    found = parse_feed(text.encode(), base="http://a.example", salt="s").items
    assert [one.id for one in found] == ["no-title-here", "episode-0001", "episode-0001"]
    assert (found[0].title, found[0].published_at) == ("no-title-here", None)
    assert found[1].title.startswith("Q & A")
    assert "transcripts" not in found[1].meta
    plain = feed(item(transcripts=track("https://a.example/1.vtt"))).replace(
        ' xmlns:podcast="https://podcastindex.org/namespace/1.0"', ""
    )
    (one,) = parse_feed(plain.encode(), base="http://a.example", salt="s").items
    assert one.meta["transcripts"][0]["url"] == "https://a.example/1.vtt"


def test_a_feed_that_defines_entities_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    laughs = "".join(f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 20}'>" for n in range(12))
    head = f"<!DOCTYPE rss [<!ENTITY a 'ha'>{laughs}<!ENTITY s SYSTEM '{secret.as_uri()}'>]>"
    text = head + feed(item(title="x&m;y&s;z")).partition("?>")[2]
    with pytest.raises(NotAFeed, match=r"^it defines entities$"):
        parse_feed(text.encode(), base="http://a.example", salt="s")


@pytest.mark.asyncio
async def test_a_feed_saved_as_a_file_with_its_transcripts(tmp_path: Path) -> None:
    folder = tmp_path / "show"
    folder.mkdir()
    (folder / "1 a.vtt").write_text(VTT)
    (tmp_path / "outside.vtt").write_text(VTT)
    path = folder / "feed.xml"
    path.write_text(
        feed(item(transcripts=track("1%20a.vtt")), item("episode-0002", transcripts=track("../outside.vtt")))
    )
    origin = rss_origin(str(path), RssOptions(clock=lambda: NOW))
    assert origin is not None
    await origin.resolve()
    assert origin.key == f"rss:{path.as_uri()}"
    inside, outside = await listed(origin)
    assert (await origin.fetch(inside)).document.segments
    with pytest.raises(Withheld, match="outside the folder of the feed"):
        await origin.fetch(outside)


def test_a_feed_from_the_web_names_no_files() -> None:
    text = feed(item(transcripts=track("file:///etc/passwd") + track("/t.vtt")))
    (one,) = parse_feed(text.encode(), base="https://a.example/feed", salt="s").items
    assert [said["url"] for said in one.meta["transcripts"]] == ["https://a.example/t.vtt"]


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("HTTPS://Clay.Example:443/feed#x", "rss:https://clay.example/feed"),
        ("rss:https://clay.example/feed?a=b", "rss:https://clay.example/feed?a=b"),
        ("feed://clay.example/feed", "rss:https://clay.example/feed"),
        ("https://ann:secret@clay.example", "rss:https://clay.example/"),
        ("http://clay.example:8080/", "rss:http://clay.example:8080/"),
    ],
)
def test_one_feed_has_one_key_however_it_is_typed(typed: str, key: str) -> None:
    origin = rss_origin(typed)
    assert origin is not None
    assert origin.key == key


def test_without_its_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"pip install 'answertrail\[podcast\]'"):
        rss_origin("https://clay.example/feed")


def test_what_is_no_address_is_not_taken() -> None:
    assert rss_origin("notes/") is None
    assert rss_origin("missing.xml") is None
    with pytest.raises(InputError, match="not the address of a feed"):
        rss_origin("https://")


def test_broken_transcripts_and_feeds_end_in_words_or_a_fault() -> None:
    sound: list[tuple[Any, str]] = [("vtt", VTT), ("srt", SRT), ("json", JSON), ("html", HTML), ("plain", SRT)]
    whole = feed(item(transcripts=track("/t")), item("episode-0002")).encode()
    marks = [b"<", b">", b"&", b"\0", b"]]>", b"<![CDATA[", b"{", b'"', b"99:99:99", b"\xff", b"</item>"]
    for seed in range(rounds(ci=150, soak=20_000)):
        chance = random.Random(seed)
        form, text = chance.choice(sound)
        for raw in (text.encode(), whole):
            data = bytearray(raw)
            for _ in range(chance.randint(1, 6)):
                at = chance.randrange(len(data))
                data[at : at + chance.randint(0, 30)] = chance.choice([b"", chance.choice(marks), chance.randbytes(5)])
            if raw is whole:
                try:
                    for one in parse_feed(bytes(data), base="http://a.example", salt="s").items:
                        assert one.id.strip() == one.id != ""
                        json.dumps(one.meta).encode()
                except (NotAFeed, NotWhole):
                    pass
                continue
            try:
                words = read_transcript(bytes(data), form)
            except SourceFault:
                continue
            starts = [cue.start for cue in words.cues]
            assert bool(starts) != bool(words.text), seed
            assert starts == sorted(starts), seed
