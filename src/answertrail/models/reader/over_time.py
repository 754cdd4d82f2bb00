"""Planning a question over time: which searches next, from what the searches so far brought.

Nothing is kept between turns: how far the plan is, is read off the searches made.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from .dates import span
from .evidence import Hit, Pool, SearchResult
from .keywords import LONGEST_PROBE, feedback_words, is_probed, keyword_query, probe_query
from .plan import Search, by_period, content_query, remaining
from .question import Question
from .scoring import idf_weights, stems_of
from .settings import PlanSettings
from .text import covered
from .topic import known_query, speakers_named, topic_query

HITS = 10
"""Hits of each of the question's own searches."""
SUBJECT_HITS = 5
"""Hits of the subject alone."""
SPEAKER_HITS = 20
"""Of a person whom the question names everything is wanted; the most one search may give."""
SEEDS, SEED_HITS = 4, 5
"""Passages searched on from, and hits of each such search."""
FEEDBACK_HITS = 10
"""Hits from which the question takes further words."""
PAGES = 3
"""How often the question pages on where there are no periods to go through."""


def next_searches(
    question: Question, results: Sequence[SearchResult], pool: Pool, settings: PlanSettings
) -> tuple[Search, ...]:
    """The searches of the next turn: the first step of the plan of which one has not been made.

    `results` are all so far, failed ones as results without hits. Empty when the plan is carried out,
    and after a first turn that found nothing.
    """
    if not results:
        return (Search(question.text, k=HITS),)
    if not pool.hits:
        return ()
    done = [Search(r.query, r.date_from, r.date_to) for r in results]
    words, subject = _words(question, pool, settings)
    periods = by_period(question, pool) if settings.periods else ()
    if set(periods) & set(done):
        return ()
    asked = {r.query for r in results}
    best = _best(question, results, pool, (question.text, words, subject))
    for step in (
        _own(question, words, pool, settings),
        (Search(subject, k=SUBJECT_HITS),) if settings.topic else (),
        _feedback(question, best[:FEEDBACK_HITS], pool, asked) if settings.feedback else (),
        _onwards(best[:SEEDS], pool, asked) if settings.keywords else (),
    ):
        if missing := remaining(step, done):
            return missing
    if periods:
        return periods
    return (Search(question.text, k=SPEAKER_HITS),) if len(done) < len(set(done)) + PAGES else ()


def _words(question: Question, pool: Pool, settings: PlanSettings) -> tuple[str, str]:
    """The question's content words, and its subject."""
    known = pool.frequency if settings.known_words else None
    return (
        content_query(question.text) if known is None else known_query(question, known),
        topic_query(question, known),
    )


def _own(question: Question, words: str, pool: Pool, settings: PlanSettings) -> tuple[Search, ...]:
    """What the question itself offers: its words, the people and the dates it names."""
    out = [Search(words, k=HITS)] if settings.words else []
    if settings.speakers:
        out.extend(Search(name, k=SPEAKER_HITS) for name in speakers_named(question, pool))
    asked = span(question.periods)
    if settings.dated and asked is not None:
        out.append(Search(question.text, asked.start, asked.end, HITS))
    return tuple(out)


def _best(question: Question, results: Sequence[SearchResult], pool: Pool, own: Collection[str]) -> tuple[Hit, ...]:
    """What the question's own searches brought, by the share of its subject in text and title, then as found."""
    first: dict[str, Hit] = {}
    for result in results:
        if result.query in own:
            first.update((hit.id, hit) for hit in result.hits if hit.id not in first)
    weights = idf_weights(question.topic(), pool)
    heard = {s: w for s, w in weights.items() if pool.frequency.get(s, 1) > 0}
    return tuple(sorted(first.values(), key=lambda hit: -round(covered(heard, stems_of(hit)), 6)))


def _onwards(seeds: Sequence[Hit], pool: Pool, asked: Set[str]) -> tuple[Search, ...]:
    """The seeds' keywords; before them a probe, which tells how rare their words are."""
    probe = probe_query([hit.text for hit in seeds])
    if probe and probe not in asked and not all(is_probed(hit.text, pool.frequency) for hit in seeds):
        return (Search(probe, k=1),)
    queries = dict.fromkeys(keyword_query(hit.text, pool.frequency, pool.size) for hit in seeds)
    if asked & set(queries):
        return ()  # what else is now known of their words makes no other search worth it
    return tuple(Search(query, k=SEED_HITS) for query in queries if query)


def _feedback(question: Question, best: Sequence[Hit], pool: Pool, asked: Set[str]) -> tuple[Search, ...]:
    """The question with the words of its best hits; before it the probes."""
    half = FEEDBACK_HITS // 2
    texts = [[hit.text for hit in part] for part in (best[:half], best[half:]) if part]
    probes = [probe_query(part) for part in texts if not all(is_probed(text, pool.frequency) for text in part)]
    if missing := [probe for probe in probes if probe not in asked]:
        return tuple(Search(probe, k=1) for probe in missing)
    weighed = [(1 / (place // 2 + 2), hit.text) for place, hit in enumerate(best)]
    found = feedback_words(weighed, pool.frequency, pool.size, question.stems)
    return (Search(f"{question.text} {found}"[:LONGEST_PROBE], k=HITS),) if found else ()
