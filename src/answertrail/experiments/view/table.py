"""A table of results, and how each kind of cell is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined


@dataclass(frozen=True, slots=True)
class Counted:
    """A rate of a small set, to be read by its counts: `7 of 9 (77.8 %)`."""

    measured: Measured


Cell = str | int | float | Measured | Counted | Ratio | Estimate | Undefined | None


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows under named columns; `notes` say what a reader must know to read the figures right.

    `key` names the table in JSON, as an anchor in HTML and as a frame's name. Raises ValueError
    when a row has another number of cells than there are columns.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.key}: row {number} has {len(row)} cells of {len(self.columns)}")


def table(
    key: str, title: str, columns: Iterable[str], rows: Iterable[Iterable[Cell]], notes: Iterable[str] = ()
) -> ReportTable:
    """Return a table of any iterables."""
    return ReportTable(key, title, tuple(columns), tuple(tuple(row) for row in rows), tuple(notes))


def cell_text(cell: Cell) -> str:
    """Write a cell: a rate with its parts and interval, a count as it is, nothing as a dash.

    Rates of totals read `84.9 % (135/159) [70.1, 97.0]`, counted ones `135 of 159 (84.9 %)`, means
    `0.869 (25 questions) [...]`; an undefined value says why.
    """
    if cell is None:
        return "–"
    if isinstance(cell, Counted):
        return _counted(cell.measured)
    if isinstance(cell, Measured):
        return _measured(cell)
    if isinstance(cell, Ratio):
        return _ratio(cell)
    if isinstance(cell, Estimate):
        return f"{cell.value:+.3f}{_bounds(cell.interval, 1, 3)}"
    if isinstance(cell, Undefined):
        return f"undefined: {cell.reason}"
    if isinstance(cell, float):
        return f"{cell:.3f}".rstrip("0").rstrip(".")
    return str(cell)


def _measured(cell: Measured) -> str:
    if cell.statistic == "totals":
        text = _ratio(cell.ratio)
    elif isinstance(cell.value, Undefined):
        text = cell_text(cell.value)
    else:
        text = f"{cell.value:.3f} ({cell.ratio.denominator:g} questions){_bounds(cell.interval, 1, 3)}"
    return text + _missing(cell)


def _missing(cell: Measured) -> str:
    """Say what is in no count: units without a verdict, and those of runs that there are not."""
    unscored, lost = sum(row.units for row in cell.unscored), cell.lost_units
    gone = "; an unknown number lost" if lost is None else f"; {lost} lost" if lost else ""
    return f"; {unscored} unscored{gone}" if unscored else gone


def _counted(cell: Measured) -> str:
    """Counts first; where the count is no whole number, as over repeats, as any other rate."""
    value, counted = cell.value, cell.ratio.numerator
    if isinstance(value, Undefined) or counted != int(counted):
        return _measured(cell)
    share = f"({100 * value:.1f} %){_bounds(cell.interval, 100, 1)}"
    return f"{counted:g} of {cell.ratio.denominator:g} {share}{_missing(cell)}"


def _ratio(ratio: Ratio) -> str:
    value = ratio.value
    if isinstance(value, Undefined):
        return cell_text(value)
    parts = f"{ratio.numerator:g}/{ratio.denominator:g}"
    return f"{value:.1%} ({parts}){_bounds(ratio.interval, 100, 1)}".replace("%", " %", 1)


def _bounds(interval: Interval | Undefined | None, scale: float, digits: int) -> str:
    if not isinstance(interval, Interval):
        return ""
    return f" [{interval.low * scale:.{digits}f}, {interval.high * scale:.{digits}f}]"
