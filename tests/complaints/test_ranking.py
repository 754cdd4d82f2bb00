"""Complaints about ranking measures elsewhere, each as what happens here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from answertrail.errors import InputError
from answertrail.experiments.inputs import question_set, read_questions
from answertrail.experiments.retrieval import score_retrieval
from answertrail.experiments.retrieval_scores import RetrievalScores
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.ranking.gold import Gold, gold_units
from answertrail.metrics.ranking.measures import score_rankings
from answertrail.metrics.values import Undefined
from answertrail.records import Question, RetrievalRun


def question(name: str, relevant: Sequence[str] = (), tier: str = "lookup") -> Question:
    row: dict[str, Any] = {"schema": "question/1", "question_id": name, "question": "?", "tier": tier}
    return Question.model_validate(row | ({"relevant": [{"id": unit} for unit in relevant]} if relevant else {}))


def ranking(name: str, ids: Sequence[str], scores: Sequence[float] = (), **more: Any) -> RetrievalRun:
    entries = [{"id": unit} | ({"score": scores[at]} if scores else {}) for at, unit in enumerate(ids)]
    return RetrievalRun.model_validate(
        {"schema": "retrieval_run/1", "question_id": name, "mode": "m", "ranked": entries} | more
    )


def score(questions: Sequence[Question], rankings: Sequence[RetrievalRun], **more: Any) -> RetrievalScores:
    return score_retrieval(question_set(questions), rankings, intervals=Intervals("none"), **more)


def values(scores: RetrievalScores) -> dict[str, float | Undefined]:
    return {name: m.value for name, m in scores.modes["m"].measures.items() if isinstance(m, Measured)}


EMPTY = [question("none"), question("refuse", tier="unanswerable")]


def test_complaint_16_empty_gold_is_ineligible_and_listed() -> None:
    whole = score([question("q", "A"), *EMPTY], [ranking(name, "A") for name in ("q", "none", "refuse")])
    alone = score([question("q", "A")], [ranking("q", "A")])
    assert [row.question_id for row in whole.ineligible] == ["none", "refuse"]
    for name, value in values(alone).items():
        if name != "distinct_yield":
            assert values(whole)[name] == value
            measured = whole.modes["m"].measures[name]
            assert isinstance(measured, Measured)
            assert measured.ineligible == whole.ineligible, name  # one list for all


def test_complaint_20_empty_gold_everywhere_is_undefined_in_every_measure() -> None:
    scores = score(EMPTY, [ranking("none", "A"), ranking("refuse", "A")])
    found = values(scores)
    assert found.pop("distinct_yield") == 1
    assert set(found.values()) == {Undefined("no eligible question")}


def test_complaint_22_bad_gold_fails_when_it_is_read_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    good = question("q", "A").as_json()
    path.write_text(json.dumps(good) + "\n" + json.dumps({**good, "question_id": "r", "tier": "category 5"}) + "\n")
    with pytest.raises(InputError, match="tier") as caught:
        read_questions(path)
    assert caught.value.where == f"{path}:2"


def test_complaint_23_rank_is_the_order_given_and_ties_are_reported() -> None:
    first = score([question("q", "A")], [ranking("q", "AZ", [1, 1])])
    second = score([question("q", "A")], [ranking("q", "ZA", [1, 1])])
    assert (values(first)["mrr@10"], values(second)["mrr@10"]) == (1, 1 / 2)
    assert first.modes["m"].tied == second.modes["m"].tied == 1
    with pytest.raises(InputError, match="the score rises"):
        score([question("q", "A")], [ranking("q", "ZA", [1, 2])])


def test_complaint_24_a_constant_scorer_gets_the_expected_value_in_every_order() -> None:
    seen = set()
    for order in permutations("Axyz"):
        scores = score([question("q", "A")], [ranking("q", order, [0.5] * 4)], averaged_ties=True)
        averaged = scores.modes["m"].tie_averaged["mrr@10"]
        assert isinstance(averaged, Measured)
        seen.add(averaged.value)
    (value,) = seen
    assert value == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_complaint_25_repeats_keep_the_first_rank_and_are_counted() -> None:
    scores = score([question("q", "A")], [ranking("q", "xxAAA")])
    assert values(scores)["mrr@10"] == 1 / 2
    assert values(scores)["returned_precision"] == 1 / 2
    assert scores.modes["m"].duplicates == 3


def test_complaint_26_no_value_passes_1_on_duplicates() -> None:
    found = values(score([question("q", "AB")], [ranking("q", "AAAABBBB")], ks=(1, 2, 5)))
    assert all(isinstance(value, int | float) and value <= 1 for value in found.values())
    assert found["recall@2"] == found["ndcg@2"] == 1


def test_complaint_27_a_query_without_results_counts_0() -> None:
    gold = [question("q", "A"), question("r", "B"), question("s", "C")]
    scores = score(gold, [ranking("q", "A"), ranking("r", "")])
    assert values(scores)["mrr@10"] == values(scores)["mean_recall@10"] == pytest.approx(1 / 3)
    assert [row.state for row in scores.questions if row.question_id in "rs"] == ["scored", "missing"]


def test_complaint_28_an_empty_gold_changes_no_other_query() -> None:
    gold = [question("a"), question("b", "B"), question("c", tier="unanswerable"), question("d", "D")]
    scores = score(gold, [ranking(name, "BxD") for name in "abcd"])
    measured = scores.modes["m"].measures["mrr@10"]
    assert isinstance(measured, Measured)
    assert {row.question_id: row.numerator for row in measured.observations} == {"b": 1, "d": 1 / 3}


def test_complaint_29_the_ideal_comes_from_the_gold_and_errors_make_no_success() -> None:
    partial = values(score([question("q", "ABC")], [ranking("q", "A")]))["ndcg@10"]
    assert isinstance(partial, float)
    assert partial < 0.5  # 1 over 1 + 1/log2(3) + 1/2, where an ideal of what was returned would say 1
    failed = score([question("q", "A")], [ranking("q", "", meta={"error": "timeout"})])
    assert "more than 2.0%" in str(failed.modes["m"].invalid)
    assert all(isinstance(value, Undefined) for value in failed.modes["m"].measures.values())


def test_complaint_30_precision_and_average_precision_are_two_measures() -> None:
    found = values(score([question("q", "A")], [ranking("q", "xA")], ks=(2,)))
    assert found["precision@2"] == 1 / 2
    assert found["ap@2"] == 1 / 2
    late = values(score([question("q", "AB")], [ranking("q", "xyAB")], ks=(4,)))
    assert late["precision@4"] == 1 / 2
    assert late["ap@4"] == pytest.approx((1 / 3 + 2 / 4) / 2)


def test_complaint_31_recall_and_precision_count_in_their_own_direction() -> None:
    # Two spans in one chunk: recall counts two units found, precision one relevant chunk.
    gold = Question.model_validate(
        {"schema": "question/1", "question_id": "q", "question": "?", "tier": "factual"}
        | {"evidence": [{"document_id": "d", "start_s": at, "end_s": at + 1} for at in (0, 10, 100)]}
    )
    found = values(score([gold], [ranking("q", ["d:00000", "d:00030"])], ks=(2,)))
    assert found["recall@2"] == 2 / 3
    assert found["precision@2"] == 1 / 2


def test_complaint_32_the_same_lists_give_the_same_interval_whatever_their_order() -> None:
    golds = [gold for n in range(12) if isinstance(gold := gold_units(f"q{n}", {"A": 1.0}), Gold)]
    lists = {f"q{n}": "Ax" if n % 3 else "xA" for n in range(12)}
    few = Intervals(resamples=200)
    once = score_rankings(golds, lists, ["mrr@10"], intervals=few)["mrr@10"]
    again = score_rankings(golds[::-1], dict(reversed(lists.items())), ["mrr@10"], intervals=few)["mrr@10"]
    assert once.interval == again.interval
    assert once.interval is not None
