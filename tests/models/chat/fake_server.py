"""A local server that speaks three providers' protocols, with answers and faults by script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """One answer of the server; `drop` closes the connection without any."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    events: list[dict[str, Any]] | None = None
    raw: bytes | None = None
    drop: bool = False
    delay: float = 0.0


@dataclass
class Seen:
    """One request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class FakeServer:
    """Plays `answers` in order, or `behave(body)` when it is set; records what it saw."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: list[Answer] = []
        self.behave: Any = None
        self.seen: list[Seen] = []
        self.asked = threading.Event()
        self.released = threading.Event()

    def answer_to(self, body: dict[str, Any]) -> Answer:
        if self.behave is not None:
            return self.behave(body)
        if not self.answers:
            return Answer({"error": {"message": "the fake server's script ended"}}, status=418)
        return self.answers.pop(0)


@contextmanager
def running() -> Iterator[FakeServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            fake.seen.append(Seen(self.path, headers, body))
            fake.asked.set()
            answer = fake.answer_to(body)
            if answer.delay:
                fake.released.wait(answer.delay)
            if answer.drop:
                self.close_connection = True
                return
            if answer.events is not None and body.get("stream"):
                lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in answer.events]
                self._send(answer, "".join(lines).encode(), "text/event-stream")
            else:
                raw = answer.raw if answer.raw is not None else json.dumps(answer.body).encode()
                self._send(answer, raw, "application/json")

        def _send(self, answer: Answer, content: bytes, kind: str) -> None:
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake = FakeServer(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


# -- OpenAI Chat Completions


def chat(
    text: str | None = None,
    *calls: tuple[str, str, str],
    usage: dict[str, Any] | None = None,
    finish: str | None = None,
    refusal: str | None = None,
) -> Answer:
    """`calls` are (id, name, raw arguments)."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal}
    if calls:
        message["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls
        ]
    reason = finish or ("tool_calls" if calls else "stop")
    return Answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "served-model",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": usage or {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
    )


# -- OpenAI Responses


def responses(*output: dict[str, Any], usage: dict[str, Any] | None = None, **more: Any) -> Answer:
    return Answer(
        {
            "id": "resp_1",
            "object": "response",
            "created_at": 1_700_000_000,
            "model": "gpt-5.4-2026-03-05",
            "status": "completed",
            "output": list(output),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage
            or {
                "input_tokens": 1000,
                "input_tokens_details": {"cached_tokens": 600},
                "output_tokens": 100,
                "output_tokens_details": {"reasoning_tokens": 40},
                "total_tokens": 1100,
            },
        }
        | more
    )


def reasoning(item_id: str = "rs_1", sealed: str = "SEALED-1") -> dict[str, Any]:
    return {"type": "reasoning", "id": item_id, "summary": [], "encrypted_content": sealed}


def function_call(name: str, arguments: str, call_id: str = "call_a") -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
        "status": "completed",
    }


def output_text(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}


# -- Anthropic Messages


def anthropic(*blocks: dict[str, Any], usage: dict[str, Any] | None = None, stop: str | None = None) -> Answer:
    """Both forms of one message: JSON, and the events of a stream."""
    tool = any(block["type"] == "tool_use" for block in blocks)
    stop = stop or ("tool_use" if tool else "end_turn")
    usage = usage or {"input_tokens": 10, "output_tokens": 5}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    started = message | {"content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": started}]
    for index, block in enumerate(blocks):
        empty, deltas = _deltas(block)
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": stop, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage["output_tokens"]}})
    events.append({"type": "message_stop"})
    return Answer(message, events=events)


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def thinking_block(text: str, signature: str = "SIGNED-1") -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": signature}


def tool_use(name: str, arguments: dict[str, Any], call_id: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _deltas(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return block | {"text": ""}, [{"type": "text_delta", "text": block["text"]}]
    if block["type"] == "thinking":
        signature = {"type": "signature_delta", "signature": block["signature"]}
        thought = {"type": "thinking_delta", "thinking": block["thinking"]}
        return block | {"thinking": "", "signature": ""}, [thought, signature]
    piece = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return block | {"input": {}}, [piece]
