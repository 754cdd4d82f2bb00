"""Values as read from the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from answertrail.records.chunk import Chunk
from answertrail.records.document import Document
from answertrail.records.embedder import EmbedderIdentity, embedder_key

ItemState = Literal["ok", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One named corpus. `spec` is the setting that names its embedder, `identity` the space of
    its vectors, `context` what is embedded before each text (see `corpus.context`), `asked_in` the
    languages its questions were said to be asked in. `revision` grows with every change of its
    documents; it is as of the reading.
    """

    id: int
    name: str
    spec: str
    embedder_id: int
    identity: EmbedderIdentity
    language: str | None
    revision: int
    created_at: datetime
    context: tuple[str, ...] = ()
    asked_in: tuple[str, ...] = ()

    @property
    def embedder_key(self) -> str:
        """How its vectors were made, in one string: the embedder's key, and the context where there is one."""
        return embedder_key(self.identity, self.context)


@dataclass(frozen=True, slots=True)
class SourceItem:
    """What became of one source. `reason` says why it was skipped or failed, `line` where.

    `fingerprint` is the caller's sign that the source has not changed; None when it had none.
    `document_id` is None when the source gave no document.
    """

    source: str
    state: ItemState
    fingerprint: str | None
    document_id: str | None
    line: int | None
    reason: str | None
    notes: tuple[Any, ...]
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as it was ingested, body included. `published_at` is None when unknown."""

    document: Document
    published_at: datetime | None
    source: str
    content_hash: str
    ingested_at: datetime


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with what a reader is shown of its document."""

    chunk: Chunk
    text_hash: str
    title: str
    published_at: datetime | None
    published_at_text: str | None
    url: str | None
    language: str | None
    duration_s: float | None
