"""One document-to-be, as discovery finds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from answertrail.corpus.sources.facts import Facts

PARSER_VERSION = "1"
"""Raise it when the same bytes give other documents, so that stored ones are read again."""

Kind = Literal["captions", "text", "markdown", "documents"]
"""`documents` is a JSON Lines file of `document/1`; every other kind gives one document."""

KINDS: dict[str, Kind] = {
    ".vtt": "captions",
    ".srt": "captions",
    ".sbv": "captions",
    ".txt": "text",
    ".text": "text",
    ".rst": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".jsonl": "documents",
    ".ndjson": "documents",
}


@dataclass(frozen=True, slots=True)
class Group:
    """The file a document is read from, and all that is known beside it.

    `id` is the document id, None for a file of `document/1` lines, which bring their own.
    `source` is how messages name it. `files` are all files used, the one read first.
    `fingerprint` is `sha256:<hex>` over their bytes, the id, the manifest line and
    `PARSER_VERSION`: equal fingerprints give equal documents.
    """

    id: str | None
    path: Path
    source: str
    kind: Kind
    fingerprint: str
    facts: Facts = field(default_factory=Facts)
    files: tuple[Path, ...] = ()
