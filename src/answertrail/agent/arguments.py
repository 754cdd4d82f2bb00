"""What the tools take, and the strict reading of what a model sends.

Whatever is wrong with a call becomes a sentence for the model that says what to do next.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from answertrail.agent.when import check_when
from answertrail.models.chat.base import ToolCall
from answertrail.records.base import instant
from answertrail.records.jsonl import loads
from answertrail.search.periods import Grain

MAX_K = 20
MAX_AROUND = 5
"""Passages on either side that `read_around` gives."""
MAX_TEXT = 1000
"""Characters of a query, of a stance and of one part that was not found."""
MAX_ROWS = 60
MAX_ALSO, MAX_LIKE = 5, 8
"""Other wordings of a query, and passages that others are to be like."""
ORDERS = {"spread": "spread", "meaning": "dense"}
"""The orders a search may ask for, with the mode of each."""
_FAULT_CHARS = 600


class BadCallError(Exception):
    """A call the tool cannot run; the text goes to the model."""


class _Arguments(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)


def _asked(value: str) -> str:
    if not value.strip():
        raise ValueError("the query is empty")
    return value.strip()


Query = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(_asked)]


class AnySearchArguments(_Arguments):
    """What both searches take."""

    query: Query
    k: Annotated[int, Field(ge=1, le=MAX_K)] | None = None
    from_: str | None = Field(default=None, alias="from")
    to: str | None = None
    also: Annotated[list[Query], Field(max_length=MAX_ALSO)] = Field(default_factory=list)
    like: Annotated[list[Annotated[str, Field(min_length=1, max_length=300)]], Field(max_length=MAX_LIKE)] = Field(
        default_factory=list
    )

    @field_validator("from_", "to")
    @classmethod
    def _date(cls, value: str | None) -> str | None:
        if value is not None:
            instant(value)
        return value

    def bounds(self) -> tuple[datetime | None, datetime | None]:
        """Return the half-open window asked for."""
        return (
            instant(self.from_) if self.from_ else None,
            instant(self.to) if self.to else None,
        )


class SearchArguments(AnySearchArguments):
    """Arguments of `search_transcripts`; `order` None is that of the recipe."""

    order: Literal["spread", "meaning"] | None = None


class TimelineSearchArguments(AnySearchArguments):
    """Arguments of `search_timeline`; `by` None lets the corpus decide."""

    by: Grain | None = None


class AroundArguments(_Arguments):
    """Arguments of `read_around`: a passage shown before, and how many to read on either side of it."""

    id: Annotated[str, Field(min_length=1, max_length=300)]
    before: Annotated[int, Field(ge=0, le=MAX_AROUND)] = 1
    after: Annotated[int, Field(ge=0, le=MAX_AROUND)] = 1


class ReadyArguments(_Arguments):
    """`mark_ready` needs nothing; models that cannot send nothing send an empty object.

    `over_time` says whether the question asks how something changed; None leaves it to the rule.
    """

    over_time: bool | None = None


class SubmittedStatement(_Arguments):
    """One statement as the model wrote it."""

    text: Annotated[str, Field(min_length=1, max_length=4000)]
    kind: Literal["claim", "framing"] = "claim"
    citations: list[str] = Field(default_factory=list, max_length=50)

    @field_validator("text")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        return _plain(value)


def _plain(text: str) -> str:
    """Return the text without characters that would steer a terminal; refuse it when nothing is left."""
    cleaned = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc").strip()
    if not cleaned:
        raise ValueError("the text is empty")
    return cleaned


class SubmitArguments(_Arguments):
    """Arguments of `submit_answer`."""

    outcome: Literal["answered", "partly_answered", "cannot_answer"]
    statements: list[SubmittedStatement] = Field(default_factory=list, max_length=60)
    not_found: list[Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]] = Field(
        default_factory=list, max_length=40
    )


class SubmittedRow(_Arguments):
    """One row of the dated table: what was said at a time, or that nothing was found there."""

    when: str
    stance: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] | None = None
    citations: list[str] = Field(default_factory=list, max_length=50)
    nothing_found: bool = False

    @field_validator("when")
    @classmethod
    def _known_form(cls, value: str) -> str:
        return check_when(value)

    @field_validator("stance", mode="before")
    @classmethod
    def _empty_is_absent(cls, value: Any) -> Any:
        """Models send an empty text for what they do not give."""
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("stance")
    @classmethod
    def _not_blank(cls, value: str | None) -> str | None:
        return None if value is None else _plain(value)

    @model_validator(mode="after")
    def _one_or_the_other(self) -> SubmittedRow:
        if self.nothing_found and (self.stance is not None or self.citations):
            raise ValueError("nothing_found goes without stance and citations")
        if not self.nothing_found and self.stance is None:
            raise ValueError("give a stance with its citations, or nothing_found: true")
        return self


class TimelineArguments(_Arguments):
    """Arguments of `submit_timeline`."""

    rows: Annotated[list[SubmittedRow], Field(min_length=1, max_length=MAX_ROWS)]


A = TypeVar("A", bound=_Arguments)


def parse_arguments(kind: type[A], call: ToolCall) -> A:
    """Check a call's raw JSON; raise BadCallError with a sentence the model can act on."""
    text = call.arguments.strip() or "{}"
    try:
        value = loads(text)
    except (ValueError, RecursionError) as error:
        raise BadCallError(
            f"The arguments of {call.name} are not valid JSON ({str(error)[:_FAULT_CHARS]}). Send one JSON object."
        ) from None
    if not isinstance(value, dict):
        raise BadCallError(f"The arguments of {call.name} must be one JSON object.")
    try:
        return kind.model_validate(_without_null(value))
    except ValidationError as error:
        found = "; ".join(
            f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg'].removeprefix('Value error, ')}"
            for item in error.errors()[:5]
        )
        found = found[:_FAULT_CHARS]
        raise BadCallError(f"The arguments of {call.name} do not fit ({found}). Correct them and call again.") from None


def error_result(text: str) -> str:
    """Render an error for the model."""
    return json.dumps({"error": text}, ensure_ascii=False)


def _without_null(value: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is null: models send it for what they do not give."""
    rows = value.get("rows")
    kept = {key: item for key, item in value.items() if item is not None}
    if isinstance(rows, list):
        kept["rows"] = [_without_null(row) if isinstance(row, dict) else row for row in rows]
    return kept
