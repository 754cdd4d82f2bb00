"""`retrieval_run/1`: what one search mode returned for one question, in rank order."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from answertrail.records.base import Count, Identifier, NonEmpty, Number, Part, Record, Seconds


class Ranked(Part):
    """One unit at its rank (its place in the list)."""

    id: Identifier
    score: Number | None = None


class RetrievalRun(Record):
    """One ranking. The order of `ranked` is the rank."""

    schema_: Literal["retrieval_run/1"] = Field(default="retrieval_run/1", alias="schema")
    question_id: Identifier
    mode: NonEmpty
    unit: Literal["chunk", "document", "node"] | None = None
    repeat: Count | None = None
    ranked: list[Ranked]
    elapsed_ms: Seconds | None = None
    meta: dict[str, Any] | None = None
