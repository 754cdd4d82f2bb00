"""Tie-averaged values: what a measure is on average when units with one score are put in every order.

Formulas per block of equal scores; McSherry and Najork 2008, "Computing information retrieval
performance measures efficiently in the presence of tied scores".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.ranking.gold import Gold, discount
from answertrail.metrics.ranking.hits import Hits, average_precision, found, hits_of, ndcg, spans_found
from answertrail.metrics.ranking.measures import MEASURES, NO_ELIGIBLE, Lost
from answertrail.metrics.ranking.ranked import RankedList
from answertrail.metrics.values import Undefined


class TiedBlock(NamedTuple):
    """Entries of one score: `before` stand above, `size` are in it, `relevant` find a gold unit.

    `new` holds, for each unit first found here, its grade and how many entries of the block find it.
    """

    before: int
    size: int
    relevant: int
    new: tuple[tuple[float, int], ...]

    def slots(self, k: int) -> int:
        """How many of the block's places lie within the first k."""
        return min(max(k - self.before, 0), self.size)


class TiedList(NamedTuple):
    """A list as blocks, and what it found in the order given.

    `fixed`: no relevant entry is tied, so every order finds the same. `simple`: every entry finds at
    most one unit and every unit is found by one entry.
    """

    gold: Gold
    hits: Hits
    blocks: tuple[TiedBlock, ...]
    fixed: bool
    simple: bool
    repeat: int = 0


def tied_list(gold: Gold, ranked: RankedList, repeat: int = 0) -> TiedList:
    """Return a list as blocks of equal scores; without scores every entry is a block of its own."""
    blocks, seen, simple = [], set[str](), True
    for before, ids in _blocks(ranked):
        finds = [_units(gold, name) for name in ids]
        counts: dict[str, list[float]] = {}
        for units in finds:
            simple = simple and len(units) <= 1 and not any(unit in seen for unit in units)
            for unit, grade in units.items():
                counts.setdefault(unit, [grade, 0])[1] += 1
        simple = simple and all(number == 1 for _, number in counts.values())
        new = tuple((grade, int(number)) for unit, (grade, number) in counts.items() if unit not in seen)
        seen.update(counts)
        blocks.append(TiedBlock(before, len(ids), sum(bool(units) for units in finds), new))
    fixed = all(block.size == 1 or not block.relevant for block in blocks)
    return TiedList(gold, hits_of(gold, ranked.ids), tuple(blocks), fixed, simple, repeat)


def _blocks(ranked: RankedList) -> Iterable[tuple[int, Sequence[str]]]:
    start = 0
    for place in range(1, len(ranked.ids) + 1):
        here = ranked.scores[start : place + 1] if ranked.scores else ()
        if place == len(ranked.ids) or not here or here[0] != here[-1]:
            yield start, ranked.ids[start:place]
            start = place


def _units(gold: Gold, name: str) -> dict[str, float]:
    units = {span.name: 1.0 for span in spans_found(gold, name)} if gold.spans else {}
    if name in gold.grades:
        units[f"id {name}"] = gold.grades[name]
    return units


def expected_found(tied: TiedList, k: int) -> float:
    """Return the expected number of gold units found: 1 - C(m - n, t) / C(m, t) for each unit of a block.

    m entries in the block, n of them find the unit, t of its places lie within k.
    """
    return sum(_any_in(block.size, number, block.slots(k)) for block in tied.blocks for _, number in block.new)


def expected_relevant(tied: TiedList, k: int) -> float:
    """Return the expected number of relevant entries within k: r t / m for each block."""
    return sum(block.relevant * block.slots(k) / block.size for block in tied.blocks)


def chance_of_success(tied: TiedList, k: int) -> float:
    """Return the chance that a relevant entry stands within k: that of the first block that has one."""
    for block in tied.blocks:
        if block.relevant:
            return _any_in(block.size, block.relevant, block.slots(k))
    return 0.0


def expected_reciprocal_rank(tied: TiedList, k: int) -> float:
    """Return the expectation of 1 / rank of the first relevant entry, 0 beyond k."""
    block = next((block for block in tied.blocks if block.relevant), None)
    if block is None:
        return 0.0
    total, none_yet = 0.0, 1.0
    for place in range(1, block.slots(k) + 1):
        left = block.size - place + 1
        total += none_yet * block.relevant / left / (block.before + place)
        none_yet *= (left - block.relevant) / left
        if none_yet <= 0:
            break
    return total


