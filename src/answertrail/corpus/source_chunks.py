"""From a document to its chunks: windows of timed text, passages of untimed."""

from __future__ import annotations

from answertrail.corpus.passages import passages
from answertrail.corpus.windows import windows
from answertrail.records.chunk import Chunk
from answertrail.records.document import Document


def chunks_of(document: Document) -> list[Chunk]:
    """Cut a document into chunks, in order; a document without words has none."""
    return windows(document) if document.segments is not None else passages(document)
