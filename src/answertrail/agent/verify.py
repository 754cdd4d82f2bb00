"""Check a run file with nothing else at hand: hashes, ids, citations, support.

A run of ours carries everything needed. Of an imported run only what it has can be checked,
and what cannot is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from answertrail.agent.evidence import record_hash
from answertrail.agent.support import LexicalSupport, SupportCheck, evidence_text
from answertrail.records.base import instant
from answertrail.records.chunk import text_hash
from answertrail.records.run import Run, RunChunk


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
    for kind, message in [*_seals(run), *_searches(run), *_answer(run, support or LexicalSupport())]:
        yield Fault(run.run_id, kind, message)


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
        fresh = [chunk for chunk in dict.fromkeys(search.returned) if chunk not in seen]
        if search.new is not None and search.new != fresh:
            yield "new", f"search {search.search_id} says other chunks were new than its results show"
        seen.update(dict.fromkeys(search.returned))
    if run.retrieved is not None and set(run.retrieved) != set(seen):
        yield "retrieved", "the retrieved chunks are not those its searches returned"
    missing = set(seen) - {chunk.id for chunk in run.chunks or []}
    if missing:
        yield "chunks", f"the text of {len(missing)} retrieved chunks is missing, {sorted(missing)[0]} first"


def _answer(run: Run, support: SupportCheck) -> Iterator[tuple[str, str]]:
    if run.status != "completed":
        if run.answer is not None:
            yield "status", f"a run that ended {run.status} carries an answer"
        return
    if run.answer is None:
        yield "status", "a completed run carries no answer"
        return
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    retrieved = set(run.retrieved) if run.retrieved is not None else None
    statements = run.answer.statements or []
    claims = [s for s in statements if s.kind != "framing"]
    if run.answer.outcome != "cannot_answer" and statements and not any(s.citations for s in claims):
        yield "cited", f"the answer is {run.answer.outcome} but no claim is cited"
    for number, statement in enumerate(statements, 1):
        if statement.kind == "claim" and not statement.citations:
            yield "cited", f"statement {number} is a claim without a citation"
        for cited in statement.citations:
            if retrieved is not None and cited not in retrieved:
                yield "citation", f"statement {number} cites {cited}, which no search of the run returned"
            elif run.chunks is not None and cited not in chunks:
                yield "citation", f"statement {number} cites {cited}, whose text the run does not carry"
        texts = [_readable(chunks[c]) for c in statement.citations if c in chunks]
        if statement.support == "HIT" and texts:
            verdict = support.judge(statement.text, texts)
            if verdict.verdict == "MISS":
                yield "support", f"statement {number} is marked HIT, but {verdict.reason}"


def _readable(chunk: RunChunk) -> str:
    published = instant(chunk.published_at) if chunk.published_at else None
    return evidence_text(chunk.title or "", published, chunk.text)
