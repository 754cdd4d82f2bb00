"""A Milvus server for the tests: the one named by ANSWERTRAIL_TEST_MILVUS_URI, or one started here.

The package `milvus` 2.3.5 (Linux on x86-64; 58 MB, not a dependency) holds a real standalone server.
It is started on a free port in the long runs (`make soak`), and stopped at the end.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.soak import SOAKING

_START = """
import signal, sys, time
from milvus import MilvusServer
server = MilvusServer()
server.set_base_dir(sys.argv[1])
server.listen_port = int(sys.argv[2])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
try:
    server.start()
    print("up", flush=True)
    while server.running and server.server_proc.poll() is None:
        time.sleep(0.2)
finally:
    server.stop()
"""


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """Yield the address of a server, or skip with the reason."""
    named = os.environ.get("ANSWERTRAIL_TEST_MILVUS_URI")
    if named:
        yield named
        return
    if not SOAKING:
        pytest.skip("a Milvus server is started in the long runs alone: ANSWERTRAIL_SOAK=1")
    python = os.environ.get("ANSWERTRAIL_TEST_MILVUS_PYTHON") or sys.executable
    if subprocess.run([python, "-c", "import milvus"], capture_output=True).returncode:
        pytest.skip("no Milvus server is installed: pip install milvus==2.3.5")
    if not _is_free(2380):
        pytest.skip("port 2380 is taken: the server's own etcd has that port alone, so one runs at a time")
    port = _free_port()
    process = subprocess.Popen([python, "-c", _START, str(folder), str(port)], stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline().strip() != "up":
            pytest.fail(f"the Milvus server did not start; its logs are in {folder}")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()


def _is_free(port: int) -> bool:
    with socket.socket() as held:
        try:
            held.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])
