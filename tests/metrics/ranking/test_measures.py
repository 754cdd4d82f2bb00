"""Every ranking measure against a table worked out by hand."""

from __future__ import annotations

from math import log2

import pytest

from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.ranking.gold import Gold, gold_units
from answertrail.metrics.ranking.hits import hits_of
from answertrail.metrics.ranking.measures import MEASURES, NOTHING, Lost, Result, ranking_measures, score_rankings
from answertrail.metrics.ranking.ranked import RankedList, by_document, ranked_list
from answertrail.metrics.ranking.slices import NO_PART, cross_foot, sliced
from answertrail.metrics.ranking.units import Span
from answertrail.metrics.values import Undefined

NONE = Intervals("none")


def gold(name: str, units: dict[str, float] | str, *spans: Span) -> Gold:
    made = gold_units(name, dict.fromkeys(units, 1.0) if isinstance(units, str) else units, spans)
    assert isinstance(made, Gold)
    return made


def scored(*rows: tuple[Gold, str | list[str]], k: int) -> dict[str, Measured]:
    return ranking_measures([Result(g, hits_of(g, list(ids))) for g, ids in rows], [k], intervals=NONE)


def test_the_four_teaching_queries() -> None:
    rows = [(gold("1", "A"), "AXY"), (gold("2", "BC"), "BCZ"), (gold("3", "D"), "XYZ"), (gold("4", "EF"), "EUV")]
    found = scored(*rows, k=3)
    assert (found["precision@3"].ratio.numerator, found["precision@3"].ratio.denominator) == (4, 12)
    assert (found["recall@3"].ratio.numerator, found["recall@3"].ratio.denominator) == (4, 6)
    assert found["mean_recall@3"].value == 0.625
    assert found["mean_precision@3"].value == pytest.approx((1 + 2 + 0 + 1) / 3 / 4)
    assert found["all@3"].value == 2 / 4
    assert found["success@3"].value == 3 / 4
    assert found["mrr@3"].value == 3 / 4


def test_one_list_by_hand() -> None:
    # Gold A (grade 3), B (1), C (2), D (1). List: x A y C B; A at 2, C at 4, B at 5.
    found = scored((gold("q", {"A": 3, "B": 1, "C": 2, "D": 1}), "xAyCB"), k=4)
    assert found["recall@4"].value == 2 / 4
    assert found["precision@4"].value == 2 / 4
    assert found["mrr@4"].value == 1 / 2
    assert found["ap@4"].value == pytest.approx((1 / 2 + 2 / 4) / 4)
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4) + 1 / log2(5)
    assert found["ndcg@4"].value == pytest.approx((3 / log2(3) + 2 / log2(5)) / ideal)
    assert found["returned_precision"].value == 3 / 5
    assert found["success@4"].value == 1


def test_precision_divides_by_k_also_where_fewer_were_returned() -> None:
    found = scored((gold("q", "A"), "A"), (gold("r", "B"), "xB"), k=10)
    assert (found["precision@10"].ratio.numerator, found["precision@10"].ratio.denominator) == (2, 20)
    assert (found["returned_precision"].ratio.numerator, found["returned_precision"].ratio.denominator) == (2, 3)
    assert found["mean_returned_precision"].value == pytest.approx((1 + 1 / 2) / 2)


def test_a_missing_query_counts_0_in_every_measure_that_has_a_denominator_without_it() -> None:
    rows = [Result(gold("q", "A"), hits_of(gold("q", "A"), "A")), Result(gold("r", "B"), NOTHING)]
    found = ranking_measures(rows, [1], intervals=NONE)
    assert {name: value.value for name, value in found.items()} == {
        **dict.fromkeys([f"{name}@1" for name, kind in MEASURES.items() if kind.cutoff], 0.5),
        "returned_precision": 1.0,  # one relevant of one returned: nothing was returned for the other
        "mean_returned_precision": 0.5,
    }


def test_the_ideal_comes_from_the_gold_not_from_what_was_returned() -> None:
    found = scored((gold("q", "AB"), "A"), k=10)
    assert found["ndcg@10"].value == pytest.approx(1 / (1 + 1 / log2(3)))


