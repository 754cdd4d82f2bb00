"""The calls that reach the corpus: each is run, recorded, told, and rendered for the model."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TypeVar

from answertrail.agent import events
from answertrail.agent.arguments import (
    ORDERS,
    AnySearchArguments,
    AroundArguments,
    BadCallError,
    SearchArguments,
    TimelineSearchArguments,
)
from answertrail.agent.coverage import AROUND_MODE, Calendar, calendar_of
from answertrail.agent.dialogue import Dialogue
from answertrail.agent.results import AroundOutcome, SearchOutcome, around_result, search_result
from answertrail.models.embedding.base import EmbeddingSpend
from answertrail.search.hits import Filter, Hit, SearchResult, hit_of
from answertrail.search.ranking import Mode
from answertrail.search.timeline import TimelineSettings, timeline_mode

N = TypeVar("N", int, float)
_BEYOND = 3
"""How many passages tell what lies outside dates that left nothing."""


class Searches:
    """The searches of one run. Each returns the text for the model."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._evidence = dialogue.evidence
        self._corpus = dialogue.ask.corpus
        self._settings = dialogue.recipe.search

    async def search(self, arguments: SearchArguments) -> str:
        """Search in the recipe's mode, or in the order asked for."""
        if arguments.order is not None and not getattr(self._settings, arguments.order):
            raise BadCallError("This search has no such order. Call it without.")
        return await self._search(arguments, ORDERS[arguments.order] if arguments.order else self._settings.mode)

    async def timeline(self, arguments: TimelineSearchArguments) -> str:
        """Search every period."""
        return await self._search(arguments, timeline_mode(TimelineSettings(by=arguments.by)))

    async def around(self, arguments: AroundArguments) -> str:
        """Read the passages before and after one that this run was shown; raise BadCallError for another."""
        seen, began = self._evidence.seen, time.monotonic()
        if arguments.id not in seen:
            raise BadCallError(
                f"No passage with the id {arguments.id[:80]!r} was shown to you in this run. Take the id of a hit, "
                "as it is, from a result of a search."
            )
        found = await self._corpus.read_around(arguments.id, arguments.before, arguments.after)
        known: Collection[str] = seen if self._settings.hold_back_seen else ()
        hits = tuple(hit_of(row, 0.0) for row in found.rows if row.id not in known)
        new = tuple(hit.chunk_id for hit in hits if hit.chunk_id not in seen)
        held_back = sum(row.id != arguments.id and row.id in known for row in found.rows)
        search_id = self._evidence.next_search_id
        outcome = AroundOutcome(search_id, arguments.id, hits, new, found.earlier, found.later, held_back)
        elapsed = _milliseconds(began)
        self._evidence.add_around(outcome, elapsed)
        await self._dialogue.emit(
            events.SearchFinished(
                search_id, arguments.id, AROUND_MODE, len(hits), len(new), held_back, elapsed
            )
        )  # fmt: skip
        return around_result(outcome)

    async def calendar(self) -> Calendar:
        """Return the periods of the corpus, cut as a timeline search cuts them; looked up once."""
        if self._evidence.calendar is None:
            # Any query tells them. One the run made already is embedded, and costs nothing more.
            asked = self._evidence.searched
            query = asked[0].query if asked else self._dialogue.ask.question
            paid = self._corpus.spend()
            result = await self._corpus.search(query, mode="timeline", k=1, within=Filter())
            self._enter_embedding(paid)
            self._enter_translation(result)
            self._evidence.calendar = calendar_of(result.coverage)
        return self._evidence.calendar

    async def _search(self, arguments: AnySearchArguments, mode: str | Mode) -> str:
        self._check(arguments)
        seen, began, paid = self._evidence.seen, time.monotonic(), self._corpus.spend()
        start, end = arguments.bounds()
        exclude = seen if self._settings.hold_back_seen else frozenset()
        k = arguments.k or self._settings.k
        result = await self._corpus.search(
            arguments.query,
            mode=mode,
            k=k,
            within=Filter(start=start, end=end, exclude=exclude),
            reworded=arguments.also,
            like=arguments.like,
        )
        beyond: tuple[Hit, ...] = ()
        if not result.hits and (start or end):
            without = await self._corpus.search(arguments.query, mode=mode, k=_BEYOND, within=Filter(exclude=exclude))
            beyond = without.hits
            self._enter_translation(without)
        self._enter_embedding(paid)
        self._enter_translation(result)
        await self._pass_on(result.warnings)
        new = tuple(hit.chunk_id for hit in result.hits if hit.chunk_id not in seen)
        window = (arguments.from_, arguments.to)
        outcome = SearchOutcome(self._evidence.next_search_id, result, new, window, beyond)
        elapsed = _milliseconds(began)
        self._evidence.add_search(outcome, elapsed)
        await self._dialogue.emit(_told(outcome, result, elapsed))
        return search_result(outcome, with_terms=self._settings.report_terms)

    def _check(self, arguments: AnySearchArguments) -> None:
        """Refuse what the recipe does not offer, dates that hold nothing, and passages that were not shown."""
        if arguments.also and not self._settings.wordings:
            raise BadCallError("This search takes one query. Search for the other wordings by themselves.")
        if arguments.like and not self._settings.like:
            raise BadCallError("This search takes no passages. Call it with a query alone.")
        if strange := [name for name in arguments.like if name not in self._evidence.seen]:
            raise BadCallError(
                f"No passage with the id {strange[0][:80]!r} was shown to you in this run. Take the ids of hits, as "
                "they are, from results of your searches."
            )
        if (arguments.from_ or arguments.to) and not self._settings.date_filter:
            raise BadCallError("This search takes no dates. Call it with a query alone.")
        start, end = arguments.bounds()
        if start and end and start >= end:
            raise BadCallError("from must be before to.")

    async def _pass_on(self, warnings: Sequence[str]) -> None:
        """Keep what a search warned of, each sentence once a run."""
        told = {guard["detail"] for guard in self._evidence.guards if guard["guard"] == "search_warning"}
        for warning in warnings:
            if warning not in told:
                await self._dialogue.guard("search_warning", warning)

    def _enter_translation(self, result: SearchResult) -> None:
        """Enter each call of the author model; the cost of one that failed stays unknown."""
        ledger = self._evidence.ledger
        for reply in result.translated.calls if result.translated else ():
            place = ledger.open(turn=self._evidence.turns, phase="translate", model=self._corpus.author or "")
            if reply is not None:
                ledger.close(place, reply)

    def _enter_embedding(self, before: EmbeddingSpend | None) -> None:
        """Enter what a hosted embedder took for the query; one that runs here takes nothing."""
        after = self._corpus.spend()
        if before is None or after is None or after.requests == before.requests:
            return
        self._evidence.ledger.add(
            turn=self._evidence.turns,
            phase="embed",
            model=self._corpus.embedder_key,
            input_tokens=_difference(after.input_tokens, before.input_tokens),
            cost_usd=_difference(after.cost_usd, before.cost_usd),
        )


def _told(outcome: SearchOutcome, result: SearchResult, elapsed_ms: float) -> events.SearchFinished:
    start, end = outcome.window
    counts = (len(result.hits), len(outcome.new), result.held_back)
    return events.SearchFinished(outcome.search_id, result.query, result.mode, *counts, elapsed_ms, start, end)


def _milliseconds(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 3)


def _difference(after: N | None, before: N | None) -> N | None:
    return None if after is None or before is None else after - before
