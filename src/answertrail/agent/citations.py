"""The five citation checks. All always run and are recorded; the recipe says which reject.

1. exists     the chunk is in this corpus snapshot, and the text names no other source
2. retrieved  this run's searches returned it
3. in_bounds  its times lie inside the document
4. cited      every claim has a citation, an answer has a cited claim, framing states no fact
5. supported  the cited text supports the statement
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from answertrail.agent.recipe import Action, CheckSettings
from answertrail.agent.support import SupportCheck, evidence_text
from answertrail.agent.tools import SubmitArguments, SubmittedStatement
from answertrail.records.run import Support
from answertrail.search.hits import ChunkRow

CheckName = Literal["exists", "retrieved", "in_bounds", "cited", "supported"]

# Brackets around anything with a chunk id in it, or around the small numbers of a footnote.
_BRACKETED = re.compile(
    r"[\[(【](?:[^\[\]()【】]*\S:\d{4,}[^\[\]()【】]*)[\])】]|[\[【]\s*\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*[\]】]"
)
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_WELL_FORMED = re.compile(r"(?=.{1,300}\Z)\S(?:.*\S)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Check:
    """One check on one statement (counted from 0), or on the answer as a whole (None)."""

    check: CheckName
    statement: int | None
    citation: str | None
    passed: bool
    action: Action
    reason: str = ""

    def as_json(self, attempt: int) -> dict[str, Any]:
        """Return the entry of a run's `citation_checks`."""
        out: dict[str, Any] = {"attempt": attempt, "check": self.check, "passed": self.passed}
        if self.statement is not None:
            out["statement"] = self.statement
        if self.citation is not None:
            out["citation"] = self.citation
        if not self.passed:
            out |= {"action": self.action, "reason": self.reason}
        elif self.reason:
            out["reason"] = self.reason
        return out


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The checks of one submitted answer and the support verdict of each statement."""

    checks: tuple[Check, ...]
    support: tuple[Support, ...]

    @property
    def rejections(self) -> tuple[str, ...]:
        """The reasons for which the answer goes back, in order, each once; empty when accepted."""
        reasons = [c.reason for c in self.checks if not c.passed and c.action == "reject"]
        return tuple(dict.fromkeys(reasons))


def check_answer(
    answer: SubmitArguments,
    *,
    question: str,
    chunks: Mapping[str, ChunkRow],
    retrieved: frozenset[str],
    settings: CheckSettings,
    judge: SupportCheck,
) -> CheckReport:
    """Run all five checks.

    `chunks` holds every cited chunk that exists in the snapshot; an id that is absent from it
    does not exist. `retrieved` are the ids this run's searches returned.
    """
    checks: list[Check] = []
    support: list[Support] = []
    for number, statement in enumerate(answer.statements):
        label = f"statement {number + 1}"
        checks += _sources(number, label, statement, chunks, retrieved, settings)
        checks += _inline_sources(number, label, statement.text, statement.citations, chunks, settings)
        cited = [chunks[c] for c in statement.citations if c in chunks]
        checks.append(_is_cited(number, label, statement, question, cited, answer, chunks, settings))
        verdict = _support(statement, cited, judge)
        support.append(verdict[0])
        if verdict[0] != "UNSCORED":
            checks.append(
                Check("supported", number, None, verdict[0] == "HIT", settings.supported,
                      verdict[1] if verdict[0] == "HIT" else f"{label}: {verdict[1]}")
            )  # fmt: skip
        else:
            checks.append(Check("supported", number, None, True, settings.supported, f"not scored: {verdict[1]}"))
    for text in answer.not_found:
        checks += _inline_sources(None, "not_found", text, (), chunks, settings)
    checks.append(_answer_as_a_whole(answer, settings))
    return CheckReport(tuple(checks), tuple(support))


def _sources(
    number: int,
    label: str,
    statement: SubmittedStatement,
    chunks: Mapping[str, ChunkRow],
    retrieved: frozenset[str],
    settings: CheckSettings,
) -> list[Check]:
    out = []
    for cited in dict.fromkeys(statement.citations):
        chunk = chunks.get(cited)
        exists = chunk is not None
        # An id no chunk could have is never recorded as a citation, whatever the recipe says.
        action: Action = settings.exists if _WELL_FORMED.fullmatch(cited) else "reject"
        shown = cited if len(cited) <= 80 else cited[:77] + "..."
        out.append(
            Check("exists", number, cited, exists, action,
                  "" if exists else f"{label}: no passage has the id {shown!r}; cite only ids your searches returned")
        )  # fmt: skip
        seen = cited in retrieved
        out.append(
            Check("retrieved", number, cited, seen, settings.retrieved,
                  "" if seen else f"{label}: {shown!r} was not returned by a search of this run")
        )  # fmt: skip
        fault = _out_of_bounds(chunk) if chunk else "there is no such passage"
        out.append(
            Check(
                "in_bounds",
                number,
                cited,
                not fault,
                settings.in_bounds,
                f"{label}: {shown!r}: {fault}" if fault else "",
            )
        )
    return out


def _out_of_bounds(chunk: ChunkRow) -> str:
    start, end, duration = chunk.start_s, chunk.end_s, chunk.duration_s
    if start is None:
        return ""
    if start < 0 or (end is not None and end < start):
        return f"its times {start:g} to {end} s make no span"
    if duration is not None and start > duration:
        return f"it starts at {start:g} s but the document ends at {duration:g} s"
    return ""


def _inline_sources(
    number: int | None,
    label: str,
    text: str,
    citations: Sequence[str],
    chunks: Mapping[str, ChunkRow],
    settings: CheckSettings,
) -> list[Check]:
    """A source named in the text itself would reach the reader unchecked."""
    spoken = " ".join(chunks[c].text for c in citations if c in chunks)
    named = [m for m in _BRACKETED.findall(text) if m not in spoken]
    named += [m for m in _LINK.findall(text) if m.rstrip(".,;)") not in spoken]
    return [
        Check("exists", number, mark, False, settings.exists,
              f"{label}: the text names the source {mark!r}; put ids into citations and write no links or markers")
        for mark in dict.fromkeys(named)
    ]  # fmt: skip


def _is_cited(
    number: int,
    label: str,
    statement: SubmittedStatement,
    question: str,
    cited: Sequence[ChunkRow],
    answer: SubmitArguments,
    chunks: Mapping[str, ChunkRow],
    settings: CheckSettings,
) -> Check:
    if statement.kind == "claim":
        reason = "" if statement.citations else f"{label}: a claim needs at least one citation"
        return Check("cited", number, None, not reason, settings.cited, reason)
    known = " ".join(
        [question, *(_readable(c) for c in cited)]
        + [_readable(chunks[c]) for s in answer.statements for c in s.citations if c in chunks]
    )
    strange = [n for n in _NUMBER.findall(statement.text) if n not in _NUMBER.findall(known)]
    reason = f"{label}: framing states the number {strange[0]}; make it a claim and cite it" if strange else ""
    return Check("cited", number, None, not reason, settings.cited, reason)


def _answer_as_a_whole(answer: SubmitArguments, settings: CheckSettings) -> Check:
    claims = [s for s in answer.statements if s.kind == "claim"]
    reason = ""
    if answer.outcome == "cannot_answer":
        if claims:
            reason = "cannot_answer carries no claims; submit partly_answered, or leave the claims out"
    elif not any(s.citations for s in claims):
        reason = (
            f"{answer.outcome} needs at least one claim with a citation; if nothing supports one, submit cannot_answer"
        )
    return Check("cited", None, None, not reason, settings.cited, reason)


def _support(statement: SubmittedStatement, cited: Sequence[ChunkRow], judge: SupportCheck) -> tuple[Support, str]:
    if statement.kind == "framing" and not statement.citations:
        return "UNSCORED", "framing is not a claim"
    verdict = judge.judge(statement.text, [_readable(c) for c in cited])
    return verdict.verdict, verdict.reason


def _readable(chunk: ChunkRow) -> str:
    return evidence_text(chunk.title, chunk.published_at, chunk.text)
