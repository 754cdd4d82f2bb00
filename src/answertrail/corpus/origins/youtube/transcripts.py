"""The captions of one video: which there are, the one to take, its words, or why there are none.

The questions are asked by youtube-transcript-api; its answers are read here, from the responses.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from answertrail.corpus.origins.base import Blocked, Listed, WithheldKind
from answertrail.corpus.origins.youtube.outcomes import FRESH, FRESH_WAIT, WAITS, withheld
from answertrail.corpus.origins.youtube.player import Player, published_on_page, read_player
from answertrail.corpus.origins.youtube.service import retry_after, utc_now
from answertrail.corpus.origins.youtube.timedtext import looks_like_html
from answertrail.corpus.origins.youtube.tracks import Choice, choose, described
from answertrail.errors import ServiceError
from answertrail.models.chat.failures import EndpointError, Reason
from answertrail.models.chat.retry import RetryPolicy, with_retries
from answertrail.records.base import instant

if TYPE_CHECKING:
    import requests

    from answertrail.corpus.origins.youtube.session import RecordingSession

BLOCKED_FOR = timedelta(hours=1)
"""How long to stay away after "too many requests" without a time."""
DOUBTED_FOR = timedelta(hours=6)
"""How long to stay away when YouTube wants proof that we are human: such a block lasts for hours."""
_AFTER_START = timedelta(hours=3)
_CAPTCHA = ("g-recaptcha", "/sorry/", "unusual traffic")


@dataclass(frozen=True, slots=True)
class Words:
    """A caption track as it came: XML text, how it was chosen, and the player's answer about the video."""

    text: str
    choice: Choice
    player: Player
    published_at: str | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """Which captions are wanted: languages in order, none for the spoken one; `translate`: by machine, if need be."""

    languages: tuple[str, ...] = ()
    translate: bool = False


class _PassingError(EndpointError):
    """A fault that may go away; `outcome` is what it comes to when it does not."""

    def __init__(self, message: str, outcome: WithheldKind, reason: Reason, wait_s: float | None = None) -> None:
        super().__init__(message, reason=reason, retry_after=wait_s, where="YouTube")
        self.outcome = outcome


