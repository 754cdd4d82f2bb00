"""Questions, runs and a plan for tests of experiments. No database, no model."""

from __future__ import annotations

import itertools
from typing import Any

from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.records import Question, Run, Verdict

_numbers = itertools.count()
RECIPE = {"name": "base", "version": "1", "hash": "sha256:aaaa"}
CORPUS = {"name": "kiln", "snapshot": "sha256:cccc"}
CODE = {"version": "0.1.0", "git_sha": "abc", "dirty": False}
MODELS = {"agent": "reader", "family": "embedded", "embedder": "fast@1/64"}


def question(name: str, **more: Any) -> Question:
    body = {"schema": "question/1", "question_id": name, "question": f"What of {name}?", "tier": "factual", **more}
    return Question.model_validate(body, context={"json": True})


def questions(*names: str, **more: Any) -> QuestionSet:
    return question_set(question(name, **more) for name in names)


def run(question_id: str, repeat: int = 0, **more: Any) -> Run:
    body: dict[str, Any] = {
        "schema": "run/1", "run_id": f"r{next(_numbers)}", "question": f"What of {question_id}?",
        "question_id": question_id, "repeat": repeat, "tier": "factual", "status": "completed",
        "recipe": RECIPE, "corpus": CORPUS, "code": CODE, "models": MODELS,
        "answer": {"outcome": "answered", "statements": []}, "cost_usd": 0.0, "usage": [], **more,
    }  # fmt: skip
    if body["status"] != "completed":
        body["answer"] = None
    return Run.model_validate(body)


def verdict(of: Run, nugget: str, says: str, *, judge: dict[str, Any] | None = None, **more: Any) -> Verdict:
    number = next(_numbers)
    body = {
        "schema": "verdict/1", "verdict_id": f"v{number}", "key": f"k{number}", "run_id": of.run_id,
        "question_id": of.question_id, "repeat": of.repeat, "unit": {"kind": "nugget", "id": nugget},
        "direction": "recall", "claim": "a claim", "verdict": says, "judge": judge or {"name": "embedded"}, **more,
    }  # fmt: skip
    if says == "UNSCORED":
        body.setdefault("reason", "no reply")
    return Verdict.model_validate(body)
