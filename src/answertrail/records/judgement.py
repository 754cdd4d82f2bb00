"""`verdict/1`, `pair/1` and `label/1`: what judges and raters are given and what they say."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from answertrail.records.base import Cost, Count, DateText, Identifier, NonEmpty, Part, Record


class Unit(Part):
    """What was judged."""

    kind: Literal["nugget", "assertion", "statement", "pair"]
    id: Identifier


class Verdict(Record):
    """One judged unit. UNSCORED is a state with a reason, never a MISS."""

    nullable: ClassVar[frozenset[str]] = frozenset({"cost_usd"})

    schema_: Literal["verdict/1"] = Field(default="verdict/1", alias="schema")
    verdict_id: Identifier
    key: NonEmpty
    run_id: Identifier | None = None
    question_id: Identifier | None = None
    repeat: Count | None = None
    unit: Unit
    direction: Literal["recall", "ceiling", "groundedness", "citation", "pair"]
    claim: NonEmpty
    text_ref: dict[str, Any] | None = None
    verdict: Literal["HIT", "MISS", "UNSCORED"]
    reason: str | None = None
    judge: dict[str, Any] | None = None
    cost_usd: Cost | None = None
    created_at: DateText | None = None
    meta: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.direction != "pair" and (self.run_id is None or self.question_id is None):
            raise ValueError(f"direction {self.direction} needs run_id and question_id")
        if self.verdict == "UNSCORED" and self.reason is None:
            raise ValueError("UNSCORED needs a reason")
        return self


class Pair(Record):
    """A claim and a text, for a judge or a rater."""

    schema_: Literal["pair/1"] = Field(default="pair/1", alias="schema")
    pair_id: Identifier
    claim: NonEmpty
    text: str
    meta: dict[str, Any] | None = None


class Label(Record):
    """One rater's label on a pair."""

    schema_: Literal["label/1"] = Field(default="label/1", alias="schema")
    pair_id: Identifier
    rater: NonEmpty
    label: Literal["HIT", "MISS", "UNSURE"]
    labelled_at: DateText | None = None
    note: str | None = None
    meta: dict[str, Any] | None = None
