"""Which searches to run: from the question first, then inside the documents that look best."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

from .dates import Period, slices, span
from .evidence import Pool
from .question import Question
from .scoring import Ranking
from .text import is_content, words

DOCUMENTS_REREAD = 3
"""How many days (of the best documents) are searched again on their own."""
PERIODS = 6
"""Into how many periods a how-did-it-change question is cut."""


@dataclass(frozen=True)
class Search:
    """One call of `search_transcripts`; dates are ISO days, `date_to` exclusive.

    `k` is how many chunks are asked for, None as many as the recipe gives; it does not make another search.
    """

    query: str
    date_from: str | None = None
    date_to: str | None = None
    k: int | None = field(default=None, compare=False)


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


def by_period(question: Question, pool: Pool) -> tuple[Search, ...]:
    """The second turn of a how-did-it-change question: the question again in each period.

    The periods run over the dates the question names, else over the dates of what was found.
    """
    whole = trajectory_span(question, pool)
    if whole is None:
        return ()
    return tuple(Search(question.text, p.start, p.end) for p in slices(whole.start, whole.end, PERIODS))


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
