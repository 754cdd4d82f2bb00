"""Read the XML of a feed: small faults are read past, one that loses items is not."""

from __future__ import annotations

import re

from lxml import etree

# What is written in these is no markup. One that does not end is not matched, and hides nothing.
_VERBATIM = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->", re.DOTALL)
_ITEM = re.compile(r"<item[\s/>]")
_ITEM_END = re.compile(r"</item\s*>")
_END = re.compile(r"</(?:[\w.-]+:)?(?:rss|RDF)\b")
# The parser tells no more of one document.
_MOST_TOLD = 100


class NotAFeed(Exception):  # noqa: N818 - an outcome, told to the user by the origin
    """What was found is no podcast feed that can be read; the message says what it is, `hint` what to do."""

    hint = "give the address of the feed itself; a podcast's page links to it as RSS"


class DefinesEntities(NotAFeed):
    """The feed defines entities: a few lines of it can stand for gigabytes."""

    hint = "entities are never expanded; ask who makes the feed to leave their definitions out"

    def __init__(self) -> None:
        super().__init__("it defines entities")


class NotWhole(Exception):  # noqa: N818 - as above
    """The feed ends before its end, or a part of it cannot be read: it lists more than can be told."""

    @classmethod
    def after(cls, items: int) -> NotWhole:
        """Return the outcome for a feed of which so many items are whole."""
        return cls(f"breaks off after {items} item{'' if items == 1 else 's'}")


def read_markup(content: bytes) -> tuple[etree._Element, tuple[str, ...]]:
    """Return the root of an RSS feed, and notes on the faults that were read past.

    Raises NotAFeed for what is no RSS feed or defines entities, NotWhole for one that is cut
    off or has tags that do not match: what such a tag has within it is a guess.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(content.lstrip(), parser)
    except (etree.LxmlError, ValueError) as error:
        raise NotAFeed(f"not XML: {' '.join(str(error).split())[:200]}") from None
    if root is None:
        raise NotAFeed("not a podcast feed, but empty")
    info = root.getroottree().docinfo
    if info.internalDTD is not None and any(True for _ in info.internalDTD.iterentities()):
        raise DefinesEntities
    name = etree.QName(root).localname if isinstance(root.tag, str) else ""
    if name == "feed":
        raise NotAFeed("an Atom feed; podcasts with transcripts are RSS")
    if name not in ("rss", "RDF"):
        raise NotAFeed(f"not a podcast feed, but {'a web page' if name == 'html' else f'<{name}>'}")
    faults = [entry for entry in parser.error_log if entry.level >= etree.ErrorLevels.ERROR]
    if not faults:
        return root, ()
    _see_that_it_is_whole(root, _decoded(content, info.encoding))
    for fault in faults:
        if fault.type == etree.ErrorTypes.ERR_TAG_NAME_MISMATCH:
            raise NotWhole(f"has tags that do not match ({_said(fault)})")
    first = _said(faults[0])
    count = f"{_MOST_TOLD} faults or more" if len(faults) >= _MOST_TOLD else f"{len(faults)} faults"
    told = f"one fault ({first})" if len(faults) == 1 else f"{count} (the first in {first})"
    return root, (f"the feed is not well-formed XML, and was read past {told}",)


def _see_that_it_is_whole(root: etree._Element, text: str) -> None:
    """Raise NotWhole unless the feed was read to its end, with each item that is written in it.

    The parser's own word is not enough: it tells a hundred faults and no more.
    """
    written = _VERBATIM.sub("", text)
    starts = [found.start() for found in _ITEM.finditer(written)]
    ended = _END.search(written, starts[-1] if starts else 0) is not None
    read = sum(1 for _ in root.iter("{*}item"))
    if not ended:
        raise NotWhole.after(len(_ITEM_END.findall(written)))
    if read < len(starts):
        raise NotWhole.after(read)


def _said(fault: etree._LogEntry) -> str:
    return f"line {fault.line}: {' '.join(fault.message.split())[:120]}"


def _decoded(content: bytes, encoding: str | None) -> str:
    try:
        return content.decode(encoding or "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")
