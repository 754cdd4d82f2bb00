"""Passages as a run keeps them, and the answer that cites them."""

from __future__ import annotations

from datetime import UTC

from answertrail.agent.arguments import SubmitArguments
from answertrail.agent.citations import CheckReport
from answertrail.agent.when import span_of
from answertrail.records.base import instant
from answertrail.records.chunk import text_hash
from answertrail.records.run import Answer, RunChunk, Statement
from answertrail.search.hits import Hit


def cited_in(answer: Answer | None) -> list[str]:
    """Return the ids the statements of an answer cite, in order, repeats kept."""
    return [cited for s in (answer.statements or [] if answer else []) for cited in s.citations]


def run_chunk(hit: Hit) -> RunChunk:
    """Return a hit as the run keeps it."""
    times = {"start_s": hit.start_s, "end_s": hit.end_s} if hit.start_s is not None else {}
    published = hit.published_at.astimezone(UTC).isoformat().replace("+00:00", "Z") if hit.published_at else None
    return RunChunk.model_validate(
        {"id": hit.chunk_id, "document_id": hit.document_id, "title": hit.title, "published_at": published,
         **{k: float(v) for k, v in times.items() if v is not None}, "url": hit.url, "text": hit.text,
         "text_hash": text_hash(hit.text)}
    )  # fmt: skip


def published_in(when: str, chunk: RunChunk) -> bool:
    """Whether a passage is of the time of a row of a dated table; without a date it is of `undated`."""
    span = span_of(when)
    if span is None or chunk.published_at is None:
        return span is None and chunk.published_at is None
    return span.holds(instant(chunk.published_at))


def answer_of(submitted: SubmitArguments, report: CheckReport) -> Answer:
    """Return the accepted answer with the support verdict of each statement."""
    statements = [
        Statement(text=s.text, kind=s.kind, citations=list(dict.fromkeys(s.citations)), support=verdict)
        for s, verdict in zip(submitted.statements, report.support, strict=True)
    ]
    return Answer(outcome=submitted.outcome, statements=statements, not_found=list(submitted.not_found))
