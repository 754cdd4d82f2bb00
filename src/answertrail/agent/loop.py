"""The loop: search until ready, then one forced answer, checked before anyone sees it.

The model holds no state: the loop keeps the whole conversation and hands it back every turn.
Whatever the model does, the run ends with a typed status and its evidence.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from answertrail.agent import events
from answertrail.agent.ask import Ask, RunStore
from answertrail.agent.citations import asked_for, check_answer
from answertrail.agent.conversation import SINGLE_RESULT_MARK, SearchOutcome, fitted, search_result
from answertrail.agent.evidence import Evidence, answer_of
from answertrail.agent.guards import refusal_to_finish
from answertrail.agent.provenance import code_ref
from answertrail.agent.tools import (
    MAX_TEXT,
    READY,
    SEARCH,
    SUBMIT,
    SUBMIT_TOOL,
    BadCallError,
    ReadyArguments,
    SearchArguments,
    SubmitArguments,
    error_result,
    exploration_tools,
    parse_arguments,
)
from answertrail.errors import AnswerTrailError, InputError
from answertrail.models.chat.base import (
    AssistantMessage,
    ChatReply,
    ChatRequest,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from answertrail.models.embedding.base import EmbeddingSpend
from answertrail.records.run import Answer, Run, Status
from answertrail.search.hits import Filter

N = TypeVar("N", int, float)
MAX_QUESTION = 4000
"""Characters. Longer than any question; a document belongs into the corpus."""
MAX_CALLS_A_TURN = 20
"""A turn with more calls has not read what the first of them returned."""


class _EndedError(Exception):
    """The run ends here with this status; never leaves this module."""

    def __init__(self, status: Status, kind: str, message: str) -> None:
        super().__init__(message)
        self.status: Status = status
        self.error: dict[str, Any] = {"kind": kind, "message": message}


async def run_agent(ask: Ask, store: RunStore, emit: events.EventSink = events.ignore) -> Run:
    """Ask, and return the stored run.

    Raises InputError before anything is stored when the question is empty or a money cap meets
    an unknown price. A cancelled task is recorded as `cancelled`, then the cancellation goes on.
    """
    if not ask.question.strip():
        raise InputError("the question is empty")
    if len(ask.question) > MAX_QUESTION:
        raise InputError(f"the question is {len(ask.question):,} characters long; at most {MAX_QUESTION:,} are taken")
    if ask.limits.max_cost_usd is not None and not (ask.model.price_known or ask.limits.allow_unknown_price):
        raise InputError(
            f"the price of {ask.model.name} is not known, so a cost cap cannot be kept",
            hint="drop the cap, name the price, or allow an unknown price",
        )
    await asyncio.to_thread(code_ref)  # asks git once; not while others wait
    evidence = Evidence(
        run_id=str(uuid.uuid4()),
        question=ask.question,
        recipe=ask.recipe,
        corpus=ask.corpus.ref,
        models={
            "agent": ask.model.name,
            "family": ask.model.family,
            "embedder": ask.corpus.embedder_key,
        },
        question_id=ask.question_id,
        repeat=ask.repeat,
        tier=ask.tier,
    )
    await store.start(evidence.record("interrupted"))
    await emit(events.RunStarted(evidence.run_id, ask.question, ask.recipe.name, ask.model.name))
    work = _Work(ask, evidence, store, emit)
    try:
        run = evidence.record("completed", answer=await work.answer())
    except _EndedError as ended:
        run = evidence.record(ended.status, error=ended.error)
    except AnswerTrailError as error:
        run = evidence.record("failed", error=error.as_dict())
    except asyncio.CancelledError:
        run = evidence.record("cancelled", error={"kind": "cancelled", "message": "stopped by the user"})
        await asyncio.shield(store.finish(run))
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        await store.finish(evidence.record("failed", error={"kind": "bug", "message": message}))
        raise
    await store.finish(run)
    await _tell(run, emit)
    return run


async def _tell(run: Run, emit: events.EventSink) -> None:
    """Release the statements of a finished run, then its end."""
    for s in (run.answer.statements or []) if run.answer else []:
        await emit(events.StatementReleased(s.text, s.kind or "claim", tuple(s.citations), s.support or "UNSCORED"))
    outcome = run.answer.outcome if run.answer else None
    await emit(events.RunFinished(run.run_id, run.status, outcome, run.cost_usd, run.elapsed_ms or 0.0))


class _Work:
    """One run's two phases. Holds the conversation; the evidence holds everything else."""

    def __init__(self, ask: Ask, evidence: Evidence, store: RunStore, emit: events.EventSink) -> None:
        self.ask = ask
        self.recipe = ask.recipe
        self.evidence = evidence
        self.store = store
        self.emit = emit
        self.messages: list[Message] = [SystemMessage(ask.recipe.prompt_text)]

    async def answer(self) -> Answer:
        if self.ask.corpus.pending:
            missing = f"{self.ask.corpus.pending} passages have no vector yet"
            await self._guard("incomplete_corpus", f"{missing}, so searches may miss them; run ingest again")
        if self.recipe.loop.explore:
            self.messages.append(UserMessage(self.ask.question))
            await self._explore()
        else:
            outcome = await self._search(SearchArguments(query=self.ask.question.strip()[:MAX_TEXT]))
            text = search_result(outcome, with_terms=self.recipe.search.report_terms)
            self.messages.append(UserMessage(f"{self.ask.question}\n\n{SINGLE_RESULT_MARK}\n{text}"))
        if not self.evidence.searches:
            raise _EndedError(
                "failed",
                "never_searched",
                "the model never searched, so nothing it says could be checked",
            )
        if not self.evidence.seen:
            await self._guard(
                "empty_evidence",
                "no search returned a passage; no model is asked to write about nothing",
            )
            return Answer(outcome="cannot_answer", statements=[], not_found=[self.ask.question.strip()[:MAX_TEXT]])
        return await self._close()

    async def _explore(self) -> None:
        loop = self.recipe.loop
        tools = exploration_tools(self.recipe.search)
        rejections = empty_turns = 0
        for _ in range(loop.max_steps):
            if self._closing_reserve_reached():
                await self._guard("budget_reserve", "what is left of the budget is kept for the answer")
                break
            reply = await self._call("explore", ChatRequest(self._fitted(), tools, "required"))
            if not reply.calls:
                empty_turns += 1
                if empty_turns > loop.max_nudges:
                    await self._guard("empty_turns", "the model called no tool again; exploration ends")
                    return
                await self._guard("nudge", "a turn without a tool call is never an answer")
                self.messages.append(
                    UserMessage(f"Nothing was done: text alone is not an answer. Call {SEARCH} or {READY}.")
                )
                continue
            empty_turns = 0
            ready = False
            for call in reply.calls:
                text, accepted, rejected = await self._run_call(call, reply.calls)
                self.messages.append(ToolMessage(call.id, call.name, text))
                ready |= accepted
                rejections += rejected
            if ready:
                return
            if rejections >= loop.max_ready_rejections:
                await self._guard("ready_forced", f"mark_ready was refused {rejections} times; exploration ends")
                return
        else:
            self.evidence.budget_exhausted = True
            await self._guard("step_budget", f"{loop.max_steps} exploration turns are used up")
        self.messages.append(UserMessage(self._summary()))

    async def _run_call(self, call: ToolCall, turn: Sequence[ToolCall]) -> tuple[str, bool, int]:
        """Return (text for the model, ready accepted, refusals of mark_ready)."""
        try:
            if turn.index(call) >= MAX_CALLS_A_TURN:
                raise BadCallError(f"Only the first {MAX_CALLS_A_TURN} calls of a turn are run; call again next turn.")
            if call.name == SEARCH:
                outcome = await self._search(self._search_arguments(call))
                return search_result(outcome, with_terms=self.recipe.search.report_terms), False, 0
            if call.name == READY:
                parse_arguments(ReadyArguments, call)
                reason = refusal_to_finish(self.evidence.searched, self.recipe.loop.min_distinct_searches)
                if any(other.name == SEARCH for other in turn):
                    reason = "Not yet: first read what the searches of this turn returned."
                if reason is None:
                    return '{"ready": true}', True, 0
                await self._guard("ready_refused", reason)
                return error_result(reason), False, 1
            offered = f"{SEARCH} and {READY}"
            if call.name == SUBMIT:
                raise BadCallError(f"{SUBMIT} is not offered yet. First {offered}.")
            raise BadCallError(f"There is no tool {call.name[:60]!r}. The tools are {offered}.")
        except BadCallError as error:
            await self._guard("bad_call", str(error))
            return error_result(str(error)), False, 0

    def _search_arguments(self, call: ToolCall) -> SearchArguments:
        arguments = parse_arguments(SearchArguments, call)
        if (arguments.from_ or arguments.to) and not self.recipe.search.date_filter:
            raise BadCallError("This search takes no dates. Call it with a query alone.")
        start, end = arguments.bounds()
        if start and end and start >= end:
            raise BadCallError("from must be before to.")
        return arguments

    async def _search(self, arguments: SearchArguments) -> SearchOutcome:
        settings, seen = self.recipe.search, self.evidence.seen
        start, end = arguments.bounds()
        began, paid = time.monotonic(), self.ask.corpus.spend()
        within = Filter(start=start, end=end, exclude=seen if settings.hold_back_seen else frozenset())
        k = arguments.k or settings.k
        result = await self.ask.corpus.search(arguments.query, mode=settings.mode, k=k, within=within)
        new = tuple(hit.chunk_id for hit in result.hits if hit.chunk_id not in seen)
        self._enter_embedding(paid, self.ask.corpus.spend())
        outcome = SearchOutcome(f"s{len(self.evidence.searches) + 1}", result, new)
        elapsed = round((time.monotonic() - began) * 1000, 3)
        self.evidence.add_search(self.evidence.turns, outcome, (arguments.from_, arguments.to), elapsed)
        await self.emit(
            events.SearchFinished(
                outcome.search_id,
                result.query,
                result.mode,
                len(result.hits),
                len(new),
                result.held_back,
                elapsed,
                arguments.from_,
                arguments.to,
            )
        )
        return outcome

    def _enter_embedding(self, before: EmbeddingSpend | None, after: EmbeddingSpend | None) -> None:
        """Enter what a hosted embedder took for the query; one that runs here takes nothing."""
        if before is None or after is None or after.requests == before.requests:
            return
        self.evidence.ledger.add(
            turn=self.evidence.turns,
            phase="embed",
            model=self.ask.corpus.embedder_key,
            input_tokens=_difference(after.input_tokens, before.input_tokens),
            cost_usd=_difference(after.cost_usd, before.cost_usd),
        )

    async def _close(self) -> Answer:
        attempts = self.recipe.loop.max_submit_attempts
        for attempt in range(1, attempts + 1):
            reply = await self._call("submit", ChatRequest(self._fitted(), (SUBMIT_TOOL,), "required", forced=SUBMIT))
            submitted, reason = self._submission(reply)
            if submitted is None:
                self.evidence.add_unusable(attempt, reason)
                reasons: tuple[str, ...] = (reason,)
            else:
                cited = {c for s in submitted.statements for c in s.citations}
                report = check_answer(
                    submitted,
                    asked=asked_for(self.ask.question, self.evidence.searches),
                    chunks=await self.ask.corpus.cited(cited),
                    retrieved=self.evidence.seen,
                    settings=self.recipe.checks,
                    judge=self.ask.support,
                )
                self.evidence.add_attempt(attempt, report, submitted)
                if not report.rejections:
                    return answer_of(submitted, report)
                reasons = report.rejections
            await self.emit(events.AnswerRejected(attempt, reasons))
            self._reply_to_rejection(reply, reasons)
        raise _EndedError(
            "failed",
            "no_valid_answer",
            f"no answer passed the checks in {attempts} attempts: {'; '.join(reasons)}",
        )

    def _submission(self, reply: ChatReply) -> tuple[SubmitArguments | None, str]:
        call = next((c for c in reply.calls if c.name == SUBMIT), None)
        if call is None:
            return None, f"The answer must come as a call of {SUBMIT}; text alone is not an answer."
        try:
            return parse_arguments(SubmitArguments, call), ""
        except BadCallError as error:
            return None, str(error)

    def _reply_to_rejection(self, reply: ChatReply, reasons: tuple[str, ...]) -> None:
        text = error_result("Not accepted. " + "; ".join(reasons) + f". Correct this and call {SUBMIT} again.")
        for call in reply.calls:
            self.messages.append(ToolMessage(call.id, call.name, text))
        if not reply.calls:
            self.messages.append(UserMessage(text))

    async def _call(self, phase: str, request: ChatRequest) -> ChatReply:
        self._check_caps(phase)
        self.evidence.turns += 1
        place = self.evidence.ledger.open(turn=self.evidence.turns, phase=phase, model=self.ask.model.name)
        await self.store.progress(self.evidence.record("interrupted"))
        await self.emit(events.TurnStarted(self.evidence.turns, phase))
        settings = self.recipe.model
        reply = await self.ask.model.complete(
            replace(request, max_tokens=settings.max_tokens, temperature=settings.temperature, effort=settings.effort)
        )
        self.evidence.ledger.close(place, reply)
        self.messages.append(AssistantMessage(reply.text, reply.calls, reply.carry))
        return reply

    def _check_caps(self, phase: str) -> None:
        """End the run when another call may pass a cap; what cannot be added up passes none."""
        limits, ledger = self.ask.limits, self.evidence.ledger
        cap = limits.max_cost_usd
        if cap is not None and ledger.cost_usd is None and not limits.allow_unknown_price:
            raise _EndedError(
                "over_budget", "cost_unknown", "the cost of a call is not known, so the cap cannot be kept"
            )
        if cap is not None and ledger.known_usd + ledger.dearest_usd > cap:
            spent = f"{ledger.known_usd:.4f} USD spent"
            raise _EndedError("over_budget", "cost_cap", f"{spent}; another {phase} call may pass the cap of {cap:g}")
        if limits.max_tokens is not None and ledger.tokens >= limits.max_tokens:
            raise _EndedError("over_budget", "token_cap", f"{ledger.tokens} tokens used of {limits.max_tokens}")

    def _closing_reserve_reached(self) -> bool:
        """Whether another exploration turn would eat what the closing turn needs."""
        limits, ledger = self.ask.limits, self.evidence.ledger
        cap = limits.max_cost_usd
        money = cap is not None and ledger.known_usd + 2 * ledger.dearest_usd > cap
        per_turn = ledger.tokens / max(self.evidence.turns, 1)
        tokens = limits.max_tokens is not None and ledger.tokens + 2 * per_turn > limits.max_tokens
        return bool(self.evidence.searches) and (money or tokens)

    def _fitted(self) -> list[Message]:
        return fitted(self.messages, self.recipe.loop.context_chars)

    def _summary(self) -> str:
        searches = self.evidence.searches
        empty = [s.query for s in searches if not s.returned and not s.held_back]
        parts = [f"The search budget is used up: {len(searches)} searches, {len(self.evidence.seen)} passages."]
        if empty:
            parts.append("Searches that found nothing: " + "; ".join(empty[:10]) + ".")
        return " ".join(
            [
                *parts,
                f"Now answer from what was found, or say that it cannot be answered, by {SUBMIT}.",
            ]
        )

    async def _guard(self, guard: str, detail: str) -> None:
        self.evidence.add_guard(guard, detail)
        await self.emit(events.GuardActed(guard, detail))


def _difference(after: N | None, before: N | None) -> N | None:
    return None if after is None or before is None else after - before
