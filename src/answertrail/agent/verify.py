"""Check a run file with nothing else at hand: hashes, ids, citations, support, sums.

A run of ours carries everything needed, and the same five checks run on it again. Of an imported
run only what it has can be checked; `unchecked` says what could not be. The record's hash shows
that a file was changed by accident or in haste; it is no signature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from answertrail.agent.arguments import SubmitArguments
from answertrail.agent.captioned import captioned_in
from answertrail.agent.citations import asked_for, check_answer
from answertrail.agent.coverage import AROUND_MODE
from answertrail.agent.recipe import CheckSettings
from answertrail.agent.sealed import record_hash
from answertrail.agent.support import LexicalSupport, SupportCheck
from answertrail.agent.verify_time import as_row, cited_in_table, failures_told, time_faults, time_unchecked
from answertrail.records.chunk import text_hash
from answertrail.records.run import Run

_ALL = CheckSettings(exists="flag", retrieved="flag", in_bounds="flag", cited="flag", supported="flag")
_CENT_OF_A_CENT = 1e-4
_KIND = {
    "exists": "citation",
    "retrieved": "citation",
    "in_bounds": "citation",
    "cited": "cited",
    "supported": "support",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a run that does not hold. `kind` is one word for scripts."""

    run_id: str
    kind: str
    message: str

    def as_json(self) -> dict[str, str]:
        """Return plain values."""
        return {"run_id": self.run_id, "kind": self.kind, "message": self.message}


def faults_of(run: Run, support: SupportCheck | None = None) -> Iterator[Fault]:
    """Yield every fault: a changed record or text, a citation of nothing, an impossible state."""
    judge = support or LexicalSupport()
    checks = (_seals(run), _searches(run), _sums(run), _captions(run), _answer(run, judge), time_faults(run, judge))
    found = [fault for faults in checks for fault in faults]
    for kind, message in dict.fromkeys(found):
        yield Fault(run.run_id, kind, message)


def unchecked(run: Run) -> list[str]:
    """Return what of a run cannot be checked, because it does not carry it."""
    meta = run.meta or {}
    unsealed = meta.get("record_hash") is None
    missing = {
        "record_hash": unsealed,
        # Chunks have hashes of their own; these words have none.
        "captioned": unsealed and bool(meta.get("captioned")),
        "searches": run.searches is None,
        "retrieved": run.retrieved is None,
        "text_hash": any(chunk.text_hash is None for chunk in run.chunks or []),
        "chunk texts": not run.chunks and bool(_cited(run)),
        "citations": run.answer is not None and run.answer.outcome != "cannot_answer" and not _cited(run),
        "usage": run.usage is None,
    }
    return [*(name for name, absent in missing.items() if absent), *time_unchecked(run)]


def _seals(run: Run) -> Iterator[tuple[str, str]]:
    sealed = (run.meta or {}).get("record_hash")
    if sealed is not None and sealed != record_hash(run):
        yield "record_hash", "the record was changed after it was written"
    for chunk in run.chunks or []:
        if chunk.text_hash is not None and chunk.text_hash != text_hash(chunk.text):
            yield "text_hash", f"the text of {chunk.id} was changed after it was retrieved"


def _searches(run: Run) -> Iterator[tuple[str, str]]:
    if run.searches is None:
        return
    seen: dict[str, None] = {}
    for search in run.searches:
        if search.mode == AROUND_MODE and search.query not in seen:
            yield "around", f"search {search.search_id} reads around {search.query}, which was not shown before it"
        if strange := [name for name in _like(run, search.search_id) if name not in seen]:
            yield "like", f"search {search.search_id} goes on from {strange[0]}, which was not shown before it"
        fresh = [chunk for chunk in dict.fromkeys(search.returned) if chunk not in seen]
        if search.new is not None and search.new != fresh:
            yield "new", f"search {search.search_id} says other chunks were new than its results show"
        seen.update(dict.fromkeys(search.returned))
    if run.retrieved is not None and set(run.retrieved) != set(seen):
        yield "retrieved", "the retrieved chunks are not those its searches returned"
    missing = set(seen) - {chunk.id for chunk in run.chunks or []}
    if missing:
        yield "chunks", f"the text of {len(missing)} retrieved chunks is missing, {sorted(missing)[0]} first"


