"""A report as Markdown: the same sections, tables and values; figures as their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from answertrail.agent.render import literal, web_url
from answertrail.experiments.report.model import Case, Figure, Link, Report, Section
from answertrail.experiments.view.markdown import markdown as table_markdown
from answertrail.experiments.view.table import ReportTable
from answertrail.plain_text import one_line

ROWS, CASES = 100, 30


def markdown(report: Report) -> str:
    """Return the report as Markdown: at most 100 rows a table and 30 cases, what is left out counted."""
    made_at = f"Newest record: {_text(report.made_at)}" if report.made_at else "No record carries a date"
    parts = [f"# {_text(report.title)}\n", f"{made_at}\n"]
    for section in report.sections:
        parts += _section(section)
    return "\n".join(parts)


def _section(section: Section) -> Iterator[str]:
    yield f"## {_text(section.title)}\n"
    for paragraph in section.intro:
        yield f"{_text(paragraph)}\n"
    for table in section.tables:
        yield _table(table)
    for figure in section.figures:
        yield _figure(figure)
    for case in section.cases[:CASES]:
        yield _case(case)
    if len(section.cases) > CASES:
        yield f"{len(section.cases) - CASES} more cases are in the JSON form of this report.\n"


def _figure(figure: Figure) -> str:
    return f"{_table(replace(figure.table, title=figure.title))}\n{_text(figure.caption)}\n"


def _table(table: ReportTable) -> str:
    more = len(table.rows) - ROWS
    notes = [*table.notes, *([f"{more} more rows are in the JSON form of this report."] if more > 0 else [])]
    return table_markdown(replace(table, rows=table.rows[:ROWS], notes=tuple(notes)), level=3)


def _case(case: Case) -> str:
    lines = [f"### {_text(case.title)}\n"]
    for line in case.lines:
        links = " ".join(map(_link, line.links))
        lines.append(f"- {f'{_text(line.mark)}: ' if line.mark else ''}{_text(line.text)} {links}".rstrip())
    return "\n".join(lines) + "\n"


def _link(link: Link) -> str:
    url = web_url(link.url)
    return f"[{_text(link.label)}]({url})" if url else f"({_text(link.label)})"


def _text(text: str) -> str:
    return literal(one_line(text))
