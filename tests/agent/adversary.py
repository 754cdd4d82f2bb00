"""A chat model that misbehaves in every way the loop has to survive, by a seed."""

from __future__ import annotations

import json
import random

from answertrail.errors import ServiceError
from answertrail.models.chat.base import ChatReply, ChatRequest, ToolCall, ToolMessage, Usage

FABRICATED = ["ep9:00000", "ep1:99990", "made-up", "1", "https://example.com/x", "ep1:00030 ", "", "x" * 5000]
QUERIES = ["kiln", "the kiln", "KILN the", "glaze", "cat", "barn roof leak", "", " ", "\x00", "窯", "x" * 3000]


class Adversary:
    """Each call picks one behaviour. `never_stops` seeds never call mark_ready."""

    name = "scripted:adversary"
    family = "scripted"
    price_known = True

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._never_stops = seed % 5 == 0
        self._answers_at_once = seed % 7 == 0
        self._calls = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self._calls += 1
        if self._random.random() < 0.01:
            raise ServiceError("the endpoint went away")
        offered = [t.name for t in request.tools]
        calls = tuple(self._one(request, offered, n) for n in range(self._random.choice([0, 1, 1, 1, 2, 4])))
        text = self._random.choice(["", "", "Let me think.", "The answer is [ep9:00000]."])
        return ChatReply(text, calls, Usage(input_tokens=10, output_tokens=5), 0.0, self.name)

    def _one(self, request: ChatRequest, offered: list[str], number: int) -> ToolCall:
        pick = self._random.random()
        name = f"c{self._calls}-{number}"
        if offered == ["submit_timeline"] and pick > 0.1:
            return ToolCall(name, "submit_timeline", self._table(request))
        if offered == ["submit_answer"] or (self._answers_at_once and pick < 0.5):
            return ToolCall(name, "submit_answer", self._answer(request))
        if pick < 0.1:
            return ToolCall(name, self._random.choice(["rm_rf", "submit_answer", "", "search"]), "{}")
        if pick < 0.2:
            return ToolCall(
                name, "search_transcripts", self._random.choice(["{", "null", "[]", '"x"', '{"query": 3}', "{'a':1}"])
            )
        if pick < 0.4 and not self._never_stops:
            sent = self._random.choice(["{}", "", '{"why": "done"}', "null", '{"over_time": true}', '{"over_time": 1}'])
            return ToolCall(name, "mark_ready", sent)
        if pick < 0.5 and "read_around" in offered:
            place = self._random.choice([*self._seen(request), *FABRICATED])
            return ToolCall(name, "read_around", json.dumps({"id": place, "before": self._random.choice([0, 1, 5, 9])}))
        arguments = {"query": self._random.choice(QUERIES), "k": self._random.choice([1, 2, 10, None, 0, 99])}
        if pick > 0.9:
            arguments |= {"from": self._random.choice(["2025-01-01", "2025-13-01", "soon"])}
        if "search_timeline" in offered and self._random.random() < 0.4:
            arguments |= {"by": self._random.choice(["month", "year", None, "aeon"])}
            return ToolCall(name, "search_timeline", json.dumps(arguments))
        return ToolCall(name, "search_transcripts", json.dumps(arguments))

    def _seen(self, request: ChatRequest) -> list[str]:
        return [
            hit["id"] for m in request.messages if isinstance(m, ToolMessage) and m.text.startswith('{"search_id"')
            for hit in json.loads(m.text)["hits"]
        ]  # fmt: skip

    def _table(self, request: ChatRequest) -> str:
        if self._random.random() < 0.15:
            return self._random.choice(["", "{", "null", '{"rows": []}', '{"rows": [{}]}', "[" * 5000])
        pool = [*self._seen(request), *self._random.sample(FABRICATED, 2)]
        rows = []
        for _ in range(self._random.choice([1, 1, 2, 3])):
            when = self._random.choice(
                ["2025-01", "2025", "2025-Q2", "2025-06-20", "undated", "2025-07", "soon", "2031"]
            )
            if self._random.random() < 0.4:
                rows.append({"when": when, "nothing_found": True})
            else:
                text = self._random.choice(["The kiln is in the barn.", "Stolen [ep9:00000].", "It cost 900."])
                rows.append({"when": when, "stance": text, "citations": [self._random.choice(pool)]})
        return json.dumps({"rows": rows})

    def _answer(self, request: ChatRequest) -> str:
        if self._random.random() < 0.15:
            return self._random.choice(["", "{", "null", '{"outcome": "maybe"}', '{"outcome": "answered"}', "[" * 5000])
        pool = [*self._seen(request), "ep4:00000", *self._random.sample(FABRICATED, 3)]
        statements = [
            {
                "text": self._random.choice(
                    ["The kiln is in the barn.", "Stolen [ep9:00000].", "See www.example.com", " ", "It cost 900."]
                ),
                "kind": self._random.choice(
                    ["claim", "claim", "framing", "fact"] if self._random.random() < 0.2 else ["claim", "framing"]
                ),
                "citations": [self._random.choice(pool) for _ in range(self._random.choice([0, 1, 1, 2]))],
            }
            for _ in range(self._random.choice([0, 1, 1, 2]))
        ]
        outcome = self._random.choice(["answered", "partly_answered", "cannot_answer"])
        return json.dumps(
            {"outcome": outcome, "statements": statements, "not_found": self._random.choice([[], ["the price"], [""]])}
        )
