"""`eval run`: one record a question and repeat, resumed under the same conditions only, never beyond its caps."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from answertrail.agent.events import EventSink, RunStarted
from answertrail.agent.recipe import load
from answertrail.errors import InputError, MismatchError
from answertrail.experiments.attempts import Spent, spent_with_earlier
from answertrail.experiments.conditions import planned
from answertrail.experiments.inputs import QuestionSet, read_runs
from answertrail.experiments.plan import Made, Plan
from answertrail.experiments.run_file import RunFile
from answertrail.experiments.runner import run_plan
from answertrail.records import Run
from answertrail.records.run import CodeRef
from tests.experiments.made import questions, run

GOLD = questions("a", "b", "c", note="gold text")
BASE = load("answertrail-2026")
LIKE_PLANNED = {"recipe": BASE.ref.as_json(), "models": {"agent": "reader", "embedder": "fast@1/64"}}
ENDS: dict[str, dict[str, Any]] = {
    "service": {"status": "failed", "error": {"kind": "service", "message": "down"}, "cost_usd": None},
    "bug": {"status": "failed", "error": {"kind": "bug", "message": "oops"}},
    "no answer": {"status": "failed", "error": {"kind": "no_valid_answer", "message": "none"}},
    "over budget": {"status": "over_budget", "error": {"kind": "token_cap", "message": "cap"}},
}


@dataclass
class Answers:
    """Ends each run as the script of its question says, in turn, and completed after that."""

    script: dict[str, list[str]] = field(default_factory=dict)
    cost: float = 0.0
    asked: list[tuple[str, int]] = field(default_factory=list)
    known: dict[str, Run] = field(default_factory=dict)
    in_hand: int = 0
    most: int = 0

    async def ask(self, question: str, *, question_id: str, repeat: int, tier: str, emit: EventSink) -> Run:
        self.asked.append((question_id, repeat))
        self.in_hand += 1
        self.most = max(self.most, self.in_hand)
        ends = self.script.get(question_id, [])
        made = run(
            question_id, repeat, question=question, tier=tier, **{
                **LIKE_PLANNED, "cost_usd": self.cost, "usage": [{"input_tokens": 7, "output_tokens": 3,
                "cost_usd": self.cost}], **(ENDS[ends.pop(0)] if ends else {})},
        )  # fmt: skip
        await emit(RunStarted(made.run_id, question, "answertrail-2026", "reader"))
        await asyncio.sleep(0.001)
        self.in_hand -= 1
        return made

    async def recall(self, run_id: str) -> Run | None:
        return self.known.get(run_id)


class Quiet:
    def begin(self, todo: int, done: int) -> None: ...

    def ended(self, run: Run, spent: Spent) -> None: ...


def plan(gold: QuestionSet = GOLD, **more: Any) -> Plan:
    code = CodeRef(version="0.1.0", git_sha="abc", dirty=False)
    conditions = planned(BASE, "reader", ("kiln", "sha256:cccc"), "fast@1/64", code, gold)
    return Plan(**{"questions": gold, "repeats": 2, "conditions": conditions, "concurrency": 1, **more})


def make(path: Path, asker: Answers, what: Plan | None = None) -> Made:
    return asyncio.run(run_plan(what or plan(), RunFile(path), asker, Quiet()))


def keys(path: Path) -> list[tuple[str | None, int | None]]:
    return [(row.question_id, row.repeat) for row in read_runs(path)]


IN_ORDER = [(name, repeat) for name in "abc" for repeat in (0, 1)]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_one_record_a_question_and_repeat_in_the_order_of_the_file(tmp_path: Path, concurrency: int) -> None:
    path, asker = tmp_path / "runs.jsonl", Answers()
    made = make(path, asker, plan(concurrency=concurrency))
    assert keys(path) == IN_ORDER
    assert sorted(asker.asked) == sorted(IN_ORDER)
    assert asker.most == concurrency
    assert made.complete
    assert made.valid
    assert not (tmp_path / "runs.jsonl.part").exists()
    assert read_runs(path)[0].meta["evaluation"]["questions_hash"] == GOLD.hash  # type: ignore[index]


def test_what_is_done_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    make(path, Answers())
    before, again = path.read_bytes(), Answers()
    made = make(path, again)
    assert (again.asked, made.kept, made.made) == ([], 6, 0)
    assert path.read_bytes() == before
    more = Answers()
    make(path, more, plan(repeats=3))
    assert more.asked == [("a", 2), ("b", 2), ("c", 2)]


def test_accidents_are_asked_again_and_results_are_not(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    made = make(path, Answers({"a": ["service"], "b": ["no answer"], "c": ["over budget"]}, cost=0.5))
    assert not made.valid  # 1 of 6 by an accident
    again = Answers(cost=0.5)
    made = make(path, again)
    assert again.asked == [("a", 0)]
    assert made.valid
    assert keys(path) == IN_ORDER
    assert Counter(row.status for row in read_runs(path)) == {"completed": 4, "failed": 1, "over_budget": 1}


def test_failed_ones_are_asked_again_when_told(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    make(path, Answers({"b": ["no answer"], "c": ["over budget"]}))
    again = Answers()
    make(path, again, plan(failed_again=True))
    assert again.asked == [("b", 0), ("c", 0)]
    assert {row.status for row in read_runs(path)} == {"completed"}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda p: replace(p, conditions=_with(p, recipe=load("hybrid"))), "recipe"),
        (lambda p: replace(p, conditions=_with(p, model="openai:x")), "model"),
        (lambda p: replace(p, conditions=_with(p, snapshot="sha256:dddd")), "corpus"),
        (lambda p: replace(p, conditions=_with(p, code=CodeRef(version="0.2.0"))), "code"),
        (lambda p: replace(p, registration="sha256:rrrr"), "registration"),
        (lambda p: replace(p, questions=questions("a", "b", "c", note="corrected")), "gold"),
        (lambda p: replace(p, repeats=1), "not asked for now"),
    ],
)
def test_a_file_of_other_conditions_is_not_added_to(tmp_path: Path, change: Callable[[Plan], Plan], what: str) -> None:
    path = tmp_path / "runs.jsonl"
    make(path, Answers())
    before = path.read_bytes()
    asker = Answers()
    with pytest.raises(MismatchError, match=what):
        make(path, asker, change(plan()))
    assert asker.asked == []
    assert path.read_bytes() == before
    assert not (tmp_path / "runs.jsonl.part").exists()


def _with(of: Plan, **more: Any) -> Any:
    code = more.get("code", CodeRef(version="0.1.0", git_sha="abc", dirty=False))
    corpus = ("kiln", more.get("snapshot", "sha256:cccc"))
    return planned(more.get("recipe", BASE), more.get("model", "reader"), corpus, "fast@1/64", code, of.questions)


def test_a_changed_program_may_be_allowed(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    make(path, Answers())
    changed = replace(
        plan(), conditions=_with(plan(), code=CodeRef(version="0.2.0")), allow_different=frozenset({"code"})
    )
    assert make(path, Answers(), changed).kept == 6


def test_a_torn_last_line_is_repaired_and_nothing_else_is_lost(tmp_path: Path) -> None:
    path, draft = tmp_path / "runs.jsonl", tmp_path / "runs.jsonl.part"
    make(path, Answers())
    whole = path.read_text().splitlines(keepends=True)
    path.unlink()
    draft.write_text("".join(whole[:4]) + whole[4][:200])
    asker = Answers()
    made = make(path, asker)
    assert made.repaired
    assert asker.asked == [("c", 0), ("c", 1)]
    assert path.read_text().splitlines(keepends=True)[:4] == whole[:4]


def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes.part"
    notes.write_text("my notes without an end")
    with pytest.raises(InputError, match="not one of"):
        make(tmp_path / "notes", Answers())
    assert notes.read_text() == "my notes without an end"
    other = tmp_path / "questions.jsonl"
    other.write_text('{"schema": "question/1"}\n')
    with pytest.raises(InputError):
        make(other, Answers())
    assert other.read_text() == '{"schema": "question/1"}\n'


def test_a_finish_that_was_killed_before_it_dropped_the_draft_asks_nothing_again(tmp_path: Path) -> None:
    path, draft = tmp_path / "runs.jsonl", tmp_path / "runs.jsonl.part"
    make(path, Answers({"a": ["service"]}))
    first = path.read_text()
    make(path, Answers())
    draft.write_text(
        first + json.dumps({"schema": "started/1", "run_id": "r0", "question_id": "a", "repeat": 0}) + "\n"
    )
    asker = Answers()
    draft_run = [row.run_id for row in read_runs(path)]
    make(path, asker)
    assert asker.asked == []
    assert [row.run_id for row in read_runs(path)] == draft_run


def test_a_cap_counts_what_earlier_invocations_spent(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    made = make(path, Answers(cost=1.0), plan(max_cost_usd=2.5))
    assert (len(made.runs), made.complete) == (2, False)  # a third run of 1.0 would pass 2.5
    assert made.stopped is not None
    assert "2.0000 USD" in made.stopped
    again = Answers(cost=1.0)
    assert make(path, again, plan(max_cost_usd=2.5)).spent.cost_usd == 2.0
    assert again.asked == []
    raised = Answers(cost=1.0)
    assert make(path, raised, plan(max_cost_usd=6.0)).complete


def test_money_of_accidents_and_of_killed_runs_is_not_forgotten(tmp_path: Path) -> None:
    path, draft = tmp_path / "runs.jsonl", tmp_path / "runs.jsonl.part"
    make(path, Answers({"a": ["bug"]}, cost=1.0), plan(repeats=1))
    draft.write_text(json.dumps({"schema": "started/1", "run_id": "dead", "question_id": "b", "repeat": 0}) + "\n")
    dead = run(
        "b", status="interrupted", usage=[{"input_tokens": 5, "output_tokens": 0, "cost_usd": 0.25}], cost_usd=None
    )
    made = make(path, Answers(cost=1.0, known={"dead": dead}), plan(repeats=1))
    assert made.spent == Spent(4.25, 45, 1)  # three runs, the bug, and what is known of the killed one
    assert sum(spent_with_earlier(row).cost_usd for row in read_runs(path)) == 4.25
    assert make(path, Answers(), plan(repeats=1)).spent == made.spent


def test_a_cap_is_kept_by_several_runs_at_once(tmp_path: Path) -> None:
    made = make(tmp_path / "runs.jsonl", Answers(cost=1.0), plan(concurrency=4, max_cost_usd=3.0))
    assert made.spent.cost_usd == 3.0
    made = make(tmp_path / "tokens.jsonl", Answers(), plan(concurrency=4, max_tokens=25))
    assert made.spent.tokens == 20


def test_a_service_that_stays_down_ends_the_work(tmp_path: Path) -> None:
    gold = questions(*(f"q{n}" for n in range(20)))
    asker = Answers({name: ["service"] * 9 for name in gold.ids})
    made = make(tmp_path / "runs.jsonl", asker, plan(gold, repeats=1))
    assert len(asker.asked) == 5
    assert made.stopped is not None
    assert "5 runs in a row" in made.stopped
    assert not made.valid


def test_one_broken_run_costs_the_others_nothing(tmp_path: Path) -> None:
    class Broken(Answers):
        async def ask(self, question: str, *, question_id: str, repeat: int, tier: str, emit: EventSink) -> Run:
            if question_id == "b":
                raise IndexError("string index out of range")
            return await super().ask(question, question_id=question_id, repeat=repeat, tier=tier, emit=emit)

    path = tmp_path / "runs.jsonl"
    make(path, Broken(), plan(concurrency=3))
    assert keys(path) == IN_ORDER
    assert [(row.error or {}).get("kind") for row in read_runs(path)] == [None, None, "bug", "bug", None, None]
