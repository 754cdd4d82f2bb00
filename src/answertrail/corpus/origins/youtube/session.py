"""The HTTP session that is handed to youtube-transcript-api: with time limits, and it remembers answers.

The library knows which questions YouTube expects; what it makes of the answers loses tracks of
one language and reads "no captions" as "disabled", so the answers themselves are kept.
"""

from __future__ import annotations

from typing import Any

import requests

from answertrail.settings import YOUTUBE_SITE

_TIMEOUT_S = (10.0, 30.0)


class RecordingSession(requests.Session):
    """A session in which no request waits for ever, and the last answers are kept.

    `site` stands in for youtube.com, for tests and relays.
    """

    def __init__(self, site: str = YOUTUBE_SITE) -> None:
        super().__init__()
        self._site = site.rstrip("/")
        self.last: requests.Response | None = None
        self.page: requests.Response | None = None
        self.player: requests.Response | None = None

    def forget(self) -> None:
        """Drop the answers about the video before."""
        self.last = self.page = self.player = None

    def request(self, method: str, url: str | bytes, *args: Any, **kwargs: Any) -> requests.Response:
        """Ask, and keep the answer as the page or the player's."""
        asked = url.decode() if isinstance(url, bytes) else url
        path = asked.removeprefix(YOUTUBE_SITE)
        if path != asked:
            asked = self._site + path
        kwargs.setdefault("timeout", _TIMEOUT_S)
        self.last = None
        self.last = response = super().request(method, asked, *args, **kwargs)
        if path.startswith("/watch"):
            self.page = response
        elif path.startswith("/youtubei/"):
            self.player = response
        return response
