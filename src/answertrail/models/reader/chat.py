"""The reader as a chat model: it reads the same messages and calls the same tools as any other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from answertrail.models.chat.base import (
    AssistantMessage,
    ChatReply,
    ChatRequest,
    Message,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.models.reader.evidence import SearchResult, parse_result
from answertrail.models.reader.plan import Search
from answertrail.models.reader.question import analyse
from answertrail.models.reader.reader import Actions, Phase, Reader
from answertrail.models.reader.settings import PLAN, PlanSettings
from answertrail.models.reader.table import LookedAt, Row, looked_at

SPEC = "reader"
_LONGEST = 1000
"""Characters the tools take in a query or in what was not found."""
_SEARCH, _READY, _SUBMIT = "search_transcripts", "mark_ready", "submit_answer"
_TIMELINE, _AROUND, _TABLE = "search_timeline", "read_around", "submit_timeline"
_TOOL = {"search": _SEARCH, "timeline": _TIMELINE, "around": _AROUND}
_ROWS = 60
"""Rows the table takes."""


class ReaderModel:
    """The built-in reader behind the chat model interface. Free, offline, deterministic.

    With an embedder it judges excerpts by meaning as well as by words. Vectors of excerpts are
    kept for the life of the object, since every turn looks at the same ones again.
    """

    name = SPEC
    family = "embedded"
    price_known = True

    def __init__(self, embedder: Embedder | None = None, settings: PlanSettings = PLAN) -> None:
        self._embedder = embedder
        self._settings = settings
        self._vectors: dict[str, np.ndarray[Any, np.dtype[np.float32]]] = {}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Decide the next turn from the messages alone."""
        loop = asyncio.get_running_loop()

        def embed(texts: Sequence[str]) -> Vectors:
            return self._embed(texts, loop)

        offered = _offered(request)
        reader = Reader(embed if self._embedder else None, self._settings, offered=offered)
        question, results = _read(request.messages)
        names = {tool.name for tool in request.tools}
        if _TABLE in names:
            rows = await asyncio.to_thread(reader.table, question, results, _periods(request.messages))
            return _reply((_call(1, _TABLE, {"rows": [_row(row) for row in rows[:_ROWS]]}),))
        phase: Phase = "submit" if _SUBMIT in names else "explore"
        actions = await asyncio.to_thread(reader.next_action, question, results, phase=phase)
        # Its own rule knows English alone: it may say that a question is over time, never that it is not.
        over_time = _takes(request, _READY, "over_time") and analyse(question).trajectory
        ready = {"over_time": True} if over_time else {}
        return _reply(_calls(actions, ready, dated="dates" in offered))

    def _embed(self, texts: Sequence[str], loop: asyncio.AbstractEventLoop) -> Vectors:
        assert self._embedder is not None
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            # The reader thinks in a worker thread; the embedder lives in the loop's.
            made = asyncio.run_coroutine_threadsafe(self._embedder.embed(missing, "passage"), loop).result()
            self._vectors.update(zip(missing, made, strict=True))
        if not texts:
            return np.zeros((0, self._embedder.identity.dims), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])


def _read(messages: Sequence[Message]) -> tuple[str, list[SearchResult]]:
    """Return the question and every result so far, in order; a search that failed is one without hits."""
    question = ""
    arguments: dict[str, Mapping[str, object]] = {}
    results: list[SearchResult] = []
    for message in messages:
        if isinstance(message, UserMessage) and not question:
            question, found = _first(message.text)
            results += found
        elif isinstance(message, AssistantMessage):
            arguments |= {call.id: _object(call.arguments) for call in message.calls}
        elif isinstance(message, ToolMessage) and message.name in (_SEARCH, _TIMELINE, _AROUND):
            body = _object(message.text)
            results.append(parse_result(body, arguments.get(message.call_id)))
    return question, results


def _periods(messages: Sequence[Message]) -> tuple[LookedAt, ...]:
    """The periods the last `mark_ready` told of."""
    told = (_object(m.text).get("coverage") for m in messages if isinstance(m, ToolMessage) and m.name == _READY)
    return next((looked_at(c) for c in reversed(list(told)) if isinstance(c, dict)), ())


def _first(text: str) -> tuple[str, list[SearchResult]]:
    """A recipe without a loop sends its one result along with the question."""
    question, newline, rest = text.partition("\n\nRESULT OF search_transcripts")
    _, _, body = rest.partition("\n")
    return question, [parse_result(_object(body))] if newline and "hits" in _object(body) else []


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _takes(request: ChatRequest, tool: str, argument: str) -> bool:
    """Whether a tool is offered with an argument; the articles' search has no dates."""
    return argument in _properties(request, tool)


def _properties(request: ChatRequest, tool: str) -> Mapping[str, Any]:
    found = (offered.parameters.get("properties", {}) for offered in request.tools if offered.name == tool)
    return next((properties for properties in found if isinstance(properties, dict)), {})


def _offered(request: ChatRequest) -> frozenset[str]:
    """What the tools take beside a query, see `Reader`."""
    taken = _properties(request, _SEARCH)
    orders = taken.get("order", {}).get("enum", ())
    known = {"dates": "from" in taken, "also": "also" in taken, "like": "like" in taken}
    known |= {name: name in orders for name in ("spread", "meaning")}
    names = {tool.name for tool in request.tools}
    known |= {"timeline": _TIMELINE in names, "around": _AROUND in names}
    return frozenset(name for name, there in known.items() if there)


def _reply(calls: tuple[ToolCall, ...]) -> ChatReply:
    return ChatReply("", calls, Usage(0, 0, 0, 0, 0), 0.0, SPEC)


def _row(row: Row) -> dict[str, Any]:
    if not row.stance:
        return {"when": row.when, "nothing_found": True}
    return {"when": row.when, "stance": row.stance[:_LONGEST], "citations": list(row.citations)}


def _calls(actions: Actions, ready: Mapping[str, Any], *, dated: bool) -> tuple[ToolCall, ...]:
    if actions.submission is not None:
        submitted = actions.submission
        statements = [{"text": s.text, "kind": s.kind, "citations": list(s.citations)} for s in submitted.statements]
        body = {
            "outcome": submitted.outcome,
            "statements": statements,
            "not_found": [text[:_LONGEST] for text in submitted.not_found],
        }
        return (_call(1, _SUBMIT, body),)
    searches = [s for s in actions.searches if dated or not (s.date_from or s.date_to)]
    if searches:
        return tuple(_call(number, _TOOL[search.tool], _arguments(search)) for number, search in enumerate(searches, 1))
    return (_call(1, _READY, ready),)


def _arguments(search: Search) -> dict[str, Any]:
    if search.tool == "around":
        return {"id": search.query}
    told: dict[str, Any] = {"query": search.query[:_LONGEST]}
    if search.k:
        told["k"] = search.k
    if search.also:
        told["also"] = [text[:_LONGEST] for text in search.also]
    if search.like:
        told["like"] = list(search.like)
    if search.order:
        told["order"] = search.order
    return told | _dates(search.date_from, search.date_to)


def _dates(start: str | None, end: str | None) -> dict[str, str]:
    return {key: value for key, value in (("from", start), ("to", end)) if value}


def _call(number: int, name: str, arguments: Mapping[str, Any]) -> ToolCall:
    return ToolCall(f"r{number}", name, json.dumps(arguments, ensure_ascii=False))
