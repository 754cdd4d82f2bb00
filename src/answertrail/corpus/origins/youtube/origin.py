"""A YouTube channel, playlist or video as an origin."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import httpx2

from answertrail.corpus.origins.base import Fetched, Listed
from answertrail.corpus.origins.youtube.address import Address, parse_address
from answertrail.corpus.origins.youtube.details import watch_url
from answertrail.corpus.origins.youtube.listing import (
    Channel,
    find_channel,
    find_playlist,
    playlist_videos,
    single_video,
)
from answertrail.corpus.origins.youtube.outcomes import withheld
from answertrail.corpus.origins.youtube.service import Service, utc_now
from answertrail.corpus.origins.youtube.timedtext import is_sparse, parse_timedtext
from answertrail.corpus.origins.youtube.tracks import language_tag
from answertrail.corpus.origins.youtube.transcripts import Transcripts, Wish, Words, listed_languages
from answertrail.corpus.sources.order import Cue
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.errors import InputError, NotFoundError
from answertrail.models.chat.retry import RetryPolicy
from answertrail.records.base import instant
from answertrail.records.document import Document, Segment
from answertrail.settings import Settings

MIN_DURATION_S = 180.0
PAST_END_S = 5.0
"""Captions may start this long (or 1%) past the stated length: lengths are rounded."""


@dataclass(frozen=True, slots=True)
class YouTubeOptions:
    """What a user may choose.

    Videos of `min_duration_s` seconds or less are left out of channels and playlists. `languages`
    in order of preference, BCP 47; none means the spoken one. `translate` allows machine
    translations where no captions are in these languages. `policy`, `transport` and `clock`
    replace waiting, network and time in tests.
    """

    min_duration_s: float = MIN_DURATION_S
    languages: Sequence[str] = ()
    translate: bool = False
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    transport: httpx2.AsyncBaseTransport | None = None
    clock: Callable[[], datetime] = utc_now


class YouTubeOrigin:
    """An `Origin`. `title` is the channel's or playlist's name and `notes` what was decided, after `resolve`."""

    def __init__(self, address: Address, settings: Settings, options: YouTubeOptions) -> None:
        languages = listed_languages(options.languages)
        for code in languages:
            if language_tag(code) is None:
                raise InputError(f"{code!r} is no language code", hint="for instance en, ko, pt-BR, zh-Hant")
        if options.translate and not languages:
            raise InputError("a translation needs a language to translate into", hint="name it with the languages")
        self.address = address
        self.key = f"youtube:{address.kind}/{address.value}"
        self.title: str | None = None
        self.notes: tuple[str, ...] = (address.note,) if address.note else ()
        self._site = settings.youtube_site
        self._options = options
        self._service = Service(
            settings.youtube_api, settings.youtube_key, options.policy, options.transport, options.clock
        )
        self._channel: Channel | None = None
        self._transcripts = Transcripts(
            settings.youtube_site, Wish(languages, options.translate), options.policy, options.clock
        )

    async def resolve(self) -> None:
        """Find the channel of a handle or name, or see that the playlist is there; sets `key`."""
        if self.address.kind == "video":
            self.key = f"youtube:video/{self.address.value}"
        elif self.address.kind == "playlist":
            self.title = await find_playlist(self._service, self.address.value)
            self.key = f"youtube:playlist/{self.address.value}"
        else:
            self._channel = await find_channel(self._service, self.address)
            self.title = self._channel.title
            self.key = f"youtube:channel/{self._channel.id}"

    async def items(self) -> AsyncIterator[Listed]:
        """Yield the videos: a channel's newest first, a playlist's in its order."""
        if self.address.kind == "video":
            yield await single_video(self._service, self._site, self.address.value)
            return
        if self.address.kind != "playlist" and self._channel is None:
            await self.resolve()
        channel = self._channel
        playlist = channel.uploads if channel is not None else self.address.value
        try:
            async for item in playlist_videos(self._service, playlist, min_duration_s=self._options.min_duration_s):
                yield item
        except NotFoundError:
            # A channel without videos has no list of them either.
            if channel is None or channel.videos != 0:
                raise

    async def fetch(self, item: Listed) -> Fetched:
        """Return the words of a video; no request for one that has not begun."""
        now = self._options.clock()
        begins = item.meta.get("scheduled_start")
        if item.meta.get("live") == "upcoming" and isinstance(begins, str) and instant(begins) > now:
            wait = instant(begins) - now + timedelta(hours=3)
            raise withheld("upcoming", f"it begins at {begins}", now, wait=wait)
        words = await self._transcripts.fetch(item)
        return document_of(item, words, now)

    def close(self) -> None:
        """Close the connections."""
        self._transcripts.close()


def youtube_origin(typed: str, settings: Settings, options: YouTubeOptions | None = None) -> YouTubeOrigin | None:
    """Return the origin that a text names, None when it is not about YouTube.

    Raises InputError for a page of YouTube that is no channel, playlist or video, and for a
    language that is none.
    """
    address = parse_address(typed)
    return None if address is None else YouTubeOrigin(address, settings, options or YouTubeOptions())


def document_of(item: Listed, words: Words, now: datetime) -> Fetched:
    """Make the document of a video from its listing and its captions.

    Raises Withheld for what is not captions of this video.
    """
    try:
        cues, repairs = parse_timedtext(words.text)
    except SourceFault as fault:
        raise withheld("not_captions", fault.reason, now) from None
    duration = item.duration_s or words.player.duration_s
    late = _starts_after(cues, duration)
    if late is not None:
        reason = f"a caption starts at {late:.0f} s of {duration:.0f}: the captions belong to another video"
        raise withheld("not_captions", reason, now)
    if is_sparse(cues, duration):
        raise withheld("not_captions", "fewer than three words a minute: no record of what is said", now)
    notes = [*words.notes, *repairs]
    last = max(cue.start for cue in cues)
    if duration is not None and last > duration:
        notes.append(f"the times run {last - duration:.1f} s past the stated length; it is extended")
        duration = last
    published, source = item.published_at, item.published_at_source
    if published is None and words.published_at is not None:
        published, source = words.published_at, "watch page datePublished"
    if published is None:
        notes.append("its date is not known, so it takes no part in questions about time: an API key tells it")
    title = words.player.title if item.title == item.id and words.player.title else item.title
    document = _document(item, words, cues, title=title, published=published, source=source, duration=duration)
    return Fetched(document, tuple(notes))


def _starts_after(cues: Sequence[Cue], duration: float | None) -> float | None:
    if duration is None:
        return None
    slack = max(PAST_END_S, 0.01 * duration)
    return next((cue.start for cue in cues if cue.start > duration + slack), None)


def _document(
    item: Listed,
    words: Words,
    cues: Sequence[Cue],
    *,
    title: str,
    published: str | None,
    source: str | None,
    duration: float | None,
) -> Document:
    choice = words.choice
    track = {**choice.track.as_json(), "captions": choice.captions}
    if choice.translated_to is not None:
        track["translated_to"] = choice.translated_to
    meta = {
        "track": track,
        "tracks": [other.as_json() for other in words.player.tracks],
        "channel": item.meta.get("channel") or words.player.channel,
        "channel_id": item.meta.get("channel_id") or words.player.channel_id,
        "spoken_language": item.language,
        "streamed_at": item.meta.get("started"),
    }
    optional = {
        "published_at_source": source,
        "duration_s": duration,
        "description": item.description,
        "tags": list(item.tags) or None,
    }
    return Document(
        id=item.id,
        title=title,
        published_at=published,
        url=item.url or watch_url(item.id),
        language=language_tag(choice.language),
        captions=choice.captions,
        segments=[_segment(cue) for cue in cues],
        meta={key: value for key, value in meta.items() if value is not None},
        **{key: value for key, value in optional.items() if value is not None},  # type: ignore[arg-type]
    )


def _segment(cue: Cue) -> Segment:
    if cue.end is None:
        return Segment(start_s=cue.start, text=cue.text)
    return Segment(start_s=cue.start, end_s=cue.end, text=cue.text)
