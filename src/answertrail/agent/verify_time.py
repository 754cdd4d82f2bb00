"""Check what a run says of time with nothing else at hand: its dated table, and the coverage of its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from answertrail.agent.arguments import TimelineArguments
from answertrail.agent.citations import asked_for
from answertrail.agent.coverage import Look, answer_coverage, calendar_from_json, looks
from answertrail.agent.dated_table import check_table
from answertrail.agent.recipe import CheckSettings
from answertrail.agent.support import SupportCheck
from answertrail.records.base import instant
from answertrail.records.run import Run, RunChunk
from answertrail.search.hits import ChunkRow

_ALL = CheckSettings(exists="flag", retrieved="flag", in_bounds="flag", cited="flag", supported="flag")


def time_faults(run: Run, support: SupportCheck) -> Iterator[tuple[str, str]]:
    """Yield (kind, message) for a table or a coverage that the run's own searches and passages do not bear out.

    A run of another program may carry a coverage without the calendar it was made from: then only
    its evidence can be checked.
    """
    meta = run.meta or {}
    table = meta.get("timeline")
    table = table if isinstance(table, dict) else {}
    rows = table.get("rows")
    covered = run.answer.coverage if run.answer else None
    if rows is None and covered is None:
        return
    try:
        calendar = calendar_from_json(meta["calendar"]) if "calendar" in meta else None
        told = (
            looks(calendar, run.chunks or [], run.searches or [], meta.get("timeline_searches", {}))
            if calendar
            else None
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        yield "calendar", "the periods of the run cannot be read"
        return
    if rows is not None:
        yield from _table(run, table, told or (), support)
    if covered is not None:
        yield from _coverage(run, rows, told)


def _table(
    run: Run, table: Mapping[str, Any], looked: tuple[Look, ...], support: SupportCheck
) -> Iterator[tuple[str, str]]:
    rows = table["rows"]
    try:
        submitted = TimelineArguments.model_validate({"rows": [_as_sent(row) for row in rows]}).rows
    except (ValidationError, TypeError, AttributeError):
        yield "timeline", "a row of the dated table could never have been submitted"
        return
    report = check_table(
        submitted,
        looked,
        asked=asked_for(run.question, run.searches or []),
        chunks={chunk.id: as_row(chunk) for chunk in run.chunks or []},
        retrieved=frozenset(run.retrieved if run.retrieved is not None else [chunk.id for chunk in run.chunks or []]),
        settings=_ALL,
        judge=support,
    )
    told = failures_told(table.get("checks"))
    for check in report.checks:
        if check.passed is False and (check.check, check.statement, check.citation) not in told:
            yield "timeline", f"dated table, {check.reason}"
    for fault in report.misplaced:
        yield "timeline", f"dated table, {fault}"
    for number, row in enumerate(rows):
        verdict = report.support.get(number)
        if row.get("support") not in {None, verdict}:
            yield "timeline", f"dated table, row {number + 1} is marked {row['support']}, but the check says {verdict}"


def _as_sent(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("when", "stance", "citations", "nothing_found") if key in row}


def _coverage(run: Run, rows: Any, told: tuple[Look, ...] | None) -> Iterator[tuple[str, str]]:
    assert run.answer is not None
    covered = run.answer.coverage or []
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    cited = [c for s in run.answer.statements or [] for c in s.citations]
    cited += [c for row in rows or [] if isinstance(row, dict) for c in row.get("citations") or []]
    if told is not None:
        expected = answer_coverage(told, [chunks[c] for c in cited if c in chunks])
        if [p.as_json() for p in covered] != [p.as_json() for p in expected]:
            yield "coverage", "the coverage of the answer is not what its searches and citations give"
        return
    for period in covered:
        for name in period.evidence or []:
            published = chunks[name].published_at if name in chunks else None
            if published is None or not instant(period.from_) <= instant(published) < instant(period.to):
                yield "coverage", f"{name} is no evidence of {period.from_} to {period.to}"


def failures_told(checks: Any) -> set[tuple[str, int | None, str | None]]:
    """Return the failures that were flagged and told, of a list of checks as a run keeps them."""
    return {
        (c.get("check", ""), c.get("statement"), c.get("citation"))
        for c in checks or []
        if c.get("passed") is False and c.get("action") == "flag"
    }


def as_row(chunk: RunChunk) -> ChunkRow:
    """Return a chunk as the run keeps it, as the checks read it."""
    return ChunkRow(
        id=chunk.id,
        document_id=chunk.document_id,
        title=chunk.title or "",
        published_at=instant(chunk.published_at) if chunk.published_at else None,
        url=chunk.url,
        language=None,
        duration_s=None,
        start_s=chunk.start_s,
        end_s=chunk.end_s,
        text=chunk.text,
    )
