"""`resolution/1`: which node a question means: `resolved`, a list to `choose` from, or `none`."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from answertrail.records.base import (
    Identifier,
    NonEmpty,
    Number,
    Part,
    Record,
    Seconds,
    _whole_number,
)


class Candidate(Part):
    """One node that may be meant. `rank` counts from 1."""

    id: Identifier
    rank: Annotated[int, BeforeValidator(_whole_number), Field(ge=1)]
    title: str | None = None
    found_by: list[Literal["title", "vector", "graph", "lexical"]] | None = None
    h: Seconds | None = None
    t: Seconds | None = None
    distance: Seconds | None = None
    score: Number | None = None


class Rule(Part):
    """Which decision rule was applied."""

    name: NonEmpty
    version: str | None = None


class Resolution(Record):
    """What `resolve` returned. Candidates (up to five) are listed for every status but none."""

    nullable: ClassVar[frozenset[str]] = frozenset({"node", "answer"})

    schema_: Literal["resolution/1"] = Field(default="resolution/1", alias="schema")
    question_id: Identifier | None = None
    question: NonEmpty
    status: Literal["resolved", "choose", "none"]
    node: Identifier | None = None
    candidates: list[Candidate]
    pool: list[Identifier] | None = None
    answer: str | None = None
    rule: Rule | None = None
    elapsed_ms: Seconds | None = None
    meta: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _resolved_to_something(self) -> Self:
        if self.status == "resolved" and "node" not in self.model_fields_set:
            raise ValueError("resolved needs a node")
        return self
