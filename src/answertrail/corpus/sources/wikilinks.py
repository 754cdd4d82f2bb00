"""What a note of a vault refers to: wikilinks, embeds, links to other notes, tags in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

LINK_FIELDS = ("links", "up", "parent", "parents", "guides", "seealso", "see_also", "see also", "related")
"""Fields of front matter whose plain values name notes; in any other field only `[[...]]` does."""

_WIKI_LINK = re.compile(r"\[\[([^\[\]|#^\n]{1,300})(?:[#^][^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_NOTE_LINK = re.compile(r"(?<!!)\[[^\[\]\n]{0,300}\]\(<?([^()<>\n:#?]{1,300}\.(?:md|markdown))(?:#[^()<>\n]*)?>?\)")
_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?(`{3,}|~{3,})")
_INLINE_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^\n]{1,500}?(?<!`)\1(?!`)")
_TAG = re.compile(r"(?:^|(?<=[\s(]))#(?=[^\W\d_]|\d*[/_-]*[^\W\d])([\w/-]{1,100})")
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp3|wav|m4a|ogg|flac|3gp|mp4|webm|mov|mkv|ogv|pdf|canvas|base|zip|csv)",
    re.IGNORECASE,
)


def targets(body: str, fields: Mapping[str, Any]) -> list[str]:
    """Return the notes that a note refers to, each once, those of its front matter last.

    As written, without alias, heading, block and `.md`. Pictures and other attachments, links in
    code and links to a place in the note itself are left out.
    """
    found = (*_in_text(without_code(body)), *_in_fields(fields))
    return list(dict.fromkeys(name for target in found if (name := _name(target))))


def tags(body: str) -> list[str]:
    """Return the `#tags` of a text outside code, each once; `#12` and `# heading` are none."""
    return list(dict.fromkeys(match[1].rstrip("/-") for match in _TAG.finditer(without_code(body))))


def without_code(body: str) -> str:
    """Blank out code and comments, whose links lead nowhere."""
    if "```" in body or "~~~" in body:
        body = "\n".join(_outside_fences(body))
    for opening, closing in (("<!--", "-->"), ("%%", "%%")):
        body = _without(body, opening, closing)
    return _INLINE_CODE.sub(" ", body) if "`" in body else body


def _outside_fences(body: str) -> Iterator[str]:
    fence = ""
    for line in body.split("\n"):
        match = _FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not line[match.end() :].strip("`~ \t"):
                fence = ""
        elif match:
            fence = match[1]
        else:
            yield line


def _without(text: str, opening: str, closing: str) -> str:
    parts = []
    at = 0
    while (begin := text.find(opening, at)) >= 0:
        end = text.find(closing, begin + len(opening))
        if end < 0:
            break
        parts.append(text[at:begin])
        at = end + len(closing)
    return " ".join([*parts, text[at:]])


def _in_text(text: str) -> Iterator[str]:
    for match in _WIKI_LINK.finditer(text):
        # In a table the bar is escaped: `[[note\|alias]]`.
        yield match[1].rstrip("\\")
    for match in _NOTE_LINK.finditer(text):
        yield unquote(match[1]).removeprefix("./")


def _in_fields(fields: Mapping[str, Any]) -> Iterator[str]:
    for key, value in fields.items():
        # YAML reads an unquoted `[[note]]` as a list in a list.
        for nested, text in _strings(value):
            linked = [match[1] for match in _WIKI_LINK.finditer(text)]
            if linked:
                yield from linked
            elif nested >= 2 or key in LINK_FIELDS:
                yield text.partition("|")[0].partition("#")[0]


def _strings(value: Any, depth: int = 0) -> Iterator[tuple[int, str]]:
    if isinstance(value, str):
        yield depth, value
    elif isinstance(value, list) and depth < 4:
        for item in value:
            yield from _strings(item, depth + 1)


def _name(target: str) -> str | None:
    name = " ".join(target.split())
    if "." in name and _ATTACHMENT.fullmatch(name[name.rfind(".") :]):
        return None
    for suffix in (".md", ".markdown"):
        name = name.removesuffix(suffix)
    return name[:300] or None
