"""A measure by tier or group, with the check that the parts add up to the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import fsum, isclose

from answertrail.metrics.measured import Intervals, Measured

NO_PART = "(none)"


def sliced(measures: Mapping[str, Measured], part_of: Mapping[str, str]) -> dict[str, dict[str, Measured]]:
    """Return part -> measure name -> the measure over the questions of the part, without intervals.

    Questions that `part_of` does not name make the part `(none)`. Raises ValueError as `cross_foot`.
    """
    asked = {row.question_id for measured in measures.values() for row in measured.observations}
    asked |= {row.question_id for measured in measures.values() for row in measured.unscored}
    members: dict[str, list[str]] = {}
    for question_id in sorted(asked):
        members.setdefault(part_of.get(question_id, NO_PART), []).append(question_id)
    plain = {name: replace(measured, intervals=Intervals("none")) for name, measured in measures.items()}
    parts = {
        part: {name: measured.over(ids) for name, measured in plain.items()} for part, ids in sorted(members.items())
    }
    for name, measured in measures.items():
        cross_foot(measured, {part: rows[name] for part, rows in parts.items()})
    return parts


def cross_foot(whole: Measured, parts: Mapping[str, Measured]) -> None:
    """Check that the parts' numerators and denominators add up to the whole's. Raises ValueError if not."""
    for side in ("numerator", "denominator"):
        total = fsum(getattr(part.ratio, side) for part in parts.values())
        if not isclose(total, getattr(whole.ratio, side), rel_tol=1e-9, abs_tol=1e-9):
            raise ValueError(
                f"{whole.name}: the {side}s of {', '.join(parts)} add up to {total:g}, "
                f"the whole has {getattr(whole.ratio, side):g}"
            )
