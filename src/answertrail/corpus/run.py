"""The state of one ingest, which its stages share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from answertrail.corpus.paths import file_of
from answertrail.corpus.report import IngestReport, LeftOut
from answertrail.store import sources
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus, SourceItem

Mark: TypeAlias = tuple[int, int, int] | None
"""Inode, size in bytes and time of change in ns of a file; None when it cannot be looked at."""


@dataclass(slots=True)
class IngestRun:
    """The state of one ingest of files.

    `known` are the rows of the sources and `owners` the source of each document, both as they
    were before; `in_reach` are the files to be read, `marks` how they were when found, and `aside`
    files that were found and are not to be read. `touched` are rows written or confirmed, `given`
    the documents met, by id, and `refused` the ids met that were another's; `read` are the files
    that were looked at, `faulty` those that failed, wholly or in a line. `worker` is the name under
    which items are claimed.

    A document belongs to its owner, whatever became of that source since: one that failed keeps it.
    """

    db: Database
    corpus: Corpus
    known: dict[str, SourceItem]
    report: IngestReport
    owners: Mapping[str, str]
    in_reach: frozenset[str]
    marks: Mapping[Path, Mark]
    worker: str
    aside: frozenset[str] = frozenset()
    touched: set[str] = field(default_factory=set)
    given: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    faulty: set[str] = field(default_factory=set)


def marks_of(paths: Iterable[Path]) -> dict[Path, Mark]:
    """Look at every file, to tell later whether it changed."""
    return {path: _mark(path) for path in paths}


def row_of(source: str, line: int | None) -> str:
    """Return the name of the row of a source, or of one line of it: two bad lines of one file are two failures."""
    return source if line is None else f"{source}:{line}"


async def failed(run: IngestRun, source: str, reason: str, line: int | None) -> None:
    """Record and report a source that could not be read, or one line of it."""
    row = row_of(source, line)
    async with run.db.transaction() as conn:
        await sources.record_failed(conn, run.corpus, row, reason, line=line)
    run.touched.add(row)
    run.faulty.add(file_of(source))
    run.report.failed.append(LeftOut(source, reason, line))


def _mark(path: Path) -> Mark:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
