"""Chunk ids are split from the right; a question's gold units follow the unit that is ranked."""

from __future__ import annotations

from typing import Any

import pytest

from answertrail.metrics.measured import Ineligible
from answertrail.metrics.ranking.gold import Gold, gold_of
from answertrail.metrics.ranking.units import Place, Span, covers, document_of, place_of
from answertrail.records import Question


def question(**more: Any) -> Question:
    row = {"schema": "question/1", "question_id": "q", "question": "?", "tier": "factual", **more}
    return Question.model_validate(row)


@pytest.mark.parametrize(
    ("unit_id", "place"),
    [
        ("talk:00390", Place("talk", 390)),
        ("note:a:b:00030", Place("note:a:b", 30)),
        ("talk:123456", Place("talk", 123456)),
        ("note:0000120", Place("note", None)),
        ("note:glaze", None),
        ("talk", None),
        ("talk:390", None),
        (":00030", None),
        ("talk:٠٠٠٣٠", None),
    ],
)
def test_a_chunk_id_is_read_from_the_right(unit_id: str, place: Place | None) -> None:
    assert place_of(unit_id) == place
    assert document_of(unit_id) == (unit_id if place is None else place.document_id)


@pytest.mark.parametrize(
    ("start", "end", "windows"),
    [
        (30, 60, [30]),
        (30, 60.5, [30, 60]),
        (29.9, 30, [0]),
        (30, 30, [30]),
        (59.9, 59.9, [30]),
        (60, 60, [60]),
        (0, 0, [0]),
        (10, 100, [0, 30, 60, 90]),
    ],
)
def test_a_span_lies_in_the_windows_it_overlaps(start: float, end: float, windows: list[int]) -> None:
    span = Span("d", start, end)
    assert [at for at in range(0, 150, 30) if covers(Place("d", at), span)] == windows


def test_neighbours_reach_one_window_each_way_and_no_farther() -> None:
    span = Span("d", 65, 70)
    near = [at for at in range(0, 180, 30) if covers(Place("d", at), span, neighbours=True)]
    assert near == [30, 60, 90]


def test_an_item_without_times_is_found_by_any_chunk_and_a_timed_one_by_no_untimed_chunk() -> None:
    assert covers(Place("d", None), Span("d", None, None))
    assert covers(Place("d", 30), Span("d", None, None))
    assert not covers(Place("d", None), Span("d", 0, 10), neighbours=True)


EVIDENCE = [
    {"document_id": "a", "start_s": 0, "end_s": 10},
    {"document_id": "a", "start_s": 0, "end_s": 10, "quote": "the same place again"},
    {"document_id": "a", "start_s": 40, "end_s": 50},
    {"document_id": "b"},
]
RELEVANT = [{"id": "b:00030", "grade": 2}, {"id": "b:00030", "grade": 2}, {"id": "c:0000000"}, {"id": "n", "grade": 0}]


def test_exact_repeats_are_one_unit() -> None:
    gold = gold_of(question(evidence=EVIDENCE, relevant=RELEVANT))
    assert isinstance(gold, Gold)
    assert gold.names == ("a@0-10", "a@40-50", "b", "b:00030", "c:0000000")
    assert gold.gains == (2, 1, 1, 1, 1)


def test_by_document_all_units_of_a_document_are_one_at_its_best_grade() -> None:
    gold = gold_of(question(evidence=EVIDENCE, relevant=RELEVANT), "document")
    assert isinstance(gold, Gold)
    assert gold.grades == {"b": 2, "c": 1, "a": 1}
    assert gold.spans == {}


def test_by_node_only_relevant_ids_count() -> None:
    gold = gold_of(question(evidence=EVIDENCE, relevant=RELEVANT), "node")
    assert isinstance(gold, Gold)
    assert set(gold.grades) == {"b:00030", "c:0000000"}


@pytest.mark.parametrize(
    ("fields", "unit", "reason"),
    [
        ({"tier": "unanswerable", "relevant": RELEVANT}, "chunk", "unanswerable"),
        ({}, "chunk", "neither evidence nor relevant"),
        ({"evidence": [], "relevant": []}, "document", "neither evidence nor relevant"),
        ({"relevant": [{"id": "x", "grade": 0}]}, "chunk", "grade 0"),
        ({"evidence": EVIDENCE}, "node", "no nodes"),
    ],
)
def test_a_question_without_a_unit_is_ineligible_and_says_why(fields: dict[str, Any], unit: Any, reason: str) -> None:
    gold = gold_of(question(**fields), unit)
    assert isinstance(gold, Ineligible)
    assert gold.question_id == "q"
    assert reason in gold.reason


def test_one_id_with_two_grades_is_refused() -> None:
    with pytest.raises(ValueError, match="'x' has two grades, 1 and 3"):
        gold_of(question(relevant=[{"id": "x"}, {"id": "x", "grade": 3}]))


def test_a_lone_start_is_a_point_and_a_lone_end_begins_at_0() -> None:
    gold = gold_of(question(evidence=[{"document_id": "d", "start_s": 35}, {"document_id": "d", "end_s": 5}]))
    assert isinstance(gold, Gold)
    assert gold.names == ("d@35-35", "d@0-5")
