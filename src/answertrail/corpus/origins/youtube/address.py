"""What a user may type for YouTube: a channel, a playlist or a video, as an address or bare."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from answertrail.errors import InputError

AddressKind = Literal["channel", "handle", "user", "custom", "playlist", "video"]

_HOSTS = frozenset({"youtube.com", "youtube-nocookie.com"})
_SUBDOMAINS = ("www.", "m.", "music.", "gaming.")
_VIDEO = re.compile(r"[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]")
"""Eleven characters stand for 64 bits, so only every fourth letter can be the last."""
_CHANNEL = re.compile(r"UC[A-Za-z0-9_-]{21}[AQgw]")
_PLAYLIST = re.compile(r"(?:PL|FL|UU|OLAK5uy_)[A-Za-z0-9_-]{16,62}")
_UPLOADS = re.compile(r"UU[A-Za-z0-9_-]{21}[AQgw]")
_HANDLE = re.compile(r"@[\w.\-·]{3,30}")
_NAME = re.compile(r"[\w.\-·]{1,100}")
_VIDEO_PATHS = frozenset({"shorts", "live", "embed", "v", "e", "watch"})
_PAGES = frozenset(
    {"about", "account", "ads", "channels", "clip", "creators", "feed", "gaming", "hashtag", "howyoutubeworks", "kids"}
    | {"movies", "music", "news", "post", "premium", "redirect", "results", "s", "signin", "sports", "store", "t"}
    | {"trending", "tv", "upload"}
)
_HINT = "give the address of a channel, a playlist or a video"


@dataclass(frozen=True, slots=True)
class Address:
    """What was meant. `value` is the id, or the name to look up.

    A handle keeps its `@`. `bare`: typed without any address, so that a file of that name, if
    there is one, goes first. `note` says what was decided where an address could mean two things.
    """

    kind: AddressKind
    value: str
    bare: bool = False
    note: str | None = None


def parse_address(text: str) -> Address | None:
    """Return what a text means on YouTube, None when it is not about YouTube.

    Raises InputError for an address on YouTube that names no channel, playlist or video.
    """
    typed = text.strip()
    parts = _split(typed)
    if parts is None:
        return _bare(typed)
    host = (parts.hostname or "").rstrip(".")
    if host == "youtu.be":
        segments = _segments(parts)
        return _video(segments[0] if segments else "", parts, typed)
    if host not in _HOSTS:
        return None
    return _page(parts, typed)


def _split(typed: str) -> SplitResult | None:
    """Return the parts of an address of YouTube's, None for anything else."""
    if not typed or len(typed) > 2000 or any(c.isspace() or not c.isprintable() for c in typed):
        return None
    lower = typed.lower()
    if not lower.startswith(("http://", "https://", "//")):
        if not re.match(r"(?:[a-z]+\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be)(?:[/?:]|$)", lower):
            return None
        typed = "//" + typed
    try:
        parts = urlsplit(typed)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return None
    for subdomain in _SUBDOMAINS:
        if host.startswith(subdomain):
            host = host.removeprefix(subdomain)
            break
    return parts._replace(netloc=host)


def _segments(parts: SplitResult) -> list[str]:
    return [unquote(segment) for segment in parts.path.split("/") if segment]


def _page(parts: SplitResult, typed: str) -> Address:
    segments = _segments(parts)
    query = parse_qs(parts.query)
    first = segments[0] if segments else ""
    second = segments[1] if len(segments) > 1 else ""
    if first == "attribution_link" and query.get("u"):
        return _page(SplitResult("", "", *query["u"][0].partition("?")[::2], ""), typed)
    if first == "playlist" or (first == "embed" and second == "videoseries"):
        return _playlist(query, typed)
    if first in _VIDEO_PATHS:
        if first == "watch" and not second and "v" not in query and "list" in query:
            return _playlist(query, typed)
        return _video(second or (query.get("v") or [""])[0], parts, typed)
    if first == "channel":
        if not _CHANNEL.fullmatch(second):
            raise InputError(f"{second[:40]!r} is not the id of a channel", where=typed, hint="expected UC and 22 more")
        return Address("channel", second)
    if first.startswith("@"):
        if not _HANDLE.fullmatch(first):
            raise InputError(f"{first[:40]!r} is not a handle", where=typed, hint="expected @ and 3 to 30 characters")
        return Address("handle", first)
    if first in ("c", "user") and _NAME.fullmatch(second):
        return Address("custom" if first == "c" else "user", second)
    if first and first.lower() not in _PAGES and _NAME.fullmatch(first) and second in ("", "videos", "featured"):
        return Address("custom", first)
    raise InputError("this page of YouTube is no channel, playlist or video", where=typed, hint=_HINT)


def _playlist(query: dict[str, list[str]], typed: str) -> Address:
    value = (query.get("list") or [""])[0]
    if value in ("WL", "LL", "HL") or value.startswith("RD"):
        raise InputError(
            "this list belongs to a viewer or is made up for each anew, so it cannot be listed",
            where=typed,
            hint="save the videos to a playlist of your own and make it public or unlisted",
        )
    if not re.fullmatch(r"[A-Za-z0-9_-]{10,80}", value):
        raise InputError(f"{value[:40]!r} is not the id of a playlist", where=typed, hint=_HINT)
    return _list(value)


def _list(value: str, *, bare: bool = False) -> Address:
    # The uploads of a channel are a playlist of the channel's own id.
    if _UPLOADS.fullmatch(value):
        return Address("channel", "UC" + value[2:], bare)
    return Address("playlist", value, bare)


def _video(value: str, parts: SplitResult, typed: str) -> Address:
    if not _VIDEO.fullmatch(value):
        raise InputError(
            f"{value[:40]!r} is not the id of a video", where=typed, hint="expected 11 letters, digits, - or _"
        )
    listed = parse_qs(parts.query).get("list")
    note = None
    if listed:
        note = (
            "the address names a video in a playlist; the video was taken. "
            f"For the whole list give youtube.com/playlist?list={listed[0]}"
        )
    return Address("video", value, note=note)


def _bare(typed: str) -> Address | None:
    if _HANDLE.fullmatch(typed):
        return Address("handle", typed, bare=True)
    if _CHANNEL.fullmatch(typed):
        return Address("channel", typed, bare=True)
    if _PLAYLIST.fullmatch(typed):
        return _list(typed, bare=True)
    # Eleven letters may as well be a word: an id without a digit or a capital inside is hardly ever drawn.
    if _VIDEO.fullmatch(typed) and re.search(r"[0-9]|.[A-Z]", typed):
        return Address("video", typed, bare=True)
    return None
