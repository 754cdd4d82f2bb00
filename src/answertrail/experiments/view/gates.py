"""Gates as a table."""

from __future__ import annotations

from collections.abc import Sequence

from answertrail.experiments.gates import GateOutcome
from answertrail.experiments.view.table import ReportTable, table


def gate_table(outcomes: Sequence[GateOutcome]) -> ReportTable:
    """Return one row a gate: what was asked, whether it passed, what was compared, why."""
    failed = sum(not outcome.passed for outcome in outcomes)
    title = f"Gates: {failed} of {len(outcomes)} failed" if failed else f"Gates: all {len(outcomes)} passed"
    rows = [(o.gate.text, "passed" if o.passed else "FAILED", o.value, o.reason) for o in outcomes]
    notes = ("A measure that is undefined, or has units that are unscored or lost, fails its gate.",) if failed else ()
    return table("gates", title, ("gate", "result", "compared", "why"), rows, notes)