def _like(run: Run, search_id: str) -> list[str]:
    """Return the passages a search went on from, as far as the run can be read; a file may hold anything there."""
    told = (run.meta or {}).get("wordings")
    entry = told.get(search_id) if isinstance(told, dict) else None
    like = entry.get("like") if isinstance(entry, dict) else None
    return list(like) if isinstance(like, dict) else []


def _captions(run: Run) -> Iterator[tuple[str, str]]:
    """A run carries the words as captioned of what it cites and of nothing else."""
    held = captioned_in(run)
    if held is None:
        yield "captioned", "the words as captioned cannot be read"
        return
    for name in sorted(held.keys() - _cited(run) - cited_in_table(run)):
        yield "captioned", f"the run has words as captioned of {name}, which it does not cite"


def _sums(run: Run) -> Iterator[tuple[str, str]]:
    """The cost of a run is the sum of its calls, and unknown as soon as one of them is."""
    if not run.usage:
        return
    if any("cost_usd" not in entry for entry in run.usage):
        return
    costs = [entry["cost_usd"] for entry in run.usage]
    known = [cost for cost in costs if isinstance(cost, int | float)]
    total = sum(known) if len(known) == len(costs) else None
    if (total is None) != (run.cost_usd is None) or abs((total or 0) - (run.cost_usd or 0)) > _CENT_OF_A_CENT:
        yield "cost", f"cost_usd is {run.cost_usd}, but the calls add up to {total}"


def _answer(run: Run, support: SupportCheck) -> Iterator[tuple[str, str]]:
    if run.status != "completed":
        if run.answer is not None:
            yield "status", f"a run that ended {run.status} carries an answer"
        return
    if run.answer is None:
        yield "status", "a completed run carries no answer"
        return
    if run.chunks is None or run.answer.statements is None:
        return
    try:
        submitted = SubmitArguments.model_validate(_submitted(run))
    except ValidationError:
        yield "answer", "a statement of the answer could never have been submitted"
        return
    chunks = {chunk.id: chunk for chunk in run.chunks}
    report = check_answer(
        submitted,
        asked=asked_for(run.question, run.searches or []),
        chunks={chunk_id: as_row(chunk) for chunk_id, chunk in chunks.items()},
        retrieved=frozenset(run.retrieved if run.retrieved is not None else chunks),
        settings=_ALL,
        judge=support,
        raw=captioned_in(run),
    )
    told = _told(run)
    for check in report.checks:
        if check.passed is False and (check.check, check.statement, check.citation) not in told:
            yield _KIND[check.check], check.reason
    for number, (statement, verdict) in enumerate(zip(run.answer.statements, report.support, strict=True), 1):
        if statement.support is not None and statement.support != verdict:
            yield "support", f"statement {number} is marked {statement.support}, but the check says {verdict}"


def _submitted(run: Run) -> dict[str, Any]:
    """Return the answer as it must have been submitted."""
    answer = run.answer
    assert answer is not None
    statements = [
        {"text": s.text, "kind": s.kind or ("claim" if s.citations else "framing"), "citations": s.citations}
        for s in answer.statements or []
    ]
    return {"outcome": answer.outcome, "statements": statements, "not_found": answer.not_found or []}


def _told(run: Run) -> set[tuple[str, int | None, str | None]]:
    """Return the failures the run itself records of the answer it accepted: flagged, and told."""
    attempts = [c.get("attempt", 0) for c in run.citation_checks or []]
    last = max((attempt for attempt in attempts if isinstance(attempt, int)), default=0)
    return failures_told([c for c in run.citation_checks or [] if c.get("attempt") == last])


def _cited(run: Run) -> set[str]:
    return {c for s in (run.answer.statements or [] if run.answer else []) for c in s.citations}
