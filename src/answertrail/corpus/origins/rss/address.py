"""The address of a feed in its one spelling."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import httpx2

from answertrail.corpus.origins.rss.download import shown
from answertrail.errors import InputError


def normal(address: str) -> str:
    """Return an address in its one spelling. Raises InputError for what is none."""
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or not _is_readable(address) or parts.scheme.lower() not in ("http", "https"):
        raise InputError("not the address of a feed", where=shown(address), hint="it begins with https:// or http://")
    login, mark, _ = parts.netloc.rpartition("@")
    scheme = parts.scheme.lower()
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[scheme]
    place = f"{login}{mark}{host}{f':{port}' if port and port != usual else ''}"
    return urlunsplit((scheme, place, parts.path or "/", parts.query, ""))


def _is_readable(address: str) -> bool:
    try:
        return bool(httpx2.URL(address.strip()).host)
    except httpx2.InvalidURL:
        return False
