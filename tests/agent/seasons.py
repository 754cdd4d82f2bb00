"""A corpus that speaks of one thing over two years, quarter by quarter, and recipes with single switches."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from answertrail.agent.recipe import Recipe, load
from answertrail.models.chat.base import ToolCall, ToolMessage
from answertrail.models.chat.scripted import ScriptedModel
from tests.agent.world import call, open_corpus

QUESTION = "How did the view of electric kilns change over time?"
FIRST, DOUBT, QUIET, TURN, LAST = "a1:00000", "b1:00030", "c1:00000", "d1:00000", "e1:00000"
LOST = "undated:00000"

TEXTS = {
    FIRST: "An electric kiln is a toaster, I will never own an electric kiln in my life.",
    "a1:00030": "The wood for the old oven is stacked behind the shed.",
    "a1:00060": "Ash falls on the shoulders of the pots and melts there.",
    "b1:00000": "Somebody lent me a machine for the winter.",
    DOUBT: "I tried an electric kiln and the electric kiln was not as bad as I said.",
    "b1:00060": "The bill was higher than for the wood, though.",
    QUIET: "This month we only talk about clay bodies and grog.",
    TURN: "We bought an electric kiln for the classes, the electric kiln is easier for beginners.",
    LAST: "Everything we sell now comes out of the new machine, the old oven is for fun.",
    LOST: "A note on electric kiln elements that carries no date.",
}
DATES: dict[str, datetime | None] = {
    "a1": datetime(2023, 2, 10, tzinfo=UTC),
    "b1": datetime(2023, 5, 20, tzinfo=UTC),
    "c1": datetime(2023, 8, 1, tzinfo=UTC),
    "d1": datetime(2024, 2, 1, tzinfo=UTC),
    "e1": datetime(2024, 11, 30, 23, 59, tzinfo=UTC),
    "undated": None,
}


def seasons():
    return open_corpus(TEXTS, DATES)


def switched(name: str = "answertrail-2026", *, search: dict[str, Any] | None = None, **loop: Any) -> Recipe:
    """A recipe with these settings changed and nothing else."""
    recipe = load(name)
    return recipe.model_copy(
        update={
            "search": recipe.search.model_copy(update=search or {}),
            "loop": recipe.loop.model_copy(update=loop),
        }
    )


PAGING = {"hold_back_seen": True, "report_terms": True, "date_filter": True}
TIMELINE = switched(search={**PAGING, "timeline": True})
AROUND = switched(search={**PAGING, "read_around": True})
READY = switched(search={**PAGING, "timeline": True}, ready_coverage=True)
TWO_STEP = switched("default", search={"timeline": True, "read_around": True}, two_step=True, ready_coverage=False)


def timeline(query: str, **more: Any) -> ToolCall:
    return call("search_timeline", {"query": query, **more})


def around(chunk: Any, **more: Any) -> ToolCall:
    return call("read_around", {"id": chunk, **more})


def table(*rows: dict[str, Any]) -> ToolCall:
    return call("submit_timeline", {"rows": list(rows)})


def stance(when: str, text: str, *cited: str) -> dict[str, Any]:
    return {"when": when, "stance": text, "citations": list(cited)}


def nothing(when: str) -> dict[str, Any]:
    return {"when": when, "nothing_found": True}


def told(model: ScriptedModel, request: int) -> list[dict[str, Any]]:
    """The results that came just before a request, the latest turn's alone."""
    out: list[dict[str, Any]] = []
    for message in reversed(model.requests[request].messages):
        if not isinstance(message, ToolMessage):
            break
        out.insert(0, json.loads(message.text))
    return out
