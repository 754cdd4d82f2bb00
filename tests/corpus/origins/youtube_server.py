"""A local stand-in for YouTube: its Data API, watch pages, player and captions, with faults on request.

The answers have the shape of real ones, cut down to what is read.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

KEY = "test-key"
CHANNEL = "UCabcdefghijklmnopqrstuQ"
UPLOADS = "UU" + CHANNEL[2:]
PLAYLIST = "PLabcdefghijklmnopqrstuvwxyz012345"
WORDS = "so today we look at how the cache keeps the last rows and why that makes the second query fast"


def video_id(number: int) -> str:
    """An id of the right form."""
    return f"vid-{number:06}A"


def timedtext(*lines: str, every: float = 5.0) -> str:
    """Captions in the form YouTube serves: XML with its text escaped twice."""
    rows = "".join(
        f'<text start="{place * every:g}" dur="{every:g}">{escape(escape(line))}</text>'
        for place, line in enumerate(lines)
    )
    return f'<?xml version="1.0" encoding="utf-8" ?><transcript>{rows}</transcript>'


def spoken(seconds: float = 600.0) -> str:
    """Captions of ordinary speech of this length."""
    return timedtext(*[f"{WORDS} part {place}" for place in range(int(seconds // 5))])


@dataclass
class Captions:
    """One caption track; `kind` is `asr` for an automatic one."""

    language: str
    body: str
    kind: str | None = None
    name: str = ""
    translatable: bool = True
    extra: str = ""

    def as_json(self, video: str) -> dict[str, Any]:
        kind = f"&kind={self.kind}" if self.kind else ""
        url = f"https://www.youtube.com/api/timedtext?v={video}&caps=asr{self.extra}{kind}"
        out: dict[str, Any] = {
            "baseUrl": f"{url}&lang={self.language}&name={self.name}&fmt=srv3",
            "name": {"runs": [{"text": self.name or self.language}]},
            "vssId": ("a." if self.kind else ".") + self.language + (f".{self.name}" if self.name else ""),
            "languageCode": self.language,
            "isTranslatable": self.translatable,
            "trackName": self.name,
        }
        return out | ({"kind": self.kind} if self.kind else {})


@dataclass
class Video:
    """A video as the API and the player know it; None in `privacy` hides it from `videos.list`."""

    id: str
    title: str = "A talk about caches"
    published: str = "2024-03-01T10:00:00Z"
    added: str = "2025-11-30T00:00:00Z"
    duration: str = "PT10M"
    privacy: str = "public"
    live: str = "none"
    language: str | None = "en"
    scheduled: str | None = None
    tags: list[str] = field(default_factory=lambda: ["databases"])
    captions: list[Captions] = field(default_factory=lambda: [Captions("en", spoken(), "asr")])
    playability: dict[str, Any] = field(default_factory=lambda: {"status": "OK"})
    player: Any = None
    page: str | None = None
    page_date: str | None = "2024-03-01T02:00:00-08:00"

    def details(self) -> dict[str, Any]:
        snippet: dict[str, Any] = {
            "publishedAt": self.published,
            "channelId": CHANNEL,
            "title": self.title,
            "description": f"What is said in {self.title}.",
            "channelTitle": "Talks",
            "tags": self.tags,
            "liveBroadcastContent": self.live,
        }
        if self.language:
            snippet["defaultAudioLanguage"] = self.language
        out: dict[str, Any] = {
            "kind": "youtube#video",
            "id": self.id,
            "snippet": snippet,
            "contentDetails": {"duration": self.duration, "caption": "false"},
        }
        if self.scheduled:
            out["liveStreamingDetails"] = {"scheduledStartTime": self.scheduled}
        return out

    def entry(self, place: int) -> dict[str, Any]:
        hidden = self.privacy != "public"
        return {
            "kind": "youtube#playlistItem",
            "snippet": {
                "publishedAt": self.added,
                "title": "Private video" if hidden else self.title,
                "position": place,
            },
            "contentDetails": {"videoId": self.id} | ({} if hidden else {"videoPublishedAt": self.published}),
            "status": {"privacyStatus": self.privacy},
        }

    def answer(self) -> Any:
        if self.player is not None:
            return self.player
        out: dict[str, Any] = {
            "playabilityStatus": self.playability,
            "videoDetails": {
                "videoId": self.id,
                "title": self.title,
                "lengthSeconds": "600",
                "channelId": CHANNEL,
                "author": "Talks",
                "isLiveContent": False,
            },
        }
        if self.captions:
            out["captions"] = {
                "playerCaptionsTracklistRenderer": {
                    "captionTracks": [track.as_json(self.id) for track in self.captions],
                    "audioTracks": [{"captionTrackIndices": list(range(len(self.captions)))}],
                    "translationLanguages": [
                        {"languageCode": code, "languageName": {"runs": [{"text": code}]}} for code in ("de", "ko")
                    ],
                    "defaultAudioTrackIndex": 0,
                }
            }
        return out


@dataclass
class Reply:
    """One answer; `drop` closes the connection without any."""

    status: int = 200
    body: str | bytes = ""
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False


DROP = Reply(drop=True)


def api_error(status: int, reason: str, message: str = "refused") -> Reply:
    """An error as the Data API words it."""
    error = {
        "code": status,
        "message": message,
        "errors": [{"reason": reason, "domain": "youtube", "message": message}],
    }
    return Reply(status, json.dumps({"error": error}))


class YouTube:
    """The state of the stand-in: change it at will between requests.

    `faults` maps the beginning of a path to the replies given, one a request, before it works.
    `asked` are the paths with queries, in order.
    """

    def __init__(self) -> None:
        self.videos: dict[str, Video] = {}
        self.uploads: list[str] = []
        self.playlists: dict[str, list[str]] = {}
        self.handle = "@talks"
        self.user: str | None = None
        self.custom_url = "@talks"
        self.searched: list[str] = []
        self.faults: dict[str, list[Reply]] = {}
        self.drops_headers = False
        self.asked: list[str] = []
        self.keys: list[str | None] = []
        self.url = ""

    def add(self, *videos: Video) -> None:
        """Upload videos, the last one newest."""
        for video in videos:
            self.videos[video.id] = video
            self.uploads.insert(0, video.id)

    def count(self, beginning: str) -> int:
        """How often paths that begin so were asked for."""
        return sum(path.startswith(beginning) for path in self.asked)

    def reply(self, path: str, query: dict[str, str], body: bytes, key: str | None) -> Reply:
        for beginning, replies in self.faults.items():
            if path.startswith(beginning) and replies:
                return replies.pop(0)
        if path.startswith("/youtube/v3/"):
            key = query.get("key") if self.drops_headers else key
            self.keys.append(key)
            if key is None:
                return api_error(403, "forbidden", "Method doesn't allow unregistered callers. Please use API Key.")
            if key != KEY:
                return api_error(400, "badRequest", "API key not valid. Please pass a valid API key.")
            return self._api(path.rsplit("/", 1)[1], query)
        if path == "/watch":
            return self._page(query["v"])
        if path == "/youtubei/v1/player":
            video = self.videos.get(json.loads(body)["videoId"])
            gone = {"playabilityStatus": {"status": "ERROR", "reason": "This video is unavailable"}}
            return Reply(body=json.dumps(video.answer() if video else gone))
        if path == "/api/timedtext":
            return self._captions(query)
        if path == "/oembed":
            video = self.videos.get(query["url"].rsplit("=", 1)[1])
            return Reply(body=json.dumps({"title": video.title})) if video else Reply(404, "Not Found", "text/plain")
        return Reply(404, "no such page", "text/plain")

    def _page(self, video: str) -> Reply:
        known = self.videos.get(video)
        if known and known.page is not None:
            return Reply(body=known.page, kind="text/html; charset=utf-8")
        date = f'<meta itemprop="datePublished" content="{known.page_date}">' if known and known.page_date else ""
        page = f'<!DOCTYPE html><html><head>{date}</head><script>{{"INNERTUBE_API_KEY":"abc"}}</script></html>'
        return Reply(body=page, kind="text/html; charset=utf-8")

    def _captions(self, query: dict[str, str]) -> Reply:
        for track in self.videos[query["v"]].captions:
            same = (track.language, track.kind, track.name) == (query["lang"], query.get("kind"), query.get("name", ""))
            if same and "fmt" not in query:
                body = track.body.replace("the cache", f"[{query['tlang']}]") if "tlang" in query else track.body
                return Reply(body=body, kind="text/xml; charset=UTF-8")
        return Reply(404, "", "text/html")

    def _api(self, method: str, query: dict[str, str]) -> Reply:
        if method == "channels":
            mine = (
                query.get("forHandle", "").lower() == self.handle
                or (self.user and query.get("forUsername") == self.user)
                or CHANNEL in query.get("id", "").split(",")
            )
            channel = {
                "id": CHANNEL,
                "snippet": {"title": "Talks", "customUrl": self.custom_url},
                "contentDetails": {"relatedPlaylists": {"uploads": UPLOADS}},
                "statistics": {"videoCount": str(len(self.uploads))},
            }
            return _items([channel]) if mine else Reply(body=json.dumps({"pageInfo": {"totalResults": 0}}))
        if method == "search":
            return _items([{"id": {"channelId": found}} for found in self.searched])
        if method == "playlists":
            return _items([{"id": i, "snippet": {"title": "A list"}} for i in [query["id"]] if i in self.playlists])
        if method == "videos":
            ids = query["id"].split(",")
            assert len(ids) <= 50
            found = (self.videos.get(i) for i in ids)
            return _items([video.details() for video in found if video and video.privacy == "public"])
        assert method == "playlistItems"
        ids = self.uploads if query["playlistId"] == UPLOADS else self.playlists.get(query["playlistId"])
        if not ids:
            return api_error(404, "playlistNotFound", "The playlist cannot be found.")
        start, size = int(query.get("pageToken", "0")), int(query["maxResults"])
        page = [self.videos[i].entry(start + place) for place, i in enumerate(ids[start : start + size])]
        more = {"nextPageToken": str(start + size)} if start + size < len(ids) else {}
        return Reply(body=json.dumps({"items": page, "pageInfo": {"totalResults": len(ids)}} | more))


def _items(items: list[Any]) -> Reply:
    return Reply(body=json.dumps({"items": items}))


class _Handler(BaseHTTPRequestHandler):
    youtube: YouTube

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.youtube.asked.append(self.path)
        reply = self.youtube.reply(parts.path, query, body, self.headers.get("X-Goog-Api-Key"))
        if reply.drop:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        content = reply.body.encode() if isinstance(reply.body, str) else reply.body
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815 - the name http.server calls

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[YouTube]:
    """Yield a stand-in that answers at its `url`."""
    youtube = YouTube()
    handler = type("Handler", (_Handler,), {"youtube": youtube})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    youtube.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield youtube
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
