"""A small embeddings server that misbehaves on demand, over real HTTP."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import math
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[["Handler", dict[str, Any]], None]


def vector_of(text: str, dims: int) -> list[float]:
    """A vector that depends on the text alone; not of length 1."""
    seed = hashlib.sha256(text.encode()).digest()
    return [math.sin(seed[i % 32] + i) * 3 for i in range(dims)]


def reply(inputs: list[str], dims: int, *, as_base64: bool = True) -> dict[str, Any]:
    vectors = [vector_of(text, dims) for text in inputs]
    data = [
        {"object": "embedding", "index": i, "embedding": packed(vector) if as_base64 else vector}
        for i, vector in enumerate(vectors)
    ]
    tokens = sum(len(text.split()) for text in inputs)
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(body)
            self.server.keys.append(self.headers.get("Authorization", ""))
            fault = self.server.faults.pop(0) if self.server.faults else None
        if fault:
            fault(self, body)
        else:
            self.send(200, reply(body["input"], body.get("dimensions", self.server.native)))

    def send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


class Endpoint(ThreadingHTTPServer):
    """`faults` are played one a request, then it behaves; `native` is its own vector length."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults: list[Fault | None] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.native = 8
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextlib.contextmanager
def running() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def status(code: int, message: str = "no", *, error_code: str | None = None, **headers: str) -> Fault:
    def fault(handler: Handler, _: dict[str, Any]) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.send(code, {"error": {"message": message, "code": error_code}}, named)

    return fault


def raw(text: str, code: int = 200) -> Fault:
    return lambda handler, _: handler.send(code, text)


def dropped(handler: Handler, _: dict[str, Any]) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def edited(edit: Callable[[dict[str, Any]], None], *, dims: int = 8, as_base64: bool = False) -> Fault:
    """A good reply, edited in place before it is sent."""

    def fault(handler: Handler, body: dict[str, Any]) -> None:
        answer = reply(body["input"], dims, as_base64=as_base64)
        edit(answer)
        handler.send(200, answer)

    return fault
