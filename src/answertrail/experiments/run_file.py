"""The file `eval run` writes: a draft that loses nothing when the process dies, then one sorted file.

While runs are made, `OUT.part` takes one line for each run that begins and one for each that ended,
each on disk before the next step. At the end `OUT` is written at once: one record a question and
repeat, in the order of the questions. A draft that is there at the start is taken up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answertrail.errors import InputError
from answertrail.experiments.attempts import earlier
from answertrail.experiments.inputs import read_runs
from answertrail.records import Run, jsonl
from answertrail.store.embedded.locks import FileLock

Key = tuple[str, int]
_STARTED = "started/1"
_STARTS = ('{"schema": "run/1"', f'{{"schema": "{_STARTED}"')


@dataclass(frozen=True, slots=True)
class Kept:
    """What an earlier invocation left: ended runs by question and repeat, in the order they ended.

    `begun` are runs that began and have no end: their process died. `repaired` says that the last
    line was torn and was cut off.
    """

    ended: Mapping[Key, tuple[Run, ...]]
    begun: Mapping[str, Key]
    repaired: bool


@dataclass(slots=True)
class RunFile:
    """The output of `eval run` and its draft."""

    path: Path

    @property
    def draft(self) -> Path:
        """Where runs are kept until all are done."""
        return self.path.with_name(self.path.name + ".part")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from writing the same file. Raises InputError where one does."""
        self.draft.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self.draft) as held:
            if not held.acquire():
                raise InputError("another process is writing this file", where=str(self.path))
            try:
                yield
            finally:
                if self.draft.exists() and not self.draft.stat().st_size:
                    self.draft.unlink()

    def read(self) -> Kept:
        """Read what is there, cutting a torn last line off the draft.

        Raises InputError for a line that is no run, and for a run without question id or repeat.
        """
        ended: dict[Key, tuple[Run, ...]] = {}
        begun: dict[str, Key] = {}
        written: set[str] = set()  # by a finish that was killed before it dropped the draft
        if self.path.exists():
            for run in read_runs(self.path):
                key = key_of(run, where=str(self.path))
                if key in ended:
                    raise InputError(f"question {key[0]!r}, repeat {key[1]} is there twice", where=str(self.path))
                ended[key] = (run,)
                written |= {run.run_id, *(str(row.get("run_id")) for row in earlier(run))}
        repaired = self._repair()
        if self.draft.exists():
            for number, line in jsonl.numbered_lines(self.draft):
                where = f"{self.draft}:{number}"
                row = _started(line)
                if row is not None:
                    begun[row[0]] = row[1]
                    continue
                run = jsonl.parse_line(Run, line, where=where)
                key = key_of(run, where=where)
                begun.pop(run.run_id, None)
                if run.run_id not in written:
                    ended[key] = (*ended.get(key, ()), run)
        return Kept(ended, {run_id: key for run_id, key in begun.items() if run_id not in written}, repaired)

    def start(self, run_id: str, key: Key) -> None:
        """Write down that a run begins."""
        line = {"schema": _STARTED, "run_id": run_id, "question_id": key[0], "repeat": key[1]}
        self._append(json.dumps(line, ensure_ascii=True))

    def end(self, run: Run) -> None:
        """Write down an ended run; it is on disk on return."""
        self._append(jsonl.dumps(run))

    def finish(self, runs: Iterable[Run]) -> int:
        """Write the sorted file by an atomic rename, drop the draft, return how many runs it holds."""
        count = jsonl.write(self.path, runs)
        self.draft.unlink(missing_ok=True)
        return count

    def _append(self, line: str) -> None:
        self.draft.parent.mkdir(parents=True, exist_ok=True)
        with self.draft.open("ab") as stream:
            stream.write((line + "\n").encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())

    def _repair(self) -> bool:
        """Cut off a last line without its end. Only a line of ours is cut, never that of another file."""
        if not self.draft.exists():
            return False
        content = self.draft.read_bytes()
        if not content or content.endswith(b"\n"):
            return False
        whole, _, tail = content.rpartition(b"\n")
        text = tail.decode("utf-8", errors="replace")
        if not any(text.startswith(start) or start.startswith(text) for start in _STARTS):
            raise InputError("the last line is not one of `eval run`", where=str(self.draft))
        with self.draft.open("r+b") as stream:
            stream.truncate(len(whole) + 1 if whole else 0)
            os.fsync(stream.fileno())
        return True


def key_of(run: Run, *, where: str) -> Key:
    """Return question and repeat of a run. Raises InputError when it names none."""
    if run.question_id is None or run.repeat is None:
        raise InputError(f"run {run.run_id!r} names no question_id and repeat", where=where)
    return run.question_id, run.repeat


def _started(line: str) -> tuple[str, Key] | None:
    if not line.startswith(_STARTS[1]):
        return None
    row: dict[str, Any] = jsonl.loads(line)
    return str(row["run_id"]), (str(row["question_id"]), int(row["repeat"]))
