"""A podcast feed with transcripts on a server of this machine."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0">
<channel><title>The pottery hour</title><language>en</language>
{items}
</channel></rss>
"""
_ITEM = """<item><title>Episode {number}</title><guid>pottery-{number}</guid>
<pubDate>{day:02} Mar 2025 09:00:00 +0100</pubDate>
{transcript}
</item>"""


@dataclass
class Feed:
    url: str
    asked: Counter[str] = field(default_factory=Counter)


class _Handler(SimpleHTTPRequestHandler):
    asked: Counter[str]

    def __init__(self, *args: object, asked: Counter[str], **named: object) -> None:
        self.asked = asked
        super().__init__(*args, **named)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.asked[self.path] += 1
        super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(folder: Path, episodes: int) -> Iterator[Feed]:
    """Serve so many episodes; the last has no transcript yet, and that of the one before is missing."""
    items = []
    for number in range(episodes):
        link = f'<podcast:transcript url="ep{number}.vtt" type="text/vtt"/>' if number < episodes - 1 else ""
        items.append(_ITEM.format(number=number, day=number % 28 + 1, transcript=link))
        if number < episodes - 2:
            cues = [f"{m:02}:01.000 --> {m:02}:20.000\nEpisode {number}, minute {m} at the kiln.\n" for m in range(12)]
            (folder / f"ep{number}.vtt").write_text("\n".join(["WEBVTT\n", *cues]))
    (folder / "feed.xml").write_text(_FEED.format(items="\n".join(items)))
    asked: Counter[str] = Counter()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder), asked=asked))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Feed(f"http://127.0.0.1:{server.server_address[1]}/feed.xml", asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
