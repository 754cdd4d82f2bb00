"""What is in a channel or playlist, and what a handle or name stands for, by the Data API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from answertrail.corpus.origins.base import Listed
from answertrail.corpus.origins.youtube.address import Address
from answertrail.corpus.origins.youtube.details import entry_id, hidden_video, listed_video, watch_url
from answertrail.corpus.origins.youtube.service import Service
from answertrail.corpus.sources.facts import storable
from answertrail.errors import NotFoundError, ServiceError

_PAGE = "50"
_MOST_PAGES = 2000


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel and the playlist of its uploads; `videos` as it counts them, None when it does not say."""

    id: str
    title: str
    uploads: str
    videos: int | None


async def find_channel(service: Service, address: Address) -> Channel:
    """Return the channel of an id, handle, user name or custom name.

    Custom names have no question of their own: most became handles, some are old user names, and
    the rest is searched for (100 of a day's 10,000 units) and taken only when the name agrees.
    Raises NotFoundError when there is none.
    """
    value = address.value
    if address.kind == "channel":
        found = await _channels(service, id=value)
    elif address.kind == "handle":
        found = await _channels(service, forHandle=value)
    elif address.kind == "user":
        found = await _channels(service, forUsername=value) or await _channels(service, forHandle="@" + value)
    else:
        found = (
            await _channels(service, forHandle="@" + value)
            or await _channels(service, forUsername=value)
            or await _searched(service, value)
        )
    channel = _channel(found[0]) if found else None
    if channel is None:
        raise NotFoundError(
            f"there is no channel {value!r}",
            where="YouTube",
            hint="open the channel's page and give its handle (@...) or its address with /channel/UC...",
        )
    return channel


async def _channels(service: Service, **by: str) -> list[Mapping[str, Any]]:
    return _items(await service.get("channels", part="snippet,contentDetails,statistics", maxResults=_PAGE, **by))


async def _searched(service: Service, name: str) -> list[Mapping[str, Any]]:
    answer = await service.get("search", part="snippet", type="channel", q=name, maxResults=_PAGE)
    ids = [found for item in _items(answer) if isinstance(found := _part(item, "id").get("channelId"), str)]
    if not ids:
        return []
    wanted = name.casefold()
    return [
        channel
        for channel in await _channels(service, id=",".join(dict.fromkeys(ids)))
        if str(_part(channel, "snippet").get("customUrl", "")).casefold().removeprefix("@") == wanted
    ]


def _channel(item: Mapping[str, Any]) -> Channel | None:
    channel_id = item.get("id")
    uploads = _part(_part(item, "contentDetails"), "relatedPlaylists").get("uploads")
    if not isinstance(channel_id, str) or not isinstance(uploads, str) or not uploads:
        return None
    count = str(_part(item, "statistics").get("videoCount", ""))
    title = str(_part(item, "snippet").get("title", channel_id))
    return Channel(channel_id, title, uploads, int(count) if count.isdigit() else None)


async def find_playlist(service: Service, playlist_id: str) -> str:
    """Return the title of a playlist; NotFoundError when there is none that everybody may see."""
    found = _items(await service.get("playlists", part="snippet", id=playlist_id))
    if not found:
        raise NotFoundError(
            f"there is no public or unlisted playlist {playlist_id!r}", where="YouTube", hint="is it private?"
        )
    return str(_part(found[0], "snippet").get("title", playlist_id))


async def playlist_videos(service: Service, playlist_id: str, *, min_duration_s: float | None) -> AsyncIterator[Listed]:
    """Yield the videos of a playlist in its order, each once, with their details.

    Raises ServiceError when a page does not come: what was yielded is then not the whole list.
    """
    seen: set[str] = set()
    token = ""
    for _ in range(_MOST_PAGES):
        more = {"pageToken": token} if token else {}
        page = await service.get(
            "playlistItems", part="snippet,contentDetails,status", playlistId=playlist_id, maxResults=_PAGE, **more
        )
        if not isinstance(page.get("items"), list):
            raise ServiceError("a page of the list holds no items", where=f"playlist {playlist_id}", hint="try again")
        entries = {found: entry for entry in _items(page) if (found := entry_id(entry)) and found not in seen}
        seen.update(entries)
        details = await _details(service, list(entries), min_duration_s)
        for video_id, entry in entries.items():
            item = details.get(video_id) or hidden_video(entry)
            if item is not None:
                yield item
        token = str(page.get("nextPageToken") or "")
        if not token:
            return
    raise ServiceError(f"the list does not end after {_MOST_PAGES} pages", where=f"playlist {playlist_id}")


async def _details(service: Service, ids: list[str], min_duration_s: float | None) -> dict[str, Listed]:
    if not ids:
        return {}
    answer = await service.get(
        "videos", part="snippet,contentDetails,liveStreamingDetails", id=",".join(ids), maxResults=_PAGE
    )
    if not isinstance(answer.get("items"), list):
        raise ServiceError("the details of a page of videos are missing", where="YouTube", hint="try again")
    found = (listed_video(video, min_duration_s=min_duration_s) for video in _items(answer))
    return {item.id: item for item in found if item is not None}


async def single_video(service: Service, site: str, video_id: str) -> Listed:
    """Return one video: with a key by the API, else what the open oEmbed page says, which knows no date.

    A video that was asked for by name is never too short. Raises NotFoundError when the API knows
    none of this id; without a key that is found out when its captions are fetched.
    """
    if service.key:
        found = await _details(service, [video_id], None)
        if video_id not in found:
            raise NotFoundError(f"there is no public or unlisted video {video_id!r}", where="YouTube")
        return found[video_id]
    title, meta = video_id, {"without_key": True}
    try:
        query = {"url": watch_url(video_id), "format": "json"}
        page = await service.get_page(f"{site.rstrip('/')}/oembed", query)
    except (ServiceError, NotFoundError):
        page = {}  # the title is a nicety; whether there is a video shows when it is fetched
    if isinstance(page.get("title"), str):
        title = storable(" ".join(page["title"].split())) or video_id
    return Listed(id=video_id, title=title, url=watch_url(video_id), meta=meta)


def _items(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    items = answer.get("items")
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _part(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}
