"""Put what a JSON Schema refers to in place of the references.

A tool's schema is moved inside a larger one, where `#/$defs/X` would point nowhere; and servers
that turn a schema into a grammar differ in the references they follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from answertrail.errors import InputError

_PREFIX = "#/$defs/"


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema without `$ref` and `$defs`; raise InputError for a recursive one."""
    definitions = schema.get("$defs", {})
    body = {key: value for key, value in schema.items() if key != "$defs"}
    result = _replace(body, definitions, ())
    assert isinstance(result, dict)
    return result


def _replace(node: Any, definitions: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_replace(item, definitions, path) for item in node]
    if not isinstance(node, Mapping):
        return node
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return {key: _replace(value, definitions, path) for key, value in node.items()}
    name = reference.removeprefix(_PREFIX)
    if name not in definitions or name in path:
        why = "is recursive" if name in path else "points nowhere"
        raise InputError(f"a tool's schema cannot be used: {reference} {why}")
    target = _replace(definitions[name], definitions, (*path, name))
    beside = {k: _replace(v, definitions, path) for k, v in node.items() if k != "$ref"}
    return {**target, **beside}
