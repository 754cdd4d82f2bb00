"""Groundedness: of the assertions an answer makes, how many its own retrieved chunks support."""

from __future__ import annotations

from answertrail.errors import InputError
from answertrail.metrics.answers.applicable import Parts, parts
from answertrail.metrics.answers.asked import Asked, AskedRun
from answertrail.metrics.answers.grid import ABSTAINED, EMPTY, NO_VERDICT
from answertrail.metrics.answers.rates import Counted
from answertrail.metrics.answers.statement_units import on_units
from answertrail.metrics.answers.verdicts import Judged
from answertrail.records import Verdict
from answertrail.records.run import Statement

NO_ASSERTIONS = "the answer makes no assertion"


def groundedness(asked: Asked, judged: Judged) -> Parts:
    """Count HIT assertions among the scored ones of each completed run.

    Not applicable, with the reason and never 1.0: a run that abstains, that retrieved nothing, or
    whose answer makes no assertion. A run without any verdict is unscored with its statements (one,
    when it carries none). Where verdicts are on the answer's statements, every statement that is no
    framing is a unit, and those without a verdict are unscored. Where `meta.sent` of a verdict on
    assertions says how many were sent to the judge, those that did not come back are unscored.
    Raises InputError when more came back, and as `on_units`.
    """
    return parts("groundedness", [(row, _of(row, judged)) for row in asked.completed])


def asserted(row: AskedRun) -> list[Statement]:
    """Return the statements of an answer that are no framing."""
    statements = row.run.answer.statements if row.run.answer else None
    return [statement for statement in statements or [] if statement.kind != "framing"]


def sent(verdicts: list[Verdict]) -> int | None:
    """Return how many units were sent to the judge, where verdicts say so in `meta.sent`.

    Raises InputError when they disagree, say no whole number, or when more verdicts came back.
    """
    said: dict[int, str] = {}
    for verdict in verdicts:
        value = (verdict.meta or {}).get("sent")
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"meta.sent is {value!r}, not a number of units", where=verdict.verdict_id)
        said[value] = verdict.verdict_id
    if not said:
        return None
    if len(said) > 1 or max(said) < len(verdicts):
        raise InputError(
            f"{len(verdicts)} verdicts of run {verdicts[0].run_id!r}, direction {verdicts[0].direction}, "
            f"of {' or '.join(str(value) for value in sorted(said))} units sent (meta.sent)",
            where=min(said.values()),
            hint="every unit sent to the judge has one verdict at most",
        )
    return next(iter(said))


def _of(row: AskedRun, judged: Judged) -> Counted | str:
    question_id, answer = row.question.question_id, row.run.answer
    if row.abstained:
        return ABSTAINED
    if row.retrieved is not None and not row.retrieved:
        return EMPTY
    verdicts = list(judged.of(row.run_id, "groundedness").values())
    if not verdicts:
        if answer is not None and answer.statements is not None and not asserted(row):
            return NO_ASSERTIONS
        if answer is not None and answer.statements is None and not (answer.text or "").strip():
            return NO_ASSERTIONS
        return Counted(question_id, row.repeat, 0, 0, max(len(asserted(row)), 1), NO_VERDICT)
    number = sent(verdicts)
    if (own := on_units(row, judged, "groundedness")) is None:
        return tally(row, verdicts, number or len(verdicts))
    return tally(row, *own) if own[1] else NO_ASSERTIONS


def tally(row: AskedRun, verdicts: list[Verdict], units: int) -> Counted:
    """Count a run's verdicts of `units` units; units without one are unscored."""
    hits = sum(verdict.verdict == "HIT" for verdict in verdicts)
    scored = sum(verdict.verdict != "UNSCORED" for verdict in verdicts)
    said = sorted(verdict.reason or "" for verdict in verdicts if verdict.verdict == "UNSCORED")
    reason = said[0] if said else f"{units - len(verdicts)} of {units} units have no verdict"
    missing = units - scored
    return Counted(row.question.question_id, row.repeat, hits, scored, missing, reason if missing else "")
