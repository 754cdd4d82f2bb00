"""What `eval run` made, as tables and as JSON."""

from __future__ import annotations

from collections import Counter

from answertrail.experiments.attempts import error_kind, is_infrastructure
from answertrail.experiments.conditions import Conditions
from answertrail.experiments.plan import Made
from answertrail.experiments.view.table import ReportTable, table
from answertrail.metrics.values import Json


def tables(made: Made, conditions: Conditions, elapsed_s: float) -> list[ReportTable]:
    """Return the counts by status and outcome, and the conditions."""
    rows: list[tuple[str, int | str]] = [(f"status {name}", count) for name, count in _statuses(made).items()]
    rows += [(f"outcome {name}", count) for name, count in _outcomes(made).items()]
    rows += [(f"error {name}", count) for name, count in _errors(made).items()]
    spent = made.spent
    cost = f"{spent.cost_usd:.4f} USD" + (f" and {spent.unknown} run(s) of unknown cost" if spent.unknown else "")
    rows += [("cost, all attempts", cost), ("tokens, all attempts", spent.tokens), ("time here", f"{elapsed_s:.1f} s")]
    notes = []
    if made.kept:
        notes.append(f"{made.kept} run(s) were there already and were kept.")
    if made.repaired:
        notes.append("The last line of the draft was torn by a crash and was cut off; that run was made again.")
    accidents = sum(map(is_infrastructure, made.runs))
    if not made.valid:
        share = f"{accidents} of {len(made.runs)} run(s) ended by an accident, more than 2 %"
        notes.append(f"NOT VALID: {share}. Run the command again: only those are asked again.")
    elif accidents:
        notes.append(f"{accidents} run(s) ended by an accident and will be asked again by the same command.")
    if not made.complete:
        why = f" ({made.stopped})" if made.stopped else ""
        notes.append(f"{made.planned - len(made.runs)} run(s) are missing{why}.")
    title = f"{len(made.runs)} of {made.planned} runs"
    return [table("runs", title, ("what", "count"), rows, notes), conditions_table(conditions)]


def conditions_table(conditions: Conditions) -> ReportTable:
    """Return what a result was made under."""
    rows = [(found.name, found.shown) for found in conditions.conditions]
    return table("conditions", f"Made under ({conditions.system})", ("condition", "value"), rows)


def summary(made: Made, conditions: Conditions, elapsed_s: float, out: str) -> Json:
    """Return the summary as JSON."""
    return {
        "out": out,
        "planned": made.planned,
        "runs": len(made.runs),
        "kept": made.kept,
        "made": made.made,
        "complete": made.complete,
        "valid": made.valid,
        "repaired": made.repaired,
        "stopped": made.stopped,
        "statuses": _statuses(made),
        "outcomes": _outcomes(made),
        "errors": _errors(made),
        "infrastructure_errors": sum(map(is_infrastructure, made.runs)),
        "spent": made.spent.as_json(),
        "elapsed_s": round(elapsed_s, 3),
        "conditions": conditions.as_json(),
    }


def _statuses(made: Made) -> dict[str, int]:
    return dict(Counter(run.status for run in made.runs))


def _outcomes(made: Made) -> dict[str, int]:
    return dict(Counter(run.answer.outcome for run in made.runs if run.answer))


def _errors(made: Made) -> dict[str, int]:
    return dict(Counter(kind for run in made.runs if (kind := error_kind(run))))
