"""Three rates of citations: the chunk exists, this run retrieved it, it supports the statement."""

from __future__ import annotations

from collections.abc import Collection

from answertrail.errors import InputError
from answertrail.metrics.answers.applicable import Parts, parts
from answertrail.metrics.answers.asked import Asked, AskedRun
from answertrail.metrics.answers.grid import ABSTAINED, NO_VERDICT
from answertrail.metrics.answers.grounded import sent, tally
from answertrail.metrics.answers.rates import Counted
from answertrail.metrics.answers.statement_units import on_units
from answertrail.metrics.answers.verdicts import Judged
from answertrail.records.run import Statement

CITES_NOTHING = "the answer cites nothing"
NO_STATEMENTS = "the run does not carry its statements"
OWN_CHECK = "the runs' own support check"


def citation_exists(asked: Asked, corpus_ids: Collection[str] | None = None) -> Parts:
    """Count the distinct cited ids of each run that name a chunk of the corpus.

    Known from `citation_checks` (check `exists`, the last attempt), else from `corpus_ids`; an id
    of which neither says anything is unscored. Not applicable: an answer that cites nothing.
    """
    known = None if corpus_ids is None else frozenset(corpus_ids)
    return parts("citation_exists", [(row, _exists(row, known)) for row in asked.completed])


def citation_retrieved(asked: Asked) -> Parts:
    """Count the distinct cited ids of each run that its own searches returned.

    A run that does not say what it retrieved is unscored. Not applicable: an answer that cites nothing.
    """
    return parts("citation_retrieved", [(row, _retrieved(row)) for row in asked.completed])


def citation_support(asked: Asked, judged: Judged) -> Parts:
    """Count supported statements among those that cite something.

    By the judge's verdicts of direction `citation` when any are given, else by the support each run
    recorded of its own statements. A statement without either is unscored, and so is each of the
    citations sent to the judge (`meta.sent`) that did not come back. Not applicable: an answer that
    cites nothing. Raises InputError as `on_units`, and for more verdicts than there are citations.
    """
    by_judge = judged.given("citation")
    return parts(
        "citation_support", [(row, _judged(row, judged) if by_judge else _own(row)) for row in asked.completed]
    )


def support_source(judged: Judged) -> str:
    """Say who decided on support: a judge, or the runs themselves."""
    return f"judge {judged.judge}" if judged.given("citation") else OWN_CHECK


def cited_statements(row: AskedRun) -> list[Statement]:
    """Return the statements of an answer that cite something."""
    statements = row.run.answer.statements if row.run.answer else None
    return [statement for statement in statements or [] if statement.citations]


def cited_ids(row: AskedRun) -> list[str]:
    """Return the distinct ids an answer cites, in order."""
    return list(dict.fromkeys(name for statement in cited_statements(row) for name in statement.citations))


def _without(row: AskedRun) -> str | None:
    """Return why a run has no citation to count, if so."""
    if row.abstained:
        return ABSTAINED
    if row.run.answer is None or row.run.answer.statements is None:
        return NO_STATEMENTS
    return None if cited_ids(row) else CITES_NOTHING


def _exists(row: AskedRun, corpus_ids: frozenset[str] | None) -> Counted | str:
    if reason := _without(row):
        return reason
    known = _checked(row)
    marks = [known.get(name, None if corpus_ids is None else name in corpus_ids) for name in cited_ids(row)]
    unknown = marks.count(None)
    reason = "neither citation_checks nor the ids of the corpus tell whether it exists" if unknown else ""
    return Counted(row.question.question_id, row.repeat, marks.count(True), len(marks) - unknown, unknown, reason)


def _checked(row: AskedRun) -> dict[str, bool]:
    """Return what the last attempt's `exists` checks say of each id; one failed check is enough."""
    entries = [
        (entry.get("attempt") or 0, str(entry["citation"]), entry.get("passed"))
        for entry in row.run.citation_checks or []
        if entry.get("check") == "exists" and entry.get("citation") is not None
    ]
    last = max((attempt for attempt, _, _ in entries), default=0)
    out: dict[str, bool] = {}
    for attempt, name, passed in entries:
        if attempt == last and isinstance(passed, bool):
            out[name] = out.get(name, True) and passed
    return out


def _retrieved(row: AskedRun) -> Counted | str:
    if reason := _without(row):
        return reason
    cited, found = cited_ids(row), row.retrieved
    if found is None:
        reason = "the run does not say what it retrieved"
        return Counted(row.question.question_id, row.repeat, 0, 0, len(cited), reason)
    return Counted(row.question.question_id, row.repeat, sum(name in found for name in cited), len(cited))


def _own(row: AskedRun) -> Counted | str:
    if reason := _without(row):
        return reason
    marks = [statement.support or "UNSCORED" for statement in cited_statements(row)]
    scored = len(marks) - marks.count("UNSCORED")
    reason = "no support verdict recorded" if scored < len(marks) else ""
    return Counted(row.question.question_id, row.repeat, marks.count("HIT"), scored, len(marks) - scored, reason)


def _judged(row: AskedRun, judged: Judged) -> Counted | str:
    verdicts = list(judged.of(row.run_id, "citation").values())
    reason = _without(row)
    if reason and not (verdicts and reason == NO_STATEMENTS):
        return reason
    number = sent(verdicts)
    if (own := on_units(row, judged, "citation")) is not None:
        return tally(row, *own)
    citing = cited_statements(row)
    most = max(sum(len(dict.fromkeys(s.citations)) for s in citing), len(row.run.answer.statements or []))  # type: ignore[union-attr]
    if citing and len(verdicts) > most:
        raise InputError(
            f"{len(verdicts)} citation verdicts of run {row.run_id!r}, which has {most} statements or citations",
            where=verdicts[0].verdict_id,
        )
    if not verdicts:
        return Counted(row.question.question_id, row.repeat, 0, 0, len(citing), NO_VERDICT)
    return tally(row, verdicts, max(number or len(verdicts), len(citing)))
