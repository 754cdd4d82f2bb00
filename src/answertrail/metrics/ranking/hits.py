"""What a list found of the gold, and the measures of one question at a rank."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import compress, count
from typing import NamedTuple

from answertrail.metrics.ranking.gold import Gold, gain_sum
from answertrail.metrics.ranking.units import Span, covers, place_of


class Hits(NamedTuple):
    """Gold units found in a list, in the order found, and the ranks of its relevant entries.

    `ranks` are first ranks. `places` are distinct ranks for the measures that add up gains by rank:
    where one entry finds several units they take successive places from its rank on, the best
    grade first, so that no gain is counted at a rank twice and a perfect list reaches 1.
    """

    ranks: Sequence[int]
    places: Sequence[int]
    gains: Sequence[float]
    names: Sequence[str]
    relevant: Sequence[int]
    returned: int


def hits_of(gold: Gold, ids: Sequence[str], *, neighbours: bool = False) -> Hits:
    """Return what a list of distinct ids found. `neighbours` as in `units.covers`."""
    grades = gold.grades
    if gold.spans:
        return _hits_with_spans(gold, ids, neighbours)
    # Tuples, since the collector looks into lists again and again: a quarter of the time of 10,000 questions.
    ranks = tuple(compress(count(1), map(grades.__contains__, ids)))
    names = tuple([ids[rank - 1] for rank in ranks])
    return Hits(ranks, ranks, tuple([grades[name] for name in names]), names, ranks, len(ids))


def _hits_with_spans(gold: Gold, ids: Sequence[str], neighbours: bool) -> Hits:
    ranks: list[int] = []
    places: list[int] = []
    gains: list[float] = []
    names: list[str] = []
    relevant: list[int] = []
    found: set[Span] = set()
    for rank, name in enumerate(ids, 1):
        spans = spans_found(gold, name, neighbours=neighbours)
        new = [(1.0, span.name) for span in spans if span not in found]
        found.update(spans)
        if name in gold.grades:
            new.append((gold.grades[name], name))
        elif not spans:
            continue
        relevant.append(rank)
        for gain, unit in sorted(new, key=lambda row: -row[0]):
            ranks.append(rank)
            places.append(max(rank, places[-1] + 1) if places else rank)
            gains.append(gain)
            names.append(unit)
    return Hits(ranks, places, gains, names, relevant, len(ids))


def spans_found(gold: Gold, chunk_id: str, *, neighbours: bool = False) -> list[Span]:
    """Return the evidence items a chunk finds."""
    spans = gold.spans.get(chunk_id.rpartition(":")[0])
    place = place_of(chunk_id) if spans else None
    if spans is None or place is None:
        return []
    return [span for span in spans if covers(place, span, neighbours=neighbours)]


def found(hits: Hits, k: int) -> int:
    """Return the number of gold units found within the first k."""
    return bisect_right(hits.ranks, k)


def relevant(hits: Hits, k: int) -> int:
    """Return the number of entries within the first k that find at least one gold unit."""
    return bisect_right(hits.relevant, k)


def reciprocal_rank(hits: Hits, k: int) -> float:
    """Return 1 / rank of the first relevant entry; 0 when there is none within the first k."""
    return 1 / hits.ranks[0] if hits.ranks and hits.ranks[0] <= k else 0.0


def average_precision(gold: Gold, hits: Hits, k: int) -> float:
    """Return the sum over units found by place k of (units found by then / place), over all gold units."""
    total = 0.0
    for number, place in enumerate(hits.places, 1):
        if place > k:
            break
        total += number / place
    return total / gold.size


def ndcg(gold: Gold, hits: Hits, k: int) -> float:
    """Return the sum over units found by place k of grade / log2(place + 1), over the ideal from the gold."""
    within = bisect_right(hits.places, k)
    return min(gain_sum(hits.gains[:within], hits.places[:within]) / gold.ideal(k), 1.0)
