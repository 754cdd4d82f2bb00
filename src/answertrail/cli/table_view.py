"""Result tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from answertrail.cli.plain import one_line, plain
from answertrail.experiments.view.table import Cell, ReportTable, cell_text

NAME_WIDTH = 24


def print_tables(console: Console, tables: Iterable[ReportTable]) -> None:
    """Print tables one below the other, their notes dimmed under each."""
    for table in tables:
        console.print(Text(plain(table.title), style="bold"))  # A title of the table's own breaks at its width.
        shown = Table(box=None, padding=(0, 1))
        for place, column in enumerate(table.columns):
            # What a row is about is not broken to make room for its figures.
            least = min(NAME_WIDTH, max((_width(row[0]) for row in table.rows), default=0)) if place == 0 else None
            shown.add_column(Text(one_line(column), style="bold"), overflow="fold", min_width=least)
        for row in table.rows:
            shown.add_row(*(Text(one_line(cell_text(cell))) for cell in row))
        console.print(shown)
        for note in table.notes:
            console.print(Text(plain(note), style="dim"))
        console.print()


def _width(cell: Cell) -> int:
    return len(one_line(cell_text(cell)))
