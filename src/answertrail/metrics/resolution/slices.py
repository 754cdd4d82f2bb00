"""Tables of counts by a property of the question, which add up to the whole or do not exist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from answertrail.errors import MismatchError
from answertrail.metrics.measured import Measured
from answertrail.metrics.resolution.cases import Case
from answertrail.metrics.values import Json

NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the property: how many questions have it, counts of them, and rates over them."""

    value: str
    n: int
    counts: Mapping[str, int]
    rates: Mapping[str, Measured]

    @property
    def columns(self) -> dict[str, float]:
        """What must add up over rows: `n`, every count, and the parts of every rate."""
        parts: dict[str, float] = {"n": self.n, **self.counts}
        for name, rate in self.rates.items():
            parts[f"{name} numerator"] = rate.ratio.numerator
            parts[f"{name} denominator"] = rate.ratio.denominator
        return parts

    def as_json(self) -> Json:
        """Return value, n, counts and rates."""
        return {
            "value": self.value,
            "n": self.n,
            **self.counts,
            **{name: rate.as_json() for name, rate in self.rates.items()},
        }


@dataclass(frozen=True, slots=True)
class SliceTable:
    """Rows by one property. Raises MismatchError, with the differences, unless they add up to `total`."""

    by: str
    rows: tuple[Row, ...]
    total: Row

    def __post_init__(self) -> None:
        wrong = []
        for column, whole in self.total.columns.items():
            summed = sum(row.columns.get(column, 0) for row in self.rows)
            if summed != whole:
                wrong.append(f"{column}: the rows sum to {summed:g}, the total is {whole:g} ({summed - whole:+g})")
        if wrong:
            raise MismatchError(
                f"the table by {self.by} does not add up and is not shown: {'; '.join(wrong)}",
                hint="a question is in two rows or in none",
            )

    def as_json(self) -> Json:
        """Return `{"rows": [...], "total": {...}}`."""
        return {"rows": [row.as_json() for row in self.rows], "total": self.total.as_json()}


def slice_table(
    by: str,
    cases: Sequence[Case],
    value_of: Callable[[Case], str | None],
    rates: Iterable[Measured],
    counts: Mapping[str, Callable[[Case], bool]],
) -> SliceTable:
    """Cut measures and counts by a property of the cases; cases without it are a row `not stated`.

    Rows come with the most questions first, ties by name. The total is that of the measures, not
    the sum of the rows. Raises MismatchError when the two differ.
    """
    whole = {rate.name: rate for rate in rates}
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(value_of(case) or NOT_STATED, []).append(case)

    def row(value: str, among: Sequence[Case], measures: Mapping[str, Measured]) -> Row:
        return Row(value, len(among), {name: sum(map(test, among)) for name, test in counts.items()}, measures)

    rows = []
    for value, among in sorted(groups.items(), key=lambda item: (item[0] == NOT_STATED, -len(item[1]), item[0])):
        ids = {case.question_id for case in among}
        rows.append(row(value, among, {name: rate.over(ids) for name, rate in whole.items()}))
    return SliceTable(by, tuple(rows), row("all", cases, whole))
