"""The dated table a longitudinal answer is written from, and its checks.

A row says what was said at a time, with the passages that say it, or that nothing was found there.
Stances pass the five citation checks of a claim, and three more that always reject: every cited
document was published at the row's time; nothing is called not found where nobody looked; and no
row says that nothing was found where another states something or cites a passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from answertrail.agent.arguments import SubmittedRow, SubmittedStatement
from answertrail.agent.citations import Check, check_claims
from answertrail.agent.coverage import Look
from answertrail.agent.recipe import CheckSettings
from answertrail.agent.support import SupportCheck
from answertrail.agent.when import Span, span_of
from answertrail.records.run import Support
from answertrail.search.hits import ChunkRow

_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TableReport:
    """What the checks say: those of its stances, their support by row (from 0), and the faults of time."""

    checks: tuple[Check, ...]
    support: Mapping[int, Support]
    misplaced: tuple[str, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """The reasons for which the table goes back, in order, each once; empty when accepted."""
        refused = [check.reason for check in self.checks if check.passed is False and check.action == "reject"]
        return tuple(dict.fromkeys([*refused, *self.misplaced]))


def check_table(
    rows: Sequence[SubmittedRow],
    looks: Sequence[Look],
    *,
    asked: Sequence[str],
    chunks: Mapping[str, ChunkRow],
    retrieved: frozenset[str],
    settings: CheckSettings,
    judge: SupportCheck,
    raw: Mapping[str, str] | None = None,
) -> TableReport:
    """Check a table; arguments as of `check_answer`, `looks` what the run looked at of each period."""
    claims = {
        number: SubmittedStatement(text=row.stance, kind="claim", citations=row.citations)
        for number, row in enumerate(rows)
        if row.stance is not None
    }
    report = check_claims(
        claims, noun="row", asked=asked, chunks=chunks, retrieved=retrieved, settings=settings, judge=judge, raw=raw
    )
    misplaced = [fault for number, row in enumerate(rows) for fault in _faults(number, row, rows, looks, chunks)]
    return TableReport(report.checks, dict(zip(claims, report.support, strict=True)), tuple(misplaced))


def in_order(rows: Sequence[SubmittedRow]) -> list[int]:
    """Return the numbers of the rows by their time, the undated last; ties as given."""

    def time(number: int) -> tuple[datetime, datetime]:
        span = span_of(rows[number].when)
        return (span.start, span.end) if span else (_LAST, _LAST)

    return sorted(range(len(rows)), key=time)


def row_as_json(row: SubmittedRow, support: Support | None) -> dict[str, Any]:
    """Return a checked row as the model is shown it and the run keeps it."""
    span = span_of(row.when)
    time = {"when": row.when}
    if span:
        time |= {"from": span.start.date().isoformat(), "to": span.end.date().isoformat()}
    if row.nothing_found:
        return {**time, "nothing_found": True}
    return {**time, "stance": row.stance, "citations": list(dict.fromkeys(row.citations)), "support": support}


def _faults(
    number: int, row: SubmittedRow, rows: Sequence[SubmittedRow], looks: Sequence[Look], chunks: Mapping[str, ChunkRow]
) -> list[str]:
    label, span = f"row {number + 1}", span_of(row.when)
    if row.nothing_found:
        found = _never_looked(label, row.when, span, looks) or _said_after_all(label, row.when, span, rows, chunks)
        return [found] if found else []
    if not row.citations:
        # The recipe may only flag a claim without citations; a row without one has no date to be checked.
        return [f"{label}: a stance needs at least one citation"]
    return [
        fault
        for cited in dict.fromkeys(row.citations)
        if (fault := _misdated(label, row.when, span, chunks.get(cited)))
    ]


def _misdated(label: str, when: str, span: Span | None, chunk: ChunkRow | None) -> str:
    if chunk is None:
        return ""
    if chunk.published_at is None:
        return "" if span is None else f"{label}: {chunk.id} has no date; cite it in a row with when 'undated'"
    day = chunk.published_at.astimezone(UTC).date().isoformat()
    if span is None:
        return f"{label}: {chunk.id} is of {day}, not undated"
    if not span.holds(chunk.published_at):
        return f"{label}: {chunk.id} is of {day}, outside {when}; give each time a row of its own"
    return ""


def _never_looked(label: str, when: str, span: Span | None, looks: Sequence[Look]) -> str:
    """Say which period of the row nobody looked at; a time without documents needs no look."""
    for look in looks:
        inside = look.period.start is None if span is None else look.period.meets(span.start, span.end)
        if inside and not look.looked_at:
            return (
                f"{label}: no search of this run looked at {look.period.label}, so nothing can be said of {when}; "
                "leave the row out"
            )
    return ""


def _said_after_all(
    label: str, when: str, span: Span | None, rows: Sequence[SubmittedRow], chunks: Mapping[str, ChunkRow]
) -> str:
    for other, row in enumerate(rows):
        if row.nothing_found:
            continue
        theirs = span_of(row.when)
        both = span is None and theirs is None
        # A stance of a whole year does not say that anything was said in each of its months.
        within = span is not None and theirs is not None and span.start <= theirs.start and theirs.end <= span.end
        if both or within:
            return f"{label}: row {other + 1} gives a stance in {when}; one of the two is wrong"
        for chunk in (chunks[cited] for cited in row.citations if cited in chunks):
            if span is not None and chunk.published_at is not None and span.holds(chunk.published_at):
                day = chunk.published_at.astimezone(UTC).date().isoformat()
                return f"{label}: row {other + 1} cites {chunk.id} of {day}, inside {when}; one of the two is wrong"
    return ""
