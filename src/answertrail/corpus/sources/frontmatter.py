"""Read what a Markdown or text file says about itself above its first paragraph."""

from __future__ import annotations

import re
from typing import Any

import yaml

_FENCE = re.compile(r"\A---[ \t]*\n(?P<head>.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(?P<key>[A-Za-z][A-Za-z _-]{0,30}):[ \t]*(?P<value>.*)")
_MAX_HEAD = 64 * 1024
# The loader lets the errors of its constructors through, as for `date: 2024-99-99`.
_YAML_ERRORS = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    TypeError,
    ValueError,
)


class _Loader(yaml.SafeLoader):
    """YAML without its surprises: aliases are refused, since a few lines can expand to gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node; raise for an alias."""
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed in front matter")
        return super().compose_node(parent, index)


def split(text: str) -> tuple[dict[str, Any], str, int, str | None]:
    """Return (fields, body, lines above the body, note or None).

    YAML between `---` fences; or, when the first line is `Title: ...`, plain `Key: value` lines
    up to an empty line (Pelican, RFC 822 style). A head that cannot be parsed is kept as text and
    said in the note. Keys are lower case.
    """
    match = _FENCE.match(text)
    if match is not None and len(match["head"]) <= _MAX_HEAD:
        try:
            # S506: a SafeLoader subclass.
            loaded = yaml.load(match["head"], Loader=_Loader)  # noqa: S506
        except _YAML_ERRORS as error:
            reason = str(error).split("\n", 1)[0]
            return {}, text, 0, f"front matter is not valid YAML and is kept as text: {reason}"
        if isinstance(loaded, dict):
            fields = {str(key).strip().lower(): value for key, value in loaded.items()}
            return fields, text[match.end() :], text.count("\n", 0, match.end()), None
        if loaded is None:
            return {}, text[match.end() :], text.count("\n", 0, match.end()), None
        return {}, text, 0, None
    return _plain_head(text)


def _plain_head(text: str) -> tuple[dict[str, Any], str, int, str | None]:
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
