"""The ranking measures of the contract, over questions. One table says what each counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.paired import Statistic
from answertrail.metrics.ranking import hits as at
from answertrail.metrics.ranking.gold import Gold
from answertrail.metrics.ranking.hits import Hits, hits_of
from answertrail.metrics.ranking.ranked import distinct

Counts = tuple[float, float]
NOTHING = Hits((), (), (), (), (), 0)
NO_ELIGIBLE = "no eligible question"


class Result(NamedTuple):
    """What one ranking found of one question's gold; a question without a ranking has `NOTHING`."""

    gold: Gold
    hits: Hits
    repeat: int = 0


class Lost(NamedTuple):
    """A ranking that failed: its gold is unscored."""

    gold: Gold
    repeat: int
    reason: str


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """What a measure counts for one question at a rank: `count(gold, hits, k)` -> (numerator, denominator).

    `units` is the denominator of a question whose ranking failed; it is reported as unscored.
    """

    statistic: Statistic
    count: Callable[[Gold, Hits, int], Counts]
    units: Callable[[Gold, int], int]
    cutoff: bool = True


def _recall(gold: Gold, hits: Hits, k: int) -> Counts:
    return at.found(hits, k), gold.size


def _all(gold: Gold, hits: Hits, k: int) -> Counts:
    return int(at.found(hits, k) == gold.size), 1


def _precision(_: Gold, hits: Hits, k: int) -> Counts:
    return at.relevant(hits, k), k


def _returned_precision(_: Gold, hits: Hits, __: int) -> Counts:
    return len(hits.relevant), hits.returned


def _mean_returned_precision(_: Gold, hits: Hits, __: int) -> Counts:
    return (len(hits.relevant) / hits.returned if hits.returned else 0.0), 1


def _success(_: Gold, hits: Hits, k: int) -> Counts:
    return int(at.relevant(hits, k) > 0), 1


def _mrr(_: Gold, hits: Hits, k: int) -> Counts:
    return at.reciprocal_rank(hits, k), 1


def _ap(gold: Gold, hits: Hits, k: int) -> Counts:
    return at.average_precision(gold, hits, k), 1


def _ndcg(gold: Gold, hits: Hits, k: int) -> Counts:
    return at.ndcg(gold, hits, k), 1


def _one(_: Gold, __: int) -> int:
    return 1


def _size(gold: Gold, _: int) -> int:
    return gold.size


def _cut(_: Gold, k: int) -> int:
    return k


MEASURES: Mapping[str, RankingMeasure] = {
    "recall": RankingMeasure("totals", _recall, _size),
    "mean_recall": RankingMeasure("means", _recall, _size),
    "all": RankingMeasure("means", _all, _one),
    "precision": RankingMeasure("totals", _precision, _cut),
    "mean_precision": RankingMeasure("means", _precision, _cut),
    "success": RankingMeasure("means", _success, _one),
    "mrr": RankingMeasure("means", _mrr, _one),
    "ap": RankingMeasure("means", _ap, _one),
    "ndcg": RankingMeasure("means", _ndcg, _one),
    "returned_precision": RankingMeasure("totals", _returned_precision, _cut, cutoff=False),
    "mean_returned_precision": RankingMeasure("means", _mean_returned_precision, _one, cutoff=False),
}
"""Order of printing. `recall`: gold units found / gold units. `precision`: relevant entries / k, also where
fewer than k were returned. `returned_precision`: relevant / returned distinct entries of the whole list."""


def ranking_measures(
    results: Iterable[Result],
    ks: Sequence[int] = (10,),
    *,
    lost: Iterable[Lost] = (),
    ineligible: Iterable[Ineligible] = (),
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
    names: Iterable[str] | None = None,
) -> dict[str, Measured]:
    """Return each measure at each k as `NAME@K`, those of the whole list under their bare name.

    `names` chooses among them, as `NAME@K` with any K, in place of all at every `ks`. Undefined
    without an eligible question. Raises ValueError for k below 1, a name that is none, or a
    (question, repeat) given twice.
    """
    failed, outside = list(lost), tuple(ineligible)
    wanted = dict.fromkeys(_all_names(ks) if names is None else [_parsed(name) for name in names])
    for _, k in wanted:
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
    columns: list[list[Observation]] = [[] for _ in wanted]
    counting = [(MEASURES[name].count, k, column.append) for (name, k), column in zip(wanted, columns, strict=True)]
    # Question by question, so that what a ranking found can be forgotten: with 10,000 kept alive the
    # garbage collector would take as long as the counting.
    for gold, hits, repeat in results:
        for count, k, add in counting:
            add(Observation(gold.question_id, *count(gold, hits, k), repeat))
    out = {}
    for (name, k), rows in zip(wanted, columns, strict=True):
        kind = MEASURES[name]
        full = f"{name}@{k}" if kind.cutoff else name
        out[full] = measure(
            full,
            rows,
            statistic=kind.statistic,
            if_empty="nothing was returned" if name == "returned_precision" and rows else NO_ELIGIBLE,
            ineligible=outside,
            unscored=[Unscored(row.gold.question_id, kind.units(row.gold, k), row.reason) for row in failed],
            intervals=intervals,
        )
    return out


def score_rankings(
    golds: Iterable[Gold],
    rankings: Mapping[str, Sequence[str]],
    names: Iterable[str] = ("ndcg@10", "ap@1000", "mean_recall@10", "mrr@1000", "mean_precision@10"),
    *,
    intervals: Intervals = Intervals("none"),  # noqa: B008 - frozen
) -> dict[str, Measured]:
    """Score plain lists of ids, best first, against gold: the short way for many queries.

    A repeated id counts at its first rank; gold without a list counts 0; a list without gold is not read.
    """
    results = (Result(gold, hits_of(gold, distinct(rankings.get(gold.question_id, ())))) for gold in golds)
    return ranking_measures(results, intervals=intervals, names=names)


def _all_names(ks: Sequence[int]) -> list[tuple[str, int]]:
    if not ks:
        raise ValueError("no k given")
    cut = [(name, k) for k in ks for name, kind in MEASURES.items() if kind.cutoff]
    return cut + [(name, max(ks)) for name, kind in MEASURES.items() if not kind.cutoff]


def _parsed(text: str) -> tuple[str, int]:
    name, at_sign, k = text.partition("@")
    if name not in MEASURES or MEASURES[name].cutoff != bool(at_sign) or (at_sign and not k.isdecimal()):
        raise ValueError(f"no measure {text!r}; known: {', '.join(MEASURES)}, with @K where they take a rank")
    return name, int(k or 1)
