"""Where a feed may send us, and who gets the password that was typed with its address."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.origins.base import Withheld
from answertrail.corpus.origins.rss import RssOptions, RssOrigin
from answertrail.corpus.origins.rss.reach import OutOfReachError, Reach
from answertrail.corpus.request import OriginChoices
from answertrail.errors import InputError
from answertrail.models.chat.retry import RetryPolicy

pytestmark = pytest.mark.asyncio

LOGIN = "Basic " + base64.b64encode(b"ann:hunter2 @x").decode()
TYPED_LOGIN = "ann:hunter2%20%40x"
VTT = "WEBVTT\n\n00:01.000 --> 00:09.000\nwe fired the kiln today and looked at the glaze\n"
SECRET = "the inner words of a service that no feed may ask for"


@dataclass
class Server:
    port: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def feed(self, *links: str) -> None:
        items = "".join(
            f"<item><title>E{n}</title><guid>episode-{n:04}</guid><link>/page/{n}</link>"
            f'<enclosure url="{n}.mp3"/><podcast:transcript url="{link}" type="text/vtt"/></item>'
            for n, link in enumerate(links)
        )
        space = 'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
        self.pages["/feed.xml"] = (
            f'<rss version="2.0" {space}><channel><title>x</title><language>en</language>{items}</channel></rss>'
        )


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, *args: object, made: Server, **named: object) -> None:
        self.made = made
        super().__init__(*args, **named)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.made.asked.append((self.path, self.headers.get("Authorization")))
        to, body = self.made.moved.get(self.path), self.made.pages.get(self.path)
        self.send_response(302 if to else 200 if body is not None else 404)
        if to:
            self.send_header("Location", to)
        self.end_headers()
        self.wfile.write((body or "").encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, Server]]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    made, running = (Server(), Server()), []
    for one in made:
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, made=one))
        one.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
    yield made
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


def opened(address: str) -> RssOrigin:
    return RssOrigin(address, RssOptions(policy=RetryPolicy(attempts=1)))


async def outcomes(origin: RssOrigin) -> list[str]:
    """The words of each item, or why there are none."""
    out = []
    async for item in origin.items():
        try:
            document = (await origin.fetch(item)).document
            out.append(document.segments[0].text if document.segments else document.text)
        except Withheld as none:
            out.append(f"{none.kind}: {none.reason}")
    return out


async def test_a_typed_password_reads_the_feed_and_stays_out_of_all_that_is_kept(servers, database):
    mine, other = servers
    mine.feed("t.vtt", f"http://{other.place}/t.vtt", f"http://bob:hunter2@{mine.place}/t.vtt", "/moved", "/away")
    mine.moved |= {"/moved": "/t.vtt", "/away": f"http://{other.place}/t.vtt"}
    mine.pages["/t.vtt"] = other.pages["/t.vtt"] = VTT
    request = IngestRequest(
        "c",
        [],
        origins=[f"http://{TYPED_LOGIN}@{mine.place}/feed.xml"],
        embedder="fast",
        fetching=OriginChoices(pace_s=0, limit=5),
    )
    report = await ingest(database, request)
    assert report.added == 5
    assert {login for _, login in mine.asked} == {LOGIN}
    assert [login for _, login in other.asked] == [None, None]
    kept = [str(report.as_json())]
    async with database.transaction() as conn:
        for table in ("documents", "origin_items", "fetched_items", "withheld_items", "source_items"):
            cursor = await conn.execute(f"SELECT to_jsonb(t)::text FROM {table} t")
            kept += [row for (row,) in await cursor.fetchall()]
    assert f"http://{mine.place}/page/0" in "".join(kept)
    assert not [row for row in kept if "hunter2" in row]


async def test_a_private_address_is_asked_only_where_the_user_named_it(servers):
    mine, other = servers
    other.pages["/"] = other.pages["/t.vtt"] = SECRET
    mine.pages["/t.vtt"] = VTT
    mine.feed(
        "t.vtt",
        f"http://localhost:{other.port}/t.vtt",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/t.vtt",
        f"http://2130706433:{other.port}/",
        f"http://[::ffff:127.0.0.2]:{other.port}/",
    )
    words, *refused = await outcomes(opened(f"http://{mine.place}/feed.xml"))
    assert words.startswith("we fired the kiln")
    for reason in refused:
        assert reason.startswith("unavailable: ")
        assert "an address on a private network" in reason
    assert other.asked == []


async def test_a_redirect_to_a_private_address_is_refused_too(servers):
    mine, other = servers
    other.pages["/t.vtt"] = SECRET
    mine.feed("/away", "/here")
    mine.moved |= {"/away": f"http://localhost:{other.port}/t.vtt", "/here": "/t.vtt"}
    mine.pages["/t.vtt"] = VTT
    refused, words = await outcomes(opened(f"http://{mine.place}/feed.xml"))
    assert "an address on a private network" in refused
    assert words.startswith("we fired the kiln")
    mine.moved["/old.xml"] = f"http://localhost:{mine.port}/feed.xml"
    with pytest.raises(InputError, match="private network"):
        await opened(f"http://{mine.place}/old.xml").resolve()
    assert other.asked == []


async def test_a_feed_saved_as_a_file_names_no_private_address(servers, tmp_path):
    mine, _ = servers
    mine.pages["/t.vtt"] = VTT
    mine.feed(f"http://{mine.place}/t.vtt")
    path = tmp_path / "feed.xml"
    path.write_text(mine.pages["/feed.xml"])
    (refused,) = await outcomes(RssOrigin(path))
    assert "an address on a private network" in refused
    assert mine.asked == []


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
     "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
)  # fmt: skip
async def test_addresses_that_are_not_of_the_internet(host):
    with pytest.raises(OutOfReachError):
        await Reach("https://clay.example/feed").check(f"http://{host}/x")
    await Reach(f"http://{host}:81/feed").check(f"http://{host}/x")


@pytest.mark.parametrize("host", ["93.184.216.34", "[2606:4700::1111]", "[64:ff9b::5db8:d822]"])
async def test_addresses_of_the_internet_may_be_named(host):
    await Reach(None).check(f"https://{host}/x")


async def test_a_host_that_moves_inside_later_is_not_followed_there(monkeypatch):
    """A server of names that first gives an address of the internet, then one of this network."""
    import asyncio

    answers = ["93.184.216.34", "127.0.0.1"]

    async def getaddrinfo(host, port, **_):
        return [(0, 0, 0, "", (answers.pop(0), port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    reach = Reach("https://clay.example/feed")
    await reach.check("https://clay.example/feed")
    with pytest.raises(OutOfReachError):
        await reach.check("https://clay.example/t.vtt")


async def test_redirects_without_end_are_an_error(servers):
    mine, _ = servers
    mine.moved["/feed.xml"] = "/feed.xml"
    with pytest.raises(InputError, match="too many redirects"):
        await opened(f"http://{mine.place}/feed.xml").resolve()
