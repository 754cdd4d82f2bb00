"""Convert files in a process of its own: a file that crashes, hangs or bloats its reader is one failure.

The process is started at the first file and kept for the next ones. It is asked by one line of
JSON, `[function, path]`, and answers with one; what it takes too long over, or dies of, is the
fault of that file, and the next file gets a new process. It ends with its parent: its input is
then at its end, and its own alarm ends even what hangs.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.formats import Converted, loaded
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import storable

TIME_LIMIT_S = 120.0
"""How long one file may take to convert. A book of a thousand pages takes well under a minute."""

MEMORY_LIMIT_BYTES = 3 * 2**30
"""How much address space the process may have, where the system can bound it."""

MAX_TEXT_CHARS = 64 * 1024 * 1024
_ALARM_AFTER_S = 30


class Worker:
    """A process that converts one file at a time. Threads may share it; they wait for each other."""

    def __init__(self, time_limit_s: float = TIME_LIMIT_S, memory_limit_bytes: int = MEMORY_LIMIT_BYTES) -> None:
        self._limits = (time_limit_s, memory_limit_bytes)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = os.getpid()

    def convert(self, function: str, path: Path) -> Converted:
        """Run `module:function` on a file. Raises SourceFault for every way in which that can end badly."""
        with self._lock:
            answer = self._asked(json.dumps([function, os.fspath(path)]))
        if answer is None:
            raise SourceFault("the reader crashed on this file, or needed more memory than is allowed")
        if "fault" in answer:
            raise SourceFault(answer["fault"])
        return _converted(answer)

    def close(self) -> None:
        """End the process; the next file starts a new one."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _asked(self, question: str) -> dict[str, Any] | None:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        overdue = threading.Event()

        def end() -> None:
            overdue.set()
            process.kill()

        timer = threading.Timer(self._limits[0], end)
        timer.start()
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if line.endswith("\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.close()
        if overdue.is_set():
            raise SourceFault(f"takes longer than {self._limits[0]:.0f} s to read, which no sound file does")
        return None

    def _started(self) -> subprocess.Popen[str]:
        if self._owner != os.getpid():
            # A copy of us (fork) must not talk to our worker.
            self._process, self._owner = None, os.getpid()
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            limits = [str(int(limit)) for limit in self._limits]
            # -P: the folder one stands in may hold a file called like a library.
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", __name__, *limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        return self._process


def _converted(answer: dict[str, Any]) -> Converted:
    facts = answer["facts"]
    lists = {name: tuple(facts[name]) for name in ("tags", "aliases", "speakers", "notes")}
    return Converted(
        answer["text"],
        Facts(**{**facts, **lists}),
        answer["made_at"],
        answer["made_at_source"],
        tuple(answer["notes"]),
    )


_shared = Worker()
atexit.register(_shared.close)


def convert(function: str, path: Path) -> Converted:
    """Run `module:function` on a file in the process's one worker. Raises SourceFault."""
    return _shared.convert(function, path)


def _answer(function: str, path: Path) -> dict[str, Any]:
    try:
        converted = loaded(function)(path)
    except SourceFault as fault:
        return {"fault": fault.reason}
    except MemoryError:
        return {"fault": "needs more memory than is allowed"}
    except RecursionError:
        return {"fault": "is nested too deeply to be read"}
    except Exception as error:  # noqa: BLE001 - whatever a library raises for a broken file
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return {"fault": storable(f"cannot be read: {said[:200]}")}
    if len(converted.text) > MAX_TEXT_CHARS:
        return {"fault": f"holds more than {MAX_TEXT_CHARS // 2**20} million characters of text"}
    return asdict(converted)


def _bounded(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has none; there the time limit alone holds
        return
    for kind, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))


def _serve(questions: TextIO, time_limit_s: int, memory: int) -> None:
    # Libraries may print; only answers go to the parent.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _bounded(memory)
    for line in questions:
        function, path = json.loads(line)
        if hasattr(signal, "alarm"):
            signal.alarm(time_limit_s + _ALARM_AFTER_S)
        answers.write(json.dumps(_answer(function, Path(path))) + "\n")
        answers.flush()
        if hasattr(signal, "alarm"):
            signal.alarm(0)


if __name__ == "__main__":
    _serve(sys.stdin, int(sys.argv[1]), int(sys.argv[2]))
