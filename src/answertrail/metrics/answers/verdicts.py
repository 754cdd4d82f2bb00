"""Verdicts joined to runs: each unit judged once in each direction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from answertrail.errors import InputError
from answertrail.metrics.answers.asked import AskedRun, LeftOut
from answertrail.records import Verdict

Direction = Literal["recall", "ceiling", "groundedness", "citation"]
_UNITS: Mapping[str, frozenset[str]] = {
    "recall": frozenset({"nugget"}),
    "ceiling": frozenset({"nugget"}),
    "groundedness": frozenset({"assertion", "statement"}),
    "citation": frozenset({"statement", "assertion"}),
}


@dataclass(frozen=True)
class Judged:
    """Verdicts by run, direction and unit id. `judge` names who gave them, None without any."""

    judge: str | None
    by_run: Mapping[tuple[str, str], Mapping[str, Verdict]]
    left_out: tuple[LeftOut, ...] = ()

    def of(self, run_id: str, direction: Direction) -> Mapping[str, Verdict]:
        """Return a run's verdicts in a direction, by unit id."""
        return self.by_run.get((run_id, direction), {})

    def given(self, direction: Direction) -> bool:
        """Whether any run has a verdict in this direction."""
        return any(name == direction for _, name in self.by_run)


def judged(verdicts: Iterable[Verdict], runs: Sequence[AskedRun], *, judge: str | None) -> Judged:
    """Return the verdicts of one judge, named `judge`, about these runs.

    Verdicts about runs that are not here are left out and listed. Two verdicts of one unit in one
    direction count once when `verdict` and `key` agree. Raises InputError, with the verdict's id:
    two that do not agree; a nugget its question does not have; a question or repeat that is not its
    run's; a unit that does not fit the direction; and when no verdict is about any of the runs.
    """
    known = {row.run_id: row for row in runs}
    rows: list[Verdict] = []
    left_out: list[LeftOut] = []
    for verdict in sorted(verdicts, key=lambda row: row.verdict_id):
        if verdict.direction == "pair" or verdict.run_id is None:
            left_out.append(LeftOut("verdict", verdict.verdict_id, "of a pair, not of a run"))
        elif verdict.run_id not in known:
            reason = f"run {verdict.run_id!r} is not among the runs scored"
            left_out.append(LeftOut("verdict", verdict.verdict_id, reason))
        else:
            _checked(verdict, known[verdict.run_id])
            rows.append(verdict)
    if left_out and not rows:
        raise InputError(
            f"none of {len(left_out)} verdicts is about a run scored here; of the first: {left_out[0].reason}",
            where=left_out[0].id,
            hint="give the verdicts that belong to these runs",
        )
    return Judged(judge if rows else None, _by_run(rows), tuple(left_out))


def _checked(verdict: Verdict, row: AskedRun) -> None:
    said, where = f"verdict {verdict.verdict_id!r}", verdict.verdict_id
    if verdict.question_id != row.question.question_id:
        raise InputError(
            f"{said} says question {verdict.question_id!r}, but run {row.run_id!r} answers "
            f"{row.question.question_id!r}",
            where=where,
        )
    if verdict.repeat is not None and row.run.repeat is not None and verdict.repeat != row.run.repeat:
        raise InputError(
            f"{said} says repeat {verdict.repeat}, but run {row.run_id!r} is repeat {row.run.repeat}", where=where
        )
    fitting = _UNITS[verdict.direction]
    if verdict.unit.kind not in fitting:
        raise InputError(
            f"{said}: direction {verdict.direction} judges {' or '.join(sorted(fitting))}, not {verdict.unit.kind}",
            where=where,
        )
    if verdict.unit.kind == "nugget" and verdict.unit.id not in {n.nugget_id for n in row.question.nuggets or []}:
        raise InputError(
            f"{said} judges nugget {verdict.unit.id!r}, which question {row.question.question_id!r} does not have",
            where=where,
            hint="give the question file the verdicts were made with, or judge again",
        )


def _by_run(rows: Sequence[Verdict]) -> Mapping[tuple[str, str], Mapping[str, Verdict]]:
    out: dict[tuple[str, str], dict[str, Verdict]] = defaultdict(dict)
    for row in rows:
        units = out[(row.run_id or "", row.direction)]
        first = units.setdefault(row.unit.id, row)
        if (first.verdict, first.key) != (row.verdict, row.key):
            raise InputError(
                f"verdicts {first.verdict_id!r} ({first.verdict}) and {row.verdict_id!r} ({row.verdict}) are both of "
                f"{row.unit.kind} {row.unit.id!r} of run {row.run_id!r}, direction {row.direction}",
                where=row.verdict_id,
                hint="keep one verdict of each unit and direction",
            )
    return out
