"""The three tools the model is offered, and the strict reading of its arguments.

Whatever is wrong with a call becomes a sentence for the model that says what to do next.
"""

from __future__ import annotations

import json
import unicodedata
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from answertrail.agent.recipe import SearchSettings
from answertrail.models.chat.base import ToolCall, ToolSpec
from answertrail.records.base import instant
from answertrail.records.jsonl import loads

SEARCH, READY, SUBMIT = "search_transcripts", "mark_ready", "submit_answer"
MAX_K = 20
MAX_TEXT = 1000
"""Characters of a query and of one part that was not found."""
_FAULT_CHARS = 600


class BadCallError(Exception):
    """A call the tool cannot run; the text goes to the model."""


class _Arguments(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)


class SearchArguments(_Arguments):
    """Arguments of `search_transcripts`."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
    k: Annotated[int, Field(ge=1, le=MAX_K)] | None = None
    from_: str | None = Field(default=None, alias="from")
    to: str | None = None

    @field_validator("query")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the query is empty")
        return value.strip()

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


class ReadyArguments(_Arguments):
    """`mark_ready` takes nothing; models that cannot send nothing send an empty object."""


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


def exploration_tools(settings: SearchSettings) -> tuple[ToolSpec, ...]:
    """Return the tools offered while exploring; every argument offered reaches the index."""
    properties: dict[str, Any] = {
        "query": {"type": "string", "maxLength": 300, "description": "What to look for, in the corpus's own words."},
        "k": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_K,
            "description": f"How many passages (default {settings.k}).",
        },
    }
    if settings.date_filter:
        form = "YYYY-MM-DD; passages of documents without a date are then left out"
        properties["from"] = {
            "type": "string",
            "description": f"Only documents published on or after this day, {form}.",
        }
        properties["to"] = {
            "type": "string",
            "description": f"Only documents published before this day, {form}.",
        }
    return (
        ToolSpec(
            SEARCH,
            "Search the corpus. Returns passages with their ids, dates and text, best first."
            + (
                " Passages you were already shown are left out, so repeating a query pages on."
                if settings.hold_back_seen
                else ""
            ),
            {
                "type": "object",
                "properties": properties,
                "required": ["query"],
                "additionalProperties": False,
            },
        ),
        ToolSpec(
            READY,
            "Say that you have searched enough and are ready to answer.",
            {"type": "object", "properties": {}, "additionalProperties": False},
        ),
    )


_STATEMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 1000, "description": "One statement, without ids or links."},
        "kind": {"type": "string", "enum": ["claim", "framing"]},
        "citations": {
            "type": "array",
            "items": {"type": "string", "maxLength": 300},
            "description": "Ids of passages returned by your searches.",
        },
    },
    "required": ["text", "kind", "citations"],
    "additionalProperties": False,
}

SUBMIT_TOOL = ToolSpec(
    SUBMIT,
    "Deliver the final answer. Every claim cites the ids of the passages that state it.",
    {
        "type": "object",
        "properties": {
            "outcome": {"type": "string", "enum": ["answered", "partly_answered", "cannot_answer"]},
            "statements": {"type": "array", "items": _STATEMENT},
            "not_found": {
                "type": "array",
                "items": {"type": "string", "maxLength": 300},
                "description": "Parts of the question the corpus does not answer.",
            },
        },
        "required": ["outcome", "statements", "not_found"],
        "additionalProperties": False,
    },
)


def offered_tools(settings: SearchSettings) -> list[dict[str, Any]]:
    """Return every tool of a recipe as plain values: what the model reads is part of the recipe."""
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in (*exploration_tools(settings), SUBMIT_TOOL)
    ]


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
        return kind.model_validate({k: v for k, v in value.items() if v is not None})
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
