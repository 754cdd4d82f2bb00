"""The signals of sufficiency: what tells an answerable question from one the corpus cannot answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from .evidence import Hit, Pool, SearchResult, adjacent
from .question import NUMERIC, Question, Slot
from .scoring import Ranking
from .slots import mentions, near
from .text import covered, words

TOP = 8
"""How many of the best chunks are read for the slot."""
REACH = 25
"""Words on either side of a mention that are taken as being about it."""


@dataclass(frozen=True)
class Signals:
    """Each between 0 and 1, higher for more support, except `absent` and `outside`.

    passage: idf-weighted share of the question's words in the best passage (a chunk with its
        neighbours, title and speakers); words found nowhere count against it.
    document: the same for the best document's chunks together.
    names: the same for the question's names alone, in the best document; 1 without names.
    absent: the share of the question's weight in words found nowhere in the pool.
    slot: the best share of the question's words within 25 words of something that could fill the
        slot, over the best chunks; for questions of figures, of a figure of that kind.
    figure: 1 when the question asks for a figure, else 0.
    outside: 1 when the question is dated and no chunk of the corpus has such a date, else 0.
    """

    passage: float
    document: float
    names: float
    absent: float
    slot: float
    figure: float
    outside: float

    def values(self) -> tuple[float, ...]:
        return tuple(float(v) for v in astuple(self))


def measure(question: Question, results: Sequence[SearchResult], pool: Pool, ranking: Ranking) -> Signals:
    """The signals of a pool; all 0 (absent 1) for an empty one."""
    figure = 1.0 if set(question.slots) & NUMERIC else 0.0
    if not ranking.chunks:
        return Signals(0.0, 0.0, 0.0, 1.0, 0.0, figure, outside_dates(question, results))
    weights = dict(ranking.weights)
    known = pool.by_id()
    top = [s.hit for s in ranking.chunks[:TOP]]
    passages = {h.id: _passage(known, h) for h in top}
    best_document = ranking.documents[0][0]
    union = frozenset().union(*(ranking.stems[h.id] for h in pool.hits if h.document_id == best_document))
    present = frozenset().union(*ranking.stems.values())
    named = {s: weights[s] for s in question.names if s in weights}
    return Signals(
        passage=max(covered(weights, _stems(passages[h.id], h)) for h in top),
        document=covered(weights, union),
        names=covered(named, union) if named else 1.0,
        absent=1.0 - covered(weights, present),
        slot=slot_support(question, weights, [(passages[h.id], h) for h in top]),
        figure=figure,
        outside=outside_dates(question, results),
    )


def _passage(known: dict[str, Hit], hit: Hit) -> str:
    """The text of a chunk with the windows before and after it that were seen."""
    before = [h for h in known.values() if h.document_id == hit.document_id and adjacent(known, h) is hit]
    after = adjacent(known, hit)
    return "\n".join(h.text for h in (*before[:1], hit, *((after,) if after else ())))


def _stems(text: str, hit: Hit) -> frozenset[str]:
    return frozenset(w.stem for w in words(f"{text} {hit.title} {' '.join(hit.speakers)}"))


def slot_support(
    question: Question, weights: dict[str, float], passages: Sequence[tuple[str, Hit]]
) -> float:
    """The best coverage around a mention of the asked kind; the worst slot decides when there are two."""
    asked = [s for s in question.slots if s in NUMERIC or s in (Slot.WHEN, Slot.WHO)] or list(question.slots[:1])
    return min(_support(question, slot, weights, passages) for slot in asked)


def _support(
    question: Question, slot: Slot, weights: dict[str, float], passages: Sequence[tuple[str, Hit]]
) -> float:
    best = 0.0
    for text, hit in passages:
        found = words(text)
        about = frozenset(w.stem for w in words(f"{hit.title} {' '.join(hit.speakers)}"))
        for stems in near(found, mentions(question, slot, text, found), REACH):
            best = max(best, covered(weights, stems | about))
    return best


def outside_dates(question: Question, results: Sequence[SearchResult]) -> float:
    """1 when a search limited to the question's dates matched no chunk at all, else 0."""
    if not question.periods:
        return 0.0
    dated = [r for r in results if r.date_from and r.date_to and r.matching is not None]
    first, last = min(p.start for p in question.periods), max(p.end for p in question.periods)
    return float(any(r.matching == 0 for r in dated if r.date_from == first and r.date_to == last))
