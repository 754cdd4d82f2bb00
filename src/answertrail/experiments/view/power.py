"""A plan of a comparison as a table."""

from __future__ import annotations

from answertrail.experiments.power import FEW, Plan, nearby, percent
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.values import Undefined


def tables(plan: Plan) -> list[ReportTable]:
    """Return the plan with its neighbours, so that the price of a smaller difference is in sight."""
    design = plan.design
    rows = [(row.questions, _points(row.difference)) for row in nearby(plan)]
    if design.kind == "paired":
        known = f"spread of the per-question differences {design.spread:.3f} ({design.source}); paired t-test"
    elif design.discordant is not None:
        known = f"{percent(design.discordant)} of the questions differ (given); McNemar's test"
    else:
        known = f"{percent(design.baseline or 0)} right, the two failing independently; McNemar's test"
    notes = [
        plan.sentence,
        f"From: {known}. Chance of finding it {percent(design.power)}, two-sided {percent(design.alpha)}.",
    ]
    if design.pilot is not None and design.pilot < FEW:
        notes.append(f"A pilot of {design.pilot} questions tells the spread only roughly; take the figures as such.")
    if design.kind == "paired":
        notes.append("The spread holds for as many repeats a question as the pilot had; more repeats make it smaller.")
    else:
        notes.append(
            "Each question is right or wrong once; the normal approximation is a little low for few questions."
        )
    notes.append("Count only questions the measure can be taken of: one without gold shows nothing.")
    return [table("power", "Questions and differences", ("questions", "difference, points"), rows, notes)]


def _points(difference: float | Undefined) -> Cell:
    return "none" if isinstance(difference, Undefined) else f"{difference * 100:.3g}"
