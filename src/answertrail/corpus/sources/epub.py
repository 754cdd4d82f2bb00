"""EPUB books: the chapters in reading order, with the book's own metadata.

A page of our own on zipfile and lxml: the libraries for EPUB are under the AGPL, or unpack a
whole book without bounds.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from answertrail.corpus.sources.archive import Archive
from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.formats import Converted
from answertrail.corpus.sources.html import decoded, tree_of
from answertrail.corpus.sources.markup_text import text_of
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import language_tag, storable

_PAGES = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))
_NAMED = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30});")
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_OPF = "{*}"


def convert(path: Path) -> Converted:
    """Read an EPUB; `meta["chapters"]` says at which character each chapter begins, and its heading.

    Raises SourceFault for a book that is broken, locked (DRM), or without text.
    """
    with Archive(path, "EPUB") as archive:
        _refuse_locked(archive)
        place = _package_name(archive)
        package = xml(archive.read(place), place)
        texts: list[str] = []
        chapters: list[dict[str, object]] = []
        notes: list[str] = []
        at = 0
        for name in _reading_order(package, posixpath.dirname(place)):
            try:
                text = storable(text_of(_body(archive.read(name))))
            except SourceFault as fault:
                notes.append(f"a chapter is missing: {fault.reason}")
                continue
            if text:
                chapters.append({"char_start": at, "title": _heading(text)})
                texts.append(text)
                at += len(text) + 2
    if not texts:
        raise SourceFault("; ".join(notes[:3]) or "the EPUB file holds no text")
    facts, made = _metadata(package)
    return Converted(
        "\n\n".join(texts),
        replace(facts, meta={**facts.meta, "chapters": chapters}),
        made_at=made,
        made_at_source="EPUB date" if made else None,
        notes=tuple(notes),
    )


def xml(raw: bytes, name: str) -> etree._Element:
    """Parse XML without entities, network or huge trees. Raises SourceFault."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(raw, parser)
    except (etree.LxmlError, ValueError) as error:
        raise SourceFault(f"{name} is not valid XML: {' '.join(str(error).split())[:200]}") from None


def _refuse_locked(archive: Archive) -> None:
    name = "META-INF/encryption.xml"
    if name not in archive.names:
        return
    methods = xml(archive.read(name), name).iterfind(".//{*}EncryptionMethod")
    if any(method.get("Algorithm") not in _FONTS for method in methods):
        raise SourceFault("the EPUB file is locked (DRM)")


def _package_name(archive: Archive) -> str:
    name = "META-INF/container.xml"
    found = xml(archive.read(name), name).find(".//{*}rootfile")
    place: str | None = found.get("full-path") if found is not None else None
    if not place:
        raise SourceFault(f"{name} names no book")
    return place


def _reading_order(package: etree._Element, folder: str) -> Iterator[str]:
    manifest = {item.get("id"): item for item in package.iterfind(".//{*}manifest/{*}item")}
    for entry in package.iterfind(".//{*}spine/{*}itemref"):
        item = manifest.get(entry.get("idref"))
        # The table of contents repeats every heading.
        if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
            continue
        yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))


def _body(raw: bytes) -> etree._Element:
    """Parse a chapter as XML, in which `<title/>` is closed, else as HTML."""
    named = _NAMED.sub(lambda m: html.unescape(m[0].decode()).encode("ascii", "xmlcharrefreplace"), raw)
    try:
        tree = xml(named, "a chapter")
    except SourceFault:
        tree = tree_of(decoded(raw).markup)
    body = tree.find("{*}body")
    return body if body is not None else tree


def _heading(text: str) -> str | None:
    match = re.match(r"#{1,6} (.{1,300})", text)
    return match[1] if match else None


def _metadata(package: etree._Element) -> tuple[Facts, str | None]:
    def all_of(name: str) -> list[etree._Element]:
        return [n for n in package.iterfind(f".//{{*}}metadata//{{http://purl.org/dc/elements/1.1/}}{name}") if n.text]

    def first(name: str) -> str | None:
        return next((text for node in all_of(name) if (text := _clean(node.text))), None)

    event = "{http://www.idpf.org/2007/opf}event"
    dates = {node.get(event): date for node in reversed(all_of("date")) if (date := contract_date(node.text))}
    published = dates.get("publication") or dates.get("original-publication")
    authors = [name for node in all_of("creator") if (name := _clean(node.text))][:50]
    facts = Facts(
        title=first("title"),
        published_at=published,
        published_at_source="EPUB date of publication" if published else None,
        language=language_tag(first("language")),
        description=first("description"),
        tags=tuple(tag for node in all_of("subject")[:50] if (tag := _clean(node.text))),
        meta={"authors": authors} if authors else {},
    )
    return facts, None if published else dates.get(None) or dates.get("creation")


def _clean(text: str | None) -> str | None:
    return " ".join(storable(text).split())[:2000] or None if text else None
