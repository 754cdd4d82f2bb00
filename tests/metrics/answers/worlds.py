"""Small questions, runs and verdicts for the tests of answer measures."""

from __future__ import annotations

from typing import Any

from answertrail.metrics.answers.asked import Asked, asked
from answertrail.metrics.answers.grid import Grid, grid_of
from answertrail.metrics.answers.verdicts import Judged, judged
from answertrail.metrics.measured import Intervals
from answertrail.records import Question, Run, Verdict

PLAIN = Intervals("none")
FEW = Intervals(resamples=200)


def question(name: str, /, *kinds: str, tier: str = "factual", **more: Any) -> Question:
    """A question with one nugget of each kind given, named NAME_n1, NAME_n2, ..."""
    nuggets = [
        {"nugget_id": f"{name}_n{n}", "text": f"{name} nugget {n}", "kind": kind} for n, kind in enumerate(kinds, 1)
    ]
    return Question.model_validate(
        {"schema": "question/1", "question_id": name, "question": f"{name}?", "tier": tier,
         **({"nuggets": nuggets} if nuggets else {}), **more}
    )  # fmt: skip


def run(name: str, repeat: int = 0, /, *, status: str = "completed", outcome: str = "answered", **more: Any) -> Run:
    """A run of the question NAME, called NAME.REPEAT, that retrieved c1 and c2."""
    record: dict[str, Any] = {
        "schema": "run/1", "run_id": f"{name}.{repeat}", "question": f"{name}?", "question_id": name,
        "repeat": repeat, "status": status, "retrieved": ["c1", "c2"],
    }  # fmt: skip
    if status == "completed":
        record["answer"] = {"outcome": outcome, "text": "an answer"}
    else:
        record["error"] = {"kind": "service", "message": "the endpoint is down"}
    return Run.model_validate({**record, **more})


def statements(*rows: tuple[str, list[str], str | None], outcome: str = "answered") -> dict[str, Any]:
    """An answer of (kind, citations, support)."""
    made = [
        {"text": f"statement {n}", "kind": kind, "citations": cited, **({"support": support} if support else {})}
        for n, (kind, cited, support) in enumerate(rows)
    ]
    return {"outcome": outcome, "statements": made}


def verdict(run_id: str, direction: str, unit: str, mark: str = "HIT", /, **more: Any) -> Verdict:
    """A verdict; `unit` is `n2` for the second nugget of the run's question, else an id as it is."""
    name = run_id.rpartition(".")[0]
    nugget = direction in ("recall", "ceiling")
    record = {
        "schema": "verdict/1", "verdict_id": f"{run_id}/{direction}/{unit}", "key": "k", "run_id": run_id,
        "question_id": name, "direction": direction, "verdict": mark, "reason": f"judged {mark}",
        "unit": {"kind": "nugget", "id": f"{name}_{unit}"} if nugget else {"kind": "assertion", "id": unit},
        "claim": f"{name} nugget {unit[1:]}" if nugget else "an assertion", "judge": {"name": "hand"},
    }  # fmt: skip
    return Verdict.model_validate({**record, **more})


def marks(run_id: str, pairs: str) -> list[Verdict]:
    """Recall and ceiling of each nugget in turn: `HH` both hit, `MH` unused, `HM` without evidence, `-` no verdict."""
    words = {"H": "HIT", "M": "MISS", "U": "UNSCORED"}
    return [
        verdict(run_id, direction, f"n{number}", words[sign])
        for number, pair in enumerate(pairs.split(), 1)
        for direction, sign in zip(("recall", "ceiling"), pair, strict=True)
        if sign != "-"
    ]


def joined(questions: list[Question], runs: list[Run], verdicts: list[Verdict]) -> tuple[Asked, Grid, Judged]:
    """Join everything as scoring does."""
    rows = asked(questions, runs)
    found = judged(verdicts, rows.runs, judge="hand")
    return rows, grid_of(rows, found), found
