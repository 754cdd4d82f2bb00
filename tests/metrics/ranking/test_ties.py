"""Tie-averaged values against every order of the tied entries, tried one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, permutations, product
from statistics import fmean

import pytest

from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.ranking.gold import Gold, gold_units
from answertrail.metrics.ranking.hits import hits_of
from answertrail.metrics.ranking.measures import Result, ranking_measures
from answertrail.metrics.ranking.ranked import ranked_list
from answertrail.metrics.ranking.ties import tie_averaged, tied_list
from answertrail.metrics.ranking.units import Span
from answertrail.metrics.values import Undefined

NONE = Intervals("none")


def orders(ids: Sequence[str], scores: Sequence[float]) -> Iterator[list[str]]:
    blocks = [[ids[i] for i in rows] for _, rows in groupby(range(len(ids)), key=lambda i: scores[i])]
    for chosen in product(*(list(permutations(block)) for block in blocks)):
        yield [name for block in chosen for name in block]


def brute(gold: Gold, ids: Sequence[str], scores: Sequence[float], k: int) -> dict[str, float]:
    tried = [
        ranking_measures([Result(gold, hits_of(gold, order))], [k], intervals=NONE) for order in orders(ids, scores)
    ]
    return {name: fmean(float(row[name].value) for row in tried) for name in tried[0] if "@" in name}  # type: ignore[arg-type]


GRADED = gold_units("q", {"A": 3, "B": 1, "C": 2, "Z": 1})
SPANS = gold_units("q", {"d:00090": 2}, [Span("d", 20, 40), Span("d", 25, 28), Span("e", 0, 5)])


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("scores", [[1, 1, 1, 1, 1, 1], [3, 2, 2, 2, 1, 1], [2, 2, 1, 1, 1, 0], [6, 5, 4, 3, 2, 1]])
def test_lists_of_ids_agree_with_every_order_tried(scores: list[float], k: int) -> None:
    assert isinstance(GRADED, Gold)
    ids = list("xAyBzC")
    found = tie_averaged([tied_list(GRADED, ranked_list(ids, scores))], [k], intervals=NONE)
    for name, value in brute(GRADED, ids, scores, k).items():
        averaged = found[name]
        assert isinstance(averaged, Measured)
        assert averaged.value == pytest.approx(value), name


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("scores", [[1, 1, 1, 1, 1, 1], [3, 3, 2, 2, 2, 1], [2, 1, 1, 1, 1, 0]])
def test_spans_agree_where_a_formula_is_offered_and_say_so_where_not(scores: list[float], k: int) -> None:
    assert isinstance(SPANS, Gold)
    ids = ["d:00000", "x:00000", "d:00030", "d:00090", "e:00000", "y:00000"]
    found = tie_averaged([tied_list(SPANS, ranked_list(ids, scores))], [k], intervals=NONE)
    for name, value in brute(SPANS, ids, scores, k).items():
        averaged = found[name]
        if name.partition("@")[0] in ("all", "ap", "ndcg"):
            assert isinstance(averaged, Undefined)
        else:
            assert isinstance(averaged, Measured)
            assert averaged.value == pytest.approx(value), name


def test_ties_among_irrelevant_entries_leave_everything_defined_with_spans() -> None:
    assert isinstance(SPANS, Gold)
    ids, scores = ["d:00000", "d:00030", "x:00000", "y:00000", "e:00000"], [4, 3, 2, 2, 1]
    found = tie_averaged([tied_list(SPANS, ranked_list(ids, scores))], [4], intervals=NONE)
    plain = ranking_measures([Result(SPANS, hits_of(SPANS, ids))], [4], intervals=NONE)
    for name, value in found.items():
        assert isinstance(value, Measured)
        assert value.value == pytest.approx(plain[name].value)


def test_without_scores_nothing_is_tied() -> None:
    assert isinstance(GRADED, Gold)
    found = tie_averaged([tied_list(GRADED, ranked_list("xAB"))], [3], intervals=NONE)
    assert isinstance(found["mrr@3"], Measured)
    assert found["mrr@3"].value == 1 / 2
