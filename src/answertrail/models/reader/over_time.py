"""Planning a question over time: which searches next, from what the searches so far brought.

Nothing is kept between turns. The turns follow from the question and from what the first search
brought, so how far the plan is, is read off the number of searches made.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .dates import span_asked
from .evidence import Hit, Pool, SearchResult, gather
from .plan import Search, content_query
from .question import Question
from .scoring import idf_weights, stems_of
from .settings import PlanSettings
from .text import covered
from .topic import topic_query

FIRST = 10
"""Hits of the first search, among which the seeds are found."""
SEEDS = 4
"""Passages that others are to be like."""
ENDS, END_HITS = 4, 3
"""Times the question names that are looked into, and hits of each."""
MAIN_HITS, PAGE_HITS = 20, 10
"""Hits of the main search and of its second page: with those before them about 40."""
TIMELINE_PAGES, LAST_HITS = 2, 20


def next_searches(
    question: Question,
    results: Sequence[SearchResult],
    pool: Pool,
    settings: PlanSettings,
    offered: Collection[str],
) -> tuple[Search, ...]:
    """The searches of the next turn; empty when the plan is carried out, and after a first turn that found nothing.

    `results` are all so far, failed ones as results without hits. Dates are planned with, and passages
    read around, only where that is `offered`.
    """
    also = rewordings(question) if settings.also else ()
    first = Search(question.text, also=also, order="spread" if settings.spread else None, k=FIRST)
    if not results:
        return (first,)
    if not pool.hits:
        return ()
    made = len(results)
    for turn in _turns(question, first, gather(results[:1]), settings, offered):
        if made < len(turn):
            return turn[made:]
        made -= len(turn)
    return ()


def rewordings(question: Question) -> tuple[str, ...]:
    """The question's content words, and its subject: without words of change, of view and of time."""
    return tuple(
        text for text in dict.fromkeys((content_query(question.text), topic_query(question))) if text != question.text
    )


def _turns(
    question: Question, first: Search, found: Pool, settings: PlanSettings, offered: Collection[str]
) -> tuple[tuple[Search, ...], ...]:
    """All turns, by what the first one brought."""
    seeds = _seeds(question, found)
    on = first.on(like=tuple(hit.id for hit in seeds)) if settings.like else first
    dated = "dates" in offered
    named = tuple(dict.fromkeys(question.periods))[:ENDS] if dated and settings.ends else ()
    asked = span_asked(question.text, question.periods) if dated and settings.dated else (None, None)
    main = on.on(start=asked[0], end=asked[1], k=MAIN_HITS)
    page = main.on(start=asked[0], end=asked[1], k=PAGE_HITS)
    last = on.on(k=LAST_HITS)
    over_periods = last.on(tool="timeline", order=None)
    return (
        (first,),
        tuple(Search(hit.id, tool="around") for hit in seeds) if settings.around and "around" in offered else (),
        (*(on.on(start=p.start, end=p.end, k=END_HITS) for p in named), main),
        (over_periods.on(tool="timeline", k=PAGE_HITS) if settings.periods else page,),
        (over_periods if settings.timeline else last,) * TIMELINE_PAGES,
        (last,),
    )


def _seeds(question: Question, found: Pool) -> tuple[Hit, ...]:
    """What the first search brought, by the share of the subject in text and title, then as found."""
    weights = idf_weights(question.topic(), found)
    heard = {s: w for s, w in weights.items() if found.frequency.get(s, 1) > 0}
    return tuple(sorted(found.hits, key=lambda hit: -round(covered(heard, stems_of(hit)), 6))[:SEEDS])
