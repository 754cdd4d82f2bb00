"""Read what a Markdown or text file says about itself above its first paragraph."""

from __future__ import annotations

import re
from typing import Any

import yaml

from answertrail.corpus.sources.wikilinks import LINK_FIELDS

_FENCE = re.compile(r"\A---[ \t]*\n(?P<head>.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(?P<key>[A-Za-z][A-Za-z _-]{0,30}):(?!:)[ \t]*(?P<value>.*)")
_PROPERTY = re.compile(r"(?:-[ ])?(?P<key>[A-Za-z][\w-]{0,30})::[ \t]+(?P<value>[^\n]*)(?:\n|\Z)")
_LISTS = frozenset({"alias", "aliases", "tag", "tags"})
_LISTED = _LISTS.union(LINK_FIELDS, ("speakers", "type"))
_MAX_HEAD = 64 * 1024
_MAX_DEPTH = 32
_TOO_DEEP = f"front matter is nested more than {_MAX_DEPTH} deep"
# The loader lets the errors of its constructors through, as for `date: 2024-99-99` or `!!bool x`.
_YAML_ERRORS = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class _Loader(yaml.SafeLoader):
    """YAML without its surprises: neither aliases, of which a few lines can expand to gigabytes, nor deep nesting.

    The scanner looks at all open brackets for each token, so its time grows with their square.
    """

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:  # noqa: N803 - the library's name
        """Begin a list or mapping in brackets; raise where too many are open."""
        if self.flow_level >= _MAX_DEPTH:
            raise yaml.YAMLError(_TOO_DEEP)
        super().fetch_flow_collection_start(TokenClass)

    def add_indent(self, column: int) -> bool:
        """Begin a list or mapping of lines; raise where too many are open."""
        if len(self.indents) >= _MAX_DEPTH:
            raise yaml.YAMLError(_TOO_DEEP)
        return bool(super().add_indent(column))

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node; raise for an alias."""
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed in front matter")
        return super().compose_node(parent, index)


def split(text: str) -> tuple[dict[str, Any], str, int, str | None]:
    """Return (fields, body, lines above the body, note or None).

    YAML between `---` fences; or, when the first line is `Title: ...`, plain `Key: value` lines
    up to an empty line (Pelican, RFC 822 style); or properties `key:: value` (Logseq). Keys are
    lower case. Of YAML with a mistake the fields around it are kept, and the note says which one
    it is; a head without any field is kept as text.
    """
    match = _FENCE.match(text)
    if match is None or len(match["head"]) > _MAX_HEAD:
        return _plain_head(text)
    body, above = text[match.end() :], text.count("\n", 0, match.end())
    try:
        loaded = _yaml(match["head"])
    except _YAML_ERRORS as error:
        reason = str(error).split("\n", 1)[0]
        fields, odd = _entries(match["head"])
        if not fields:
            return {}, text, 0, f"front matter is not valid YAML and is kept as text: {reason}"
        return fields, body, above, f"front matter is not valid YAML, read field by field: {', '.join(odd)} ({reason})"
    if isinstance(loaded, dict):
        return {str(key).strip().lower(): value for key, value in loaded.items()}, body, above, None
    if loaded is None:
        return {}, body, above, None
    return {}, text, 0, None


def _yaml(text: str) -> Any:
    # S506: a SafeLoader subclass.
    return yaml.load(text, Loader=_Loader)  # noqa: S506


def _entries(head: str) -> tuple[dict[str, Any], list[str]]:
    """Read each top-level entry alone; one that is no YAML is the text behind its colon, or None.

    Returns the fields and the names of those that are no YAML. No field at all when a line of the
    head belongs to none.
    """
    blocks: list[list[str]] = []
    for line in head.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        if _FIELD.fullmatch(line):
            blocks.append([line])
        elif blocks and line.startswith((" ", "\t", "- ")):
            blocks[-1].append(line)
        else:
            return {}, []
    fields: dict[str, Any] = {}
    odd: list[str] = []
    for block in blocks:
        first = _FIELD.fullmatch(block[0])
        if first is None:
            continue
        key = first["key"].strip().lower()
        try:
            loaded = _yaml("\n".join(block))
            fields[key] = next(iter(loaded.values())) if isinstance(loaded, dict) else None
        except _YAML_ERRORS:
            odd.append(key)
            text = " ".join([first["value"], *(line.strip() for line in block[1:])]).strip()
            # A list without its end is no text either.
            unclosed = key in _LISTED and text.startswith("[") and text.count("[") > text.count("]")
            fields[key] = None if unclosed else text
    return fields, odd


def _plain_head(text: str) -> tuple[dict[str, Any], str, int, str | None]:
    properties = _properties(text)
    if properties is not None:
        return properties
    end = text.find("\n\n")
    head = text[: end if end >= 0 else 0]
    fields: dict[str, Any] = {}
    key = None
    for line in head.split("\n"):
        match = _FIELD.fullmatch(line)
        if match is not None:
            key = match["key"].strip().lower()
            fields[key] = match["value"].strip()
        elif key is not None and line.startswith((" ", "\t")):
            fields[key] = f"{fields[key]} {line.strip()}".strip()
        else:
            return {}, text, 0, None
    if not fields.get("title") or len(fields) < 2:
        return {}, text, 0, None
    return fields, text[end + 2 :], text.count("\n", 0, end + 2), None


def _properties(text: str) -> tuple[dict[str, Any], str, int, str | None] | None:
    """The page properties of Logseq: `key:: value` lines at the very top."""
    fields: dict[str, Any] = {}
    end = 0
    while (match := _PROPERTY.match(text, end)) is not None and end < _MAX_HEAD:
        value = match["value"].strip()
        key = match["key"].strip().lower()
        fields[key] = [part.strip() for part in value.split(",")] if key in _LISTS else value
        end = match.end()
    return (fields, text[end:], text.count("\n", 0, end), None) if fields else None
