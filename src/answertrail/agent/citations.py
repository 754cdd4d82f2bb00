"""The five citation checks. All always run and are recorded; the recipe says which reject.

1. exists     the chunk is in this corpus snapshot, and the text names no other source
2. retrieved  this run's searches returned it
3. in_bounds  its times lie inside the document
4. cited      every claim has a citation, an answer has a cited claim, all else states no fact
5. supported  the cited text supports the statement
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from answertrail.agent.arguments import SubmitArguments, SubmittedStatement
from answertrail.agent.coverage import AROUND_MODE
from answertrail.agent.named_sources import named_sources
from answertrail.agent.numbers import numbers_in
from answertrail.agent.recipe import Action, CheckSettings
from answertrail.agent.support import SupportCheck, SupportVerdict, evidence_text
from answertrail.records.run import SearchRecord, Support
from answertrail.search.hits import ChunkRow

T = TypeVar("T")

CheckName = Literal["exists", "retrieved", "in_bounds", "cited", "supported"]

_WELL_FORMED = re.compile(r"(?=.{1,300}\Z)\S(?:.*\S)?")
_SHOWN_ID = 80
# Lengths are rounded, and the last cue may run a little over.
_PAST_END_S, _PAST_END_SHARE = 5.0, 0.01


@dataclass(frozen=True, slots=True)
class Check:
    """One check on one statement (counted from 0), or on the answer as a whole (None).

    `passed` None means that it could not be scored; `reason` then says why.
    """

    check: CheckName
    statement: int | None
    citation: str | None
    passed: bool | None
    action: Action
    reason: str = ""

    def as_json(self, attempt: int) -> dict[str, Any]:
        """Return the entry of a run's `citation_checks`."""
        out: dict[str, Any] = {"attempt": attempt, "check": self.check, "passed": self.passed}
        if self.statement is not None:
            out["statement"] = self.statement
        if self.citation is not None:
            out["citation"] = self.citation
        if self.passed is False:
            out["action"] = self.action
        if self.reason:
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
        reasons = [c.reason for c in self.checks if c.passed is False and c.action == "reject"]
        return tuple(dict.fromkeys(reasons))


def asked_for(question: str, searches: Sequence[SearchRecord]) -> list[str]:
    """Return all that was asked in a run: the question, and each query with its dates.

    An id read around is no question.
    """
    queries = (s for s in searches if s.mode != AROUND_MODE)
    return [question, *(" ".join(filter(None, (s.query, s.from_, s.to))) for s in queries)]


def check_answer(
    answer: SubmitArguments,
    *,
    asked: Sequence[str],
    chunks: Mapping[str, ChunkRow],
    retrieved: frozenset[str],
    settings: CheckSettings,
    judge: SupportCheck,
    raw: Mapping[str, str] | None = None,
) -> CheckReport:
    """Run all five checks.

    `asked` are the question and the run's queries (see `asked_for`). `chunks` holds every cited chunk that exists
    in the snapshot; an id that is absent from it does not exist. `retrieved` are the ids this
    run's searches returned. `raw` are the words as captioned, by id, of chunks that show mended ones:
    what holds of all cited chunks as shown, or of all of them as captioned, passes.
    """
    checker = _Checker(answer, tuple(asked), chunks, retrieved, settings, judge, raw or {})
    report = checker.each("statement", dict(enumerate(answer.statements)))
    return CheckReport((*report.checks, *checker.rest()), report.support)


def check_claims(
    claims: Mapping[int, SubmittedStatement],
    *,
    noun: str,
    asked: Sequence[str],
    chunks: Mapping[str, ChunkRow],
    retrieved: frozenset[str],
    settings: CheckSettings,
    judge: SupportCheck,
    raw: Mapping[str, str] | None = None,
) -> CheckReport:
    """Run the five checks on claims that are not an answer, by their number from 0; `noun` says what they are."""
    listed = SubmitArguments(outcome="answered", statements=list(claims.values()))
    return _Checker(listed, tuple(asked), chunks, retrieved, settings, judge, raw or {}).each(noun, claims)


