"""A report as one HTML file that needs nothing else: no script, no network, no font.

Everything shown is data and is escaped by the template; control characters and direction marks
are taken out first. The only addresses in the file are those of citations, http and https.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from answertrail.agent.render import web_url
from answertrail.experiments.report.model import Case, CaseLine, Figure, Report, Section
from answertrail.experiments.report.plots import DESK, PHONE, svg
from answertrail.experiments.view.table import Cell, Counted, ReportTable, cell_text
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Estimate, Ratio, Undefined
from answertrail.plain_text import one_line

OPEN_ROWS, ROWS, CASES, CELL = 20, 300, 20, 300
_LONG = 32
_JOINTS = re.compile(r"(?<=[_@:/.-])(?=.)")
_PARTS = re.compile(r"(?<=\S) (?=[(\[])")


@dataclass(frozen=True, slots=True)
class _Cell:
    parts: tuple[str, ...]
    style: str


@dataclass(frozen=True, slots=True)
class _Table:
    key: str
    title: str
    columns: tuple[_Cell, ...]
    first: tuple[tuple[_Cell, ...], ...]
    rest: tuple[tuple[_Cell, ...], ...]
    left_out: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Figure:
    key: str
    title: str
    caption: str
    desk: Markup
    phone: Markup
    values: _Table


@dataclass(frozen=True, slots=True)
class _Link:
    label: str
    url: str | None


@dataclass(frozen=True, slots=True)
class _Line:
    mark: str
    text: str
    links: tuple[_Link, ...]


@dataclass(frozen=True, slots=True)
class _Case:
    key: str
    title: str
    lines: tuple[_Line, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    key: str
    title: str
    intro: tuple[str, ...]
    tables: tuple[_Table, ...]
    figures: tuple[_Figure, ...]
    cases: tuple[_Case, ...]
    cases_left_out: int


def html(report: Report) -> str:
    """Return the report as one HTML document. The same report gives the same text.

    Of a table at most 300 rows are shown, the first 20 at once; of cases at most 20, of a cell or a
    line 300 letters. What is left out is counted where it is left out, and is in the JSON form.
    """
    environment = Environment(
        loader=PackageLoader("answertrail.experiments.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    sections = tuple(_section(section) for section in report.sections)
    made_at = None if report.made_at is None else one_line(report.made_at)
    page = environment.get_template("report.html.j2")
    return page.render(title=one_line(report.title), made_at=made_at, sections=sections)


def _section(section: Section) -> _Section:
    return _Section(
        section.key,
        one_line(section.title),
        tuple(map(one_line, section.intro)),
        tuple(map(_table, section.tables)),
        tuple(map(_figure, section.figures)),
        tuple(map(_case, section.cases[:CASES])),
        max(len(section.cases) - CASES, 0),
    )


def _table(table: ReportTable) -> _Table:
    numeric = [_numeric(table.rows, number) for number in range(len(table.columns))]
    rows = [
        tuple(_cell(cell, "number" if right else "text") for cell, right in zip(row, numeric, strict=True))
        for row in table.rows[:ROWS]
    ]
    return _Table(
        table.key,
        one_line(table.title),
        tuple(
            _Cell((one_line(name),), "number" if right else "text")
            for name, right in zip(table.columns, numeric, strict=True)
        ),
        tuple(rows[:OPEN_ROWS]),
        tuple(rows[OPEN_ROWS:]),
        max(len(table.rows) - ROWS, 0),
        tuple(map(one_line, table.notes)),
    )


def _numeric(rows: Sequence[tuple[Cell, ...]], column: int) -> bool:
    cells = [row[column] for row in rows if row[column] is not None]
    return bool(cells) and all(isinstance(cell, int | float) for cell in cells)


def _cell(cell: Cell, style: str) -> _Cell:
    text = _cut(cell_text(cell))
    if isinstance(cell, Undefined) or text.startswith("undefined:"):
        style = "undefined"
    elif isinstance(cell, Measured | Counted | Ratio | Estimate):
        # A value may break before its parts and its interval, and nowhere else.
        return _Cell(tuple(_PARTS.split(text)), "value")
    length = _length(text)
    # A name may break after its signs, where the page is narrow.
    parts = tuple(_JOINTS.split(text)) if length == "name" else (text,)
    return _Cell(parts, f"{style} {length}".strip())


def _cut(text: str) -> str:
    shown = one_line(text)
    if len(shown) <= CELL:
        return shown
    return f"{shown[:CELL].rstrip()}… ({len(shown) - CELL} more letters in the JSON form)"


def _length(text: str) -> str:
    if " " not in text and len(text) <= _LONG:
        return "name"
    return "longer" if len(text) > 3 * _LONG else "long" if len(text) > _LONG else ""


def _figure(figure: Figure) -> _Figure:
    # What svg returns is escaped by it.
    desk, phone = (Markup(svg(figure, width)) for width in (DESK, PHONE))  # noqa: S704
    return _Figure(
        figure.key, one_line(figure.title), one_line(figure.caption), desk, phone, _table(figure.table)
    )  # fmt: skip


def _case(case: Case) -> _Case:
    return _Case(case.key, one_line(case.title), tuple(map(_line, case.lines)))


def _line(line: CaseLine) -> _Line:
    links = tuple(_Link(one_line(link.label), web_url(link.url)) for link in line.links)
    return _Line(one_line(line.mark), _cut(line.text), links)
