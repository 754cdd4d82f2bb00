"""`document/1`: one document, timed segments or plain text, never both."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from answertrail.records.base import DateText, Identifier, NonEmpty, Part, Record, Seconds

Captions = Literal["human", "auto", "translated"]


class Segment(Part):
    """A caption cue or transcript line. `start_s` and `end_s` in seconds from the start."""

    start_s: Seconds
    end_s: Seconds | None = None
    text: str
    speaker: str | None = None


class Document(Record):
    """One document as read from a source, before windows are cut.

    `published_at` None means the date is unknown: such a document takes no part in date filters.
    """

    nullable: ClassVar[frozenset[str]] = frozenset({"published_at", "url", "language"})

    schema_: Literal["document/1"] = Field(default="document/1", alias="schema")
    id: Identifier
    title: str
    published_at: DateText | None = None
    published_at_source: str | None = None
    url: str | None = None
    language: str | None = None
    captions: Captions | None = None
    duration_s: Seconds | None = None
    description: str | None = None
    tags: list[str] | None = None
    kind: str | None = None
    type: str | None = None
    aliases: list[NonEmpty] | None = None
    links: list[NonEmpty] | None = None
    segments: list[Segment] | None = None
    text: str | None = None
    meta: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if (self.segments is None) == (self.text is None):
            raise ValueError("give either segments or text, not both and not neither")
        return self

    def words(self) -> str:
        """Return its text, or that of its segments with spaces between."""
        return self.text or " ".join(segment.text for segment in self.segments or [])
