"""Result tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from answertrail.cli.plain import one_line, plain
from answertrail.experiments.view.table import ReportTable, cell_text


def print_tables(console: Console, tables: Iterable[ReportTable]) -> None:
    """Print tables one below the other, their notes dimmed under each."""
    for table in tables:
        console.print(Text(plain(table.title), style="bold"))  # A title of the table's own breaks at its width.
        shown = Table(box=None, padding=(0, 1))
        for column in table.columns:
            shown.add_column(Text(one_line(column), style="bold"), overflow="fold")
        for row in table.rows:
            shown.add_row(*(Text(one_line(cell_text(cell))) for cell in row))
        console.print(shown)
        for note in table.notes:
            console.print(Text(plain(note), style="dim"))
        console.print()
