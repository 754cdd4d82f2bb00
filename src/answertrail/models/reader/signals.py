"""The signals of sufficiency: what tells an answerable question from one the corpus cannot answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from .evidence import Hit, Pool, SearchResult, adjacent
from .question import NUMERIC, Question, Slot, analyse
from .scoring import Ranking
from .slots import mentions, near
from .text import covered, words

TOP = 12
"""How many of the best chunks are read for the slot."""
REACH = 15
"""Words on either side of a figure that are taken as being about it."""
ENOUGH_PASSAGE, ENOUGH_FIGURE = 0.4, 0.25
"""Coverage from which on more words make the answer no likelier (both signals are capped there)."""


@dataclass(frozen=True)
class Signals:
    """Each between 0 and 1, higher for more support, except `outside`.

    passage: idf-weighted share of the question's words in the best passage (a chunk with its
        neighbours, title and speakers), as a part of 0.4; words found nowhere count against it.
        1 for a question in another script than the passages, of which words say nothing.
    names: the share of the question's names (by weight, speakers left out) that occur in the
        corpus at all, averaged with the share that occurs in one document together; of a
        trajectory the first alone; 1 without names.
    figure: for a question that asks for a figure or a date, the best share of its words within 15
        words of such a figure, times the share of its names in that passage, as a part of 0.25. At
        least one of the words must be neither in the title nor the thing counted. 1 for other
        questions; of a question in several parts the best part counts.
    outside: 1 when the question is dated and no chunk of the corpus has such a date, else 0.
    """

    passage: float
    names: float
    figure: float
    outside: float

    def values(self) -> tuple[float, ...]:
        """The signals in order."""
        return tuple(float(v) for v in astuple(self))


def measure(question: Question, results: Sequence[SearchResult], pool: Pool, ranking: Ranking) -> Signals:
    """The signals of a pool; no support at all for an empty one."""
    outside = outside_dates(question, results)
    if not ranking.chunks:
        return Signals(0.0, 0.0, 0.0, outside)
    passages = _passages(pool, [s.hit for s in ranking.chunks[:TOP]])
    weights = dict(ranking.weights)
    best = max(covered(weights, p.stems) for p in passages)
    return Signals(
        passage=1.0 if foreign(question, pool) else min(1.0, best / ENOUGH_PASSAGE),
        names=name_support(question, pool, ranking),
        figure=max(part_support(question, pool, ranking).values(), default=1.0),
        outside=outside,
    )


def part_support(question: Question, pool: Pool, ranking: Ranking) -> dict[str, float]:
    """The figure signal of each part of the question; a part that asks for no figure has 1."""
    passages = _passages(pool, [s.hit for s in ranking.chunks[:TOP]])
    weights = dict(ranking.weights)
    if len(question.parts) < 2:
        return {question.text: figure_support(question, weights, passages)}
    return {part: figure_support(_part(question, part), weights, passages) for part in question.parts}


def _part(question: Question, part: str) -> Question:
    """One part with the names, dates and words of the whole, its own slots and unit."""
    own = analyse(part)
    return replace(question, slots=own.slots, unit=own.unit, measured=own.measured)


def foreign(question: Question, pool: Pool) -> bool:
    """Whether the question is in another script than the passages: most letters Latin in one only."""
    return bool(pool.hits) and _latin(question.text) != _latin(" ".join(h.text for h in pool.hits[:5]))


def _latin(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return sum(ord(c) < 0x250 for c in letters) * 2 >= len(letters)


@dataclass(frozen=True)
class Passage:
    """A chunk between its neighbours: all their text, and the stems of it, its title and speakers."""

    text: str
    about: frozenset[str]
    stems: frozenset[str]
    date: str | None


def _passages(pool: Pool, hits: Sequence[Hit]) -> list[Passage]:
    known = pool.by_id()
    preceding = {after.id: h for h in pool.hits if (after := adjacent(known, h)) is not None}
    out: list[Passage] = []
    for hit in hits:
        around = [h for h in (preceding.get(hit.id), hit, adjacent(known, hit)) if h is not None]
        text = "\n".join(h.text for h in around)
        about = frozenset(w.stem for w in words(f"{hit.title} {' '.join(s for h in around for s in h.speakers)}"))
        out.append(Passage(text, about, about | {w.stem for w in words(text)}, hit.date))
    return out


def name_support(question: Question, pool: Pool, ranking: Ranking) -> float:
    """How much of what the question names is known, and known together; 1 without names.

    The mean of two shares: of the names the corpus knows (a search's `terms` found them in some
    chunk, or they stand in a text, title or speaker seen, also written apart as "blue sky" for
    Bluesky) and of those one document has together. A trajectory may name what different documents
    speak of, so there only the first counts. Speakers' names are left out: they say who spoke, not
    what about.
    """
    speakers = {w.stem for h in pool.hits for s in h.speakers for w in words(s)}
    weights = {s: ranking.weights[s] for s in question.names if s in ranking.weights and s not in speakers}
    if not weights:
        return 1.0
    raw = {w.stem: _squeeze(w.raw) for w in words(question.text) if w.stem in weights}
    counted = {s for s in weights if pool.frequency.get(s, 0) > 0}
    anywhere = covered(weights, counted | _spoken(raw, pool.hits, ranking))
    if question.trajectory:
        return anywhere
    documents: dict[str, list[Hit]] = {}
    for hit in pool.hits:
        documents.setdefault(hit.document_id, []).append(hit)
    together = max(covered(weights, _spoken(raw, hits, ranking)) for hits in documents.values())
    return (anywhere + together) / 2


def _spoken(names: Mapping[str, str], hits: Sequence[Hit], ranking: Ranking) -> set[str]:
    """Those of `names` (stem to spelling without spaces) that occur in the chunks `hits`."""
    present = frozenset().union(*(ranking.stems[h.id] for h in hits))
    missing = {s: n for s, n in names.items() if s not in present and len(n) > 3}
    squeezed = _squeeze(" ".join(f"{h.title} {h.text}" for h in hits)) if missing else ""
    return {s for s in names if s in present} | {s for s, n in missing.items() if n in squeezed}


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def figure_support(question: Question, weights: Mapping[str, float], passages: Sequence[Passage]) -> float:
    """The least supported of the figures and dates asked for; 1 when none is asked for."""
    asked = [s for s in question.slots if s in NUMERIC or s is Slot.WHEN]
    if not asked or question.trajectory:
        return 1.0
    least = min(_figure(question, slot, dict(weights), passages) for slot in asked)
    return min(1.0, least / ENOUGH_FIGURE)


def _figure(question: Question, slot: Slot, weights: dict[str, float], passages: Sequence[Passage]) -> float:
    named = {s: weights[s] for s in question.names if s in weights}
    earliest = min((p.start for p in question.periods), default="")
    best = 0.0
    for passage in passages:
        if passage.date and passage.date < earliest:
            continue
        found = words(passage.text)
        about = covered(named, passage.stems) if named else 1.0
        telling = set(weights) - passage.about - set(question.unit)
        for stems in near(found, mentions(question, slot, passage.text, found), REACH):
            if telling & stems:
                best = max(best, about * covered(weights, stems | passage.about))
    return best


def outside_dates(question: Question, results: Sequence[SearchResult]) -> float:
    """1 when a search limited to the question's dates matched no chunk at all, else 0."""
    if not question.periods:
        return 0.0
    dated = [r for r in results if r.date_from and r.date_to and r.matching is not None]
    first, last = min(p.start for p in question.periods), max(p.end for p in question.periods)
    return float(any(r.matching == 0 for r in dated if r.date_from == first and r.date_to == last))