@dataclass(slots=True)
class Transcripts:
    """Fetches captions, one video after the other, through one session. Close it when done."""

    site: str
    wish: Wish = field(default_factory=Wish)
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Callable[[], datetime] = utc_now
    _session: RecordingSession | None = None

    async def fetch(self, item: Listed) -> Words:
        """Return the captions of a video.

        Raises Withheld and Blocked as `Origin.fetch` does, ServiceError when the packages of the
        extra `youtube` are missing.
        """
        try:
            return await with_retries(lambda: asyncio.to_thread(self._once, item), self.policy)
        except _PassingError as fault:
            asked = timedelta(seconds=fault.retry_after or 0)
            own = WAITS[fault.outcome] or timedelta()
            raise withheld(fault.outcome, fault.message, self.clock(), wait=max(asked, own)) from fault

    def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _once(self, item: Listed) -> Words:
        session = self._opened()
        import requests  # comes with the extra

        session.forget()
        try:
            player = self._look(session, item.id)
            choice, notes = self._chosen(player, item)
            text = self._track(session, choice)
        except requests.RequestException as error:
            late = isinstance(error, requests.Timeout)
            what = "no answer in time" if late else "the connection failed"
            said = f"{what} ({type(error).__name__})"
            raise _PassingError(said, "network", "timeout" if late else "down") from error
        page = session.page.text if session.page is not None else ""
        return Words(text, choice, player, published_on_page(page), notes)

    def _opened(self) -> RecordingSession:
        if self._session is None:
            if importlib.util.find_spec("youtube_transcript_api") is None:
                raise ServiceError(
                    "fetching captions needs packages that are not installed",
                    where="YouTube",
                    hint='run: pip install "answertrail[youtube]"',
                )
            from answertrail.corpus.origins.youtube.session import RecordingSession

            self._session = RecordingSession(self.site)
        return self._session

    def _look(self, session: RecordingSession, video_id: str) -> Player:
        """Let the library ask, and read what the player answered, whatever the library made of it."""
        from youtube_transcript_api import (
            CouldNotRetrieveTranscript,
            FailedToCreateConsentCookie,
            RequestBlocked,
            YouTubeTranscriptApi,
        )

        try:
            YouTubeTranscriptApi(http_client=session).list(video_id)
        except (RequestBlocked, FailedToCreateConsentCookie):
            # Also raised for a plain 429, which may say for how long.
            self._check(session.last)
            raise self._blocked("YouTube wants proof that no program is asking", DOUBTED_FOR) from None
        except CouldNotRetrieveTranscript as error:
            self._check(session.last)
            if session.player is None:
                self._strange(session.page, type(error).__name__)
        except (AttributeError, LookupError, TypeError, ValueError):
            # An answer of another shape than the library knows; what can be read of it is read below.
            self._check(session.last)
        if session.player is None:
            self._strange(session.page, "no answer of the player")
        try:
            player = read_player(session.player.json())
        except ValueError:
            raise _PassingError("the player's answer is no JSON", "other", "garbled") from None
        if player.bot_check:
            raise self._blocked("YouTube asks to sign in to prove that one is not a bot", DOUBTED_FOR)
        return player

    def _chosen(self, player: Player, item: Listed) -> tuple[Choice, tuple[str, ...]]:
        now = self.clock()
        refusal = player.refusal
        if refusal is not None:
            wait = refusal.begins_at - now + _AFTER_START if refusal.begins_at else None
            outcome = withheld(refusal.kind, refusal.reason, now, wait=wait)
            if refusal.final:
                outcome.retry_at = None
            raise outcome
        if player.is_live:
            raise withheld("live", "it is being streamed; captions come after the end", now)
        if not player.tracks:
            self._no_tracks(player, item, now)
        wanted = self.wish.languages
        pick = partial(
            choose,
            wanted=wanted,
            spoken=item.language,
            translate=self.wish.translate,
            translations=player.translations,
        )
        choice = pick(player.tracks, default=player.default)
        if choice is None:
            asked = ", ".join(wanted) or f"the spoken language, {item.language}"
            reason = f"no captions in {asked}; there are: {described(player.tracks)}"
            raise withheld("no_captions_in_languages", reason, now)
        notes = [choice.note] if choice.note else []
        if choice.track.locked:
            second = pick([track for track in player.tracks if not track.locked])
            if second is None:
                raise withheld("other", "YouTube gives these captions only to browsers that prove themselves", now)
            notes.append(f"the captions {choice.track.id} are given only to browsers; {second.track.id} were taken")
            choice = second
        return choice, tuple(notes)

    def _no_tracks(self, player: Player, item: Listed, now: datetime) -> NoReturn:
        """Say what an answer without any track means: only in so many words that captions are off."""
        if not player.whole:
            raise _PassingError("the player's answer describes no video", "other", "garbled")
        if player.says_disabled:
            raise withheld("disabled", "its owner has turned captions off", now)
        published = instant(item.published_at) if item.published_at else None
        fresh = published is not None and now - published < FRESH
        raise withheld("no_captions_yet", "YouTube lists no captions for it", now, wait=FRESH_WAIT if fresh else None)

    def _track(self, session: RecordingSession, choice: Choice) -> str:
        url = choice.track.url.replace("&fmt=srv3", "")
        if choice.translated_to is not None:
            url += f"&tlang={choice.translated_to}"
        response = session.get(url)
        self._check(response)
        if response.status_code != 200:
            raise _PassingError(f"HTTP {response.status_code} in place of captions", "network", "down")
        # YouTube writes UTF-8 and does not always say so.
        text = response.content.decode("utf-8", "replace")
        if not text.strip():
            raise _PassingError("an empty answer in place of captions", "empty_body", "garbled")
        if looks_like_html(text):
            raise _PassingError("a web page in place of captions", "not_captions", "garbled")
        return text

    def _check(self, response: requests.Response | None) -> None:
        """Raise for an answer that is about us and not about the video."""
        if response is None:
            return
        asked = retry_after(response.headers)
        if response.status_code == 429:
            pause = timedelta(seconds=asked) if asked is not None else BLOCKED_FOR
            raise self._blocked("too many requests (HTTP 429)", pause)
        if response.status_code >= 500:
            raise _PassingError(f"HTTP {response.status_code} from YouTube", "network", "down", asked)
        head = response.content[:200_000].decode("utf-8", "replace")
        if looks_like_html(head) and any(mark in head or mark in response.url for mark in _CAPTCHA):
            raise self._blocked("YouTube shows a captcha", DOUBTED_FOR)

    def _strange(self, page: requests.Response | None, what: str) -> NoReturn:
        if page is not None and not page.content.strip():
            raise _PassingError("an empty answer in place of the video's page", "empty_body", "garbled")
        status = f"HTTP {page.status_code}, " if page is not None and page.status_code != 200 else ""
        raise _PassingError(f"the video's page cannot be read ({status}{what})", "other", "garbled")

    def _blocked(self, reason: str, pause: timedelta) -> Blocked:
        return Blocked(reason, resume_at=self.clock() + pause)


def listed_languages(languages: Sequence[str]) -> tuple[str, ...]:
    """Return languages as typed, `ko,en` too, in order, each once."""
    return tuple(dict.fromkeys(code for text in languages for code in text.replace(",", " ").split()))
