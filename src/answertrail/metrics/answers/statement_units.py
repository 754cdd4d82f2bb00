"""Verdicts on the statements of an answer: which statements are units, and whether all of them were judged."""

from __future__ import annotations

from typing import Literal

from answertrail.errors import InputError
from answertrail.metrics.answers.asked import Asked, AskedRun, LeftOut
from answertrail.metrics.answers.verdicts import Judged
from answertrail.records import Verdict

OfAnswers = Literal["groundedness", "citation"]
_NO_UNIT = {
    "groundedness": "the statement is framing and asserts nothing",
    "citation": "the statement cites nothing",
}


def unit_ids(row: AskedRun, direction: OfAnswers) -> frozenset[str] | None:
    """Return the statements of an answer that are units, by their place from 0; None where the run carries none.

    groundedness: those that are no framing. citation: those that cite something.
    """
    statements = row.run.answer.statements if row.run.answer else None
    if statements is None:
        return None
    if direction == "groundedness":
        return frozenset(str(place) for place, statement in enumerate(statements) if statement.kind != "framing")
    return frozenset(str(place) for place, statement in enumerate(statements) if statement.citations)


def on_units(row: AskedRun, judged: Judged, direction: OfAnswers) -> tuple[list[Verdict], int] | None:
    """Return the verdicts on statements that are units, and how many units there are.

    None where the verdicts are on assertions, where there are none, and where the run does not carry
    its statements. Raises InputError for verdicts of both kinds, and for a statement the answer does
    not have.
    """
    verdicts = judged.of(row.run_id, direction)
    kinds = sorted({verdict.unit.kind for verdict in verdicts.values()})
    if len(kinds) > 1:
        raise InputError(
            f"the {direction} verdicts of run {row.run_id!r} are of units of two kinds, {' and '.join(kinds)}",
            where=next(iter(verdicts.values())).verdict_id,
            hint="give the verdicts of one kind",
        )
    units = unit_ids(row, direction)
    if kinds != ["statement"] or units is None:
        return None
    count = len((row.run.answer.statements if row.run.answer else None) or [])
    for name, verdict in verdicts.items():
        if not (name.isascii() and name.isdecimal() and name == str(int(name)) and int(name) < count):
            raise InputError(
                f"verdict {verdict.verdict_id!r} judges statement {name!r} of run {row.run_id!r}, "
                f"whose answer has {count} statements",
                where=verdict.verdict_id,
                hint="the id of a statement is its place in the answer, counted from 0",
            )
    return [verdict for name, verdict in verdicts.items() if name in units], len(units)


def judged_in_vain(asked: Asked, judged: Judged) -> tuple[LeftOut, ...]:
    """List the verdicts on statements that are no unit of their direction. They are in no count."""
    out: list[LeftOut] = []
    for row in asked.completed:
        for direction, reason in _NO_UNIT.items():
            where: OfAnswers = "citation" if direction == "citation" else "groundedness"
            units = unit_ids(row, where)
            out += [
                LeftOut("verdict", verdict.verdict_id, reason)
                for name, verdict in judged.of(row.run_id, where).items()
                if units is not None and verdict.unit.kind == "statement" and name not in units
            ]
    return tuple(out)
