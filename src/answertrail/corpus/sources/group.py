"""One document-to-be, as discovery finds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.formats import FORMATS, format_of

PARSER_VERSION = "4"
"""Raise it when the same bytes give other documents, so that stored ones are read again."""

Kind = Literal["captions", "text", "markdown", "documents", "converted"]
"""`documents` is a JSON Lines file of `document/1`; every other kind gives one document.

`converted` is every format of `formats.FORMATS`.
"""

KINDS: dict[str, Kind] = {
    ".vtt": "captions",
    ".srt": "captions",
    ".sbv": "captions",
    ".json3": "captions",
    ".txt": "text",
    ".text": "text",
    ".rst": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".jsonl": "documents",
    ".ndjson": "documents",
}
"""Kinds by suffix, but for formats that are converted: see `kind_of`."""


def kind_of(path: Path) -> Kind | None:
    """The kind of a file by its suffix, None when it is of no kind that can be read."""
    return KINDS.get(path.suffix.lower()) or ("converted" if format_of(path) else None)


def suffixes() -> list[str]:
    """Every suffix that can be read, sorted."""
    return sorted({*KINDS, *(suffix for known in FORMATS for suffix in known.suffixes)})


@dataclass(frozen=True, slots=True)
class Group:
    """The file a document is read from, and all that is known beside it.

    `id` is the document id, None for a file of `document/1` lines, which bring their own.
    `source` is how messages name it. `files` are all files used, the one read first.
    `fingerprint` is `sha256:<hex>` over their bytes, the id, the manifest line and
    `PARSER_VERSION`: equal fingerprints give equal documents. `fallbacks` are the other files of
    the document, best first, without fallbacks of their own: the next is read when one before it
    cannot be.
    """

    id: str | None
    path: Path
    source: str
    kind: Kind
    fingerprint: str
    facts: Facts = field(default_factory=Facts)
    files: tuple[Path, ...] = ()
    fallbacks: tuple[Group, ...] = ()

    @property
    def candidates(self) -> tuple[Group, ...]:
        """The document as read from each of its files, the best first."""
        return (self, *self.fallbacks)

    def candidate(self, source: str) -> Group:
        """The candidate of this source; a line of `document/1` is of the file itself."""
        return next((one for one in self.candidates if one.source == source), self)

    def holds(self, source: str) -> bool:
        """Whether the source is one of the files of the document."""
        return any(one.source == source for one in self.candidates)
