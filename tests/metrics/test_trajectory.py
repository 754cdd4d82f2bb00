"""Shares, needles, drift and utility of a trajectory, by hand."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.errors import InputError
from answertrail.metrics.ranking.gold import Gold, gold_of
from answertrail.metrics.trajectory.cited_share import cited_share, fabricated
from answertrail.metrics.trajectory.definitions import CITED_SHARE, INFORMATIONAL, refuse_rank_measure
from answertrail.metrics.trajectory.drift import retrieval_drift
from answertrail.metrics.trajectory.needles import by_document, facts_of, units_found
from answertrail.metrics.trajectory.trail import Trail
from answertrail.metrics.trajectory.utility import PassageUtility, Utility
from answertrail.metrics.values import Ratio, Undefined
from answertrail.records import Question, RunChunk
from tests.experiments.trajectory_worlds import asked


def trail(retrieved: set[str] | None = None, cited: tuple[str, ...] | None = (), **more: object) -> Trail:
    fields = {"searches": None, "imported": {}, **more}
    found = None if retrieved is None else frozenset(retrieved)
    return Trail("r", "q", 0, found, cited, **fields)  # type: ignore[arg-type]


def gold(question: Question) -> Gold:
    found = gold_of(question)
    assert isinstance(found, Gold)
    return found


def test_the_cited_share_counts_distinct_ids_and_never_a_made_up_one() -> None:
    share = cited_share(["g1", "g2", "g3", "g4", "g1"], ["g2", "g2", "g9"])
    assert (share.numerator, share.denominator, share.interval) == (1, 4, None)
    assert fabricated(["g1", "g2"], ["g9", "g2", "g8", "g9"]) == ("g9", "g8")


def test_nothing_retrieved_has_no_cited_share() -> None:
    assert cited_share([], ["g1"]).value == Undefined("nothing was retrieved")
    assert fabricated([], ["g1"]) == ("g1",)


@given(st.lists(st.sampled_from("abcdef")), st.lists(st.sampled_from("abcdefgh")))
def test_the_cited_share_is_bounded_and_forgets_order_and_repeats(retrieved: list[str], cited: list[str]) -> None:
    share = cited_share(retrieved, cited)
    assert 0 <= share.numerator <= share.denominator == len(set(retrieved))
    again = cited_share(retrieved[::-1] * 2, cited[::-1] * 2)
    assert (again.numerator, again.denominator) == (share.numerator, share.denominator)
    made_up = fabricated(retrieved, cited)
    assert len(made_up) + share.numerator == len(set(cited))


QUESTION = asked("q", ("a", 40, 50), ("a", 55, 65), ("b", None, None))


def test_a_chunk_finds_the_spans_its_window_overlaps_and_an_untimed_item_by_its_document() -> None:
    units = gold(QUESTION)
    assert units_found(units, "a:00030") == {"a@40-50", "a@55-65"}
    assert units_found(units, "a:00060") == {"a@55-65"}
    assert units_found(units, "a:00090") == set()
    assert units_found(units, "b:0000120") == {"b"}
    assert units_found(units, "c:00030") == set()


def test_a_relevant_id_is_found_by_itself_and_a_document_by_each_of_its_chunks() -> None:
    units = gold(asked("q", relevant=[{"id": "a:00030"}, {"id": "d"}, {"id": "x", "grade": 0}]))
    assert units_found(units, "a:00030") == {"a:00030"}
    assert units_found(units, "a:00060") == set()
    assert units_found(units, "d:00060") == {"d"}
    assert units_found(units, "x") == set()


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [(45, 46, {"a@40-50"}), (50, 55, set()), (49, 56, {"a@40-50", "a@55-65"}), (None, None, set())],
)
def test_an_imported_chunk_whose_id_names_no_window_goes_by_its_times(
    start: float | None, end: float | None, found: set[str]
) -> None:
    times = {} if start is None else {"start_s": float(start), "end_s": float(end or 0)}
    chunk = RunChunk.model_validate({"id": "p-7", "document_id": "a", "text": "", **times})
    assert units_found(gold(QUESTION), "p-7", chunk) == found


def test_facts_by_hand() -> None:
    found = facts_of(trail({"a:00030", "c:00000"}, ("a:00060", "c:00000", "z:00000", "a:00060")), gold(QUESTION))
    assert found.surfaced == ("a@40-50", "a@55-65")
    assert found.cited_units == ("a@55-65",)
    assert (found.units, found.cited, found.supporting) == (3, 4, 2)


def test_f1_takes_precision_from_ids_and_recall_from_units() -> None:
    # One chunk finds two of three units: precision 1/2, recall 2/3, F1 4/7. Two cited ids, one supporting.
    found = facts_of(trail({"a:00030"}, ("a:00030", "c:00000")), gold(QUESTION))
    assert found.f1 == pytest.approx(4 / 7)
    assert facts_of(trail({"a:00030"}, ("c:00000",)), gold(QUESTION)).f1 == 0
    assert facts_of(trail({"a:00030"}, ()), gold(QUESTION)).f1 == 0
    assert facts_of(trail({"a:00030"}, None), gold(QUESTION)).f1 is None


def test_by_document_counts_each_document_once() -> None:
    units = gold_of(QUESTION, "document")
    assert isinstance(units, Gold)
    found = facts_of(by_document(trail({"a:00030", "c:00000"}, ("a:00900", "a:00930", "c:00000"))), units)
    assert (found.units, found.surfaced, found.cited, found.supporting) == (2, ("a",), 2, 1)
    assert found.f1 == pytest.approx(0.5)


def test_searches_that_brought_nothing_new() -> None:
    searches = (("a", "b"), ("b", "a"), (), ("b", "c"), ("c",))
    assert trail(searches=searches).empty_handed == (2, 4)
    assert trail().empty_handed is None


def test_drift_by_hand() -> None:
    found = retrieval_drift([1, 0], [[2, 0], [1, 1], [0, 3], [-1, 0]])
    half = 1 - 1 / sqrt(2)
    assert found.distances == pytest.approx((0, half, 1, 2))
    assert found.mean == pytest.approx((half + 3) / 4)
    assert found.slope == pytest.approx(np.polyfit(range(4), found.distances, 1)[0])  # type: ignore[arg-type]


def test_drift_without_a_direction_or_a_second_search_is_undefined_with_the_reason() -> None:
    none = retrieval_drift([1, 0], [])
    assert (none.mean, none.slope) == (Undefined("no search"), Undefined("no search"))
    one = retrieval_drift([1, 0], [[0, 1], [nan, 0]])
    assert one.distances == (1, Undefined("the embedder has nothing for this query"))
    assert (one.mean, one.slope) == (1, Undefined("fewer than two searches"))
    lost = retrieval_drift([0, 0], [[0, 1]])
    assert lost.mean == Undefined("no query has a direction to compare")
    with pytest.raises(ValueError, match="vectors of 2 and 1 dimensions"):
        retrieval_drift([1, 0], [[1]])


def test_the_slope_keeps_the_place_of_a_query_without_a_vector() -> None:
    found = retrieval_drift([1, 0], [[1, 0], [0, 0], [0, 1]])
    assert found.slope == pytest.approx(0.5)


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), max_size=6),
    st.tuples(st.floats(-9, 9), st.floats(-9, 9)),
    st.floats(0.5, 8),
)
def test_drift_is_bounded_and_forgets_the_length_of_a_vector(
    queries: list[tuple[float, float]], need: tuple[float, float], scale: float
) -> None:
    found = retrieval_drift(need, queries)
    known = [value for value in found.distances if not isinstance(value, Undefined)]
    assert all(0 <= value <= 2 for value in known)
    longer = retrieval_drift(need, [(x * scale, y * scale) for x, y in queries])
    for one, other in zip(found.distances, longer.distances, strict=True):
        if not isinstance(one, Undefined) and not isinstance(other, Undefined):
            assert one == pytest.approx(other, abs=1e-6)


def test_a_utility_is_between_0_and_1_and_an_unknown_price_is_not_free() -> None:
    rows = (("a", Utility(0.5, "names the year", 0.01)), ("b", Utility(Undefined("timed out"), "", None)))
    found = PassageUtility("r", "judge-1", rows)
    assert (found.mean, found.cost_usd) == (0.5, None)
    assert PassageUtility("r", "judge-1", rows[:1]).cost_usd == 0.01
    assert PassageUtility("r", "judge-1", rows[1:]).mean == Undefined("no passage has a verdict")
    for value, cost in ((1.1, None), (-0.1, None), (nan, None), (0.5, -1.0)):
        with pytest.raises(ValueError, match=r"utility|cost"):
            Utility(value, "", cost)


@pytest.mark.parametrize("name", ["precision@5", "recall@10", "ndcg@3", "precision", "mrr", "context_precision"])
def test_measures_of_a_ranking_are_refused_with_the_reason(name: str) -> None:
    with pytest.raises(InputError, match="sequence of searches without one ranking") as caught:
        refuse_rank_measure(name)
    assert "cited_share" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["cited_share", "needle_recall", "citation_recall", "supporting_fact_f1"])
def test_measures_of_a_trajectory_are_not(name: str) -> None:
    refuse_rank_measure(name)


def test_the_definition_says_what_lowers_the_share_legitimately() -> None:
    for word in ("share", "Informational", "exploring", "alternatives", "absent", "no failure"):
        assert word in CITED_SHARE
    assert {"cited_share", "mean_cited_share"} <= set(INFORMATIONAL)
    assert isinstance(cited_share(["a"], ["a"]), Ratio)
