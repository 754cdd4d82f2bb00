"""The evidence of one run, gathered as it happens and printed as `run/1` at any moment."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from answertrail.agent.arguments import SubmitArguments
from answertrail.agent.citations import CheckReport
from answertrail.agent.coverage import AROUND_MODE, Calendar, Look, answer_coverage, looks
from answertrail.agent.guards import Searched
from answertrail.agent.ledger import Ledger
from answertrail.agent.passages import cited_in, published_in, run_chunk
from answertrail.agent.provenance import code_ref
from answertrail.agent.recipe import Recipe
from answertrail.agent.results import AroundOutcome, SearchOutcome
from answertrail.agent.sealed import seal
from answertrail.records.run import (
    Answer,
    CorpusRef,
    Run,
    RunChunk,
    SearchRecord,
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
        self._timelines: dict[str, dict[str, Any]] = {}
        self._complete: list[str] = []
        self._translations: dict[str, list[dict[str, str]]] = {}
        self._wordings: dict[str, dict[str, Any]] = {}
        self.calendar: Calendar | None = None
        """The periods of the corpus, once they were asked for."""
        self.over_time: bool | None = None
        """Whether the question was taken for one over time; None before that was asked."""
        self.captioned: dict[str, str | None] = {}
        """The words as captioned of the chunks that were handed in; None of those that show them."""
        self.table: dict[str, Any] = {}
        """The dated table: accepted `rows`, their `checks`, and what was `rejected`."""

    @property
    def seen(self) -> frozenset[str]:
        """Ids of all chunks this run's searches returned."""
        return frozenset(self._chunks)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the run began."""
        return round((time.monotonic() - self._clock) * 1000, 3)

    @property
    def next_search_id(self) -> str:
        """The id of the search that comes next."""
        return f"s{len(self.searches) + 1}"

    def add_search(self, outcome: SearchOutcome, elapsed_ms: float) -> None:
        """Record a search and the chunks it returned."""
        result = outcome.result
        dates = {key: value for key, value in zip(("from", "to"), outcome.window, strict=True) if value}
        body = {"mode": result.mode, "query": result.query, **dates, "held_back": result.held_back}
        self._add(outcome.search_id, body, result.hits, outcome.new, elapsed_ms)
        if result.translated is not None and result.translated.translations:
            self._translations[outcome.search_id] = [said.as_json() for said in result.translated.translations]
        if result.reworded or result.like:
            self._wordings[outcome.search_id] = {"also": list(result.reworded), "like": dict(result.like)}
        if result.coverage is not None:
            self._timelines[outcome.search_id] = result.coverage.as_json()
        elif any(outcome.window) and result.matching <= len(result.hits):
            self._complete.append(outcome.search_id)
        all_shown = len(self._chunks) == result.chunks_in_corpus
        returned, new = len(result.hits), len(outcome.new)
        beside = (*result.reworded, *result.like)
        self.searched.append(Searched(result.query, outcome.window, returned, new, result.held_back, all_shown, beside))

    def add_around(self, outcome: AroundOutcome, elapsed_ms: float) -> None:
        """Record what was read around a passage: a search whose query is an id. No guard counts it."""
        body = {"mode": AROUND_MODE, "query": outcome.around, "held_back": outcome.held_back}
        self._add(outcome.search_id, body, outcome.hits, outcome.new, elapsed_ms)

    def _add(
        self, search_id: str, body: dict[str, Any], hits: Sequence[Hit], new: Sequence[str], elapsed_ms: float
    ) -> None:
        returned = {"returned": [hit.chunk_id for hit in hits], "new": list(new), "elapsed_ms": elapsed_ms}
        self.searches.append(
            SearchRecord.model_validate({"search_id": search_id, "turn": self.turns, **body, **returned})
        )
        for hit in hits:
            self._chunks.setdefault(hit.chunk_id, run_chunk(hit))

    def looks(self) -> tuple[Look, ...]:
        """What the run looked at of each period of the calendar; empty before there is one."""
        if self.calendar is None:
            return ()
        return looks(self.calendar, self._chunks.values(), self.searches, self._timelines, self._complete)

    def covered(self, answer: Answer) -> Answer:
        """Return the answer with its coverage: evidence is what the answer and the accepted table cite."""
        chunks = [self._chunks[cited] for cited in self._all_cited(answer) if cited in self._chunks]
        return answer.model_copy(update={"coverage": answer_coverage(self.looks(), chunks)})

    def _all_cited(self, answer: Answer | None) -> list[str]:
        rows = self.table.get("rows", [])
        return [*cited_in(answer), *(cited for row in rows for cited in row.get("citations", ()))]

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

    def accept_table(self, rows: list[dict[str, Any]], checks: list[dict[str, Any]]) -> None:
        """Keep the dated table that passed, as it was sent; `checks` number its rows from 0."""
        self.table |= {"rows": rows, "checks": checks}

    def reject_table(self, attempt: int, reasons: Sequence[str], rows: list[dict[str, Any]] | None = None) -> None:
        """Record a dated table that went back; None where it could not be read."""
        submitted = {} if rows is None else {"submitted": rows}
        self.table.setdefault("rejected", []).append({"attempt": attempt, "reasons": list(reasons), **submitted})

    def withdraw_rows(self, answer: Answer) -> list[str]:
        """Take out of the accepted table each row of nothing found that the answer cites a passage from the time of.

        The rows go under `withdrawn`, each with what was cited; return one sentence for each.
        """
        rows: list[dict[str, Any]] = self.table.get("rows", [])
        cited = [self._chunks[name] for name in dict.fromkeys(cited_in(answer)) if name in self._chunks]
        contradicted = {
            number: found
            for number, row in enumerate(rows)
            if row.get("nothing_found") and (found := [c.id for c in cited if published_in(row["when"], c)])
        }
        if not contradicted:
            return []
        kept = [number for number in range(len(rows)) if number not in contradicted]
        place_of = {number: place for place, number in enumerate(kept)}
        self.table |= {
            "rows": [rows[number] for number in kept],
            "checks": [check | {"statement": place_of[check["statement"]]} for check in self.table["checks"]],
            "withdrawn": [rows[number] | {"cited": found} for number, found in contradicted.items()],
        }
        if not kept:
            del self.table["rows"]
        return [
            f"the dated table says that nothing was found in {rows[number]['when']}, but the answer cites "
            f"{', '.join(found)}; the row is withdrawn"
            for number, found in contradicted.items()
        ]

    def add_unusable(self, attempt: int, reason: str) -> None:
        """Record a closing turn that brought no readable answer."""
        self._rejected.append({"attempt": attempt, "reasons": [reason]})

    def record(self, status: Status, *, answer: Answer | None = None, error: dict[str, Any] | None = None) -> Run:
        """Return the run as it stands, sealed with a hash over all the rest."""
        run = Run.model_validate(
            {"schema": "run/1", "run_id": self.run_id, "question": self.question,
             **{key: value for key, value in self._identity.items() if value is not None},
             "status": status, "recipe": self.recipe.ref, "corpus": self.corpus, "code": code_ref(),
             "models": self.models, "searches": self.searches, "retrieved": list(self._chunks),
             "chunks": list(self._chunks.values()), "answer": answer, "citation_checks": self._checks,
             "guards": self.guards, "usage": self.ledger.entries, "cost_usd": self.ledger.cost_usd,
             "started_at": self._started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
             "elapsed_ms": self.elapsed_ms, "error": error, "meta": self._meta(answer)}
        )  # fmt: skip
        return seal(run)

    def _meta(self, answer: Answer | None) -> dict[str, Any]:
        cited = list(dict.fromkeys(cited_in(answer)))
        captioned = {name: words for name in self._all_cited(answer) if (words := self.captioned.get(name)) is not None}
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
            **({"translations": self._translations} if self._translations else {}),
            **({"wordings": self._wordings} if self._wordings else {}),
            **({"captioned": captioned} if captioned else {}),
            **self._over_time(),
        }

    def _over_time(self) -> dict[str, Any]:
        """Return what tells of time, as far as the run came to it."""
        told: dict[str, Any] = {
            "timeline_searches": self._timelines,
            "complete_searches": self._complete,
            "timeline": self.table,
        }
        told = {key: value for key, value in told.items() if value}
        if self.over_time is not None:
            told["over_time"] = self.over_time
        if self.calendar is not None:
            told["calendar"] = self.calendar.as_json()
        return told
