"""Node resolution: hand-computed measures, the funnel, tables that add up, and records that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.experiments.inputs import question_set
from answertrail.experiments.resolution import ResolutionScores, read_resolutions, score_resolutions
from answertrail.experiments.view.resolution import tables
from answertrail.experiments.view.table import cell_text
from answertrail.metrics.proportions import wilson_interval
from answertrail.metrics.resolution.slices import SliceTable
from answertrail.metrics.values import Undefined
from answertrail.records import Question, Resolution, jsonl
from tests.experiments.resolution_worlds import asked, gold, listed, unanswerable, worlds

SEVEN = gold(
    asked("right", "g", language="ko", group="ko-en", node_type="Record"),
    asked("first", "g", language="ko", group="ko-en", node_type="Concept"),
    asked("third", "g", language="en", group="en-en", node_type="Concept"),
    asked("fifth", "g", language="en", meta={"node_language": "ko"}),
    asked("wrong", "g", language="en", group="en-en", node_type="Record"),
    asked("absent", "g", language="en", group="en-en", node_type="Record"),
    unanswerable("u-taken", "missing_fact"),
    unanswerable("u-left"),
    unanswerable("u-none"),
)
THEIRS = [
    listed("right", "g", "a", to="g", pool=["g", "a"]),
    listed("first", "g", "a", pool=["g", "a"]),
    listed("third", "a", "b", "g", pool=["g", "a", "b"]),
    listed("fifth", "a", "b", "c", "d", "g", pool=["a", "b", "c", "d", "g"]),
    listed("wrong", "a", "b", to="a", pool=["a", "b", "g"]),
    listed("u-taken", "a", to="a", pool=["a"]),
    listed("u-left", "a", "b", pool=["a", "b"]),
    listed("u-none", pool=[]),
]


def counts(scores: ResolutionScores) -> dict[str, tuple[float, float]]:
    return {name: (found.ratio.numerator, found.ratio.denominator) for name, found in scores.measures.items()}


def test_each_measure_by_hand() -> None:
    scores = score_resolutions(SEVEN, THEIRS)
    assert counts(scores) == {
        "r@1": (2, 6),
        "r@3": (3, 6),
        "r@5": (4, 6),
        "correct": (1, 6),
        "wrong": (1, 5),
        "unanswerable_resolved": (1, 3),
        "choose_rate": (4, 8),
        "none_rate": (1, 8),
        "precision": (1, 3),
    }
    assert scores.measures["precision"].interval == wilson_interval(1, 3)
    assert scores.measures["r@3"].interval == wilson_interval(3, 6)


def test_the_funnel_loses_each_question_once_at_the_first_step_it_does_not_pass() -> None:
    found = score_resolutions(SEVEN, THEIRS).funnel
    passed = {step: value.ratio.numerator for step, value in found.steps.items() if not isinstance(value, Undefined)}
    assert passed == {"pool": 5, "list": 4, "top_three": 3, "first": 2, "resolved": 1}
    assert [(row.question_id, row.step, row.status, row.rank) for row in found.lost] == [
        ("first", "resolved", "choose", 1),
        ("third", "first", "choose", 3),
        ("fifth", "top_three", "choose", 5),
        ("wrong", "list", "resolved", 0),
        ("absent", "pool", "missing", 0),
    ]


def test_a_question_without_a_resolution_is_listed_and_is_neither_none_nor_choose() -> None:
    scores = score_resolutions(SEVEN, THEIRS)
    assert scores.matched.missing == ("absent",)
    assert scores.by_node_type.total.counts == {"choose": 3, "none": 0, "missing": 1}
    assert counts(score_resolutions(SEVEN, THEIRS[:-1]))["none_rate"] == (0, 7)


def test_without_a_pool_in_every_record_the_first_step_is_undefined_and_the_list_takes_the_loss() -> None:
    bare = [row.model_copy(update={"pool": None}) if row.question_id == "first" else row for row in THEIRS]
    found = score_resolutions(SEVEN, bare).funnel
    assert found.steps["pool"] == Undefined("the pool was not recorded for 1 of 6 questions")
    assert found.lost_at("list") == ("wrong", "absent")


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (listed("right", "a", "g", to="g", pool=["g"]), "right: resolved to it, but not ranked first"),
        (listed("right", "g", to="g", pool=["a"]), "right: in the list shown, but not in the candidate pool"),
    ],
)
def test_steps_that_do_not_nest_make_no_funnel_and_leave_the_measures(odd: Resolution, said: str) -> None:
    scores = score_resolutions(SEVEN, [*THEIRS[1:], odd])
    assert set(scores.funnel.steps.values()) == {Undefined(f"the steps do not nest: {said}")}
    assert scores.funnel.lost == ()
    assert counts(scores)["correct"] == counts(score_resolutions(SEVEN, THEIRS))["correct"]


def test_slices_by_language_pair_node_type_and_kind() -> None:
    scores = score_resolutions(SEVEN, THEIRS)
    pairs = {row.value: (row.n, row.rates["r@3"].ratio.numerator) for row in scores.by_language_pair.rows}
    assert pairs == {"en → en": (3, 1), "ko → en": (2, 2), "en → ko": (1, 0)}
    assert [(row.value, row.n) for row in scores.by_node_type.rows] == [
        ("Record", 3),
        ("Concept", 2),
        ("not stated", 1),
    ]
    kinds = {row.value: (row.n, dict(row.counts)) for row in scores.by_unanswerable_kind.rows}
    assert kinds == {
        "missing_topic": (2, {"choose": 1, "none": 1, "missing": 0, "with_candidates": 1}),
        "missing_fact": (1, {"choose": 0, "none": 0, "missing": 0, "with_candidates": 1}),
    }


def test_a_table_that_does_not_add_up_does_not_exist() -> None:
    whole = score_resolutions(SEVEN, THEIRS).by_language_pair
    with pytest.raises(MismatchError) as caught:
        SliceTable("language_pair", whole.rows[1:], whole.total)
    assert "n: the rows sum to 3, the total is 6 (-3)" in caught.value.message
    assert "r@3 numerator: the rows sum to 2, the total is 3 (-1)" in caught.value.message
    doubled = replace(whole.rows[0], n=whole.rows[0].n + 1)
    with pytest.raises(MismatchError, match=r"n: the rows sum to 7, the total is 6 \(\+1\)"):
        SliceTable("language_pair", (doubled, *whole.rows[1:]), whole.total)


def test_the_best_of_several_gold_nodes_counts_and_grade_0_is_no_gold() -> None:
    two = asked("q", "g", "h")
    assert counts(score_resolutions(gold(two), [listed("q", "h", "g")]))["r@1"] == (1, 1)
    graded = Question.model_validate({**two.as_json(), "relevant": [{"id": "g", "grade": 0}, {"id": "h", "grade": 2}]})
    found = score_resolutions(gold(graded), [listed("q", "g", "h", to="g")])
    assert counts(found)["r@1"] == (0, 1)
    assert counts(found)["wrong"] == (1, 1)


def test_nothing_resolved_leaves_precision_undefined_and_no_unanswerable_question_the_other() -> None:
    found = score_resolutions(gold(asked("q", "g")), [listed("q", "g")]).measures
    assert found["precision"].value == Undefined("nothing was resolved")
    assert found["unanswerable_resolved"].value == Undefined("no unanswerable question")
    only = score_resolutions(gold(unanswerable("u")), []).measures
    assert only["r@1"].value == Undefined("no answerable question with a gold node")


def test_what_took_no_part_or_looks_odd_is_listed() -> None:
    rows = [
        listed("right", "a", to="z", pool=["a"]),
        listed("stranger", "a"),
        listed("first", "g", pool=["g"], question="another wording"),
    ]
    found = score_resolutions(gold(asked("right", "g"), asked("first", "g"), asked("bare")), rows)
    assert found.matched.unlisted == ("right",)
    assert found.matched.not_asked == ("stranger",)
    assert found.matched.reworded == ("first",)
    assert [row.question_id for row in found.matched.ineligible] == ["bare"]
    assert counts(found)["choose_rate"] == (1, 2)
    left_out = next(table for table in tables(found) if table.key == "left_out")
    assert {row[0] for row in left_out.rows} == {"right", "stranger", "first", "bare"}


def test_a_resolution_without_an_id_belongs_to_the_one_question_with_its_words() -> None:
    nameless = listed("q", "g").model_copy(update={"question_id": None})
    assert counts(score_resolutions(gold(asked("q", "g")), [nameless]))["r@1"] == (1, 1)
    stray = nameless.model_copy(update={"question": "something else?"})
    assert score_resolutions(gold(asked("q", "g")), [nameless, stray]).matched.not_asked == ("something else?",)
    twice = gold(asked("q", "g"), asked("p", "g", question="q?"))
    with pytest.raises(InputError, match="no question_id, and 2 questions have its text"):
        score_resolutions(twice, [nameless])


def test_resolutions_of_another_question_set_are_refused() -> None:
    with pytest.raises(InputError, match="none of 2 resolutions is of a question in the set; the first is of 'x'"):
        score_resolutions(gold(asked("q", "g")), [listed("x", "g"), listed("y", "g")])


def test_the_rule_keeps_its_own_and_lists_the_rest() -> None:
    old = [listed("q", "g", rule={"name": "old"}), listed("p", "g", rule={"name": "old"})]
    new = [listed("q", "a", "g", rule={"name": "new"})]
    both = gold(asked("q", "g"), asked("p", "g"))
    with pytest.raises(MismatchError, match="two resolutions of one question") as caught:
        score_resolutions(both, [*old, *new])
    assert caught.value.where == "q"
    found = score_resolutions(both, [*old, *new], rule="new")
    assert (found.rules, found.other_rules, found.matched.missing) == ({"new": 1}, ("q", "p"), ("p",))
    with pytest.raises(NotFoundError) as unknown:
        score_resolutions(both, old, rule="newer")
    assert unknown.value.hint == "in the file: old"


@pytest.mark.parametrize(
    ("question", "pair"),
    [
        ({"language": "KO", "group": "ko-en"}, "ko → en"),
        ({"group": "en-ko"}, "en → ko"),
        ({"language": "en", "group": "hard questions"}, "not stated"),
        ({"language": "en", "group": "pr-review"}, "not stated"),
        ({"language": "ko", "group": "pr-faq", "meta": {"node_language": "En"}}, "ko → en"),
        ({"language": "en"}, "not stated"),
    ],
)
def test_where_the_language_pair_comes_from(question: dict[str, Any], pair: str) -> None:
    found = score_resolutions(gold(asked("q", "g", **question)), [])
    assert [row.value for row in found.by_language_pair.rows] == [pair]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"language": "ko", "group": "en-ko"}, "group 'en-ko' reads as a language pair"),
        ({"language": "ko", "meta": {"node_language": 3}}, "meta.node_language: expected a language code"),
    ],
)
def test_a_language_pair_that_contradicts_the_question_is_refused(question: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        score_resolutions(gold(asked("q", "g", **question)), [])
    assert caught.value.where == "q"


GOOD = listed("q", "a", "b").as_json()
FAULTS = [
    ({"candidates": [{"id": str(n), "rank": n} for n in range(1, 7)]}, "6 candidates; at most 5 may be listed"),
    ({"candidates": [{"id": "a", "rank": 1}, {"id": "a", "rank": 2}]}, "candidate 'a' is listed twice"),
    ({"candidates": [{"id": "a", "rank": 1}, {"id": "b", "rank": 3}]}, r"ranks \[1, 3\]; expected 1 to 2, each once"),
    ({"candidates": [{"id": "a", "rank": 1}, {"id": "b", "rank": 1}]}, r"ranks \[1, 1\]; expected 1 to 2"),
    ({"status": "resolved", "node": None}, "resolved, but the node is null"),
    ({"node": "a"}, "status choose with the node 'a'; only `resolved` has one"),
    ({"candidates": []}, "choose, but no candidate to choose from"),
    ({"status": "none"}, r"none, but 2 candidate\(s\) are listed"),
    ({"candidates": [{"id": "a", "rank": 0}]}, "candidates.0.rank"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS)
def test_a_record_that_contradicts_itself_is_refused_with_file_line_and_id(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    import json

    path = tmp_path / "r.jsonl"
    path.write_text(f"{json.dumps(GOOD | {'question_id': 'p'})}\n{json.dumps(GOOD | change)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        read_resolutions(path)
    assert caught.value.where == f"{path}:2"


def test_candidates_may_stand_in_any_order_in_the_file() -> None:
    shuffled = listed("q", "a", "b", "g")
    turned = shuffled.model_copy(update={"candidates": list(reversed(shuffled.candidates))})
    assert counts(score_resolutions(gold(asked("q", "g")), [turned]))["r@1"] == (0, 1)
    assert counts(score_resolutions(gold(asked("q", "g")), [turned]))["r@3"] == (1, 1)


def test_a_question_resolved_twice_by_one_rule_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    jsonl.write(path, [listed("q", "a"), listed("q", "b", rule={"name": "x"}), listed("q", "b")])
    with pytest.raises(InputError, match="'q' is resolved twice, first in line 1") as caught:
        read_resolutions(path)
    assert caught.value.where == f"{path}:3"
    path.write_text("\n")
    with pytest.raises(InputError, match="no resolution in the file"):
        read_resolutions(path)


def test_the_tables_show_what_was_measured() -> None:
    shown = {table.key: table for table in tables(score_resolutions(SEVEN, THEIRS))}
    assert list(shown) == [
        "resolution", "funnel", "by_language_pair", "by_node_type", "by_unanswerable_kind", "wrong", "lost", "left_out",
    ]  # fmt: skip
    measures = {str(row[0]): cell_text(row[1]) for row in shown["resolution"].rows}
    assert measures["r@3"].startswith("50.0 % (3/6) [")
    assert [row[0] for row in shown["wrong"].rows] == ["wrong", "u-taken"]
    assert shown["by_language_pair"].rows[-1][:2] == ("all", 6)


@given(worlds(), st.randoms(use_true_random=False))
def test_measures_are_bounded_nested_and_forget_the_order(
    world: tuple[list[Question], list[Resolution]], random: Any
) -> None:
    questions, resolutions = world
    scores = score_resolutions(question_set(questions), resolutions)
    found = counts(scores)
    assert all(0 <= numerator <= denominator for numerator, denominator in found.values())
    assert found["correct"][0] <= found["r@1"][0] <= found["r@3"][0] <= found["r@5"][0]
    assert found["correct"][0] + found["wrong"][0] + found["unanswerable_resolved"][0] == found["precision"][1]
    answerable = sum(question.tier != "unanswerable" for question in questions)
    assert len(scores.funnel.lost) + found["correct"][0] == answerable
    for cut in (scores.by_language_pair, scores.by_node_type):
        assert sum(row.n for row in cut.rows) == answerable
    again = random.sample(questions, len(questions)), random.sample(resolutions, len(resolutions))
    assert counts(score_resolutions(question_set(again[0]), again[1])) == found


@given(worlds(), st.integers(2, 5))
def test_moving_the_gold_node_up_never_lowers_a_measure_of_rank(
    world: tuple[list[Question], list[Resolution]], place: int
) -> None:
    questions, resolutions = world
    before = counts(score_resolutions(question_set(questions), resolutions))
    better = []
    for row in resolutions:
        nodes = [candidate.id for candidate in sorted(row.candidates, key=lambda one: one.rank)]
        if row.status == "choose" and "g" in nodes[1:place]:
            at = nodes.index("g")
            nodes[at - 1], nodes[at] = nodes[at], nodes[at - 1]
            row = listed(row.question_id or "", *nodes, pool=row.pool)
        better.append(row)
    after = counts(score_resolutions(question_set(questions), better))
    assert all(after[name][0] >= before[name][0] for name in ("r@1", "r@3", "r@5"))
