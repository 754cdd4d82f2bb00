"""`question/1`: one question with its gold."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from answertrail.records.base import (
    Count,
    DateText,
    Identifier,
    NonEmpty,
    Number,
    Part,
    Record,
    Seconds,
)

Tier = Literal["factual", "longitudinal", "comparative", "unanswerable", "lookup"]
Split = Literal["dev", "held_out", "regression"]


class Evidence(Part):
    """A place that answers the question: a document and, where it is timed, a span in seconds."""

    document_id: Identifier
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    quote: str | None = None


class Relevant(Part):
    """A relevant unit (chunk, document or node). `grade` is 1 when absent."""

    id: Identifier
    grade: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class Window(Part):
    """A half-open time window `[from, to)`."""

    from_: DateText = Field(alias="from")
    to: DateText


class Nugget(Part):
    """One atomic fact or stance a correct answer states. `evidence` indexes the question's list."""

    nugget_id: Identifier
    text: NonEmpty
    kind: Literal["fact", "stance", "shift", "no_change"]
    evidence: list[Count] | None = None
    window: Window | None = None
    written_by: Literal["person", "model"] | None = None


class Question(Record):
    """One question. `evidence` spans or `relevant` ids are its gold; both may be absent."""

    schema_: Literal["question/1"] = Field(default="question/1", alias="schema")
    question_id: Identifier
    question: NonEmpty
    tier: Tier
    language: str | None = None
    group: str | None = None
    node_type: str | None = None
    important: bool | None = None
    unanswerable_kind: (
        Literal["missing_topic", "near_miss", "false_premise", "outside_window", "missing_fact"] | None
    ) = None
    evidence: list[Evidence] | None = None
    relevant: list[Relevant] | None = None
    nuggets: list[Nugget] | None = None
    split: Split | None = None
    note: str | None = None
    meta: dict[str, Any] | None = None


__all__ = ["Evidence", "Nugget", "Number", "Question", "Relevant", "Split", "Tier", "Window"]
