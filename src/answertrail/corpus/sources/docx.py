"""Word documents (DOCX), through mammoth: text as accepted, with footnotes; no comments, nothing deleted.

python-docx was tried first, and loses every word that was inserted with changes tracked.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import mammoth
from lxml import etree

from answertrail.corpus.sources.archive import Archive
from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.epub import xml
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.formats import Converted
from answertrail.corpus.sources.html import tree_of
from answertrail.corpus.sources.markup_text import text_of
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import language_tag, storable

_CORE = "docProps/core.xml"
_OLD = b"\xd0\xcf\x11\xe0"


def convert(path: Path) -> Converted:
    """Read a DOCX file. Raises SourceFault for one that is broken, encrypted, or without text."""
    raw = path.read_bytes()
    if raw.startswith(_OLD):
        # Word packs an encrypted DOCX, like its format of old, into this container.
        raise SourceFault("an encrypted DOCX file, or an old DOC file under that name")
    with Archive(path, "DOCX") as archive:
        for name in archive.names:
            # mammoth reads these itself: bounds and entities are checked before it does.
            if name.lower().endswith((".xml", ".rels")):
                archive.read(name)
        core = xml(archive.read(_CORE), _CORE) if _CORE in archive.names else None
    # Pictures would be unpacked and kept as text.
    try:
        converted = mammoth.convert_to_html(io.BytesIO(raw), convert_image=mammoth.images.img_element(lambda _: {}))
    except OSError:  # of bytes in memory it says only this
        raise SourceFault(
            "no Word document: its main part is missing, usually word/document.xml; save it as DOCX again"
        ) from None
    text = _text(converted.value) if converted.value.strip() else ""
    if not text:
        raise SourceFault("the DOCX file holds no text")
    facts, made = _metadata(core) if core is not None else (Facts(), None)
    if facts.title is None and (heading := re.match(r"#{1,3} (.{1,300})", text)):
        facts = replace(facts, title=heading[1])
    return Converted(text, facts, made_at=made, made_at_source="DOCX created" if made else None)


def _text(markup: str) -> str:
    tree = tree_of(markup)
    # The arrows that lead from a footnote back to its place.
    for arrow in tree.xpath("//a[contains(@href, 'note-ref-')]"):
        arrow.drop_tree()
    return storable(text_of(tree))


def _metadata(core: etree._Element) -> tuple[Facts, str | None]:
    def said(name: str) -> str | None:
        node = core.find(f"{{*}}{name}")
        return " ".join(storable(node.text).split())[:2000] or None if node is not None and node.text else None

    author, keywords = said("creator"), said("keywords")
    facts = Facts(
        title=said("title"),
        language=language_tag(said("language")),
        description=said("description") or said("subject"),
        tags=tuple(word.strip() for word in (keywords or "").replace(";", ",").split(",") if word.strip()),
        meta={"authors": [author]} if author else {},
    )
    return facts, contract_date(said("created"))
