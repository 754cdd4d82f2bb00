"""Check what a run says of time with nothing else at hand: its dated table, and the coverage of its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from answertrail.agent.arguments import SubmittedRow, TimelineArguments
from answertrail.agent.captioned import captioned_in
from answertrail.agent.citations import asked_for
from answertrail.agent.coverage import Look, answer_coverage, calendar_from_json, looks
from answertrail.agent.dated_table import check_table
from answertrail.agent.over_time import asks_over_time
from answertrail.agent.passages import cited_in, published_in
from answertrail.agent.recipe import CheckSettings
from answertrail.agent.support import SupportCheck
from answertrail.records.base import instant
from answertrail.records.run import Run, RunChunk
from answertrail.search.hits import ChunkRow

_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What values of other kinds than ours raise; a file may hold anything under `meta`."""
_ALL = CheckSettings(exists="flag", retrieved="flag", in_bounds="flag", cited="flag", supported="flag")


def time_faults(run: Run, support: SupportCheck) -> Iterator[tuple[str, str]]:
    """Yield (kind, message) for a table or a coverage that the run's own searches and passages do not bear out.

    A run of another program may carry a coverage without the calendar it was made from: then only
    its evidence can be checked.
    """
    try:
        yield from list(_time_faults(run, support))
    except _UNREADABLE:
        yield "timeline", "what the run tells of time cannot be read"


def time_unchecked(run: Run) -> Iterator[str]:
    """Yield what of a run on a question over time cannot be checked: its coverage, its dated table.

    A recipe without the two steps makes neither.
    """
    meta = run.meta or {}
    covered = run.answer.coverage if run.answer else None
    over_time = meta["over_time"] is True if "over_time" in meta else asks_over_time(run.question)
    if run.answer is None or not (covered is not None or (over_time and _two_step(meta) is not False)):
        return
    if covered is None or "calendar" not in meta:
        yield "coverage"
    if _rows(meta) is None:
        yield "table"


def _two_step(meta: Mapping[str, Any]) -> bool | None:
    """Whether the recipe has questions over time answered in two steps; None when the run does not say."""
    config = meta.get("agent_config")
    loop = config.get("loop") if isinstance(config, dict) else None
    return bool(loop.get("two_step", False)) if isinstance(loop, dict) else None


def _rows(meta: Mapping[str, Any]) -> Any:
    table = meta.get("timeline")
    return table.get("rows") if isinstance(table, dict) else None


def _time_faults(run: Run, support: SupportCheck) -> Iterator[tuple[str, str]]:
    meta = run.meta or {}
    table = meta.get("timeline")
    table = table if isinstance(table, dict) else {}
    rows = table.get("rows")
    covered = run.answer.coverage if run.answer else None
    try:
        calendar = calendar_from_json(meta["calendar"]) if "calendar" in meta else None
        told = (
            looks(
                calendar,
                run.chunks or [],
                run.searches or [],
                meta.get("timeline_searches", {}),
                frozenset(meta.get("complete_searches", ())),
            )
            if calendar
            else None
        )
    except _UNREADABLE:
        yield "calendar", "the periods of the run cannot be read"
        return
    if _two_step(meta) and run.answer is not None:
        if covered is None and meta.get("over_time") is True and calendar and calendar.dated:
            yield "coverage", "an answer to a question over time, and it carries no coverage"
        if covered is not None and meta.get("over_time") is False:
            yield "coverage", "the answer carries a coverage, but the question was not taken for one over time"
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
    except (ValidationError, *_UNREADABLE):
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
        raw=captioned_in(run),
    )
    checks = table.get("checks")
    if checks is not None and not (isinstance(checks, list) and all(isinstance(check, dict) for check in checks)):
        yield "timeline", "the checks of the dated table cannot be read"
    told = failures_told(checks)
    for check in report.checks:
        if check.passed is False and (check.check, check.statement, check.citation) not in told:
            yield "timeline", f"dated table, {check.reason}"
    for fault in report.misplaced:
        yield "timeline", f"dated table, {fault}"
    for number, row in enumerate(rows):
        verdict = report.support.get(number)
        if row.get("support") not in (None, verdict):
            yield "timeline", f"dated table, row {number + 1} is marked {row['support']}, but the check says {verdict}"

    yield from _contradicted(run, submitted)


def _contradicted(run: Run, rows: Sequence[SubmittedRow]) -> Iterator[tuple[str, str]]:
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    cited = [chunks[name] for name in dict.fromkeys(cited_in(run.answer)) if name in chunks]
    for number, row in enumerate(rows, 1):
        for chunk in cited:
            if row.nothing_found and published_in(row.when, chunk):
                yield (
                    "timeline",
                    f"dated table, row {number} says that nothing was found in {row.when}, "
                    f"but the answer cites {chunk.id}",
                )


def _as_sent(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("when", "stance", "citations", "nothing_found") if key in row}


def _coverage(run: Run, rows: Any, told: tuple[Look, ...] | None) -> Iterator[tuple[str, str]]:
    assert run.answer is not None
    covered = run.answer.coverage or []
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    cited = [*cited_in(run.answer), *_cited_by(rows)]
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


def cited_in_table(run: Run) -> set[str]:
    """Return the ids that the rows of the dated table cite, as far as they can be read."""
    return set(_cited_by(_rows(run.meta or {})))


def _cited_by(rows: Any) -> list[str]:
    cited: list[str] = []
    for row in rows if isinstance(rows, list) else ():
        listed = row.get("citations") if isinstance(row, dict) else None
        cited += [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return cited


def failures_told(checks: Any) -> set[tuple[str, int | None, str | None]]:
    """Return the failures that were flagged and told, of a list of checks as a run keeps them; of anything, none."""
    told = [c for c in checks if isinstance(c, dict)] if isinstance(checks, list) else []
    named = [
        (c.get("check"), c.get("statement"), c.get("citation"))
        for c in told
        if c.get("passed") is False and c.get("action") == "flag"
    ]
    return {
        (check, statement, citation)
        for check, statement, citation in named
        if isinstance(check, str) and isinstance(statement, int | None) and isinstance(citation, str | None)
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
