"""The evidence of one run, gathered as it happens and printed as `run/1` at any moment."""

from __future__ import annotations

import hashlib
import json
import time
from datetime import UTC, datetime
from typing import Any

from answertrail.agent.citations import CheckReport
from answertrail.agent.conversation import SearchOutcome
from answertrail.agent.guards import Searched
from answertrail.agent.ledger import Ledger
from answertrail.agent.provenance import code_ref
from answertrail.agent.recipe import Recipe
from answertrail.agent.tools import SubmitArguments
from answertrail.records.chunk import text_hash
from answertrail.records.run import (
    Answer,
    CorpusRef,
    Run,
    RunChunk,
    SearchRecord,
    Statement,
    Status,
)
from answertrail.search.hits import Hit


class Evidence:
    """Everything a run did. `record()` gives the run so far; nothing is taken out again."""

    def __init__(
        self,
        *,
        run_id: str,
        question: str,
        recipe: Recipe,
        corpus: CorpusRef,
        models: dict[str, Any],
        question_id: str | None = None,
        repeat: int | None = None,
        tier: str | None = None,
    ) -> None:
        self.run_id = run_id
        self.question = question
        self.recipe = recipe
        self.corpus = corpus
        self.models = models
        self._identity = {"question_id": question_id, "repeat": repeat, "tier": tier}
        self._started = datetime.now(UTC)
        self._clock = time.monotonic()
        self.searches: list[SearchRecord] = []
        self.searched: list[Searched] = []
        self._chunks: dict[str, RunChunk] = {}
        self._checks: list[dict[str, Any]] = []
        self.guards: list[dict[str, Any]] = []
        self.ledger = Ledger()
        self._rejected: list[dict[str, Any]] = []
        self.turns = 0
        self.budget_exhausted = False

    @property
    def seen(self) -> frozenset[str]:
        """Ids of all chunks this run's searches returned."""
        return frozenset(self._chunks)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the run began."""
        return round((time.monotonic() - self._clock) * 1000, 3)

    def add_search(
        self,
        turn: int,
        outcome: SearchOutcome,
        window: tuple[str | None, str | None],
        elapsed_ms: float,
    ) -> None:
        """Record a search and the chunks it returned."""
        returned = [hit.chunk_id for hit in outcome.result.hits]
        dates = {key: value for key, value in zip(("from", "to"), window, strict=True) if value}
        self.searches.append(
            SearchRecord.model_validate(
                {"search_id": outcome.search_id, "turn": turn, "mode": outcome.result.mode,
                 "query": outcome.result.query,
                 **dates, "returned": returned, "new": list(outcome.new), "held_back": outcome.result.held_back,
                 "elapsed_ms": elapsed_ms}
            )
        )  # fmt: skip
        result = outcome.result
        for hit in result.hits:
            self._chunks.setdefault(hit.chunk_id, run_chunk(hit))
        all_shown = len(self._chunks) == result.chunks_in_corpus
        self.searched.append(
            Searched(result.query, window, len(returned), len(outcome.new), result.held_back, all_shown)
        )

    def add_guard(self, guard: str, detail: str) -> None:
        """Record that a guard acted."""
        self.guards.append({"guard": guard, "turn": self.turns, "detail": detail})

    def add_attempt(self, attempt: int, report: CheckReport, answer: SubmitArguments) -> None:
        """Record the checks of a submitted answer; a rejected one is kept under meta."""
        self._checks += [check.as_json(attempt) for check in report.checks]
        if report.rejections:
            self._rejected.append(
                {
                    "attempt": attempt,
                    "reasons": list(report.rejections),
                    "submitted": answer.model_dump(mode="json"),
                }
            )

    def add_unusable(self, attempt: int, reason: str) -> None:
        """Record a closing turn that brought no readable answer."""
        self._rejected.append({"attempt": attempt, "reasons": [reason]})

    def record(self, status: Status, *, answer: Answer | None = None, error: dict[str, Any] | None = None) -> Run:
        """Return the run as it stands, sealed with a hash over all the rest."""
        cited = list(dict.fromkeys(c for s in (answer.statements or [] if answer else []) for c in s.citations))
        run = Run.model_validate(
            {"schema": "run/1", "run_id": self.run_id, "question": self.question,
             **{key: value for key, value in self._identity.items() if value is not None},
             "status": status, "recipe": self.recipe.ref, "corpus": self.corpus, "code": code_ref(),
             "models": self.models, "searches": self.searches, "retrieved": list(self._chunks),
             "chunks": list(self._chunks.values()), "answer": answer, "citation_checks": self._checks,
             "guards": self.guards, "usage": self.ledger.entries, "cost_usd": self.ledger.cost_usd,
             "started_at": self._started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
             "elapsed_ms": self.elapsed_ms, "error": error, "meta": self._meta(cited)}
        )  # fmt: skip
        return seal(run)

    def _meta(self, cited: list[str]) -> dict[str, Any]:
        with_hits = [s for s in self.searched if s.returned]
        repeats = sum(1 for s in with_hits if not s.new)
        return {
            "search_count": len(self.searches),
            "seen_count": len(self._chunks),
            "cited_count": len(cited),
            "cited": cited,
            "cited_not_retrieved": [c for c in cited if c not in self._chunks],
            "duplicate_search_rate": (
                {
                    "value": repeats / len(with_hits),
                    "numerator": repeats,
                    "denominator": len(with_hits),
                }
                if with_hits
                else {"undefined": "no search returned anything"}
            ),
            "turns_used": self.turns,
            "budget_exhausted": self.budget_exhausted,
            "rejected_answers": self._rejected,
            "agent_config": self.recipe.model_dump(mode="json", exclude={"prompt_text"}),
        }


def run_chunk(hit: Hit) -> RunChunk:
    """Return a hit as the run keeps it."""
    times = {"start_s": hit.start_s, "end_s": hit.end_s} if hit.start_s is not None else {}
    published = hit.published_at.astimezone(UTC).isoformat().replace("+00:00", "Z") if hit.published_at else None
    return RunChunk.model_validate(
        {"id": hit.chunk_id, "document_id": hit.document_id, "title": hit.title, "published_at": published,
         **{k: float(v) for k, v in times.items() if v is not None}, "url": hit.url, "text": hit.text,
         "text_hash": text_hash(hit.text)}
    )  # fmt: skip


def answer_of(submitted: SubmitArguments, report: CheckReport) -> Answer:
    """Return the accepted answer with the support verdict of each statement."""
    statements = [
        Statement(text=s.text, kind=s.kind, citations=list(dict.fromkeys(s.citations)), support=verdict)
        for s, verdict in zip(submitted.statements, report.support, strict=True)
    ]
    return Answer(outcome=submitted.outcome, statements=statements, not_found=list(submitted.not_found))


def record_hash(run: Run) -> str:
    """Return `sha256:` over the canonical JSON of a run without its own hash."""
    body = run.as_json()
    if isinstance(body.get("meta"), dict):
        body["meta"] = {k: v for k, v in body["meta"].items() if k != "record_hash"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def seal(run: Run) -> Run:
    """Return the run with `meta.record_hash` set."""
    return run.model_copy(update={"meta": {**(run.meta or {}), "record_hash": record_hash(run)}})
