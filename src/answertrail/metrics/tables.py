"""Tables of two raters' labels: rows are the first rater's, columns the second's, same order of labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answertrail.metrics.clusters import Floats
from answertrail.metrics.values import finite

Table = Sequence[Sequence[int]]


def table_of(first: Sequence[str], second: Sequence[str], labels: Sequence[str]) -> list[list[int]]:
    """Count the pairs of labels, item by item.

    Raises ValueError when the raters' lists differ in length, a label is not in `labels`, or
    `labels` repeats itself: a label nobody expected is never dropped.
    """
    rows = positions(labels)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels against {len(second)}")
    table = [[0] * len(labels) for _ in labels]
    for a, b in zip(first, second, strict=True):
        table[position(rows, a)][position(rows, b)] += 1
    return table


def positions(labels: Sequence[str]) -> dict[str, int]:
    """Number the labels. Raises ValueError when there are none or one comes twice."""
    rows = {label: row for row, label in enumerate(labels)}
    if not rows or len(rows) != len(labels):
        raise ValueError(f"labels {list(labels)} are empty or repeat themselves")
    return rows


def position(rows: dict[str, int], label: str) -> int:
    """Return the row of a label. Raises ValueError for one that was not declared."""
    if label not in rows:
        raise ValueError(f"label {label!r} is none of {sorted(rows)}")
    return rows[label]


def as_array(table: Table) -> Floats:
    """Return the table as floats. Raises ValueError unless it is square, of counts that are 0 or more."""
    sizes = {len(row) for row in table}
    if sizes != {len(table)}:
        raise ValueError(f"a table of {len(table)} rows whose lengths are {sorted(sizes)}")
    for row in table:
        for count in row:
            if finite(count, "a count of the table") < 0 or int(count) != count:
                raise ValueError(f"{count} is no count")
    return np.array(table, dtype=np.float64)
