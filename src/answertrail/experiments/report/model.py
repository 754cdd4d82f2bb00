"""A report as data: sections of tables, figures and cases. How it looks is the renderers' matter.

A report is a function of what was measured. Its date comes with the inputs, never from a clock,
so the same inputs give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from answertrail.experiments.report.data import FigureData
from answertrail.experiments.view.table import Cell, Counted, ReportTable
from answertrail.metrics.values import Json


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of values. `caption` stands below it; `alt` says in words what can be seen in it."""

    key: str
    title: str
    data: FigureData
    caption: str
    alt: str

    @property
    def kind(self) -> str:
        """Which plot draws it."""
        return self.data.kind

    @property
    def table(self) -> ReportTable:
        """The same values as a table."""
        return self.data.as_table(f"{self.key}-values", f"{self.title}: the values")

    def as_json(self) -> Json:
        """Return all values."""
        return {
            "key": self.key,
            "title": self.title,
            "kind": self.kind,
            "data": _plain(self.data),
            "caption": self.caption,
            "alt": self.alt,
        }


@dataclass(frozen=True, slots=True)
class Link:
    """A citation: what it is called and, where it has a web address, where it leads."""

    label: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A line of a case: `mark` says what it is (missed, stated, ...)."""

    mark: str
    text: str
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One question looked at closely: what was asked, what was missed, what was said."""

    key: str
    title: str
    lines: tuple[CaseLine, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under a heading, with an introduction in plain words."""

    key: str
    title: str
    intro: tuple[str, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    cases: tuple[Case, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the section and of all in it."""
        return (
            self.key,
            *(table.key for table in self.tables),
            *(figure.key for figure in self.figures),
            *(case.key for case in self.cases),
        )

    def as_json(self) -> Json:
        """Return all rows, figures and cases."""
        return {
            "key": self.key,
            "title": self.title,
            "intro": list(self.intro),
            "tables": [table_json(table) for table in self.tables],
            "figures": [figure.as_json() for figure in self.figures],
            "cases": [_plain(case) for case in self.cases],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a reader is shown. `made_at` is the time of the newest input, None when none has one.

    `scores` holds each area's full `as_json`, so that the JSON file has all there is. Raises
    ValueError when two sections, tables, figures or cases share a key: keys are anchors.
    """

    title: str
    made_at: str | None
    sections: tuple[Section, ...]
    scores: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        keys = [key for section in self.sections for key in section.keys]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"keys given twice: {', '.join(twice)}")

    def as_json(self) -> Json:
        """Return the whole report, nothing left out."""
        return {
            "schema": "report/1",
            "title": self.title,
            "made_at": self.made_at,
            "sections": [section.as_json() for section in self.sections],
            "scores": dict(self.scores),
        }


def table_json(table: ReportTable) -> Json:
    """Return a table with its values in the contract's shapes."""
    return {
        "key": table.key,
        "title": table.title,
        "columns": list(table.columns),
        "rows": [[cell_json(cell) for cell in row] for row in table.rows],
        "notes": list(table.notes),
    }


def cell_json(cell: Cell) -> object:
    """Return a number or text as it is, a measure in the contract's shape."""
    if cell is None or isinstance(cell, str | int | float):
        return cell
    return cell.measured.as_json() if isinstance(cell, Counted) else cell.as_json()


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
