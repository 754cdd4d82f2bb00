"""Exploration: turns in which the model searches, until it is ready or a guard ends it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from answertrail.agent.arguments import (
    AroundArguments,
    BadCallError,
    ReadyArguments,
    SearchArguments,
    TimelineSearchArguments,
    error_result,
    parse_arguments,
)
from answertrail.agent.coverage import AROUND_MODE
from answertrail.agent.dialogue import Dialogue
from answertrail.agent.guards import periods_to_look_at, refusal_to_finish
from answertrail.agent.searching import Searches
from answertrail.agent.tools import AROUND, READY, SEARCH, SUBMIT, TABLE, TIMELINE, exploration_tools
from answertrail.models.chat.base import ToolCall

MAX_CALLS_A_TURN = 20
"""A turn with more calls has not read what the first of them returned."""
_READING = {SEARCH, TIMELINE, AROUND}


@dataclass(frozen=True, slots=True)
class _Result:
    """What a call gives: the text for the model, and of `mark_ready` whether it passed or was refused."""

    text: str
    ready: bool = False
    refused: bool = False


class Exploration:
    """The exploration of one run."""

    def __init__(self, dialogue: Dialogue, searches: Searches, *, closing_calls: int) -> None:
        """`closing_calls` is how many calls must stay affordable after the last turn."""
        self._dialogue = dialogue
        self._searches = searches
        self._evidence = dialogue.evidence
        self._loop = dialogue.recipe.loop
        self._tools = exploration_tools(dialogue.recipe)
        self._names = [tool.name for tool in self._tools]
        self._closing_calls = closing_calls
        self._turns_left = self._loop.max_steps
        self._hinted_in: int | None = None

    async def run(self) -> None:
        """Explore until `mark_ready` passes, or nothing is left of turns, budget or patience."""
        dialogue, loop = self._dialogue, self._loop
        refusals = empty_turns = 0
        while self._turns_left:
            if self._evidence.searches and not dialogue.enough_left(1 + self._closing_calls):
                await dialogue.guard("budget_reserve", "what is left of the budget is kept for the answer")
                break
            self._turns_left -= 1
            reply = await dialogue.call("explore", self._tools)
            if not reply.calls:
                empty_turns += 1
                if empty_turns > loop.max_nudges:
                    await dialogue.guard("empty_turns", "the model called no tool again; exploration ends")
                    return
                await dialogue.guard("nudge", "a turn without a tool call is never an answer")
                dialogue.say(f"Nothing was done: text alone is not an answer. Call {self._any_tool()}.")
                continue
            empty_turns = 0
            results = [await self._run(place, reply.calls) for place in range(len(reply.calls))]
            if any(result.ready for result in results):
                return
            refusals += sum(result.refused for result in results)
            if refusals >= loop.max_ready_rejections:
                await dialogue.guard("ready_forced", f"mark_ready was refused {refusals} times; exploration ends")
                return
        else:
            self._evidence.budget_exhausted = True
            await dialogue.guard("step_budget", f"{loop.max_steps} exploration turns are used up")
        dialogue.say(self._summary())

    async def _run(self, place: int, turn: Sequence[ToolCall]) -> _Result:
        """Run the call at this place of a turn and answer it; two may be alike, so its place says how many came."""
        call = turn[place]
        try:
            if place >= MAX_CALLS_A_TURN:
                raise BadCallError(f"Only the first {MAX_CALLS_A_TURN} calls of a turn are run; call again next turn.")
            result = await self._named(call, turn)
        except BadCallError as error:
            await self._dialogue.guard("bad_call", str(error))
            result = _Result(error_result(str(error)))
        self._dialogue.answer_call(call, result.text)
        return result

    async def _named(self, call: ToolCall, turn: Sequence[ToolCall]) -> _Result:
        if call.name not in self._names:
            if call.name in {SUBMIT, TABLE}:
                raise BadCallError(f"{call.name} is not offered yet. First {self._any_tool('and')}.")
            raise BadCallError(f"There is no tool {call.name[:60]!r}. The tools are {self._any_tool('and')}.")
        if call.name == READY:
            return await self._ready(parse_arguments(ReadyArguments, call), turn)
        if call.name == AROUND:
            return _Result(await self._searches.around(parse_arguments(AroundArguments, call)))
        if call.name == TIMELINE:
            return _Result(await self._searches.timeline(parse_arguments(TimelineSearchArguments, call)))
        return _Result(await self._searches.search(parse_arguments(SearchArguments, call)))

    async def _ready(self, arguments: ReadyArguments, turn: Sequence[ToolCall]) -> _Result:
        evidence = self._evidence
        if arguments.over_time is not None:
            if evidence.over_time is None:
                raise BadCallError(f"{READY} takes no arguments here. Call it without.")
            evidence.over_time = arguments.over_time
        reason = refusal_to_finish(evidence.searched, self._loop.min_distinct_searches)
        if any(other.name in _READING for other in turn):
            reason = "Not yet: first read what the searches of this turn returned."
        if self._hinted_in == evidence.turns:
            reason = f"Not yet: first read what the other {READY} of this turn returned."
        if reason is not None:
            await self._dialogue.guard("ready_refused", reason)
            return _Result(error_result(reason), refused=True)
        if not self._loop.ready_coverage:
            return _Result(json.dumps({"ready": True}), ready=True)
        return await self._ready_with_coverage()

    async def _ready_with_coverage(self) -> _Result:
        """Say what was shown of each period; on a question over time hand it back once when some never was."""
        calendar, evidence = await self._searches.calendar(), self._evidence
        looks = evidence.looks()
        coverage = calendar.looks_as_json(looks)
        hint = periods_to_look_at(looks) if evidence.over_time else None
        if hint and self._hinted_in is None and self._turns_left:
            self._hinted_in = evidence.turns
            await self._dialogue.guard("ready_hint", hint)
            advice = f"{hint} Search there, or call {READY} again if nothing can be there; this is said only once."
            return _Result(json.dumps({"ready": False, "hint": advice, "coverage": coverage}, ensure_ascii=False))
        return _Result(json.dumps({"ready": True, "coverage": coverage}, ensure_ascii=False), ready=True)

    def _any_tool(self, word: str = "or") -> str:
        *first, last = self._names
        return f"{', '.join(first)} {word} {last}"

    def _summary(self) -> str:
        searches = self._evidence.searches
        empty = [s.query for s in searches if not s.returned and not s.held_back and s.mode != AROUND_MODE]
        parts = [f"The search budget is used up: {len(searches)} searches, {len(self._evidence.seen)} passages."]
        if empty:
            parts.append("Searches that found nothing: " + "; ".join(empty[:10]) + ".")
        closing = f"Now answer from what was found, or say that it cannot be answered, by {SUBMIT}."
        return " ".join([*parts, closing])
