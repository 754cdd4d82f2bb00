"""A chunk: the atomic unit that is searched and cited. Internal value, stored in Postgres."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

TimePrecision = Literal["cue", "interpolated"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One 30-second window of timed text, or one passage of whole sentences of untimed text.

    Timed: `id` is `DOCUMENT:SSSSS`, `start_s` its grid start, `end_s` the end of the window or
    of its last segment, whichever comes first but never before `start_s`; `char_start` and
    `char_end` are None. Untimed: `id` is `DOCUMENT:OOOOOOO`, the character offset, and the
    times are None.

    `text` is `lines` joined by single spaces: the words as spoken or written, without speaker
    labels. `ordinal` counts the document's chunks from 0.
    """

    id: str
    document_id: str
    ordinal: int
    text: str
    lines: tuple[str, ...]
    speakers: tuple[str, ...] = ()
    start_s: float | None = None
    end_s: float | None = None
    char_start: int | None = None
    char_end: int | None = None
    time_precision: TimePrecision | None = None

    @property
    def text_hash(self) -> str:
        """`sha256:` and the hex digest of the UTF-8 text."""
        return text_hash(self.text)


def text_hash(text: str) -> str:
    """Return `sha256:<hex>` of a text's UTF-8 bytes; the key of everything content-addressed."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def embedded_text(context: str, text: str) -> str:
    """Return what is embedded for a chunk: its text, below its context where it has one."""
    return f"{context}\n{text}" if context else text
