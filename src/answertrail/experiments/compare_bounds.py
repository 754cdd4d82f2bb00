"""How far units without a verdict, and units of runs that failed, could move a difference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from answertrail.metrics.clusters import clusters_of
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Undefined

Bounds = tuple[float, float]


def difference_bounds(first: Measured, second: Measured) -> Bounds | Undefined | None:
    """Return the least and the greatest second - first, every unscored and lost unit counted for and against.

    Both sides over all their runs of the common questions, those without a partner that succeeded
    included: it is what the difference would be had nothing been lost. None when nothing is
    missing; Undefined when nobody can know how many units are, and for what is no share.
    """
    if not any((side.unscored or side.lost) for side in (first, second)):
        return None
    if not (first.share and second.share):
        return Undefined("no share of units: what is missing has no bounds")
    a, b = _counts(first), _counts(second)
    if isinstance(a, Undefined):
        return a
    if isinstance(b, Undefined):
        return b
    shared = [name for name in a if name in b]
    if first.statistic == "means":
        shared = [name for name in shared if all(side[name][1] + side[name][2] for side in (a, b))]
    low_a, high_a = _ends(first, [a[name] for name in shared])
    low_b, high_b = _ends(second, [b[name] for name in shared])
    if low_a is None or high_a is None or low_b is None or high_b is None:
        return Undefined("no unit on a side")
    return low_b - high_a, high_b - low_a


_Counted = tuple[float, float, int]  # numerator, denominator and missing units of a question


def _counts(side: Measured) -> dict[str, _Counted] | Undefined:
    missing: dict[str, int] = defaultdict(int)
    for row in side.unscored:
        missing[row.question_id] += row.units
    for gone in side.lost:
        if gone.units is None:
            return Undefined("nobody can know how many units the failed runs would have had")
        missing[gone.question_id] += gone.units
    found = clusters_of(side.observations)
    counts = {
        name: (x, y, missing.pop(name, 0))
        for name, x, y in zip(found.ids, found.numerators, found.denominators, strict=True)
    }
    return {**counts, **{name: (0.0, 0.0, units) for name, units in missing.items()}}


def _ends(side: Measured, rows: Sequence[_Counted]) -> tuple[float | None, float | None]:
    if side.statistic == "totals":
        rows = [(sum(x for x, _, _ in rows), sum(y for _, y, _ in rows), sum(extra for _, _, extra in rows))]
    rows = [row for row in rows if row[1] + row[2]]
    if not rows:
        return None, None
    low = sum((x + side.worst * extra) / (y + extra) for x, y, extra in rows) / len(rows)
    return low, sum((x + extra) / (y + extra) for x, y, extra in rows) / len(rows)
