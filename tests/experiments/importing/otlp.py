"""OTLP/JSON written the way exporters write it: typed values, 64-bit integers as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

START = 1_764_498_600_000_000_000  # 2025-11-30T10:30:00Z


def value(plain: Any) -> dict[str, Any]:
    if isinstance(plain, bool):
        return {"boolValue": plain}
    if isinstance(plain, int):
        return {"intValue": str(plain)}
    if isinstance(plain, float):
        return {"doubleValue": plain}
    if isinstance(plain, list):
        return {"arrayValue": {"values": [value(item) for item in plain]}}
    if isinstance(plain, dict):
        return {"kvlistValue": {"values": attributes(plain)}}
    return {"stringValue": plain}


def attributes(plain: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(item)} for key, item in plain.items()]


def span(
    name: str,
    parent: str | None,
    at: int,
    more: dict[str, Any],
    *,
    trace: str = "4bf9",
    error: str | None = None,
    events: list[tuple[str, dict[str, Any]]] | None = None,
) -> dict[str, Any]:
    """A span `name` that starts `at` seconds and takes half a second."""
    out: dict[str, Any] = {
        "traceId": trace,
        "spanId": name,
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(START + at * 1_000_000_000),
        "endTimeUnixNano": str(START + at * 1_000_000_000 + 500_000_000),
        "attributes": attributes(more),
        "status": {} if error is None else {"code": 2, "message": error},
    }
    if parent:
        out["parentSpanId"] = parent
    if events:
        out["events"] = [{"name": event, "attributes": attributes(parts)} for event, parts in events]
    return out


def document(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": attributes({"service.name": "a"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def written(folder: Path, *documents: Any, name: str = "spans.json") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(one) for one in documents), encoding="utf-8")
    return path


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def agent_run(trace: str = "4bf9", question: str = "Where did the kiln go?") -> list[dict[str, Any]]:
    """One agent, two model calls, a search tool and a retrieval span."""
    call = {"type": "tool_call", "id": "c1", "name": "search_transcripts", "arguments": {"query": "kiln"}}
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}
    hits = [{"id": "ep01:00030", "score": 0.9, "text": "We moved it."}, {"id": "ep02:00000", "text": "It leaked."}]
    return [
        span("agent", None, 0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}, trace=trace),
        span(
            "chat1",
            "agent",
            1,
            {
                **chat,
                "gen_ai.usage.input_tokens": 52,
                "gen_ai.usage.output_tokens": 17,
                "gen_ai.input.messages": [said("system", "You answer."), said("user", question)],
                "gen_ai.output.messages": [{"role": "assistant", "parts": [call], "finish_reason": "tool_call"}],
            },
            trace=trace,
        ),
        span(
            "tool",
            "agent",
            2,
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "search_transcripts",
                "gen_ai.tool.call.arguments": json.dumps({"query": "kiln", "k": 2}),
                "gen_ai.tool.call.result": json.dumps({"hits": hits}),
            },
            trace=trace,
        ),
        span(
            "chat2",
            "agent",
            3,
            {
                **chat,
                "gen_ai.response.model": "m-1-0613",
                "gen_ai.usage.input_tokens": 97,
                "gen_ai.usage.output_tokens": 20,
                "gen_ai.output.messages": json.dumps([{**said("assistant", "To the barn."), "finish_reason": "stop"}]),
            },
            trace=trace,
        ),
    ]