@dataclass(frozen=True, slots=True)
class _Checker:
    """The checks over one submitted answer."""

    answer: SubmitArguments
    asked: tuple[str, ...]
    chunks: Mapping[str, ChunkRow]
    retrieved: frozenset[str]
    settings: CheckSettings
    judge: SupportCheck
    raw: Mapping[str, str]

    def support(self, statement: SubmittedStatement) -> SupportVerdict:
        """Judge a statement by what it cites; framing that cites nothing is no claim."""
        if statement.kind == "framing" and not statement.citations:
            return SupportVerdict("UNSCORED", "framing is not a claim")
        shown, *captioned = self._readings(statement.citations)
        first = self.judge.judge(statement.text, _readable(shown))
        for rows in captioned if first.verdict != "HIT" else ():
            second = self.judge.judge(statement.text, _readable(rows))
            if second.verdict == "HIT":
                return SupportVerdict("HIT", f"by the words as captioned: {second.reason}")
        return first

    def each(self, noun: str, statements: Mapping[int, SubmittedStatement]) -> CheckReport:
        """Check each statement, by its number from 0."""
        checks: list[Check] = []
        support: list[Support] = []
        for number, statement in statements.items():
            verdict = self.support(statement)
            support.append(verdict.verdict)
            checks += self.statement(number, f"{noun} {number + 1}", statement, verdict)
        return CheckReport(tuple(checks), tuple(support))

    def statement(
        self, number: int, label: str, statement: SubmittedStatement, verdict: SupportVerdict
    ) -> Iterator[Check]:
        """Yield all checks of one statement."""
        for cited in dict.fromkeys(statement.citations):
            yield from self._citation(number, label, cited)
        spoken = [" ".join(row.text for row in rows) for rows in self._readings(statement.citations)]
        yield from self._named(number, label, statement.text, spoken)
        yield self._is_cited(number, label, statement)
        passed = {"HIT": True, "MISS": False, "UNSCORED": None}[verdict.verdict]
        reason = f"{label}: {verdict.reason}" if passed is False else verdict.reason
        yield Check("supported", number, None, passed, self.settings.supported, reason)

    def rest(self) -> Iterator[Check]:
        """Yield the checks of what is not a statement: the outcome, and what was not found."""
        known = _numbers(self.asked)
        for text in self.answer.not_found:
            # What was asked may hold a link; saying that it was not found makes it no source.
            yield from self._named(None, "not_found", text, [" ".join(self.asked)])
            strange = sorted(numbers_in(text) - known)
            if strange:
                reason = f"not_found states {strange[0]}, which nobody asked about; name only what was looked for"
                yield Check("cited", None, None, False, self.settings.cited, reason)
        reason = self._fault_of_the_whole()
        yield Check("cited", None, None, not reason, self.settings.cited, reason)

    def _citation(self, number: int, label: str, cited: str) -> Iterator[Check]:
        chunk = self.chunks.get(cited)
        shown = repr(cited if len(cited) <= _SHOWN_ID else cited[: _SHOWN_ID - 3] + "...")
        # An id no chunk could have is never recorded as a citation, whatever the recipe says.
        action: Action = self.settings.exists if _WELL_FORMED.fullmatch(cited) else "reject"
        fault = "" if chunk else f"{label}: no passage has the id {shown}; cite only ids your searches returned"
        yield Check("exists", number, cited, not fault, action, fault)
        fault = "" if cited in self.retrieved else f"{label}: {shown} was not returned by a search of this run"
        yield Check("retrieved", number, cited, not fault, self.settings.retrieved, fault)
        bounds = _out_of_bounds(chunk) if chunk else "there is no such passage"
        fault = f"{label}: {shown}: {bounds}" if bounds else ""
        yield Check("in_bounds", number, cited, not fault, self.settings.in_bounds, fault)

    def _named(self, number: int | None, label: str, text: str, spoken: Sequence[str]) -> Iterator[Check]:
        for mark in _of_the_first(named_sources(text, said) for said in spoken):
            reason = (
                f"{label}: the text names the source {mark!r}; put ids into citations and write no links or markers"
            )
            yield Check("exists", number, mark, False, self.settings.exists, reason)

    def _is_cited(self, number: int, label: str, statement: SubmittedStatement) -> Check:
        reason = ""
        if statement.kind == "claim" and not statement.citations:
            reason = f"{label}: a claim needs at least one citation"
        elif statement.kind == "framing" and not statement.citations:
            readings = self._readings([c for s in self.answer.statements for c in s.citations])
            fault = _of_the_first(self._states(statement.text, [*self.asked, *_readable(rows)]) for rows in readings)
            reason = f"{label}: framing states {fault}; make it a claim and cite it" if fault else ""
        return Check("cited", number, None, not reason, self.settings.cited, reason)

    def _states(self, framing: str, known: Sequence[str]) -> str:
        """Say what a framing states that is not among what is known; empty when nothing."""
        strange = sorted(numbers_in(framing) - _numbers(known))
        verdict = self.judge.judge(framing, known)
        if strange:
            return f"the number {strange[0]}"
        if verdict.verdict == "MISS":
            return f"what neither the question nor the cited passages say ({verdict.reason})"
        return ""

    def _fault_of_the_whole(self) -> str:
        if self.answer.outcome == "cannot_answer":
            if self.answer.statements:
                return "cannot_answer carries no statements; submit partly_answered, or leave them out"
        elif not any(s.citations for s in self.answer.statements if s.kind == "claim"):
            return (
                f"{self.answer.outcome} needs at least one claim with a citation; if nothing supports one, "
                "submit cannot_answer"
            )
        return ""

    def _readings(self, citations: Sequence[str]) -> list[list[ChunkRow]]:
        """Return the cited chunks as shown and, where cleaning changed any of them, all of them as captioned.

        Never both in one list: no statement may be put together from two wordings of one sentence.
        """
        rows = [self.chunks[c] for c in dict.fromkeys(citations) if c in self.chunks]
        if not any(row.id in self.raw for row in rows):
            return [rows]
        return [rows, [replace(row, text=self.raw.get(row.id, row.text)) for row in rows]]


def _readable(rows: Sequence[ChunkRow]) -> list[str]:
    return [evidence_text(row.title, row.published_at, row.text) for row in rows]


def _of_the_first(faults: Iterator[T]) -> T:
    """Return what is wrong by the first reading, unless by another nothing is."""
    first = next(faults)
    return next((sound for sound in faults if not sound), first) if first else first


def _out_of_bounds(chunk: ChunkRow) -> str:
    start, end, duration = chunk.start_s, chunk.end_s, chunk.duration_s
    if start is None:
        return ""
    if start < 0 or (end is not None and end < start):
        return f"its times {start:g} to {end} s make no span"
    if not duration:
        return ""
    late = duration + max(_PAST_END_S, _PAST_END_SHARE * duration)
    if start >= duration or (end is not None and end > late):
        return f"it runs from {start:g} to {end} s but the document ends at {duration:g} s"
    return ""


def _numbers(texts: Sequence[str]) -> set[str]:
    return set().union(*(numbers_in(text, parts=True) for text in texts))
