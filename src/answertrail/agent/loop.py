"""The loop: search until ready, then one forced answer, checked before anyone sees it.

Whatever the model does, the run ends with a typed status and its evidence.
"""

from __future__ import annotations

import asyncio
import uuid

from answertrail.agent import events
from answertrail.agent.arguments import MAX_TEXT, SearchArguments
from answertrail.agent.ask import Ask, RunStore
from answertrail.agent.budget import EndedError
from answertrail.agent.closing import close
from answertrail.agent.conversation import SINGLE_RESULT_MARK
from answertrail.agent.dialogue import Dialogue
from answertrail.agent.evidence import Evidence
from answertrail.agent.exploring import Exploration
from answertrail.agent.over_time import asks_over_time
from answertrail.agent.provenance import code_ref
from answertrail.agent.searching import Searches
from answertrail.agent.two_step import CALLS, hand_in_table
from answertrail.errors import AnswerTrailError, InputError
from answertrail.records.run import Answer, Run

MAX_QUESTION = 4000
"""Characters. Longer than any question; a document belongs into the corpus."""


async def run_agent(ask: Ask, store: RunStore, emit: events.EventSink = events.ignore) -> Run:
    """Ask, and return the stored run.

    Raises InputError before anything is stored when the question is empty, a money cap meets an
    unknown price, or the recipe translates and no author model is there. A cancelled task is
    recorded as `cancelled`, then the cancellation goes on.
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
    if ask.recipe.search.translate and ask.corpus.author is None:
        raise InputError(
            "the recipe has queries translated, and there is no author model", hint="set ANSWERTRAIL_AUTHOR_MODEL"
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
            **({} if ask.corpus.author is None else {"author": ask.corpus.author}),
        },
        question_id=ask.question_id,
        repeat=ask.repeat,
        tier=ask.tier,
    )
    await store.start(evidence.record("interrupted"))
    await emit(events.RunStarted(evidence.run_id, ask.question, ask.recipe.name, ask.model.name))
    try:
        run = evidence.record("completed", answer=await _answer(Dialogue(ask, evidence, store, emit)))
    except EndedError as ended:
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


async def _answer(dialogue: Dialogue) -> Answer:
    """Search, then close; an answer to a question over time carries its coverage where the recipe says so."""
    ask, evidence, loop = dialogue.ask, dialogue.evidence, dialogue.recipe.loop
    searches = Searches(dialogue)
    if ask.corpus.pending:
        missing = f"{ask.corpus.pending} passages have no vector yet"
        await dialogue.guard("incomplete_corpus", f"{missing}, so searches may miss them; run ingest again")
    if loop.two_step or loop.ready_coverage:
        evidence.over_time = asks_over_time(ask.question)
    if loop.explore:
        dialogue.say(ask.question)
        closing_calls = CALLS if loop.two_step and evidence.over_time else 1
        await Exploration(dialogue, searches, closing_calls=closing_calls).run()
    else:
        result = await searches.search(SearchArguments(query=ask.question.strip()[:MAX_TEXT]))
        dialogue.say(f"{ask.question}\n\n{SINGLE_RESULT_MARK}\n{result}")
    if not evidence.searches:
        raise EndedError("failed", "never_searched", "the model never searched, so nothing it says could be checked")
    two_step = loop.two_step and bool(evidence.over_time)
    if not evidence.seen:
        await dialogue.guard("empty_evidence", "no search returned a passage; no model is asked to write about nothing")
        answer = Answer(outcome="cannot_answer", statements=[], not_found=[ask.question.strip()[:MAX_TEXT]])
    else:
        if two_step:
            await hand_in_table(dialogue, searches)
        answer = await close(dialogue)
        for contradiction in evidence.withdraw_rows(answer):
            await dialogue.guard("table_contradicted", contradiction)
    if two_step and (await searches.calendar()).dated:
        answer = evidence.covered(answer)
    return answer
