"""A podcast feed as an origin."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx2

from answertrail.corpus.origins.base import Blocked, Fetched, Listed, Withheld, WithheldKind
from answertrail.corpus.origins.rss.address import normal
from answertrail.corpus.origins.rss.download import Body, Download, shown
from answertrail.corpus.origins.rss.reach import OutOfReachError
from answertrail.corpus.origins.youtube.service import utc_now
from answertrail.corpus.origins.youtube.tracks import language_tag
from answertrail.corpus.origins.youtube.transcripts import listed_languages
from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.retry import RetryPolicy
from answertrail.records.base import instant

MAX_FEED_BYTES = 64 * 1024 * 1024
MAX_PAGES = 500
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_FRESH = 14 * _DAY
_WAITS: dict[WithheldKind, timedelta] = {
    "network": 0.25 * _HOUR,
    "empty_body": _HOUR,
    "not_captions": 7 * _DAY,
    "unavailable": 7 * _DAY,
    "no_captions_in_languages": 30 * _DAY,
    "other": _DAY,
}
FEED_SUFFIXES = frozenset({".rss", ".xml"})
"""A file with one of these is a saved feed, not a document."""
_STATES: frozenset[WithheldKind] = frozenset({"no_captions_yet", "no_captions_in_languages"})


@dataclass(frozen=True, slots=True)
class RssOptions:
    """What a user may choose.

    `languages` in order of preference, BCP 47; none means the one spoken. `policy`, `transport`
    and `clock` replace waiting, network and time in tests.
    """

    languages: Sequence[str] = ()
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    transport: httpx2.AsyncBaseTransport | None = None
    clock: Callable[[], datetime] = utc_now


class RssOrigin:
    """An `Origin`: a feed at an http or https address, or saved as a file.

    `title` is the podcast's, after `resolve`. `notes` say what was decided on the way; they are
    whole when `items` has come to its end. Raises InputError for what is no language code.
    """

    def __init__(self, address: str | Path, options: RssOptions | None = None) -> None:
        if importlib.util.find_spec("lxml") is None:
            raise ServiceError(
                "podcast feeds are read with lxml, which is not installed",
                hint="pip install 'answertrail[podcast]'",
            )
        self._options = options or RssOptions()
        self._languages = listed_languages(self._options.languages)
        empty = [text for text in self._options.languages if not text.strip(" ,")]
        for code in (*empty, *self._languages):
            if language_tag(code) is None:
                raise InputError(f"{code!r} is no language code", hint="for instance en, ko, pt-BR, zh-Hant")
        self._file = address.expanduser().absolute() if isinstance(address, Path) else None
        self._address = self._file.as_uri() if self._file is not None else normal(str(address))
        # Kept and shown without the login, which only `Download` knows.
        home = None if self._file is not None else self._address
        self._download = Download(self._options.policy, self._options.transport, home)
        self._address = shown(self._address)
        self.key = f"rss:{self._address}"
        self.title: str | None = None
        self.notes: tuple[str, ...] = ()

    async def resolve(self) -> None:
        """See that there is a podcast feed at the address.

        Raises NotFoundError when nothing is there, InputError when it is no podcast feed,
        ServiceError when it cannot be asked or is cut off.
        """
        async for _ in self._pages():
            return

    async def items(self) -> AsyncIterator[Listed]:
        """Yield every item in the feed's order, newest first as a rule; raises as `resolve` does."""
        from answertrail.corpus.origins.rss.repeats import Repeats

        repeats = Repeats()
        async for page in self._pages():
            for listed in page:
                item = repeats.told_apart(listed)
                if item is not None:
                    yield item
        self.notes += repeats.notes if repeats.count else ("the feed lists no episodes",)

    async def fetch(self, item: Listed) -> Fetched:
        """Return the words of an item by the best transcript that can be read.

        Raises Withheld when there is none, Blocked when the server asks to stay away.
        """
        from answertrail.corpus.origins.rss.transcripts import ranked, tracks_of

        tracks = tracks_of(item.meta, item.language)
        if not tracks:
            raise self._withheld("no_captions_yet", "the feed names no transcript for it", item)
        best = ranked(tracks, self._languages, item.language)
        if not best:
            there = ", ".join(sorted({track.language or "?" for track in tracks}))
            reason = f"there are transcripts in {there}, not in {', '.join(self._languages)}"
            raise self._withheld("no_captions_in_languages", reason, item)
        failed: list[tuple[WithheldKind, str]] = []
        for track in best:
            try:
                document, notes = await self._read(item, track)
            except Withheld as fault:
                failed.append((fault.kind, fault.reason))
                continue
            passed = [f"another transcript could not be used: {reason}" for _, reason in failed]
            return Fetched(document, (*passed, *notes))
        # What may pass by itself decides when to look again.
        kind = next((kind for kind, _ in failed if kind in ("network", "empty_body")), failed[0][0])
        raise self._withheld(kind, "; ".join(reason for _, reason in failed)[:1000], item)

    def close(self) -> None:
        """Close nothing: a connection lasts as long as its request."""

    async def _read(self, item: Listed, track: Any) -> tuple[Any, list[str]]:
        from answertrail.corpus.origins.rss.document import document_of
        from answertrail.corpus.origins.rss.transcripts import MAX_BYTES, read_transcript
        from answertrail.corpus.sources.outcome import SourceFault

        try:
            body = await self._get(track.url, MAX_BYTES)
        except EndpointError as error:
            if error.reason == "rate":
                wait = timedelta(seconds=error.retry_after) if error.retry_after else _HOUR
                raise Blocked(str(error), resume_at=self._options.clock() + wait) from None
            raise self._withheld(_kind_of(error), str(error), item) from None
        if not body.content.strip():
            raise self._withheld("empty_body", f"{shown(track.url)}: the transcript is empty", item)
        try:
            names = item.meta.get("speakers", ())
            words = await asyncio.to_thread(
                read_transcript, body.content, track.form, charset=body.charset, names=names
            )
            return document_of(item, track, words)
        except SourceFault as fault:
            where = f" (line {fault.line})" if fault.line else ""
            raise self._withheld("not_captions", f"{shown(track.url)}: {fault.reason}{where}", item) from None

    async def _pages(self) -> AsyncIterator[tuple[Listed, ...]]:
        """Yield the items of each page of the feed, from the newest page on."""
        from answertrail.corpus.origins.rss.feed import parse_feed
        from answertrail.corpus.origins.rss.markup import NotAFeed, NotWhole

        address: str | None = self._address
        seen: set[str] = set()
        while address is not None and address not in seen and len(seen) < MAX_PAGES:
            seen.add(address)
            try:
                body = await self._get(address, MAX_FEED_BYTES)
                feed = await asyncio.to_thread(parse_feed, body.content, base=body.address, salt=self.key)
            except EndpointError as error:
                raise self._unlisted(error, first=len(seen) == 1) from None
            except NotAFeed as fault:
                message = f"no podcast feed that can be read: {fault}"
                raise InputError(message, where=shown(address), hint=fault.hint) from None
            except NotWhole as fault:
                which = "the feed" if len(seen) == 1 else "a page of the feed"
                hint = "nothing was changed; try again, or tell who makes the feed"
                raise ServiceError(f"{which} {fault}", where=shown(address), hint=hint) from None
            if len(seen) == 1:
                self.title = feed.title
                moved = shown(body.address)
                self.notes = (f"the feed moved to {moved}",) if moved != shown(address) else ()
            self.notes = tuple(dict.fromkeys((*self.notes, *feed.notes)))
            yield feed.items
            address = feed.next_page
        if address is not None and address not in seen:
            self.notes += (f"the feed has more than {MAX_PAGES} pages; what is on the others is not listed",)

    def _unlisted(self, error: EndpointError, *, first: bool) -> ServiceError | InputError:
        if not first:
            # Half a listing is none, whatever broke it off.
            return ServiceError(f"a page of the feed is missing: {error.message}", where=error.where, hint=error.hint)
        if error.reason == "missing":
            return NotFoundError(error.message, where=error.where, hint="check the address of the feed")
        if error.reason in ("rejected", "too_long"):
            return InputError(error.message, where=error.where, hint="check the address of the feed")
        return error

    async def _get(self, address: str, limit: int) -> Body:
        if address.startswith("file:") and self._file is not None:
            return await asyncio.to_thread(self._beside, address, limit)
        return await self._download.get(address, limit)

    def _beside(self, address: str, limit: int) -> Body:
        """Read a file that a saved feed names, in the feed's own folder or below it."""
        assert self._file is not None
        path = Path(unquote(urlsplit(address).path)).resolve()
        where = str(path)
        if not path.is_relative_to(self._file.resolve().parent):
            raise EndpointError("lies outside the folder of the feed", reason="rejected", where=where)
        try:
            if not path.is_file():
                raise EndpointError("no such file", reason="missing", where=where)
            if path.stat().st_size > limit:
                raise EndpointError(f"larger than {limit // 2**20} MB", reason="too_long", where=where)
            return Body(path.read_bytes(), address)
        except OSError as error:
            raise EndpointError(f"cannot be read: {error.strerror}", reason="rejected", where=where) from None

    def _withheld(self, kind: WithheldKind, reason: str, item: Listed) -> Withheld:
        now = self._options.clock()
        wait = _WAITS.get(kind, _DAY)
        if kind == "no_captions_yet" and item.published_at and now - instant(item.published_at) > _FRESH:
            wait = 30 * _DAY
        return Withheld(kind, reason, retry_at=now + wait, failed=kind not in _STATES)


def rss_origin(typed: str, options: RssOptions | None = None) -> RssOrigin | None:
    """Return the origin that a text names; None when it is neither an address nor a saved feed.

    `rss:` or `feed:` before it says that it is one. A file is one by its suffix, `.rss` or `.xml`.
    """
    text = typed.strip()
    for mark in ("rss:", "feed:"):
        if text.lower().startswith(mark):
            text = text[len(mark) :]
            text = f"https:{text}" if text.startswith("//") else text
            if not text.lower().startswith(("http:", "https:")):
                return RssOrigin(Path(text), options)
    if text.lower().startswith(("http://", "https://")):
        return RssOrigin(text, options)
    path = Path(text).expanduser()
    return RssOrigin(path, options) if path.suffix.lower() in FEED_SUFFIXES and path.is_file() else None


def _kind_of(error: EndpointError) -> WithheldKind:
    if isinstance(error, OutOfReachError):
        return "unavailable"
    if error.reason in ("missing", "auth"):
        return "unavailable"
    if error.reason in ("down", "timeout"):
        return "network"
    return "not_captions" if error.reason == "too_long" else "other"
