"""Tables as Markdown."""

from __future__ import annotations

from answertrail.experiments.view.table import ReportTable, cell_text
from answertrail.plain_text import one_line


def markdown(table: ReportTable, *, level: int = 2) -> str:
    """Return a table under a heading; text from a corpus cannot end a cell or begin a tag."""
    lines = [f"{'#' * level} {_escaped(table.title)}", ""]
    lines.append("| " + " | ".join(_escaped(column) for column in table.columns) + " |")
    lines.append("|---" * len(table.columns) + "|")
    lines += ["| " + " | ".join(_escaped(cell_text(cell)) for cell in row) + " |" for row in table.rows]
    if table.notes:
        lines += ["", *(f"- {_escaped(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    for sign in "\\`*_[]|<":
        text = text.replace(sign, f"\\{sign}")
    return one_line(text)
