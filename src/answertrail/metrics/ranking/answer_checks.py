"""Four plain checks of an answer beside its retrieval: source support, scope, freshness, refusal.

They look at which sources were cited, never at what the answer says about them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, NamedTuple, get_args

from answertrail.metrics.ranking.gold import Gold, gold_of
from answertrail.metrics.ranking.hits import spans_found
from answertrail.metrics.ranking.units import document_of
from answertrail.metrics.refusal.cases import UNKNOWN, said_by
from answertrail.records.question import Question
from answertrail.records.run import Run

Check = Literal["source_support", "scope", "freshness", "refusal"]
State = Literal["pass", "fail", "not_applicable", "unscored"]
CHECKS: tuple[Check, ...] = get_args(Check)


class Finding(NamedTuple):
    """How one check of one answer came out, and why. `unscored`: there is no answer to look at."""

    check: Check
    state: State
    reason: str


@dataclass(frozen=True, slots=True)
class Sources:
    """`meta.checks` of a question, each a list of chunk or document ids.

    `out_of_scope` also takes prefixes, written with a `*` or a `/` at the end.
    """

    supporting: tuple[str, ...] = ()
    out_of_scope: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    current: tuple[str, ...] = ()


def sources_of(question: Question) -> Sources:
    """Read `meta.checks`. Raises ValueError for an unknown key or anything but lists of ids."""
    given = (question.meta or {}).get("checks", {})
    known = [field.name for field in fields(Sources)]
    if not isinstance(given, dict) or not set(given) <= set(known):
        raise ValueError(f"meta.checks is an object with {', '.join(known)}")
    for name, ids in given.items():
        if not isinstance(ids, list) or not all(isinstance(row, str) and row for row in ids):
            raise ValueError(f"meta.checks.{name} is a list of ids")
    sources = Sources(**{name: tuple(ids) for name, ids in given.items()})
    if sources.stale and not sources.current:
        raise ValueError("meta.checks.stale needs meta.checks.current: what should be cited in its place")
    return sources


def check_answer(question: Question, run: Run | None) -> tuple[Finding, ...]:
    """Return the four findings in the order of `CHECKS`; without a run those that apply are unscored.

    source_support: a cited unit is a gold unit (`evidence`, `relevant`) or among `supporting`.
    scope: nothing cited is out of scope. freshness: a `current` source is cited, not stale ones
    alone. refusal: an unanswerable question gets `cannot_answer`. An answer that refuses, or cites
    nothing, passes no check by its emptiness. A run that does not say whether it answered (see
    `said_by`) is unscored. Raises ValueError as `sources_of`.
    """
    sources = sources_of(question)
    return tuple(_finding(check, question, sources, run) for check in CHECKS)


def _finding(check: Check, question: Question, sources: Sources, run: Run | None) -> Finding:
    if outside := _outside(check, question, sources):
        return Finding(check, "not_applicable", outside)
    if run is None:
        return Finding(check, "unscored", "no run of the question")
    said = said_by(run)
    if said == "failed":
        return Finding(check, "unscored", f"the run is {run.status}")
    if said == "unknown" or run.answer is None:
        return Finding(check, "unscored", UNKNOWN)
    if check == "refusal":
        return Finding(check, "pass" if said == "declined" else "fail", f"the outcome is {run.answer.outcome}")
    if said == "declined":
        return Finding(check, "not_applicable", "the answer says it cannot answer")
    cited = tuple(dict.fromkeys(name for row in run.answer.statements or () for name in row.citations))
    if not cited:
        state: State = "not_applicable" if check == "scope" else "fail"
        return Finding(check, state, "nothing is cited")
    if check == "scope":
        return _scope(sources, cited)
    return _freshness(sources, cited) if check == "freshness" else _source_support(question, sources, cited)


def _outside(check: Check, question: Question, sources: Sources) -> str | None:
    """Why a check does not concern a question, if it does not."""
    if check == "refusal":
        return None if question.tier == "unanswerable" else "the question is answerable"
    if check == "scope":
        return None if sources.out_of_scope else "no source is named as out of scope"
    if question.tier == "unanswerable":
        return "unanswerable: no source supports an answer"
    if check == "freshness":
        return None if sources.current else "no source is named as current"
    if not sources.supporting and not isinstance(gold_of(question), Gold):
        return "no gold unit and no supporting source"
    return None


def _source_support(question: Question, sources: Sources, cited: tuple[str, ...]) -> Finding:
    gold = gold_of(question)
    for name in cited:
        if _among(name, sources.supporting):
            return Finding("source_support", "pass", f"{name} is a supporting source")
        if isinstance(gold, Gold) and (_among(name, tuple(gold.grades)) or spans_found(gold, name)):
            return Finding("source_support", "pass", f"{name} is a gold unit")
    return Finding("source_support", "fail", f"none of {len(cited)} cited units is a gold unit")


def _scope(sources: Sources, cited: tuple[str, ...]) -> Finding:
    outside = [name for name in cited if any(_under(name, entry) for entry in sources.out_of_scope)]
    if outside:
        return Finding("scope", "fail", f"cites what is out of scope: {', '.join(outside)}")
    return Finding("scope", "pass", f"none of {len(cited)} cited units is out of scope")


def _freshness(sources: Sources, cited: tuple[str, ...]) -> Finding:
    current = [name for name in cited if _among(name, sources.current)]
    if current:
        return Finding("freshness", "pass", f"{current[0]} is a current source")
    stale = [name for name in cited if _among(name, sources.stale)]
    reason = f"cites the stale source alone: {', '.join(stale)}" if stale else "cites no current source"
    return Finding("freshness", "fail", reason)


def _among(name: str, ids: tuple[str, ...]) -> bool:
    return name in ids or document_of(name) in ids


def _under(name: str, entry: str) -> bool:
    if entry.endswith(("*", "/")):
        return name.startswith(entry.removesuffix("*"))
    return _among(name, (entry,))
