"""Node resolution, trajectories, comparison, registration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answertrail.experiments.compare import Comparison
from answertrail.experiments.registration import Deviation, Registration
from answertrail.experiments.report.data import Forest, ForestRow, forest_row
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.parts import forest, keyed, picked, spoken
from answertrail.experiments.resolution import ResolutionScores
from answertrail.experiments.trajectory import TrajectoryScores, definitions
from answertrail.experiments.view import comparison as comparison_view
from answertrail.experiments.view import resolution as resolution_view
from answertrail.experiments.view import trajectory as trajectory_view
from answertrail.experiments.view.table import table
from answertrail.metrics.resolution.funnel import TITLES
from answertrail.metrics.trajectory.definitions import INFORMATIONAL
from answertrail.metrics.values import Undefined


def resolution(scores: ResolutionScores) -> Section:
    """Return the measures and the funnel as figures, and every table."""
    measures = [("", name, value) for name, value in scores.measures.items()]
    steps = [("", TITLES[step], value) for step, value in scores.funnel.steps.items()]
    caption = (
        "Questions / questions asked, of the answerable or unanswerable ones as the name says. Wilson's intervals."
    )
    found = (
        forest("figure-resolution", "Resolved, offered a choice, or nothing", measures, caption),
        forest(
            "figure-funnel",
            "How far the gold node comes",
            steps,
            "Answerable questions whose gold node passes each step / all of them.",
        ),
    )
    intro = ("To which node of the vault each question leads. A wrong node is worse than a list to choose from.",)
    every = resolution_view.tables(scores)
    first = picked(every, ("resolution", "wrong"))
    tables = keyed("resolution", [*first, *(shown for shown in every if shown not in first)])
    return Section("resolution", "Node resolution", intro, tables, tuple(figure for figure in found if figure))


def trajectory(scores: TrajectoryScores) -> Section:
    """Return the tables; the definitions stand in the introduction, beside the figures they explain."""
    groups = ("gold evidence found and cited", "informational, never a target")
    rows = sorted(
        ((groups[name in INFORMATIONAL], name, value) for name, value in scores.measures.items()),
        key=lambda row: groups.index(row[0]),
    )
    caption = "Only values between 0 and 1 are drawn; the tables have all."
    figure = forest("figure-trajectory", "What runs retrieved, and what of it they cited", rows, caption)
    intro = tuple(definitions(scores.measures).values())
    tables = keyed("trajectory", trajectory_view.tables(scores))
    return Section("trajectory", "Trajectories", intro, tables, (figure,) if figure else ())


def comparison(found: Comparison) -> Section:
    """Return the differences around 0, and the tables."""
    rows = tuple(
        _in_points(forest_row(row.name, row.difference, "primary" if row.primary else "exploratory"))
        for row in sorted(found.rows, key=lambda row: not row.primary)
        if isinstance(row.difference, Undefined) or abs(row.difference.value) <= 1
    )
    said = (f"{row.label} {row.text}" for row in rows)
    title = f"{found.second.label} minus {found.first.label}"
    caption = (
        f"Differences over {found.common} common questions, with intervals from a paired bootstrap over questions. "
        "An interval across 0: these questions cannot tell the two apart."
    )
    alt = spoken(said, "Differences with their intervals")
    figures = (Figure("figure-differences", title, Forest(rows, "difference"), caption, alt),) if rows else ()
    intro = (f"A is {found.first.label}, B is {found.second.label}. Only questions both were asked are compared.",)
    # The deviations stand in the section on the registration.
    tables = [shown for shown in comparison_view.tables(found) if shown.key != "deviations"]
    return Section("comparison", "Comparison", intro, keyed("comparison", tables), figures)


def _in_points(row: ForestRow) -> ForestRow:
    if row.value is None:
        return row
    between = "" if row.low is None or row.high is None else f" [{row.low * 100:+.1f}, {row.high * 100:+.1f}]"
    return replace(row, text=f"{row.value * 100:+.1f} points{between}")


def registration(made: Registration, deviations: Sequence[Deviation]) -> Section:
    """Return what was registered, and every way in which what was done is something else."""
    rows = [
        ("written", made.created_at),
        ("question", made.question),
        ("hypothesis", made.hypothesis),
        ("measures", ", ".join(measure.name for measure in made.measures)),
        ("systems", ", ".join(system.name for system in made.systems)),
        ("repeats", str(made.repeats)),
        ("stopping rule", made.stopping_rule),
        ("alpha", f"{made.alpha:g}, corrected by {made.correction.capitalize()}"),
        ("hash", made.hash),
    ]
    tables = (
        comparison_view.deviation_table(deviations),
        table("registered", "What was registered", ("what", "value"), rows),
    )
    intro = ("Written down and hashed before the runs were made; whatever was done otherwise is listed first.",)
    return Section("registration", "Registration", intro, keyed("registration", tables))
