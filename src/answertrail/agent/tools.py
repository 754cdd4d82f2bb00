"""The tools a model is offered, as their schemas; every argument offered reaches the index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answertrail.agent.arguments import MAX_ALSO, MAX_AROUND, MAX_K, MAX_LIKE, MAX_ROWS
from answertrail.agent.recipe import LoopSettings, Recipe, SearchSettings
from answertrail.agent.when import FORMS
from answertrail.models.chat.base import ToolSpec
from answertrail.search.periods import GRAINS

SEARCH, READY, SUBMIT = "search_transcripts", "mark_ready", "submit_answer"
TIMELINE, AROUND, TABLE = "search_timeline", "read_around", "submit_timeline"


def exploration_tools(recipe: Recipe) -> tuple[ToolSpec, ...]:
    """Return the tools offered while exploring."""
    search, loop = recipe.search, recipe.loop
    offered = [_search_tool(search)]
    if search.timeline:
        offered.append(_timeline_tool(search))
    if search.read_around:
        offered.append(_around_tool(search))
    return (*offered, _ready_tool(loop))


def offered_tools(recipe: Recipe) -> list[dict[str, Any]]:
    """Return every tool of a recipe as plain values: what the model reads is part of the recipe."""
    closing = (TABLE_TOOL, SUBMIT_TOOL) if recipe.loop.two_step else (SUBMIT_TOOL,)
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in (*exploration_tools(recipe), *closing)
    ]


def _search_tool(settings: SearchSettings) -> ToolSpec:
    paging = " Passages you were already shown are left out, so repeating a query pages on."
    return ToolSpec(
        SEARCH,
        "Search the corpus. Returns passages with their ids, dates and text, best first."
        + (paging if settings.hold_back_seen else ""),
        _object(_query(settings) | _order(settings) | _dates(settings), ["query"]),
    )


def _timeline_tool(settings: SearchSettings) -> ToolSpec:
    paging = " Passages you were already shown are left out, so repeating a query pages on to the next of each period."
    by = {
        "type": "string",
        "enum": list(GRAINS),
        "description": "How time is cut; without it by what gives about 8 to 16 periods.",
    }
    return ToolSpec(
        TIMELINE,
        "Search every period of the corpus for the same thing: the best passage of each, then the second of each, "
        "in date order, and for every period whether anything was found. For how something changed over time, and "
        "for when it was first or last said." + (paging if settings.hold_back_seen else ""),
        _object(_query(settings) | {"by": by} | _dates(settings), ["query"]),
    )


def _around_tool(settings: SearchSettings) -> ToolSpec:
    def count(side: str) -> dict[str, Any]:
        description = f"How many passages {side} it (default 1)."
        return {"type": "integer", "minimum": 0, "maximum": MAX_AROUND, "description": description}

    return ToolSpec(
        AROUND,
        "Read on around a passage you were shown: the passages before and after it in the same document, which may "
        "be cited too. For a thought cut off at a passage's edge."
        + (" Those you were already shown are left out." if settings.hold_back_seen else ""),
        _object(
            {
                "id": {"type": "string", "maxLength": 300, "description": "Id of a passage you were shown."},
                "before": count("before"),
                "after": count("after"),
            },
            ["id"],
        ),
    )


def _ready_tool(settings: LoopSettings) -> ToolSpec:
    properties = {}
    if settings.ready_coverage or settings.two_step:
        described = "True when the question asks how something changed over time, false when it does not."
        properties["over_time"] = {"type": "boolean", "description": described}
    return ToolSpec(READY, "Say that you have searched enough and are ready to answer.", _object(properties))


def _query(settings: SearchSettings) -> dict[str, Any]:
    beside: dict[str, Any] = {}
    if settings.wordings:
        beside["also"] = {
            "type": "array",
            "maxItems": MAX_ALSO,
            "items": {"type": "string", "maxLength": 300},
            "description": "The same thing in other words, searched as one with the query: what is near all of them "
            "comes first.",
        }
    if settings.like:
        beside["like"] = {
            "type": "array",
            "maxItems": MAX_LIKE,
            "items": {"type": "string", "maxLength": 300},
            "description": "Ids of passages you were shown: what shares their rarest words is found too, such as "
            "later talk of the thing that leaves out its name.",
        }
    return {
        "query": {"type": "string", "maxLength": 300, "description": "What to look for, in the corpus's own words."},
        "k": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_K,
            "description": f"How many passages (default {settings.k}).",
        },
        **beside,
    }


def _order(settings: SearchSettings) -> dict[str, Any]:
    orders = {
        "spread": "`spread`: many documents, and nothing beside what you were shown; for how something changed.",
        "meaning": "`meaning`: by meaning alone, for what is said without the query's words.",
    }
    offered = [name for name in orders if getattr(settings, name)]
    if not offered:
        return {}
    told = "Another order than best first. " + " ".join(orders[name] for name in offered)
    return {"order": {"type": "string", "enum": offered, "description": told}}


def _dates(settings: SearchSettings) -> dict[str, Any]:
    if not settings.date_filter:
        return {}
    form = "YYYY-MM-DD; passages of documents without a date are then left out"
    return {
        "from": {"type": "string", "description": f"Only documents published on or after this day, {form}."},
        "to": {"type": "string", "description": f"Only documents published before this day, {form}."},
    }


def _object(properties: dict[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    named = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **named, "additionalProperties": False}


def _cited(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "maxLength": 300}, "description": description}


_STATEMENT = _object(
    {
        "text": {"type": "string", "maxLength": 1000, "description": "One statement, without ids or links."},
        "kind": {"type": "string", "enum": ["claim", "framing"]},
        "citations": _cited("Ids of passages returned by your searches."),
    },
    ["text", "kind", "citations"],
)

SUBMIT_TOOL = ToolSpec(
    SUBMIT,
    "Deliver the final answer. Every claim cites the ids of the passages that state it.",
    _object(
        {
            "outcome": {"type": "string", "enum": ["answered", "partly_answered", "cannot_answer"]},
            "statements": {"type": "array", "items": _STATEMENT},
            "not_found": {
                "type": "array",
                "items": {"type": "string", "maxLength": 300},
                "description": "Parts of the question the corpus does not answer.",
            },
        },
        ["outcome", "statements", "not_found"],
    ),
)

_ROW = _object(
    {
        "when": {"type": "string", "maxLength": 40, "description": f"When it was said: {FORMS}."},
        "stance": {"type": "string", "maxLength": 1000, "description": "What was said, without ids or links."},
        "citations": _cited("Ids of the passages that say it, all from that time."),
        "nothing_found": {
            "type": "boolean",
            "description": "True, instead of a stance, where you looked and nothing was said.",
        },
    },
    ["when"],
)

TABLE_TOOL = ToolSpec(
    TABLE,
    "Hand in the dated table the answer will be written from: one row for each thing said at a time, with the ids of "
    "the passages that say it, and one for each period in which you looked and found nothing.",
    _object({"rows": {"type": "array", "minItems": 1, "maxItems": MAX_ROWS, "items": _ROW}}, ["rows"]),
)
