"""Take the markup out of caption text, and nothing that was said.

Only tags that captions use are removed, so `if x < 3 and y > 4` and `vector<int>` stay whole.
Entities are unescaped once, after the tags are gone: `&lt;i&gt;` is spoken text, not italics.
"""

from __future__ import annotations

import html
import re

_CLOCK_TAG = r"\d{1,3}:\d{1,2}(?::\d{1,2})?[.,]\d{1,3}>"
_ATTRIBUTE = r"\s+[a-z-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+)"
# Possessive: what was read once is not tried again, so hostile input costs no memory.
_TAG = re.compile(
    # A look at the next character first: a thousand `<` in a row fail at once.
    rf"<(?=[\w/])(?:{_CLOCK_TAG}"
    r"|(?:[cibus]|ruby|rt|em|strong)(?:\.[^\s<>]*+)?>"
    r"|/(?:(?:[cibusv]|ruby|rt|em|strong|lang)(?:\.[^\s<>]*+)?|font)>"
    r"|lang(?:\.[^\s<>]*+)?\s+[\w-]++>"
    rf"|font(?:{_ATTRIBUTE})*+\s*>)"
    # Position and style overrides, as SubStation files and the tools that convert them write.
    r"|\{\\[a-z]+[^{}\n]*+\}",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br\s*/?>|\[br\]", re.IGNORECASE)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?(?:[ \t]+(?P<name>[^<>\n]*+))?>", re.IGNORECASE)
_WORD_TAG = re.compile("<" + _CLOCK_TAG)
# Direction marks and spaces of no width: nobody says them, and a word with one is another word to
# a search. Those inside a word stay, and so do the joiners of Persian, Indic scripts and emoji.
_INVISIBLE = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def has_word_times(raw: str) -> bool:
    """True when the line holds word-timing tags such as `<00:00:01.500>`."""
    return "<" in raw and _WORD_TAG.search(raw) is not None


def plain(raw: str) -> str:
    """Return one or more raw caption lines without markup; line ends are kept."""
    if "<" in raw or "{" in raw or "[" in raw:
        raw = _BREAK.sub("\n", raw)
        raw = _VOICE.sub("", raw)
        raw = _TAG.sub("", raw)
    return unescaped(raw)


def voices(raw: str) -> list[tuple[str | None, str]]:
    """Split a cue at its `<v Name>` tags into (speaker or None, text without markup)."""
    if "<v" not in raw.lower():
        return [(None, plain(raw))]
    out: list[tuple[str | None, str]] = []
    speaker: str | None = None
    at = 0
    for match in _VOICE.finditer(raw):
        out.append((speaker, plain(raw[at : match.start()])))
        speaker = " ".join(unescaped(match["name"] or "").split()) or None
        at = match.end()
    out.append((speaker, plain(raw[at:])))
    return [(name, text) for name, text in out if text.strip()]


def unescaped(text: str) -> str:
    """Unescape each HTML entity once; only entities closed by a semicolon count as such."""
    if "&" not in text:
        return text
    # NUL cannot be stored; html.unescape already turns `&#0;` into U+FFFD.
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def folded(text: str) -> str:
    """Return the words of a text with single spaces between, without invisible marks around them."""
    words = text.split()
    if not text.isascii():
        words = [bare for word in words if (bare := word.strip(_INVISIBLE))]
    return " ".join(words)
