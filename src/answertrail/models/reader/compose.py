"""Statements: verbatim passages, each with the chunks it was cut from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .dates import Period, slices
from .evidence import Hit, Pool, adjacent
from .excerpts import pieces
from .plan import PERIODS, trajectory_span
from .question import Question
from .scoring import Ranking, Scored
from .text import count_words, covered, words

STATEMENTS = 7
"""How many passages a factual answer quotes at most."""
NEAR_BEST = 0.65
"""A further passage is quoted only when its chunk scores at least this share of the best one."""
PASSAGE_WORDS = 60
"""The most words in a passage, unless a single piece is longer."""
RELEVANT = 0.4
"""A trajectory quotes only chunks whose own score is at least this share of the best one."""
TRAJECTORY_STATEMENTS = 12
"""How many passages a trajectory quotes at most."""
TRAJECTORY_WORDS = 40
"""The most words in a passage of a trajectory, of which there are more."""
STRETCHES = 2 * PERIODS
"""Into how many stretches of time a trajectory is cut, so that no time is told at the cost of others."""
PER_STRETCH = 2
"""How many passages each stretch gives at most."""
_BEGINNING, _MIDDLE, _END = (f"anything said in the {part} of that time" for part in ("beginning", "middle", "end"))
"""What is reported of periods without a passage: without their dates, which the question did not state."""

CLOSENESS_WEIGHT = 2.0
"""What a passage's cosine with the question counts beside its chunk's score when passages are put in order."""

Affinity = Callable[[list[str]], list[float]]
"""The cosine of each text with the question."""


@dataclass(frozen=True)
class Statement:
    """A quoted passage and the ids of the one to three chunks it is cut from, in order of time."""

    text: str
    citations: tuple[str, ...]
    kind: str = "claim"


def factual(pool: Pool, ranking: Ranking, affinity: Affinity | None = None) -> tuple[Statement, ...]:
    """The passages of the best chunks, none sharing a chunk with another; empty for an empty ranking.

    Best first: by the score of the chunk and, given `affinity`, the passage's own meaning.
    """
    scores = {s.hit.id: s.total for s in ranking.chunks}
    best = max(scores.values(), default=0.0)
    floor = min(best, NEAR_BEST * best)
    near = [s.hit for s in ranking.chunks if s.total >= floor]
    told = _passages(pool, ranking, near, STATEMENTS, PASSAGE_WORDS)
    if affinity is None or len(told) < 2:
        return told
    closeness = dict(zip(told, affinity([s.text for s in told]), strict=True))
    return tuple(sorted(told, key=lambda s: -max(scores[c] for c in s.citations) - CLOSENESS_WEIGHT * closeness[s]))


def trajectory(question: Question, pool: Pool, ranking: Ranking) -> tuple[tuple[Statement, ...], tuple[str, ...]]:
    """Passages in order of date, at most two for each stretch of time, and the parts of the time with none.

    The parts are the beginning, the middle and the end; one is reported when documents of it were
    shown and no passage told is of it. `ranking` is by the question's topic. Where nothing is dated
    the passages are those of a factual answer, and no part is reported.
    """
    whole = trajectory_span(question, pool)
    if whole is None:
        return factual(pool, ranking), ()
    best = max((s.base for s in ranking.chunks), default=0.0)
    floor = min(best, RELEVANT * best)
    relevant = [s for s in ranking.chunks if s.base >= floor]
    chosen: list[Scored] = []
    for stretch in slices(whole.start, whole.end, STRETCHES):
        inside = [s for s in relevant if s.hit.date and stretch.start <= s.hit.date < stretch.end]
        chosen.extend(inside[:PER_STRETCH])
    chosen.sort(key=lambda s: (-s.total, s.hit.id))
    told = _passages(pool, ranking, [s.hit for s in chosen], TRAJECTORY_STATEMENTS, TRAJECTORY_WORDS)
    when = {h.id: (h.date or "", h.document_id, h.start_s or 0.0) for h in pool.hits}
    dates = [when[s.citations[0]][0] for s in told]
    shown = [h.date for h in pool.hits if h.date]
    empty = tuple(
        part
        for part, time in _parts(slices(whole.start, whole.end, PERIODS))
        if any(time.start <= date < time.end for date in shown)
        and not any(time.start <= date < time.end for date in dates)
    )
    return tuple(sorted(told, key=lambda s: when[s.citations[0]])), empty


def _parts(periods: Sequence[Period]) -> list[tuple[str, Period]]:
    """The first of the periods, all between, and the last, as far as there are so many."""
    out = [(_BEGINNING, periods[0])] if periods else []
    if len(periods) > 2:
        out.append((_MIDDLE, Period(periods[1].start, periods[-2].end)))
    return [*out, (_END, periods[-1])] if len(periods) > 1 else out


def _passages(pool: Pool, ranking: Ranking, hits: Iterable[Hit], count: int, longest: int) -> tuple[Statement, ...]:
    known = pool.by_id()
    preceding = {after.id: h for h in pool.hits if (after := adjacent(known, h)) is not None}
    used: set[str] = set()
    out: list[Statement] = []
    for hit in hits:
        if len(out) == count:
            break
        if hit.id in used:
            continue
        statement = passage(hit, preceding.get(hit.id), adjacent(known, hit), ranking.weights, used, longest)
        used.update(statement.citations)
        out.append(statement)
    return tuple(out)


def passage(
    hit: Hit, before: Hit | None, after: Hit | None, weights: Mapping[str, float], used: set[str], longest: int
) -> Statement:
    """The run of whole pieces, at most `longest` words, that covers most of the question.

    It holds a piece of `hit` and may reach into its neighbours, except those in `used`. Of runs
    that cover as much, the one that lies more within `hit`, then the earlier one. A single piece
    may be longer.
    """
    chain: list[tuple[str, str]] = []
    for part in (before, hit, after):
        if part is not None and (part is hit or part.id not in used):
            chain.extend((p, part.id) for p in pieces(part.text))
    lengths = [count_words(p) for p, _ in chain]
    stems = [frozenset(w.stem for w in words(p)) for p, _ in chain]

    def value(run: range) -> tuple[float, float, int]:
        share = covered(dict(weights), frozenset().union(*(stems[i] for i in run)))
        own = sum(lengths[i] for i in run if chain[i][1] == hit.id)
        return round(share, 9), own / max(1, sum(lengths[i] for i in run)), -run.start

    runs = [r for r in _runs(lengths, longest) if any(chain[i][1] == hit.id for i in r)]
    taken = [chain[i] for i in max(runs, key=value)]
    return Statement(" ".join(p for p, _ in taken), tuple(dict.fromkeys(owner for _, owner in taken)))


def _runs(lengths: list[int], longest: int) -> list[range]:
    """From each place the longest run that fits; a piece too long by itself is a run of its own."""
    out: list[range] = []
    for first in range(len(lengths)):
        last, total = first, lengths[first]
        while last + 1 < len(lengths) and total + lengths[last + 1] <= longest:
            last += 1
            total += lengths[last]
        if not out or out[-1].stop < last + 1:
            out.append(range(first, last + 1))
    return out
