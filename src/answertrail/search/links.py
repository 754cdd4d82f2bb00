"""The link of a citation: the second of the video that says it. Made by code, never by a model."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit


def at_second(url: str | None, start_s: float | None) -> str | None:
    """Return `url` opening at `start_s` (whole seconds, rounded down); None without a url.

    A watch page (`?v=` or youtu.be) takes `t=90s`; any other page the media fragment `#t=90`
    (W3C Media Fragments). Untimed chunks keep the plain url.
    """
    if not url or start_s is None:
        return url or None
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if parts.scheme not in {"http", "https"}:
        return url
    query = parse_qsl(parts.query, keep_blank_values=True)
    if any(key == "v" for key, _ in query) or parts.hostname == "youtu.be":
        query = [(key, value) for key, value in query if key not in {"t", "start"}]
        query.append(("t", f"{int(start_s)}s"))
        return urlunsplit(parts._replace(query=urlencode(query)))
    return urlunsplit(parts._replace(fragment=f"t={int(start_s)}"))
