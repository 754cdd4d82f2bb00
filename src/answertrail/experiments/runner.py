"""`eval run`: every question so many times, several at once, resumable, nothing asked twice.

The asker is given the question's text and the labels of its record, never the gold.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from answertrail.agent.events import Event, RunStarted
from answertrail.agent.sealed import seal
from answertrail.errors import AnswerTrailError
from answertrail.experiments import attempts
from answertrail.experiments.attempts import Spent
from answertrail.experiments.conditions import META
from answertrail.experiments.plan import Asker, Made, Plan, Watcher
from answertrail.experiments.resume import check_same_conditions
from answertrail.experiments.run_file import Kept, Key, RunFile
from answertrail.records import Question, Run

MAX_ACCIDENTS_IN_A_ROW = 5
NOTHING = Spent()


async def run_plan(plan: Plan, file: RunFile, asker: Asker, watcher: Watcher) -> Made:
    """Make the runs that are missing and write the file; return what it holds.

    Runs that ended by an accident are asked again, others only with `failed_again`. Raises
    InputError for a file it cannot take up, MismatchError for one made under other conditions.
    """
    with file.lock():
        kept = file.read()
        check_same_conditions(plan.conditions, plan.note, kept, [key for _, key in plan.keys], plan.allow_different)
        work = _Work(plan, file, asker, watcher, kept)
        await work.recall_dead()
        await work.run()
        runs = work.ordered()
        file.finish(runs)
    return Made(runs, len(plan.keys), work.kept, work.made, kept.repaired, work.spent, work.stopped)


@dataclass(slots=True)
class _Work:
    plan: Plan
    file: RunFile
    asker: Asker
    watcher: Watcher
    before: Kept
    history: dict[Key, list[Run]] = field(default_factory=dict)
    dead: dict[Key, list[dict[str, Any]]] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    dearest: Spent = field(default_factory=Spent)
    in_hand: int = 0
    made: int = 0
    kept: int = 0
    in_a_row: int = 0
    stopped: str | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def recall_dead(self) -> None:
        """Add up what was spent before, also by runs whose process died."""
        for key, runs in self.before.ended.items():
            self.history[key] = list(runs)
            for run in runs:
                self._pay(attempts.spent_with_earlier(run), attempts.spent_by(run))
        for run_id, key in self.before.begun.items():
            known = await self.asker.recall(run_id)
            row = attempts.attempt(known) if known else {"run_id": run_id, "cost_usd": None, "tokens": 0}
            self.dead.setdefault(key, []).append({**row, "status": "interrupted", "error": "interrupted"})
            self._pay(attempts.spent_by(known) if known else Spent(unknown=1))

    async def run(self) -> None:
        todo = [(question, key) for question, key in self.plan.keys if not self._done(key)]
        self.kept = len(self.plan.keys) - len(todo)
        self.watcher.begin(len(todo), self.kept)
        slots = asyncio.Semaphore(self.plan.concurrency)
        try:
            async with asyncio.TaskGroup() as group:
                for question, key in todo:
                    await slots.acquire()
                    if not await self._may_start():
                        break
                    self.in_hand += 1
                    group.create_task(self._one(question, key, slots))
        except ExceptionGroup as several:  # a disk that is full: the first says why
            raise several.exceptions[0] from None

    async def _one(self, question: Question, key: Key, slots: asyncio.Semaphore) -> None:
        try:
            run = await self._asked(question, key)
            run = seal(run.model_copy(update={"meta": {**(run.meta or {}), META: self.plan.note}}))
            self.file.end(run)
        finally:
            self.in_hand -= 1
            slots.release()
            self.changed.set()
        self.history.setdefault(key, []).append(run)
        self.made += 1
        self._pay(attempts.spent_by(run), attempts.spent_by(run))
        self.in_a_row = self.in_a_row + 1 if attempts.is_infrastructure(run) else 0
        if self.in_a_row >= MAX_ACCIDENTS_IN_A_ROW and self.stopped is None:
            said = (run.error or {}).get("message", run.status)
            self.stopped = f"{self.in_a_row} runs in a row ended by an accident, the last: {said}"
        self.watcher.ended(run, self.spent)

    async def _asked(self, question: Question, key: Key) -> Run:
        run_id: str | None = None

        async def note(event: Event) -> None:
            nonlocal run_id
            if isinstance(event, RunStarted):
                run_id = event.run_id
                self.file.start(run_id, key)

        try:
            return await self.asker.ask(
                question.question, question_id=key[0], repeat=key[1], tier=question.tier, emit=note
            )
        except AnswerTrailError as error:  # before anything was stored: the question cannot be asked
            return self._unasked(question, key, error.as_dict())
        except Exception as error:  # noqa: BLE001  # one broken run must not cost the others; it is on record as a bug
            stored = await self.asker.recall(run_id) if run_id else None
            return stored or self._unasked(
                question, key, {"kind": "bug", "message": f"{type(error).__name__}: {error}"}
            )

    def _unasked(self, question: Question, key: Key, error: dict[str, str]) -> Run:
        return Run.model_validate(
            {"schema": "run/1", "run_id": str(uuid.uuid4()), "question": question.question, "question_id": key[0],
             "repeat": key[1], "tier": question.tier, "status": "failed", "answer": None, "cost_usd": 0.0,
             "usage": [], "error": error, **self.plan.made_by}
        )  # fmt: skip

    async def _may_start(self) -> bool:
        """Wait until another run is known to fit under the caps; False when none will."""
        cost, tokens = self.plan.max_cost_usd, self.plan.max_tokens
        while self.stopped is None and (cost is not None or tokens is not None):
            over = _over(cost, self.spent.cost_usd, self.dearest.cost_usd, self.in_hand)
            over = over or _over(tokens, self.spent.tokens, self.dearest.tokens, self.in_hand)
            unpriced = self.dearest == NOTHING and self.in_hand > 0  # the first run tells what one takes
            if not over and not unpriced:
                break
            if self.in_hand == 0:
                taken = f"{self.spent.cost_usd:.4f} USD and {self.spent.tokens:,} tokens spent"
                self.stopped = f"{taken}; another run may pass the cap"
                break
            self.changed.clear()
            await self.changed.wait()
        return self.stopped is None

    def _done(self, key: Key) -> bool:
        if key not in self.history:
            return False
        last = self.history[key][-1]
        return not attempts.is_infrastructure(last) and not (self.plan.failed_again and last.status != "completed")

    def _pay(self, spent: Spent, one: Spent = NOTHING) -> None:
        self.spent = self.spent.plus(spent)
        self.dearest = Spent(max(self.dearest.cost_usd, one.cost_usd), max(self.dearest.tokens, one.tokens))

    def ordered(self) -> tuple[Run, ...]:
        """Return the last run of each question and repeat, with the attempts before it."""
        return tuple(
            _with_attempts(self.history[key], self.dead.get(key, ()))
            for _, key in self.plan.keys
            if key in self.history
        )


def _over(cap: float | None, spent: float, dearest: float, in_hand: int) -> bool:
    return cap is not None and (spent >= cap or spent + dearest * (in_hand + 1) > cap)


def _with_attempts(runs: Sequence[Run], dead: Sequence[Mapping[str, Any]]) -> Run:
    last = runs[-1]
    rows = [row for run in runs for row in attempts.earlier(run)]
    rows += [attempts.attempt(run) for run in runs[:-1]] + [dict(row) for row in dead]
    if not rows:
        return last
    once = list({row["run_id"]: row for row in rows}.values())
    meta = dict(last.meta or {})
    return seal(last.model_copy(update={"meta": {**meta, META: {**meta.get(META, {}), "attempts": once}}}))
