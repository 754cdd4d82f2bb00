"""From a video as the Data API describes it to a listed item."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from answertrail.corpus.origins.base import Listed
from answertrail.corpus.origins.youtube.tracks import language_tag
from answertrail.corpus.sources.facts import storable
from answertrail.records.base import instant

PUBLISHED = "videos.snippet.publishedAt"
"""The field of the date. A playlist's entry has one too: when the video was added to the playlist."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DURATION = re.compile(
    r"P(?:(?P<w>\d{1,6})W)?(?:(?P<d>\d{1,6})D)?"
    r"(?:T(?:(?P<h>\d{1,6})H)?(?:(?P<m>\d{1,6})M)?(?:(?P<s>\d{1,6}(?:\.\d{1,9})?)S)?)?"
)


def duration_seconds(text: object) -> float | None:
    """Return the seconds of an ISO 8601 duration such as `PT1H2M3S`.

    None for what is none, and for zero: that is what a stream has before it ended.
    """
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    scale = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
    total = sum(float(match[unit]) * factor for unit, factor in scale.items() if match[unit])
    return total or None


def watch_url(video_id: str) -> str:
    """Return the page of a video."""
    return f"https://www.youtube.com/watch?v={video_id}"


def listed_video(video: Mapping[str, Any], *, min_duration_s: float | None) -> Listed | None:
    """Return a video of `videos.list`; None when it has no id.

    `min_duration_s`: a video this long or shorter is left out; None leaves none out.
    """
    video_id = video.get("id")
    if not isinstance(video_id, str) or not _ID.fullmatch(video_id):
        return None
    snippet, content, stream = (_part(video, name) for name in ("snippet", "contentDetails", "liveStreamingDetails"))
    duration = duration_seconds(content.get("duration"))
    published = _instant(snippet.get("publishedAt"))
    tags = snippet.get("tags")
    too_short = min_duration_s is not None and duration is not None and duration <= min_duration_s
    meta = {
        "channel": _text(snippet.get("channelTitle")),
        "channel_id": _text(snippet.get("channelId")),
        "live": state if (state := _text(snippet.get("liveBroadcastContent"))) in ("live", "upcoming") else None,
        "scheduled_start": _instant(stream.get("scheduledStartTime")),
        "started": _instant(stream.get("actualStartTime")),
    }
    return Listed(
        id=video_id,
        title=_text(snippet.get("title")) or video_id,
        published_at=published,
        published_at_source=PUBLISHED if published else None,
        url=watch_url(video_id),
        duration_s=duration,
        description=_long_text(snippet.get("description")),
        tags=tuple(tag for item in tags if (tag := _text(item))) if isinstance(tags, list) else (),
        language=language_tag(snippet.get("defaultAudioLanguage")),
        left_out=f"{duration:g} s long; {min_duration_s:g} s or less is left out" if too_short else None,
        meta={key: value for key, value in meta.items() if value is not None},
    )


def hidden_video(entry: Mapping[str, Any]) -> Listed | None:
    """Return an entry of a playlist whose video has no details: private, deleted or blocked."""
    video_id = entry_id(entry)
    if video_id is None:
        return None
    privacy = _text(_part(entry, "status").get("privacyStatus"))
    title = _text(_part(entry, "snippet").get("title")) or ""
    if privacy == "private" or title == "Private video":
        reason = "private video"
    elif title == "Deleted video":
        reason = "deleted video"
    else:
        reason = "YouTube gives no details of it: private, deleted or blocked"
    return Listed(id=video_id, title=video_id, url=watch_url(video_id), left_out=reason)


def entry_id(entry: Mapping[str, Any]) -> str | None:
    """Return the id of the video that an entry of `playlistItems.list` stands for."""
    found = _part(entry, "contentDetails").get("videoId")
    return found if isinstance(found, str) and _ID.fullmatch(found) else None


def _part(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _instant(value: object) -> str | None:
    if not isinstance(value, str) or "T" not in value:
        return None
    try:
        instant(value)
    except ValueError:
        return None
    return value


def _text(value: object) -> str | None:
    return (storable(" ".join(value.split())) or None) if isinstance(value, str) else None


def _long_text(value: object) -> str | None:
    return (storable(value.strip()) or None) if isinstance(value, str) else None
