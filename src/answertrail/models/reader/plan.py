"""Which searches to run for a fact: from the question first, then inside the documents that look best."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .dates import Period, span
from .evidence import Pool
from .question import Question
from .scoring import Ranking
from .settings import PlanSettings
from .text import is_content, words

Tool = Literal["search", "timeline", "around"]
DOCUMENTS_REREAD = 3
"""How many days (of the best documents) are searched again on their own."""
PERIODS = 6
"""Into how many periods a how-did-it-change answer is cut."""
FACT_HITS, DATED_HITS, FACT_PAGE, MEANING_HITS = 20, 5, 10, 10
"""Hits of the first search of a fact, of that in the dates asked for, of its second page, and by meaning alone."""
FACT_SEEDS = 2
"""Best passages of the first search that the second page of a fact goes on from."""
READ_ON = 3
"""Passages around which is read on."""


@dataclass(frozen=True)
class Search:
    """One call of a search tool; dates are ISO days, `date_to` exclusive.

    `k` is how many chunks are asked for, None as many as the recipe gives; it does not make another search.
    `also` are other wordings, `like` ids of passages others are to be like, `order` another order than best
    first. With `tool` around the query is the id of the passage around which is read.
    """

    query: str
    date_from: str | None = None
    date_to: str | None = None
    k: int | None = field(default=None, compare=False)
    also: tuple[str, ...] = ()
    like: tuple[str, ...] = ()
    order: str | None = None
    tool: Tool = "search"

    def on(self, *, start: str | None = None, end: str | None = None, **changed: Any) -> Search:
        """The same search within these dates, with what else is changed."""
        return replace(self, date_from=start, date_to=end, **changed)

    def offered(self, tools: Collection[str]) -> Search:
        """The same search without what the tools do not take."""
        return replace(
            self,
            also=self.also if "also" in tools else (),
            like=self.like if "like" in tools else (),
            order=self.order if self.order in tools else None,
            tool="search" if self.tool == "timeline" and "timeline" not in tools else self.tool,
        )


def content_query(text: str) -> str:
    """The content words of `text` as spelt, in order; the text itself when it has none."""
    kept = [w.raw for w in words(text) if is_content(w)]
    return " ".join(dict.fromkeys(kept)) if kept and len(kept[0]) > 2 else (" ".join(kept) or text)


def opening(question: Question) -> tuple[Search, ...]:
    """The first turn: the question, its content words, each of its parts, and a probe of its dates."""
    queries = [question.text, content_query(question.text)]
    if len(question.parts) > 1:
        queries.extend(question.parts)
    out = [Search(q) for q in dict.fromkeys(q for q in queries if q)]
    asked = span(question.periods)
    if asked is not None:
        out.append(Search(question.text, asked.start, asked.end))
    return tuple(out)


def opening_as_one(question: Question, *, dated: bool = True) -> tuple[Search, ...]:
    """The first turn where wordings are searched as one: the question with its content words and parts, and its dates.

    About 40 chunks with the second turn, `widening`.
    """
    beside = (content_query(question.text), *(question.parts if len(question.parts) > 1 else ()))
    whole = Search(question.text, k=FACT_HITS, also=tuple(q for q in dict.fromkeys(beside) if q != question.text)[:5])
    asked = span(question.periods)
    if asked is None or not dated:
        return (whole,)
    return (whole, whole.on(start=asked.start, end=asked.end, k=DATED_HITS))


def widening(question: Question, found: Pool, settings: PlanSettings) -> tuple[Search, ...]:
    """The second turn: the next page, and what is near in meaning though it has none of the words.

    `found` is what the first search brought. The page goes on from its best passages: a fact is often
    told over several of them, and what follows leaves out the question's words.
    """
    like = tuple(hit.id for hit in found.hits[:FACT_SEEDS]) if settings.fact_like else ()
    page = opening_as_one(question)[0].on(k=FACT_PAGE, like=like)
    meaning = Search(question.text, k=MEANING_HITS, order="meaning")
    return (page, meaning) if settings.meaning else (page,)


def reading_on(ranking: Ranking) -> tuple[Search, ...]:
    """What stands on either side of the best chunks."""
    return tuple(Search(scored.hit.id, tool="around") for scored in ranking.chunks[:READ_ON])


def rereading(question: Question, pool: Pool, ranking: Ranking) -> tuple[Search, ...]:
    """The second turn of a factual question: its two main queries on the days of the best documents.

    Chunks already shown are held back, so this reads on inside those documents. Where nothing is
    dated the two queries are asked again, which brings the next chunks of the whole corpus.
    """
    dates = {h.document_id: h.date for h in pool.hits}
    days: list[str] = []
    for document, _ in ranking.documents:
        day = dates.get(document)
        if day and day not in days and _next_day(day):
            days.append(day)
        if len(days) == DOCUMENTS_REREAD:
            break
    queries = tuple(dict.fromkeys((question.text, content_query(question.text))))
    if not days:
        return tuple(Search(q) for q in queries)
    return tuple(Search(q, day, _next_day(day)) for day in days for q in queries)


def trajectory_span(question: Question, pool: Pool) -> Period | None:
    """The stretch of time a trajectory is looked for in; None when nothing is dated."""
    asked = span(question.periods)
    dates = sorted(h.date for h in pool.hits if h.date and _next_day(h.date))
    if not dates:
        return asked
    seen = Period(dates[0], _next_day(dates[-1]) or dates[-1])
    if asked is None or len(question.periods) < 2:
        return seen
    return asked


def _next_day(day: str) -> str | None:
    try:
        return (dt.date.fromisoformat(day) + dt.timedelta(days=1)).isoformat()
    except ValueError:
        return None


def remaining(wanted: Sequence[Search], done: Sequence[Search]) -> tuple[Search, ...]:
    """The searches of `wanted` that are not among `done`."""
    made = set(done)
    return tuple(s for s in wanted if s not in made)
