"""Read a podcast feed: RSS 2.0 with the tags of iTunes and of Podcasting 2.0.

feedparser was tried first: of several `<podcast:transcript>` it keeps one, and it guesses zones.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

from answertrail.corpus.origins.base import Listed
from answertrail.corpus.origins.rss.download import shown
from answertrail.corpus.origins.rss.markup import NotAFeed, read_markup
from answertrail.corpus.origins.rss.transcripts import TIMED, tracks_of
from answertrail.corpus.sources.clock import seconds
from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.html import tree_of
from answertrail.corpus.sources.markup_text import text_of
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import language_tag, storable

MAX_ITEMS = 50_000
_MOST = 50
_LONGEST_TEXT = 20_000
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,119}")


@dataclass(frozen=True, slots=True)
class Feed:
    """One page of a feed. `next_page` is the address of older items, absolute; `items` in its order.

    Several items may have one id (`Repeats`). `notes` say what was read past and left out.
    """

    title: str | None
    language: str | None
    next_page: str | None
    items: tuple[Listed, ...] = field(default=())
    notes: tuple[str, ...] = field(default=())


def parse_feed(content: bytes, *, base: str, salt: str) -> Feed:
    """Read a feed. `base` makes relative addresses whole; `salt` tells apart short ids of two feeds.

    Raises NotAFeed for what is no RSS feed, NotWhole for one that is cut off. Other mistakes are
    passed over: feeds are written by hand, and half of them hold some.
    """
    root, notes = read_markup(content)
    if (channel := _child(root, "channel")) is None:
        raise NotAFeed(f"not a podcast feed, but <{_name(root)[1]}> without a channel")
    language = language_tag(_text(channel, "language"))
    people = _people(channel)
    # RSS 1.0 has its items beside the channel.
    found = [node for node in root.iter("{*}item") if _name(node) == ("", "item")]
    made = [_item(node, base=base, salt=salt, language=language, people=people) for node in found[:MAX_ITEMS]]
    items = tuple(item for item in made if item is not None)
    if nameless := len(made) - len(items):
        notes += (f"left out: {nameless} without a guid, a recording or a page",)
    if len(found) > MAX_ITEMS:
        notes += (f"left out: {len(found) - MAX_ITEMS} after the first {MAX_ITEMS} of a page",)
    return Feed(_text(channel, "title"), language, _next_page(channel, base), items, notes)


def _item(node: etree._Element, *, base: str, salt: str, language: str | None, people: list[str]) -> Listed | None:
    enclosure = _child(node, "enclosure")
    audio = _address(enclosure.get("url") if enclosure is not None else None, base)
    link = _address(_text(node, "link"), base)
    guid = _text(node, "guid") or audio or link
    if guid is None:
        return None
    published = contract_date(_text(node, "pubDate"))
    source = "pubDate" if published else None
    if published is None and (published := contract_date(_text(node, "date", "dc"))):
        source = "dc:date"
    chapters = _child(node, "chapters", "podcast")
    meta: dict[str, Any] = {
        "guid": guid,
        "page": link,
        "audio": audio,
        "transcripts": list(_transcripts(node, base)),
        "speakers": _people(node) or people,
        "chapters_url": _address(chapters.get("url"), base) if chapters is not None else None,
        "season": _number(_text(node, "season", "podcast") or _text(node, "season", "itunes")),
        "episode": _number(_text(node, "episode", "podcast") or _text(node, "episode", "itunes")),
    }
    title = _text(node, "title", "itunes") or _text(node, "title")
    keywords = (_text(node, "keywords", "itunes") or "").split(",")
    return Listed(
        id=item_id(guid, salt),
        title=title or guid,
        published_at=published,
        published_at_source=source,
        url=_page(meta, language),
        duration_s=duration(_text(node, "duration", "itunes")),
        description=_description(node),
        tags=tuple(word.strip() for word in keywords[:_MOST] if word.strip()),
        language=language,
        meta={key: value for key, value in meta.items() if value not in (None, [])},
    )


def _page(meta: Mapping[str, Any], language: str | None) -> str | None:
    """The recording, which opens at the second, for an item with a timed transcript; else its page."""
    timed = any(track.form in TIMED for track in tracks_of(meta, language))
    first, second = ("audio", "page") if timed else ("page", "audio")
    return meta.get(first) or meta.get(second)


def item_id(guid: str, salt: str) -> str:
    """Return the document id of an item: its guid when that can be one, else made from it.

    A guid with other characters keeps its readable part and gets eight digits of its hash; a short
    one (`42`) may occur in any feed, so the hash is of the feed's key too.
    """
    if _PLAIN_ID.fullmatch(guid):
        return guid
    short = len(guid) < 8
    digest = hashlib.sha256(f"{salt if short else ''}\n{guid}".encode()).hexdigest()[:8]
    # Of an address the end tells most.
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", re.sub(r"^\w+://", "", guid)).strip("-._")[-60:].strip("-._")
    return f"{readable}-{digest}" if readable else digest


def duration(text: str | None) -> float | None:
    """Read `itunes:duration`: seconds, `MM:SS` or `HH:MM:SS`; None when it says nothing."""
    if not text:
        return None
    try:
        value = float(text) if ":" not in text else seconds(text.strip())
    except ValueError:
        return None
    return value if value is not None and 0 < value < 7 * 86_400 else None


def _transcripts(node: etree._Element, base: str) -> Iterator[dict[str, str]]:
    for found in _children(node, "transcript", "podcast"):
        address = _address(found.get("url"), base)
        if address is None:
            continue
        said = {"url": address}
        for key in ("type", "language", "rel"):
            value = _clean(found.get(key))
            if value:
                said[key] = value[:100].lower() if key != "language" else value[:100]
        yield said


def _people(node: etree._Element) -> list[str]:
    names = (_clean("".join(found.itertext())) for found in _children(node, "person", "podcast"))
    return list(dict.fromkeys(name[:200] for name in names if name))[:_MOST]


def _description(node: etree._Element) -> str | None:
    text = _text(node, "description") or _text(node, "encoded", "content") or _text(node, "summary", "itunes")
    if text and "<" in text:
        try:
            text = text_of(tree_of(text))
        except SourceFault:
            return None
    return text[:_LONGEST_TEXT].strip() or None if text else None


def _next_page(channel: etree._Element, base: str) -> str | None:
    links = [link for link in _children(channel, "link", "atom") if link.get("rel") == "next"]
    return _address(links[0].get("href"), base) if links else None


def _address(text: str | None, base: str) -> str | None:
    """Return a whole address, http or https; of a feed saved as a file also one beside it.

    A name and password in it are left out: addresses are kept and shown.
    """
    if not text or not text.strip():
        return None
    try:
        whole = urljoin(base, text.strip())
        parts = urlsplit(whole)
    except ValueError:
        return None
    if parts.scheme in ("http", "https") and parts.hostname:
        return storable(shown(whole))
    return storable(whole) if parts.scheme == "file" and base.startswith("file:") and ":" not in text else None


def _name(node: etree._Element) -> tuple[str, str]:
    """Return (family, local name) of a tag, empty for a comment."""
    return _named(node.tag) if isinstance(node.tag, str) else ("", "")


# A feed repeats some thirty tags in each of its items.
@lru_cache(maxsize=512)
def _named(tag: str) -> tuple[str, str]:
    """Read a tag as lxml gives it; undeclared prefixes count as what they are named."""
    space, _, local = tag.rpartition("}")
    prefix, _, local = local.rpartition(":")
    space = f"{space} {prefix}".lower()
    families = {"podcast": ("podcastindex", "podcast-namespace", " podcast"), "itunes": ("itunes",), "atom": ("atom",),
                "dc": ("purl.org/dc", " dc"), "content": ("rss/1.0/modules/content", " content")}  # fmt: skip
    for family, marks in families.items():
        if any(mark in space for mark in marks):
            return family, local
    return "" if space.strip(" {") in ("", "http://purl.org/rss/1.0/") else "?", local


def _children(node: etree._Element, local: str, family: str = "") -> Iterator[etree._Element]:
    return (child for child in node if _name(child) == (family, local))


def _child(node: etree._Element, local: str, family: str = "") -> etree._Element | None:
    return next(_children(node, local, family), None)


def _text(node: etree._Element, local: str, family: str = "") -> str | None:
    found = (_clean("".join(child.itertext())) for child in _children(node, local, family))
    return next((text for text in found if text), None)


def _clean(text: str | None) -> str | None:
    return " ".join(storable(text).split()) or None if text else None


def _number(text: str | None) -> float | int | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    if value is None or not 0 <= value < 1e9:
        return None
    return int(value) if value == int(value) else value
