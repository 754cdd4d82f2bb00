"""`run/1`: one agent run with all its evidence. An imported run may carry much less."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from answertrail.records.base import (
    Cost,
    Count,
    DateText,
    Identifier,
    NonEmpty,
    Part,
    Record,
    Seconds,
)

Status = Literal["completed", "failed", "cancelled", "interrupted", "over_budget"]
Outcome = Literal["answered", "partly_answered", "cannot_answer"]
Support = Literal["HIT", "MISS", "UNSCORED"]


class RecipeRef(Part):
    """Which recipe a run followed; `hash` changes with every setting that could change the run."""

    name: NonEmpty
    version: str | None = None
    hash: NonEmpty


class CorpusRef(Part):
    """Which corpus, at which snapshot."""

    name: NonEmpty
    snapshot: NonEmpty


class CodeRef(Part):
    """Which program. `git_sha` and `dirty` are absent outside a checkout."""

    version: str
    git_sha: str | None = None
    dirty: bool | None = None


class SearchRecord(Part):
    """One search: what was asked, what came back, what of it was new to the run."""

    search_id: NonEmpty
    turn: Count | None = None
    mode: str | None = None
    query: str
    from_: DateText | None = Field(default=None, alias="from")
    to: DateText | None = None
    returned: list[Identifier]
    new: list[Identifier] | None = None
    held_back: Count | None = None
    elapsed_ms: Seconds | None = None


class RunChunk(Part):
    """A retrieved chunk as the run saw it, text included, so the run can be audited alone."""

    nullable: ClassVar[frozenset[str]] = frozenset({"published_at", "url"})

    id: Identifier
    document_id: Identifier
    title: str | None = None
    published_at: DateText | None = None
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    url: str | None = None
    text: str
    text_hash: NonEmpty | None = None


class Statement(Part):
    """One statement of an answer. A `claim` must be cited; `framing` need not be."""

    text: NonEmpty
    kind: Literal["claim", "framing"] | None = None
    citations: list[Identifier]
    support: Support | None = None


class CoveragePeriod(Part):
    """A period `[from, to)` of a longitudinal answer: whether searched, and its evidence."""

    from_: DateText = Field(alias="from")
    to: DateText
    searched: bool | None = None
    evidence: list[Identifier] | None = None


class Answer(Part):
    """What a completed run says. `not_found` names the parts the corpus does not cover."""

    outcome: Outcome
    statements: list[Statement] | None = None
    text: str | None = None
    not_found: list[NonEmpty] | None = None
    coverage: list[CoveragePeriod] | None = None


class Run(Record):
    """One run. `answer` is None unless `status` is completed; `cost_usd` None means unknown."""

    nullable: ClassVar[frozenset[str]] = frozenset({"recipe", "corpus", "code", "answer", "cost_usd", "error"})

    schema_: Literal["run/1"] = Field(default="run/1", alias="schema")
    run_id: Identifier
    question: NonEmpty
    question_id: Identifier | None = None
    repeat: Count | None = None
    tier: str | None = None
    status: Status
    recipe: RecipeRef | None = None
    corpus: CorpusRef | None = None
    code: CodeRef | None = None
    models: dict[str, Any] | None = None
    searches: list[SearchRecord] | None = None
    retrieved: list[Identifier] | None = None
    chunks: list[RunChunk] | None = None
    answer: Answer | None = None
    citation_checks: list[dict[str, Any]] | None = None
    guards: list[dict[str, Any]] | None = None
    usage: list[dict[str, Any]] | None = None
    cost_usd: Cost | None = None
    started_at: DateText | None = None
    elapsed_ms: Seconds | None = None
    error: dict[str, Any] | None = None
    meta: dict[str, Any] | None = None
