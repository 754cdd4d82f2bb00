"""Every figure of the `brief` page (node resolution, measured 2026-10-19) from 81 records built to match it."""

from __future__ import annotations

import pytest

from answertrail.experiments.inputs import question_set, read_questions
from answertrail.experiments.resolution import ResolutionScores, read_resolutions, score_resolutions
from answertrail.kit.brief import BY_PAIR, BY_TYPE, brief_fixture, north_west, write
from answertrail.metrics.values import Interval, Undefined


@pytest.fixture(scope="module")
def scores() -> ResolutionScores:
    questions, resolutions = brief_fixture()
    return score_resolutions(question_set(questions), resolutions)


PUBLISHED = {
    "r@1": (45, 60),
    "r@3": (49, 60),
    "r@5": (51, 60),
    "correct": (15, 60),
    "wrong": (2, 60),
    "unanswerable_resolved": (3, 21),
    "choose_rate": (61, 81),
    "none_rate": (0, 81),
    "precision": (15, 20),
}


@pytest.mark.parametrize(("name", "counts"), PUBLISHED.items())
def test_the_measures(scores: ResolutionScores, name: str, counts: tuple[int, int]) -> None:
    found = scores.measures[name].ratio
    assert (found.numerator, found.denominator) == counts


# Wilson's intervals at 95 %, rounded to whole per cent, computed apart from this program.
WILSON = {
    "r@1": (63, 84),
    "correct": (16, 37),
    "wrong": (1, 11),
    "unanswerable_resolved": (5, 35),
    "precision": (53, 89),
}


@pytest.mark.parametrize(("name", "ends"), WILSON.items())
def test_the_intervals(scores: ResolutionScores, name: str, ends: tuple[int, int]) -> None:
    interval = scores.measures[name].interval
    assert isinstance(interval, Interval)
    assert (round(interval.low * 100), round(interval.high * 100)) == ends
    assert interval.method == "wilson"


def test_the_pass_rate_by_step(scores: ResolutionScores) -> None:
    steps = [
        (step, value.ratio.numerator, value.ratio.denominator, len(scores.funnel.lost_at(step)))
        for step, value in scores.funnel.steps.items()
        if not isinstance(value, Undefined)
    ]
    assert steps == [
        ("pool", 51, 60, 9),
        ("list", 51, 60, 0),
        ("top_three", 49, 60, 2),
        ("first", 45, 60, 4),
        ("resolved", 15, 60, 30),
    ]


def test_most_questions_are_lost_at_the_last_step_and_the_pool_loses_korean_ones(scores: ResolutionScores) -> None:
    ranked_first = {case.question_id for case in scores.cases if case.rank == 1 and case.status != "resolved"}
    assert len(ranked_first) == 30
    assert set(scores.funnel.lost_at("resolved")) == ranked_first
    pairs = {case.question_id: case.language_pair or "" for case in scores.cases}
    missed = [pairs[name] for name in scores.funnel.lost_at("pool")]
    assert len(missed) == 9
    assert sum(pair.startswith("ko") for pair in missed) == 7


ROWS_BY_PAIR = {
    "en → en": (27, 20, 23, 25),
    "en → ko": (10, 10, 10, 10),
    "ko → ko": (10, 4, 4, 4),
    "ko → en": (13, 11, 12, 12),
}
ROWS_BY_TYPE = {
    "Concept": (30, 21, 23, 24),
    "Record": (10, 9, 9, 9),
    "Decision": (10, 8, 9, 10),
    "Episode": (10, 7, 8, 8),
}


def test_the_table_by_language_pair(scores: ResolutionScores) -> None:
    assert _rows(scores, "by_language_pair") == ROWS_BY_PAIR
    korean = next(row for row in scores.by_language_pair.rows if row.value == "ko → ko").rates["r@1"].interval
    assert isinstance(korean, Interval)
    assert (round(korean.low * 100), round(korean.high * 100)) == (17, 69)


def test_the_table_by_node_type(scores: ResolutionScores) -> None:
    assert _rows(scores, "by_node_type") == ROWS_BY_TYPE


def test_the_unanswerable_questions(scores: ResolutionScores) -> None:
    kinds = {row.value: row for row in scores.by_unanswerable_kind.rows}
    assert {name: row.n for name, row in kinds.items()} == {"missing_topic": 14, "missing_fact": 7}
    resolved = {name: row.rates["unanswerable_resolved"].ratio.numerator for name, row in kinds.items()}
    assert resolved == {"missing_topic": 0, "missing_fact": 3}
    assert kinds["missing_topic"].counts["with_candidates"] == 14


def test_status_adds_up_over_all_81(scores: ResolutionScores) -> None:
    status = [case.status for case in scores.cases]
    assert {name: status.count(name) for name in ("resolved", "choose", "none", "missing")} == {
        "resolved": 20,
        "choose": 61,
        "none": 0,
        "missing": 0,
    }
    assert not scores.matched.missing
    assert not scores.matched.unlisted
    assert not scores.matched.reworded


def test_files_read_back_as_they_were_made(tmp_path, scores: ResolutionScores) -> None:
    write(tmp_path)
    again = score_resolutions(
        read_questions(tmp_path / "questions.jsonl"), read_resolutions(tmp_path / "resolutions.jsonl")
    )
    assert again.as_json() == scores.as_json()


def test_cells_are_filled_from_the_corner_and_keep_both_margins() -> None:
    assert list(north_west([2, 1], [1, 2])) == [(0, 0, 1), (0, 1, 1), (1, 1, 1)]
    with pytest.raises(ValueError, match="the rows sum to 1, the columns to 2"):
        list(north_west([1], [2]))
    assert [sum(column) for column in zip(*BY_PAIR.values(), strict=True)] == [45, 4, 2, 9]
    assert [sum(column) for column in zip(*BY_TYPE.values(), strict=True)] == [45, 4, 2, 9]


def _rows(scores: ResolutionScores, cut: str) -> dict[str, tuple[int, ...]]:
    return {
        row.value: (row.n, *(int(row.rates[name].ratio.numerator) for name in ("r@1", "r@3", "r@5")))
        for row in getattr(scores, cut).rows
    }
