"""Tables as pandas data frames: a rate becomes its value, its parts and its interval, in columns of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from answertrail.errors import ServiceError
from answertrail.experiments.view.table import Cell, Counted, ReportTable
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined

if TYPE_CHECKING:
    from pandas import DataFrame

PARTS = ("numerator", "denominator", "low", "high", "undefined")


def frames(tables: Iterable[ReportTable]) -> dict[str, DataFrame]:
    """Return a data frame for each table, by its key.

    A column that holds rates is followed by `COLUMN numerator`, `denominator`, `low`, `high` and
    `undefined` (the reason), as far as a cell has them. What a cell lacks is pandas' NA, never 0.
    Raises ServiceError when pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ServiceError("data frames need pandas", hint='pip install "answertrail[frames]"') from None
    return {table.key: pd.DataFrame(_columns(table, pd.NA)) for table in tables}


def _columns(table: ReportTable, absent: Any) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {}
    for place, name in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        split = [_parts(cell) for cell in cells]
        label = name or "value"
        out[label] = [absent if parts["value"] is None else parts["value"] for parts in split]
        for part in PARTS:
            values = [parts.get(part) for parts in split]
            if any(value is not None for value in values):
                out[f"{label} {part}"] = [absent if value is None else value for value in values]
    return out


def _parts(cell: Cell) -> dict[str, Any]:
    if isinstance(cell, Counted):
        return _parts(cell.measured)
    if isinstance(cell, Measured):
        return _parts(cell.ratio)
    if isinstance(cell, Undefined):
        return {"value": None, "undefined": cell.reason}
    if isinstance(cell, Ratio):
        value = cell.value
        parts = {"numerator": cell.numerator, "denominator": cell.denominator}
        if isinstance(value, Undefined):
            return {"value": None, "undefined": value.reason}
        return {"value": value, **parts, **_ends(cell.interval)}
    if isinstance(cell, Estimate):
        return {"value": cell.value, **_ends(cell.interval)}
    return {"value": cell}


def _ends(interval: Interval | Undefined | None) -> dict[str, float]:
    return {"low": interval.low, "high": interval.high} if isinstance(interval, Interval) else {}
