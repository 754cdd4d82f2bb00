"""What each kind of figure shows, as plain values. Drawing is apart, in `plots/`.

Every kind gives its own values as a table, so that nothing is only in a picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from answertrail.experiments.view.table import Cell, ReportTable, cell_text, table
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined

Scale = Literal["share", "difference", "number"]


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One value with its interval. `value` is None where it is undefined; `text` then says why."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Forest:
    """Values with intervals below one another, in groups. A difference is drawn around 0."""

    kind: ClassVar[str] = "forest"
    rows: tuple[ForestRow, ...]
    scale: Scale = "share"

    def as_table(self, key: str, title: str) -> ReportTable:
        """Return label and value, with the group in front where there are groups."""
        if any(row.group for row in self.rows):
            return table(
                key, title, ("group", "what", "value"), ((row.group, row.label, row.text) for row in self.rows)
            )
        return table(key, title, ("what", "value"), ((row.label, row.text) for row in self.rows))


def forest_row(label: str, cell: Measured | Ratio | Estimate | Undefined, group: str = "") -> ForestRow:
    """Return the row of a value, its text the one all tables show."""
    value = cell if isinstance(cell, Undefined) else cell.value
    interval = None if isinstance(cell, Undefined) else cell.interval
    low, high = (interval.low, interval.high) if isinstance(interval, Interval) else (None, None)
    return ForestRow(label, None if isinstance(value, Undefined) else value, low, high, cell_text(cell), group)


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of a whole."""

    label: str
    count: float


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole and the parts it falls into. Raises ValueError unless the parts add up to it."""

    label: str
    parts: tuple[Part, ...]
    total: float

    def __post_init__(self) -> None:
        found = sum(part.count for part in self.parts)
        if found != self.total:
            raise ValueError(f"{self.label}: the parts add up to {found:g}, not to {self.total:g}")


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Parts that add up, each bar beginning where the one before it ends; one panel a whole."""

    kind: ClassVar[str] = "waterfall"
    wholes: tuple[Whole, ...]

    def as_table(self, key: str, title: str) -> ReportTable:
        """Return a row a part and one for each whole."""
        return table(key, title, ("of", "part", "share"), _parts(self.wholes))


@dataclass(frozen=True, slots=True)
class Stacked:
    """One bar a whole, cut into the same parts everywhere: coverage by period."""

    kind: ClassVar[str] = "stacked"
    wholes: tuple[Whole, ...]

    def as_table(self, key: str, title: str) -> ReportTable:
        """Return a row a whole and a column a part. Raises ValueError when the parts differ."""
        names = tuple(part.label for part in self.wholes[0].parts) if self.wholes else ()
        if any(tuple(part.label for part in whole.parts) != names for whole in self.wholes):
            raise ValueError(f"figure {key}: not every bar has the same parts")
        rows: list[list[Cell]] = [
            [whole.label, *(part.count for part in whole.parts), whole.total] for whole in self.wholes
        ]
        return table(key, title, ("what", *names, "all"), rows)


def _parts(wholes: tuple[Whole, ...]) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for whole in wholes:
        rows += [(whole.label, part.label, Ratio(part.count, whole.total)) for part in whole.parts]
        rows.append((whole.label, "all", whole.total))
    return rows


@dataclass(frozen=True, slots=True)
class HeatCell:
    """What one question scored once: `found` of `of`. None of both where there is no score; `state` says why."""

    found: float | None
    of: float | None
    state: str = ""

    @property
    def text(self) -> str:
        """What is written in the cell."""
        return self.state or f"{self.found:g}/{self.of:g}"

    @property
    def share(self) -> float | None:
        """found / of, None where there is no score."""
        return None if self.found is None or not self.of else self.found / self.of


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One question over the columns."""

    label: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Questions by repeats or modes, the worst first. Raises ValueError for a row of the wrong width."""

    kind: ClassVar[str] = "heatmap"
    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{row.label}: {len(row.cells)} cells of {len(self.columns)}")

    def as_table(self, key: str, title: str) -> ReportTable:
        """Return a row a question and a column a repeat or mode."""
        rows = ((row.label, *(cell.text for cell in row.cells)) for row in self.rows)
        return table(key, title, ("question", *self.columns), rows)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """At this threshold: how many were answered, and the error among them."""

    coverage: float
    risk: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Risk against coverage, from the surest answer to all of them."""

    kind: ClassVar[str] = "curve"
    points: tuple[CurvePoint, ...]

    def as_table(self, key: str, title: str) -> ReportTable:
        """Return a row a point."""
        rows = ((point.coverage, point.risk, point.label or None) for point in self.points)
        return table(key, title, ("coverage", "risk", "threshold"), rows)


@dataclass(frozen=True, slots=True)
class Bar:
    """One length, and what is written beside it. None is unknown, which is not 0."""

    label: str
    value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class BarPanel:
    """Bars of one quantity; panels of one figure have scales of their own."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Lengths by tier, a panel a quantity: effort and cost."""

    kind: ClassVar[str] = "bars"
    panels: tuple[BarPanel, ...]

    def as_table(self, key: str, title: str) -> ReportTable:
        """Return a row a bar."""
        rows = ((panel.title, bar.label, bar.text) for panel in self.panels for bar in panel.bars)
        return table(key, title, ("quantity", "of", "value"), rows)


FigureData = Forest | Waterfall | Stacked | HeatMap | Curve | Bars
