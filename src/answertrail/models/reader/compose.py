"""Statements: verbatim passages, each with the chunks it was cut from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .dates import slices
from .evidence import Hit, Pool, adjacent
from .excerpts import pieces
from .plan import PERIODS, trajectory_span
from .question import Question
from .scoring import Ranking
from .text import count_words, covered, words

STATEMENTS = 5
"""How many passages a factual answer quotes at most."""
PASSAGE_WORDS = 90
"""A passage stops growing before this many words, unless a single piece is longer."""
TRAJECTORY_WORDS = 60
"""The same for the passages of a trajectory, of which there are more."""
RELEVANT = 0.5
"""A period's passage is quoted only when its chunk scores at least this share of the best one."""
PER_PERIOD = 2
"""How many passages each period of a trajectory gives at most."""
MEANING_WEIGHT = 0.5
"""What a piece's cosine with the question counts beside its share of the question's words."""

Affinity = Callable[[list[str]], list[float]]
"""The cosine of each text with the question."""


@dataclass(frozen=True)
class Statement:
    """A quoted passage and the ids of the one to three chunks it is cut from, in order of time."""

    text: str
    citations: tuple[str, ...]
    kind: str = "claim"


def factual(
    pool: Pool, ranking: Ranking, affinity: Affinity | None = None, count: int = STATEMENTS
) -> tuple[Statement, ...]:
    """The best passages, none sharing a chunk with another; best first."""
    return _passages(pool, ranking, [s.hit for s in ranking.chunks], count, PASSAGE_WORDS, affinity)


def trajectory(question: Question, pool: Pool, ranking: Ranking) -> tuple[tuple[Statement, ...], tuple[str, ...]]:
    """Passages in order of date, at most two for each period, and the periods with nothing."""
    whole = trajectory_span(question, pool)
    if whole is None:
        return factual(pool, ranking), ()
    out: list[Statement] = []
    empty: list[str] = []
    floor = RELEVANT * max((s.base for s in ranking.chunks), default=0.0)
    relevant = [s.hit for s in ranking.chunks if s.base >= floor]
    for period in slices(whole.start, whole.end, PERIODS):
        inside = [h for h in relevant if h.date and period.start <= h.date < period.end]
        told = _passages(pool, ranking, inside, PER_PERIOD, TRAJECTORY_WORDS)
        dates = {h.id: (h.date or "", h.start_s or 0.0) for h in inside}
        out.extend(sorted(told, key=lambda s: dates.get(s.citations[0], ("", 0.0))))
        if not told:
            empty.append(f"{period.start} to {period.end}")
    return tuple(out), tuple(empty)


def _passages(
    pool: Pool, ranking: Ranking, hits: Sequence[Hit], count: int, longest: int, affinity: Affinity | None = None
) -> tuple[Statement, ...]:
    known = pool.by_id()
    preceding = {after.id: h for h in pool.hits if (after := adjacent(known, h)) is not None}
    used: set[str] = set()
    out: list[Statement] = []
    for hit in hits:
        if len(out) == count:
            break
        if hit.id in used:
            continue
        statement = passage(hit, preceding.get(hit.id), adjacent(known, hit), ranking.weights, used, longest, affinity)
        used.update(statement.citations)
        out.append(statement)
    return tuple(out)


def passage(
    hit: Hit,
    before: Hit | None,
    after: Hit | None,
    weights: Mapping[str, float],
    used: set[str],
    longest: int,
    affinity: Affinity | None = None,
) -> Statement:
    """Whole pieces around the one of `hit` that is nearest to the question, into its neighbours.

    Nearest is by words covered and, given `affinity`, by meaning. Neighbours in `used` are left
    alone. The passage grows to the side whose next piece is nearer, the following one on a tie.
    """
    chain: list[tuple[str, str]] = []
    for part in (before, hit, after):
        if part is not None and (part is hit or part.id not in used):
            chain.extend((p, part.id) for p in pieces(part.text))
    values = [covered(dict(weights), (w.stem for w in words(p))) for p, _ in chain]
    if affinity is not None:
        values = [v + MEANING_WEIGHT * a for v, a in zip(values, affinity([p for p, _ in chain]), strict=True)]
    own = [i for i, (_, owner) in enumerate(chain) if owner == hit.id]
    first = last = max(own, key=lambda i: (values[i], -i))
    length = count_words(chain[first][0])
    while True:
        sides = [i for i in (last + 1, first - 1) if 0 <= i < len(chain)]
        sides = [i for i in sides if length + count_words(chain[i][0]) <= longest]
        if not sides:
            break
        chosen = max(sides, key=lambda i: (values[i], i))
        length += count_words(chain[chosen][0])
        first, last = min(first, chosen), max(last, chosen)
    taken = chain[first : last + 1]
    return Statement(" ".join(p for p, _ in taken), tuple(dict.fromkeys(owner for _, owner in taken)))
