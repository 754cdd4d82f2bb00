"""Which spans of a run searched, what they asked, and what came back."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from answertrail.experiments.importing.otel_messages import parsed
from answertrail.experiments.importing.otel_spans import Span

_QUERY = ("query", "q", "search_query", "question", "text", "input")
_LISTS = ("documents", "results", "hits", "chunks", "passages", "data")
_IDS = ("id", "chunk_id", "document_id", "doc_id", "source_id")
_TEXTS = ("text", "content", "page_content", "snippet")


class Found(NamedTuple):
    """A document that came back, and its text where the span kept it."""

    id: str
    text: str | None


class Search(NamedTuple):
    """A search; `query` and `found` are None where the span does not hold them."""

    span: Span
    query: str | None
    found: tuple[Found, ...] | None


def searches_of(spans: Iterable[Span], tools: Collection[str] = ()) -> list[Search]:
    """Return the searches among spans, by start time.

    A retrieval span is one; so is the call of a tool named in `tools` or, when that is empty, of a
    tool with "search" or "retriev" in its name. A retrieval span inside a tool that searches is the
    same search and takes its place. Ids are those of objects in the result; texts alone are not ids.
    """
    rows = list(spans)
    inner = {span.parent_id for span in rows if is_retrieval(span)}
    out = []
    for span in sorted(rows, key=lambda span: (span.start or 0, span.span_id)):
        if is_retrieval(span):
            query = span.attributes.get("gen_ai.retrieval.query.text", span.attributes.get("gen_ai.retrieval.query"))
            found = _found(parsed(span.attributes.get("gen_ai.retrieval.documents")))
        elif _searches(span, tools) and span.span_id not in inner:
            query = _query(parsed(span.attributes.get("gen_ai.tool.call.arguments")))
            found = _found(parsed(span.attributes.get("gen_ai.tool.call.result")))
        else:
            continue
        out.append(Search(span, query if isinstance(query, str) else None, found))
    return out


def is_retrieval(span: Span) -> bool:
    """Whether a span is a retrieval of the conventions."""
    return span.attributes.get("gen_ai.operation.name") == "retrieval"


def tool_name(span: Span) -> str | None:
    """Return the tool a span called; None when it called none."""
    if span.attributes.get("gen_ai.operation.name") != "execute_tool":
        return None
    name = span.attributes.get("gen_ai.tool.name")
    return str(name) if name else span.name.removeprefix("execute_tool").strip() or None


def _searches(span: Span, tools: Collection[str]) -> bool:
    name = tool_name(span)
    if name is None:
        return False
    return name in tools if tools else any(part in name.lower() for part in ("search", "retriev"))


def _query(arguments: Any) -> str | None:
    if isinstance(arguments, str):
        return arguments or None
    if not isinstance(arguments, dict):
        return None
    for name in _QUERY:
        if isinstance(arguments.get(name), str):
            return str(arguments[name])
    texts = [value for value in arguments.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


def _found(result: Any) -> tuple[Found, ...] | None:
    if isinstance(result, dict):
        for name in _LISTS:
            if isinstance(result.get(name), list):
                result = result[name]
                break
    if not isinstance(result, list):
        return None
    out = []
    for item in result:
        named = _id(item)
        if named is None:
            return None  # what came back cannot be named whole, so it is not named in part
        text = next((item[key] for key in _TEXTS if isinstance(item.get(key), str)), None)
        out.append(Found(named, text))
    return tuple(out)


def _id(item: Any) -> str | None:
    if not isinstance(item, dict):
        return None
    for key in _IDS:
        value = item.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return None
