"""What an ingest is asked to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """What to ingest.

    `embedder` is a spec; None means `auto` for a new corpus, its own for a known one. `prune`
    deletes the documents that the report lists as gone. `context` is what is embedded beside each
    text (`context.context_parts`); None means `none` for a new corpus, its own for a known one.
    `asked_in` are the languages in which the corpus will be asked (`language.language_codes`), which
    its embedder has to read; None means nothing is known, or what the corpus was made with.
    """

    corpus: str
    sources: Sequence[Path]
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    embedder: str | None = None
    prune: bool = False
    context: str | None = None
    asked_in: str | None = None
