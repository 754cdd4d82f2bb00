"""Small worlds of questions and runs for the tests of refusal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.experiments.refusal import RefusalScores, score_refusals
from answertrail.metrics.measured import Intervals
from answertrail.records import Question, Run, Verdict

FAST = Intervals("none")


def question(name: str, tier: str = "factual", nuggets: int = 1, **more: Any) -> Question:
    given = [] if tier == "unanswerable" else [nugget(name, number) for number in range(nuggets)]
    row = {"question_id": name, "question": f"{name}?", "tier": tier, **more}
    return Question.model_validate({**row, "nuggets": given} if given else row)


def nugget(name: str, number: int, kind: str = "fact") -> dict[str, Any]:
    return {"nugget_id": f"{name}_n{number}", "text": f"{name} {number}", "kind": kind}


def run(name: str, outcome: str | None, repeat: int = 0, *, text: str = "t", **more: Any) -> Run:
    """A run of question `name`; an outcome of None is a run that did not complete."""
    row: dict[str, Any] = {"run_id": f"{name}/{repeat}", "question_id": name, "question": f"{name}?", "repeat": repeat}
    row |= {"status": "failed"} if outcome is None else {"status": "completed"}
    if outcome is not None:
        row["answer"] = {"outcome": outcome, "text": text}
    return Run.model_validate({**row, **more})


def verdict(run_id: str, unit: str, said: str = "HIT", direction: str = "recall", kind: str = "nugget") -> Verdict:
    row: dict[str, Any] = {
        "verdict_id": f"{run_id}/{unit}/{direction}",
        "key": f"{run_id}/{unit}/{direction}",
        "run_id": run_id,
        "question_id": run_id.partition("/")[0],
        "unit": {"kind": kind, "id": unit},
        "direction": direction,
        "claim": "c",
        "verdict": said,
    }
    return Verdict.model_validate({**row, "reason": "r"})


def scored(
    questions: Sequence[Question] | QuestionSet, runs: Sequence[Run], verdicts: Iterable[Verdict] = (), **more: Any
) -> RefusalScores:
    known = questions if isinstance(questions, QuestionSet) else question_set(questions)
    return score_refusals(known, runs, verdicts=verdicts, **{"intervals": FAST, **more})
