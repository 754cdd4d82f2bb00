"""What several sections need: tables under keys of their own, values in words, tables sought by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from answertrail.experiments.report.data import Forest, ForestRow, forest_row
from answertrail.experiments.report.model import Figure
from answertrail.experiments.view.table import ReportTable
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined

Value = Measured | Ratio | Estimate | Undefined
SPOKEN = 12


def keyed(area: str, tables: Iterable[ReportTable]) -> tuple[ReportTable, ...]:
    """Return tables under keys that no other area's table can have."""
    return tuple(replace(table, key=f"{area}-{table.key}") for table in tables)


def picked(tables: Iterable[ReportTable], names: Collection[str]) -> tuple[ReportTable, ...]:
    """Return the tables whose key is one of the names, or begins with one that ends in a star."""
    stems = tuple(name[:-1] for name in names if name.endswith("*"))
    return tuple(table for table in tables if table.key in names or (stems and table.key.startswith(stems)))


def spoken(items: Iterable[str], what: str) -> str:
    """Return what can be seen in words: the first dozen items, then how many more there are."""
    rows = list(items)
    more = f"; and {len(rows) - SPOKEN} more" if len(rows) > SPOKEN else ""
    return f"{what}: {'; '.join(rows[:SPOKEN])}{more}."


def is_share(value: Value) -> bool:
    """Whether value and interval lie between 0 and 1, so that they can be drawn as shares."""
    number = value if isinstance(value, Undefined) else value.value
    if isinstance(number, Undefined):
        return True
    if isinstance(value, Estimate) or not 0 <= number <= 1:
        return False
    interval = None if isinstance(value, Undefined) else value.interval
    return not isinstance(interval, Interval) or (interval.low >= 0 and interval.high <= 1)


def forest(key: str, title: str, rows: Iterable[tuple[str, str, Value]], caption: str) -> Figure | None:
    """Return a figure of shares with intervals, each row (group, label, value); None without any."""
    kept: list[ForestRow] = [forest_row(label, value, group) for group, label, value in rows if is_share(value)]
    if not kept:
        return None
    said = (f"{row.group} {row.label} {row.text}".strip() for row in kept)
    return Figure(key, title, Forest(tuple(kept)), caption, spoken(said, "Values with their intervals"))


def chosen(measures: Mapping[str, Value], names: Iterable[str]) -> list[tuple[str, Value]]:
    """Return the measures of these names that are there, in this order."""
    return [(name, measures[name]) for name in names if name in measures]