def test_spans_found_at_one_rank_take_successive_places() -> None:
    both = gold("q", "", Span("d", 0, 5), Span("d", 10, 20))
    perfect = scored((both, ["d:00000"]), k=2)
    assert perfect["ndcg@2"].value == 1
    assert perfect["ap@2"].value == 1
    assert perfect["recall@2"].value == 1
    at_one = scored((both, ["d:00000"]), k=1)
    assert at_one["recall@1"].value == 1  # by the true rank
    assert at_one["ap@1"].value == 1 / 2  # by places: the second unit stands at place 2
    assert at_one["ndcg@1"].value == 1


def test_a_later_span_is_pushed_back_by_places_taken_before_it() -> None:
    three = gold("q", "", Span("d", 0, 5), Span("d", 10, 20), Span("d", 40, 50))
    hits = hits_of(three, ["d:00000", "d:00030"])
    assert hits.ranks == [1, 1, 2]
    assert hits.places == [1, 2, 3]
    assert hits.relevant == [1, 2]


def test_of_units_found_at_one_rank_the_best_grade_takes_the_first_place() -> None:
    mixed = gold("q", {"d:00000": 3}, Span("d", 0, 5))
    assert hits_of(mixed, ["d:00000"]).gains == [3, 1]
    assert scored((mixed, ["d:00000"]), k=2)["ndcg@2"].value == 1


def test_a_chunk_is_relevant_when_it_overlaps_a_span_found_already() -> None:
    wide = gold("q", "", Span("d", 0, 60))
    found = scored((wide, ["d:00000", "d:00030", "d:00060"]), k=3)
    assert found["precision@3"].value == 2 / 3
    assert found["recall@3"].value == 1
    assert found["ap@3"].value == 1


def test_a_document_stands_at_its_best_chunk() -> None:
    ranked = ranked_list(["b:00000", "a:00030", "b:00060", "a:00000", "c"], [5, 4, 3, 2, 1])
    assert by_document(ranked) == RankedList(("b", "a", "c"), (5, 4, 1), 0)


def test_repeats_keep_their_first_rank_and_are_counted() -> None:
    assert ranked_list("ABAC") == RankedList(("A", "B", "C"), (), 1)
    assert ranked_list("ABAC", [4, 3, 2, 1]) == RankedList(("A", "B", "C"), (4, 3, 1), 1)


def test_a_score_that_rises_is_refused_with_its_rank() -> None:
    with pytest.raises(ValueError, match=r"rises from 0\.5 to 0\.7 at rank 3 \('C'\)"):
        ranked_list("ABC", [1, 0.5, 0.7])
    with pytest.raises(ValueError, match="rank 3"):
        ranked_list("ABC", [0.5, None, 0.7])


def test_a_lost_ranking_is_unscored_not_wrong() -> None:
    first, second = gold("q", "AB"), gold("r", "CDE")
    found = ranking_measures(
        [Result(first, hits_of(first, "A"))], [5], lost=[Lost(second, 0, "timeout")], intervals=NONE
    )
    assert found["recall@5"].value == 1 / 2
    assert found["recall@5"].bounds == (1 / 5, 4 / 5)
    assert found["recall@5"].unscored[0].units == 3
    assert found["mrr@5"].unscored[0].units == 1


def test_without_an_eligible_question_every_measure_is_undefined() -> None:
    for value in ranking_measures([], [10], intervals=NONE).values():
        assert value.value == Undefined("no eligible question")


def test_names_and_ranks_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="k must be at least 1"):
        ranking_measures([], [0])
    with pytest.raises(ValueError, match="no measure 'ndgc@10'"):
        ranking_measures([], names=["ndgc@10"])
    with pytest.raises(ValueError, match="no measure 'recall'"):
        ranking_measures([], names=["recall"])


def test_plain_lists_are_scored_in_one_call() -> None:
    golds = [gold("q", "A"), gold("r", "B")]
    found = score_rankings(golds, {"q": ["x", "x", "A"], "stray": ["B"]}, ["mrr@10", "recall@1"])
    assert found["mrr@10"].value == 1 / 2 / 2
    assert found["recall@1"].value == 0


def test_parts_add_up_or_are_refused() -> None:
    rows = [(gold("q", "A"), "A"), (gold("r", "BC"), "xB"), (gold("s", "D"), "x")]
    whole = scored(*rows, k=2)
    parts = sliced(whole, {"q": "easy", "r": "hard"})
    assert parts["hard"]["recall@2"].value == 1 / 2
    assert parts[NO_PART]["recall@2"].value == 0
    with pytest.raises(ValueError, match="add up to 1, the whole has 2"):
        cross_foot(whole["recall@2"], {"easy": parts["easy"]["recall@2"]})
