"""The built-in reader: what to do next, from the question and the searches made so far."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from . import compose, over_time, plan
from .decision import judge
from .evidence import Pool, SearchResult, gather
from .plan import Search
from .question import Question, analyse
from .scoring import Embed, Ranking, rank
from .settings import PLAN, PlanSettings
from .signals import Signals, foreign, measure, part_support
from .table import LookedAt, Row, rows

PART_FOUND = 0.5
"""Figure support under which a part of a question is reported as not found."""

Phase = Literal["explore", "submit"]
Outcome = Literal["answered", "partly_answered", "cannot_answer"]


@dataclass(frozen=True)
class Submission:
    """The arguments of `submit_answer`. `support` and `signals` explain the outcome; they are not sent."""

    outcome: Outcome
    statements: tuple[compose.Statement, ...]
    not_found: tuple[str, ...]
    support: float
    signals: Signals


@dataclass(frozen=True)
class Actions:
    """One turn: searches to run, or readiness, or the submission; exactly one of them is set."""

    searches: tuple[Search, ...] = ()
    ready: bool = False
    submission: Submission | None = None


class Reader:
    """Reads tool results and decides the next turn. It keeps nothing between calls."""

    def __init__(
        self, embed: Embed | None = None, settings: PlanSettings = PLAN, *, offered: Collection[str] = ("dates",)
    ) -> None:
        """`offered` is what the tools take beside a query: dates, also, like, spread, meaning, timeline, around.

        Where that is nothing only the first turn's searches are made.
        """
        self._embed = embed
        self._settings = settings
        self._offered = frozenset(offered)

    def next_action(self, question: str, results: Sequence[SearchResult], *, phase: Phase) -> Actions:
        """The next turn. `results` are all search results so far, in order, failed ones left out."""
        asked = analyse(question)
        pool = gather(results)
        if phase == "submit":
            return Actions(submission=self._submit(asked, results, pool))
        searches = self._searches(asked, results, pool)
        return Actions(searches=searches) if searches else Actions(ready=True)

    def table(
        self, question: str, results: Sequence[SearchResult], periods: Sequence[LookedAt] = ()
    ) -> tuple[Row, ...]:
        """The dated table of what `next_action` would submit; `periods` are those that were looked at."""
        asked, pool = analyse(question), gather(results)
        return rows(self._submit(asked, results, pool).statements, pool, periods)

    def _searches(self, asked: Question, results: Sequence[SearchResult], pool: Pool) -> tuple[Search, ...]:
        """The searches of the next turn; none when the plan has been carried out, whatever failed in it."""
        if asked.trajectory and self._offered & {"dates", "also", "like", "spread"}:
            planned = over_time.next_searches(asked, results, pool, self._settings, self._offered)
        elif self._offered & {"also", "meaning"}:
            planned = self._of_a_fact(asked, results, pool)
        else:
            planned = self._one_by_one(asked, results, pool)
        return tuple(search.offered(self._offered) for search in planned)

    def _of_a_fact(self, asked: Question, results: Sequence[SearchResult], pool: Pool) -> tuple[Search, ...]:
        """Wordings as one, then wider, then on inside the best documents; how far that is, the number of searches says.

        After the first two turns they are ranked, so the third follows from what those brought.
        """
        dated = "dates" in self._offered
        first = plan.opening_as_one(asked, dated=dated)
        second = plan.widening(asked, gather(results[:1]), self._settings)
        made = len(results)
        if made < len(first):
            return first[made:]
        if not pool.hits:
            return ()
        if made < len(first) + len(second):
            return second[made - len(first) :]
        ranking = rank(asked, gather(results[: len(first) + len(second)]), self._embed)
        around = plan.reading_on(ranking) if self._settings.read_on and "around" in self._offered else ()
        third = (*around, *(plan.rereading(asked, pool, ranking) if dated else ()))
        return third[made - len(first) - len(second) :]

    def _one_by_one(self, asked: Question, results: Sequence[SearchResult], pool: Pool) -> tuple[Search, ...]:
        """Every wording by itself, then on inside the best documents."""
        done = [Search(r.query, r.date_from, r.date_to) for r in results]
        first = plan.opening(asked)
        if not done:
            return first
        if len(done) > len(first) or set(done) - set(first) or not pool.hits:
            return ()
        if asked.trajectory:
            return plan.remaining(first, done)
        return plan.rereading(asked, pool, rank(asked, pool, self._embed))

    def _submit(self, asked: Question, results: Sequence[SearchResult], pool: Pool) -> Submission:
        ranking: Ranking = rank(asked, pool, self._embed)
        signals = measure(asked, results, pool, ranking)
        verdict = judge(signals, asked.trajectory)
        if not verdict.answer or not ranking.chunks:
            return Submission("cannot_answer", (), (asked.text,), verdict.support, signals)
        if asked.trajectory:
            topic = rank(asked.topic(), pool, self._embed)
            statements, missing = compose.trajectory(asked, pool, topic)
        else:
            statements = compose.factual(pool, ranking, self._affinity(asked))
            missing = self._missing(asked, pool, ranking)
        if not statements:
            return Submission("cannot_answer", (), (asked.text,), verdict.support, signals)
        outcome: Outcome = "partly_answered" if missing else "answered"
        return Submission(outcome, statements, missing, verdict.support, signals)

    def _affinity(self, asked: Question) -> compose.Affinity | None:
        embed = self._embed
        if embed is None:
            return None

        def affinity(texts: list[str]) -> list[float]:
            vectors = np.asarray(embed([asked.text, *texts]), dtype=np.float64)
            return [float(x) for x in vectors[1:] @ vectors[0]]

        return affinity

    @staticmethod
    def _missing(asked: Question, pool: Pool, ranking: Ranking) -> tuple[str, ...]:
        """The parts of the question for which no figure was found; the whole one in a foreign script."""
        if foreign(asked, pool):
            return (asked.text,)
        return tuple(part for part, found in part_support(asked, pool, ranking).items() if found < PART_FOUND)
