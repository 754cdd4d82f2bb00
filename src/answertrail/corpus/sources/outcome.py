"""What reading a source can come to: a document, a failure, a file left aside."""

from __future__ import annotations

from dataclasses import dataclass

from answertrail.records import Document


class SourceFault(Exception):  # noqa: N818 - a fault of the source, not an error of ours
    """A source cannot be used: `reason` says why, `line` (from 1) where, when a line is to blame.

    Internal to the readers: `read` turns it into a `Failure`, so it never stops other documents.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class TimesFault(SourceFault):
    """The times of a source are impossible. The document fails, and no other file of it is read instead."""


@dataclass(frozen=True, slots=True)
class Read:
    """One document read. `notes` say in plain words what was guessed or repaired."""

    document: Document
    notes: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that should have been a document and is not. `line` counts from 1."""

    source: str
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file left aside on purpose; `reason` is `duplicate of SOURCE` as a rule."""

    source: str
    reason: str