def chance_of_all(tied: TiedList, k: int) -> float:
    """Return the chance that every gold unit stands within k; of fixed and of simple lists."""
    if tied.fixed:
        return float(found(tied.hits, k) == tied.gold.size)
    chance, count = 1.0, 0
    for block in tied.blocks:
        count += len(block.new)
        for taken in range(len(block.new)):
            chance *= max(block.slots(k) - taken, 0) / (block.size - taken)
    return chance if count == tied.gold.size else 0.0


def expected_ap(tied: TiedList, k: int) -> float:
    """Return the expected average precision; of fixed and of simple lists.

    At place i of a block with r relevant of m: r / m x (found above + 1 + (i - 1)(r - 1) / (m - 1)) / rank.
    """
    if tied.fixed:
        return average_precision(tied.gold, tied.hits, k)
    total, above = 0.0, 0
    for block in tied.blocks:
        r, m = block.relevant, block.size
        for place in range(1, (block.slots(k) if r else 0) + 1):
            earlier = (place - 1) * (r - 1) / (m - 1) if m > 1 else 0.0
            total += r / m * (above + 1 + earlier) / (block.before + place)
        above += r
    return total / tied.gold.size


def expected_ndcg(tied: TiedList, k: int) -> float:
    """Return the expected ndcg; of fixed lists, and of simple ones: a unit has its block's mean discount within k."""
    if tied.fixed:
        return ndcg(tied.gold, tied.hits, k)
    total = 0.0
    for block in tied.blocks:
        if block.new:
            discounts = sum(discount(block.before + place) for place in range(1, block.slots(k) + 1))
            total += sum(grade for grade, _ in block.new) * discounts / block.size
    return min(total / tied.gold.ideal(k), 1.0)


def _any_in(size: int, number: int, slots: int) -> float:
    """Chance that at least one of `number` entries stands in `slots` of `size` places."""
    none = 1.0
    for taken in range(number):
        none *= max(size - slots - taken, 0) / (size - taken)
    return 1 - none


_Count = Callable[[TiedList, int], tuple[float, float]]
_ANY: Mapping[str, _Count] = {
    "recall": lambda tied, k: (expected_found(tied, k), tied.gold.size),
    "mean_recall": lambda tied, k: (expected_found(tied, k), tied.gold.size),
    "precision": lambda tied, k: (expected_relevant(tied, k), k),
    "mean_precision": lambda tied, k: (expected_relevant(tied, k), k),
    "success": lambda tied, k: (chance_of_success(tied, k), 1),
    "mrr": lambda tied, k: (expected_reciprocal_rank(tied, k), 1),
}
_SIMPLE: Mapping[str, _Count] = {
    "all": lambda tied, k: (chance_of_all(tied, k), 1),
    "ap": lambda tied, k: (expected_ap(tied, k), 1),
    "ndcg": lambda tied, k: (expected_ndcg(tied, k), 1),
}


def tie_averaged(
    lists: Iterable[TiedList],
    ks: Sequence[int] = (10,),
    *,
    lost: Iterable[Lost] = (),
    ineligible: Iterable[Ineligible] = (),
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> dict[str, Measured | Undefined]:
    """Return the tie-averaged measures as `NAME@K`.

    `all`, `ap` and `ndcg` are Undefined where relevant entries are tied and one of the list finds two
    units, or two find one unit: the places then depend on each other.
    """
    rows, failed, outside = list(lists), list(lost), tuple(ineligible)
    entangled = sum(not (row.fixed or row.simple) for row in rows)
    reason = f"in {entangled} list(s) with ties a unit is found by two entries, or an entry finds two"
    out: dict[str, Measured | Undefined] = {}
    for k in ks:
        for name, kind in MEASURES.items():
            if not kind.cutoff:
                continue
            if name in _SIMPLE and entangled:
                out[f"{name}@{k}"] = Undefined(reason)
                continue
            count = _ANY[name] if name in _ANY else _SIMPLE[name]
            out[f"{name}@{k}"] = measure(
                f"{name}@{k}",
                [Observation(row.gold.question_id, *count(row, k), row.repeat) for row in rows],
                statistic=kind.statistic,
                if_empty=NO_ELIGIBLE,
                ineligible=outside,
                unscored=[Unscored(row.gold.question_id, kind.units(row.gold, k), row.reason) for row in failed],
                intervals=intervals,
            )
    return out
