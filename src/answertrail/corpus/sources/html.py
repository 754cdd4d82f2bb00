"""Web pages saved to disk: HTML, XHTML, and the one-file MHTML of browsers.

The main text is what the page marks as such (`<main>`, one `<article>`), whole. Only a page that
marks nothing goes through trafilatura, which is good at telling text from menus, and on pages of
documentation still loses up to a fifth of the words.
"""

from __future__ import annotations

import email
import email.policy
import re
from dataclasses import dataclass
from pathlib import Path

import lxml.html
from lxml import etree

from answertrail.corpus.sources import loading
from answertrail.corpus.sources.formats import Converted
from answertrail.corpus.sources.html_facts import facts_of
from answertrail.corpus.sources.markup_text import text_of
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import storable

MAX_BYTES = 64 * 1024 * 1024

_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']")
# What browsers read under these names.
_AS_BROWSERS_DO = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "iso-8859-9": "cp1254",
    "utf-16": "utf-8",
}
_MARKED = (
    "//*[@itemprop='articleBody']",
    "//article",
    "//main",
    "//*[@role='main']",
)
# Machinery around and within the marked text. An aside that is a note is text.
_AROUND = (
    "//nav | //footer[not(ancestor::article or ancestor::main)] | //header[not(ancestor::article or ancestor::main)]"
    " | //*[@role='navigation' or @role='banner' or @role='contentinfo' or @role='search' or @role='dialog']"
    " | //aside[not(contains(@class, 'note') or contains(@role, 'note') or contains(@class, 'admonition')"
    " or contains(@class, 'callout') or contains(@class, 'warning') or contains(@class, 'tip'))]"
)
_LEAST_SHARE = 0.4
_FEW_WORDS = 25


@dataclass(frozen=True, slots=True)
class Page:
    """A page's decoded HTML, and where and when it was saved from, if that is known."""

    markup: str
    address: str | None = None
    notes: tuple[str, ...] = ()


def convert(path: Path) -> Converted:
    """Read a saved web page. Raises SourceFault."""
    with path.open("rb") as stream:
        raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise SourceFault(f"the page is larger than {MAX_BYTES // 2**20} MB")
    page = archived(raw) if path.suffix.lower() in (".mhtml", ".mht") else decoded(raw)
    return converted(page)


def converted(page: Page) -> Converted:
    """Turn a page into its main text and facts. Raises SourceFault when it holds no text."""
    tree = tree_of(page.markup)
    facts = facts_of(tree, address=page.address)
    text, note = _main_text(tree, page.markup)
    if not text.strip():
        raise SourceFault("the page holds no text")
    return Converted(storable(text), facts, notes=(*page.notes, *((note,) if note else ())))


def tree_of(markup: str) -> etree._Element:
    """Parse HTML as leniently as browsers do. Raises SourceFault."""
    raw = storable(markup).encode()
    for deep in (False, True):
        # As bytes of a known encoding: what the page says of its own is no longer true.
        parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=deep)
        try:
            tree = lxml.html.document_fromstring(raw, parser=parser)
        except (etree.LxmlError, ValueError, AssertionError) as error:
            raise SourceFault(f"not readable as HTML: {' '.join(str(error).split())[:200]}") from None
        # The parser stops at a limit, here of 256 or 2,048 levels, and drops the rest without an error.
        if not any("depth in document" in entry.message for entry in parser.error_log):
            return tree
    raise SourceFault("the page is nested too deeply to be read: more than 2,048 elements within one another")


def decoded(raw: bytes, charset: str | None = None) -> Page:
    """Decode a page: byte-order mark, UTF-8 when it is that, the charset it names, a noted guess.

    Bytes that are UTF-8 by accident are next to impossible; pages that name a charset and were
    saved in UTF-8 are common.
    """
    if raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return Page(loading.decode(raw).text)
    match = _XML_CHARSET.match(raw) or _CHARSET.search(raw[:8192])
    said = charset or (match[1].decode("ascii") if match else None)
    if said is not None and not _is_utf8(raw):
        name = _AS_BROWSERS_DO.get(said.lower(), said)
        try:
            return Page(raw.decode(name))
        except (LookupError, UnicodeDecodeError):
            pass
    text = loading.decode(raw)
    is_other = said is not None and said.lower() not in ("utf-8", "utf8") and not raw.isascii()
    notes = (f"the page says {said}, which it is not", *text.notes) if is_other else text.notes
    return Page(text.text, notes=notes)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    # Of ASCII that escapes to another set (ISO-2022, HZ) the name is the only sign.
    return b"\x1b" not in raw and b"~{" not in raw


def archived(raw: bytes) -> Page:
    """Take the page out of an MHTML file; what was saved with it is left. Raises SourceFault."""
    message = email.message_from_bytes(raw, policy=email.policy.compat32)
    for part in message.walk():
        if part.get_content_type() not in ("text/html", "application/xhtml+xml"):
            continue
        body = part.get_payload(decode=True)
        if not isinstance(body, bytes):
            continue
        address = part.get("Content-Location") or message.get("Snapshot-Content-Location")
        page = decoded(body, part.get_content_charset())
        return Page(page.markup, str(address) if address else None, page.notes)
    raise SourceFault("the MHTML file holds no HTML page")


def _main_text(tree: etree._Element, markup: str) -> tuple[str, str | None]:
    """Return the text of the page's main part, and a note when all of the page or little of it was taken."""
    for node in tree.xpath(_AROUND):
        parent = node.getparent()
        if parent is not None:
            node.drop_tree()
    body = tree.find("body") if tree.find("body") is not None else tree
    whole = text_of(body)
    words = len(whole.split())
    for path in _MARKED:
        found = tree.xpath(path)
        outer = [node for node in found if not any(above in found for above in node.iterancestors())]
        if len(outer) != 1:
            continue
        text = text_of(outer[0])
        # A mark around a byline only, or around one of many teasers, marks nothing.
        if len(text.split()) >= max(1, min(_FEW_WORDS, words), int(_LEAST_SHARE * words)):
            return text, None
    extracted = _extracted(markup)
    kept = len(extracted.split())
    if kept >= min(_FEW_WORDS, max(words, 1)):
        few = f"taken as the main text: {kept} of the {words} words on the page"
        return extracted, few if kept < 0.5 * words else None
    return whole, "no main text stands out on the page; all of it is kept" if words else None


def _extracted(markup: str) -> str:
    import trafilatura

    try:
        found = trafilatura.extract(
            markup, output_format="html", favor_recall=True, include_tables=True, include_formatting=True
        )
    except Exception:  # noqa: BLE001 - it trips over tags it did not expect; the whole page is better than none
        return ""
    if not found:
        return ""
    body = tree_of(found).find("body")
    return text_of(body) if body is not None else ""
