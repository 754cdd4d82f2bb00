"""What YouTube's player says of a video: playable or why not, its caption tracks, a few facts.

The answer is another's, so every part of it may be missing or of another type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from answertrail.corpus.origins.base import WithheldKind
from answertrail.corpus.origins.youtube.tracks import Track, language_tag
from answertrail.corpus.sources.facts import storable
from answertrail.records.base import instant

_BOT = re.compile(r"not a (?:ro)?bot", re.IGNORECASE)
_DISABLED = re.compile(
    r"\b(?:captions|subtitles|transcripts?)\b[^.]{0,40}\b(?:disabled|turned off|switched off)\b", re.IGNORECASE
)
_REASONS: tuple[tuple[WithheldKind, re.Pattern[str]], ...] = (
    ("members_only", re.compile(r"members[- ]only|channel's members|channel’s members|join this channel", re.I)),
    ("age_restricted", re.compile(r"confirm your age|age[- ]restricted|inappropriate for some users", re.I)),
    ("private", re.compile(r"\bprivate\b", re.I)),
    ("upcoming", re.compile(r"\b(?:premieres?|live event|live stream) (?:will begin|in|starts?)\b|^premieres\b", re.I)),
    (
        "unavailable",
        re.compile(r"unavailable|not available|removed|terminated|deleted|no longer|payment|purchase", re.I),
    ),
)
_REMOVED = re.compile(r"removed by the uploader|has been terminated|been deleted", re.IGNORECASE)
_PUBLISHED = re.compile(r'itemprop="datePublished"\s+content="([^"]{10,40})"')


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a video cannot be had. `begins_at` is when an upcoming one starts; `final`: it will not come back."""

    kind: WithheldKind
    reason: str
    begins_at: datetime | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class Player:
    """The player's answer. `bot_check`: it wants us to prove that we are human.

    `whole`: it describes a video, so what it lacks is lacking. `says_disabled`: it says in words
    that captions are off. `default` is the place of the track the player would show.
    """

    bot_check: bool = False
    whole: bool = False
    refusal: Refusal | None = None
    says_disabled: bool = False
    is_live: bool = False
    title: str | None = None
    duration_s: float | None = None
    channel: str | None = None
    channel_id: str | None = None
    tracks: tuple[Track, ...] = ()
    default: int | None = None
    translations: tuple[str, ...] = ()


def read_player(answer: object) -> Player:
    """Read the player's JSON."""
    data = _mapping(answer)
    status = _mapping(data.get("playabilityStatus"))
    details = _mapping(data.get("videoDetails"))
    said = _words(status)
    captions = _mapping(_mapping(data.get("captions")).get("playerCaptionsTracklistRenderer"))
    length = _positive(details.get("lengthSeconds"))
    return Player(
        bot_check=_BOT.search(said) is not None,
        whole=bool(details.get("videoId")),
        refusal=_refusal(status, said),
        says_disabled=_DISABLED.search(said) is not None,
        is_live=details.get("isLive") is True,
        title=_text(details.get("title")),
        duration_s=length,
        channel=_text(details.get("author")),
        channel_id=_text(details.get("channelId")),
        tracks=_tracks(captions),
        default=_default(captions),
        translations=tuple(
            code for item in _list(captions.get("translationLanguages")) if (code := _text(item.get("languageCode")))
        ),
    )


def _refusal(status: Mapping[str, Any], said: str) -> Refusal | None:
    state = _text(status.get("status"))
    if state in (None, "OK"):
        return None
    reason = said or "the player gives no reason"
    if state == "LIVE_STREAM_OFFLINE":
        return Refusal("upcoming", reason, _begins_at(status))
    kind: WithheldKind = next((kind for kind, pattern in _REASONS if pattern.search(said)), "other")
    if kind == "other" and state == "ERROR":
        kind = "unavailable"
    return Refusal(
        kind,
        f"{state}: {reason}",
        _begins_at(status) if kind == "upcoming" else None,
        final=kind == "unavailable" and _REMOVED.search(said) is not None,
    )


def _words(status: Mapping[str, Any]) -> str:
    """Return all that the status says in words, on one line."""
    screen = _mapping(_mapping(status.get("errorScreen")).get("playerErrorMessageRenderer"))
    messages = status.get("messages")
    parts = [
        status.get("reason"),
        *(messages if isinstance(messages, list) else ()),
        _runs(screen.get("subreason")),
    ]
    return storable(" ".join(" ".join(part.split()) for part in parts if isinstance(part, str))[:400])


def _begins_at(status: Mapping[str, Any]) -> datetime | None:
    stream = _mapping(_mapping(status.get("liveStreamability")).get("liveStreamabilityRenderer"))
    slate = _mapping(_mapping(stream.get("offlineSlate")).get("liveStreamOfflineSlateRenderer"))
    at = _positive(slate.get("scheduledStartTime"))
    return datetime.fromtimestamp(at, UTC) if at is not None and at < 4102444800 else None


def _tracks(captions: Mapping[str, Any]) -> tuple[Track, ...]:
    out = []
    for item in _list(captions.get("captionTracks")):
        url, language = _text(item.get("baseUrl")), language_tag(item.get("languageCode"))
        if url is None or language is None:
            continue
        automatic = item.get("kind") == "asr"
        out.append(
            Track(
                id=_text(item.get("vssId")) or ("a." if automatic else ".") + language,
                language=language,
                automatic=automatic,
                label=_runs(item.get("name")) or "",
                name=_text(item.get("trackName")) or "",
                url=url,
                translatable=item.get("isTranslatable") is True,
                locked="&exp=xpe" in url,
            )
        )
    return tuple(out)


def _default(captions: Mapping[str, Any]) -> int | None:
    audio = _list(captions.get("audioTracks"))
    place = captions.get("defaultAudioTrackIndex")
    place = place if isinstance(place, int) and 0 <= place < len(audio) else 0
    shown = audio[place].get("defaultCaptionTrackIndex") if audio else None
    return shown if isinstance(shown, int) and not isinstance(shown, bool) else None


def published_on_page(page: str) -> str | None:
    """Return the instant of publishing that a watch page states; a day without its zone does not count."""
    match = _PUBLISHED.search(page)
    if match is None or "T" not in match[1]:
        return None
    try:
        moment = instant(match[1])
    except ValueError:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _runs(value: object) -> str | None:
    text = _mapping(value)
    joined = "".join(run.get("text", "") for run in _list(text.get("runs")) if isinstance(run.get("text", ""), str))
    return _text(joined) or _text(text.get("simpleText"))


def _text(value: object) -> str | None:
    return (storable(" ".join(value.split())) or None) if isinstance(value, str) else None


def _positive(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 < number < 1e12 else None
