"""The access log of a sealed split as a table."""

from __future__ import annotations

from answertrail.experiments.splits import Seal
from answertrail.experiments.view.table import ReportTable, table


def seal_table(seal: Seal) -> ReportTable:
    """Return every look at the held-out questions, the one of this result last."""
    rows = [(look.number, look.at, look.by, look.purpose, look.command) for look in seal.looks]
    title = "Held-out questions: first look" if seal.status == "held_out" else "Held-out questions: now regression"
    return table("sealed", title, ("look", "when", "who", "for", "command"), rows, (seal.note,))
