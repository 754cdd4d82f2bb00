"""The link of a citation: the second of the video that says it. Made by code, never by a model."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_LINKED = frozenset({"http", "https"})
"""A source's url is data: a link of any other scheme could run in the reader's browser or open their files."""


def at_second(url: str | None, start_s: float | None) -> str | None:
    """Return `url` opening at `start_s` (whole seconds, rounded down).

    None without a url, and for one that is not http or https or cannot be taken apart.

    A watch page (`?v=`, youtu.be, /live/, /shorts/) takes `t=90s`; any other page the media fragment `#t=90`
    (W3C Media Fragments). Untimed chunks keep the plain url.
    """
    if not url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in _LINKED:
        return None
    if start_s is None:
        return url
    query = parse_qsl(parts.query, keep_blank_values=True)
    if any(key == "v" for key, _ in query) or _is_video_page(parts.hostname or "", parts.path):
        query = [(key, value) for key, value in query if key not in {"t", "start"}]
        query.append(("t", f"{int(start_s)}s"))
        return urlunsplit(parts._replace(query=urlencode(query)))
    return urlunsplit(parts._replace(fragment=f"t={int(start_s)}"))


def _is_video_page(host: str, path: str) -> bool:
    site = host.removeprefix("www.").removeprefix("m.")
    return site == "youtu.be" or (site == "youtube.com" and path.startswith(("/live/", "/shorts/")))
