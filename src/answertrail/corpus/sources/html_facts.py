"""What a web page says about itself: title, date, address, language, authors.

Only what the page states in its metadata counts. No date is guessed from the text or the address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.values import language_tag, storable

_DATES = (
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "dcterms.issued",
    "dc.date.issued",
    "dcterms.date",
    "dc.date",
    "parsely-pub-date",
    "sailthru.date",
    "pubdate",
    "publish-date",
    "publish_date",
    "date",
)
_ARTICLES = frozenset(
    {"Article", "NewsArticle", "BlogPosting", "TechArticle", "ScholarlyArticle", "Report", "OpinionNewsArticle",
     "AnalysisNewsArticle", "ReportageNewsArticle", "PodcastEpisode", "VideoObject", "MedicalScholarlyArticle",
     "DiscussionForumPosting", "LiveBlogPosting", "SocialMediaPosting"}
)  # fmt: skip
_PAGES = frozenset(["WebPage", "ItemPage", "AboutPage", "FAQPage", "QAPage", "ProfilePage"])
_SAVED_FROM = re.compile(r"saved from url=\(\d+\)(\S+)|saved with SingleFile\s+url:\s*(\S+)")
_MAX_SCRIPT = 1_000_000
_MOST = 50


def facts_of(tree: etree._Element, *, address: str | None = None) -> Facts:
    """Return the facts of a parsed page; `address` is where it was saved from, if that is known."""
    said = _meta(tree)
    linked = list(_linked_data(tree))
    saved = _web(address) or _saved_from(tree)
    url = _address(tree, said, saved)
    published, source = _published(tree, said, linked, url)
    site = _first(said, "og:site_name")
    authors = _authors(said, linked)
    return Facts(
        title=_title(tree, said, site),
        published_at=published,
        published_at_source=source,
        url=url,
        language=_language(tree, said),
        description=_first(said, "og:description", "description", "dc.description"),
        tags=tuple(_keywords(said)),
        meta={**({"authors": authors} if authors else {}), **({"site": site} if site else {})},
    )


def _meta(tree: etree._Element) -> dict[str, list[str]]:
    """All `<meta>` texts by lower-case name, property or itemprop."""
    out: dict[str, list[str]] = {}
    for node in tree.iter("meta"):
        content = _clean(node.get("content"))
        for attribute in ("property", "name", "itemprop", "http-equiv"):
            key = node.get(attribute)
            if key and content:
                out.setdefault(key.strip().lower(), []).append(content)
    return out


def _clean(text: object) -> str | None:
    return " ".join(storable(text).split())[:2000] or None if isinstance(text, str) else None


def _first(said: Mapping[str, Sequence[str]], *names: str) -> str | None:
    return next((said[name][0] for name in names if name in said), None)


def _linked_data(tree: etree._Element) -> Iterator[Mapping[str, Any]]:
    """The objects of JSON-LD in which the page describes itself."""
    for node in tree.iter("script"):
        text = node.text or ""
        if "ld+json" not in (node.get("type") or "").lower() or len(text) > _MAX_SCRIPT:
            continue
        try:
            value = json.loads(text.strip().removeprefix("<!--").removesuffix("-->"), strict=False)
        except (ValueError, RecursionError):
            continue
        for item in value if isinstance(value, list) else [value]:
            graph = item.get("@graph") if isinstance(item, dict) else None
            for one in graph if isinstance(graph, list) else [item]:
                if isinstance(one, dict):
                    yield one


def _types(item: Mapping[str, Any]) -> frozenset[str]:
    kind = item.get("@type")
    names = kind if isinstance(kind, list) else [kind]
    return frozenset(name.rpartition("/")[2] for name in names if isinstance(name, str))


def _published(
    tree: etree._Element, said: Mapping[str, Sequence[str]], linked: Sequence[Mapping[str, Any]], url: str | None
) -> tuple[str | None, str | None]:
    """The date of publication and the field it is from; several different ones are none."""
    for name in _DATES[:4]:
        if date := contract_date(_first(said, name)):
            return date, name
    for kinds in (_ARTICLES, _PAGES):
        dated = [(item, date) for item in linked if _types(item) & kinds and (date := _json_date(item))]
        mine = [pair for pair in dated if url and url in (pair[0].get("url"), _id(pair[0].get("mainEntityOfPage")))]
        if len({date for _, date in mine or dated}) == 1:
            return (mine or dated)[0][1], "JSON-LD datePublished"
    for name in _DATES[4:]:
        if date := contract_date(_first(said, name)):
            return date, name
    times = tree.xpath("//time[@pubdate or @itemprop='datePublished']/@datetime")
    dates = {date for text in times[:_MOST] if (date := contract_date(text))}
    return (dates.pop(), "time datetime") if len(dates) == 1 else (None, None)


def _json_date(item: Mapping[str, Any]) -> str | None:
    value = item.get("datePublished") or item.get("uploadDate")
    return contract_date(value) if isinstance(value, str) else None


def _id(value: object) -> object:
    return value.get("@id") if isinstance(value, dict) else value


def _title(tree: etree._Element, said: Mapping[str, Sequence[str]], site: str | None) -> str | None:
    title = _first(said, "og:title", "twitter:title", "dc.title", "citation_title")
    if title:
        return title
    # Not the titles of pictures (SVG) within the page.
    text = _clean(next((node.text_content() for node in tree.xpath("/html/head/title | /html/title")), None))
    if text and site:
        for mark in (" | ", " - ", " – ", " — ", " · ", " :: "):
            text = text.removesuffix(mark + site).strip() or text
    return text or _clean(next((h.text_content() for h in tree.iter("h1")), None))


def _address(tree: etree._Element, said: Mapping[str, Sequence[str]], saved: str | None) -> str | None:
    canonical = next((n.get("href") for n in tree.iter("link") if "canonical" in (n.get("rel") or "").lower()), None)
    for found in (canonical, _first(said, "og:url")):
        try:
            whole = _web(urljoin(saved or "", found)) if found else None
        except ValueError:
            continue
        if whole:
            return whole
    return saved


def _saved_from(tree: etree._Element) -> str | None:
    """The address in the comment that browsers write above a page they save."""
    for comment in tree.xpath("preceding::comment() | //comment()[position() < 5]")[:_MOST]:
        match = _SAVED_FROM.search((comment.text or "")[:2000])
        if match:
            return _web(match[1] or match[2])
    return None


def _web(address: str | None) -> str | None:
    text = _clean(address)
    try:
        parts = urlsplit(text or "")
    except ValueError:
        return None
    return text if parts.scheme in ("http", "https") and parts.hostname else None


def _language(tree: etree._Element, said: Mapping[str, Sequence[str]]) -> str | None:
    root = tree.getroottree().getroot()
    own = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang")
    return language_tag(own) or language_tag(_first(said, "content-language", "og:locale", "dc.language"))


def _authors(said: Mapping[str, Sequence[str]], linked: Sequence[Mapping[str, Any]]) -> list[str]:
    names = [n for key in ("author", "citation_author", "dc.creator", "article:author") for n in said.get(key, ())]
    if not names:
        for item in linked:
            if _types(item) & _ARTICLES:
                author = item.get("author")
                found = author if isinstance(author, list) else [author]
                names.extend(_clean(one.get("name") if isinstance(one, dict) else one) or "" for one in found)
    # `article:author` is a profile page as a rule, which is no name.
    return list(dict.fromkeys(name for name in names if name and "://" not in name))[:_MOST]


def _keywords(said: Mapping[str, Sequence[str]]) -> Iterator[str]:
    found = said.get("article:tag") or [word for text in said.get("keywords", ())[:1] for word in text.split(",")]
    yield from dict.fromkeys(word.strip() for word in found[:_MOST] if word.strip())
