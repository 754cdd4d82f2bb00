"""Both sides of answerability, counted by hand; the table always cross-foots."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.errors import InputError
from answertrail.experiments.gates import Gate, check_gates
from answertrail.experiments.view.refusal import tables
from answertrail.experiments.view.table import cell_text
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.refusal.cases import SAID
from answertrail.metrics.refusal.exact import ExactBounds
from answertrail.metrics.refusal.rates import Rate
from answertrail.metrics.values import Estimate, Interval, Undefined
from tests.experiments.refusal_worlds import nugget, question, run, scored, verdict

QUESTIONS = [
    question("a1", nuggets=2),
    question("a2", "longitudinal"),
    question("u1", "unanswerable", unanswerable_kind="near_miss"),
    question("u2", "unanswerable", unanswerable_kind="false_premise"),
    question("u3", "unanswerable"),
]
RUNS = [
    run("a1", "answered", 0),
    run("a1", "partly_answered", 1),
    run("a2", "cannot_answer", 0),
    run("a2", None, 1),
    run("u1", "cannot_answer", 0),
    run("u1", "partly_answered", 1),
    run("u2", "cannot_answer", 0),
    run("u2", "cannot_answer", 1),
    run("u3", None, 0),
]


def value(found: object) -> float:
    assert isinstance(found, Measured | Estimate)
    assert isinstance(found.value, float)
    return found.value


def test_every_rate_has_its_own_denominator() -> None:
    scores = scored(QUESTIONS, RUNS)
    parts = {
        name: (rate.measured.ratio.numerator, rate.measured.ratio.denominator) for name, rate in scores.rates.items()
    }
    assert parts == {
        "false_answer_rate": (1, 4),  # a partial answer to what cannot be answered is a false answer
        "correct_refusal_rate": (3, 4),
        "over_refusal_rate": (1, 3),  # a partial answer is no refusal; the failed run is in no count
        "failure_rate": (2, 9),
    }
    assert scores.table.row(answerable=True) == dict(zip(SAID, (1, 1, 1, 1, 0), strict=True))
    assert scores.table.row(answerable=False) == dict(zip(SAID, (0, 1, 3, 1, 0), strict=True))
    assert value(scores.measures["false_answer_rate/near_miss"]) == 0.5
    assert value(scores.measures["false_answer_rate/false_premise"]) == 0
    no_run = scores.by_kind["unstated"].measured
    assert (no_run.questions, no_run.ineligible[0].question_id) == (0, "u3")
    assert [case.run_id for case in scores.false_answers] == ["u1/1"]
    assert [case.run_id for case in scores.over_refusals] == ["a2/0"]
    assert [case.run_id for case in scores.failed] == ["a2/1", "u3/0"]


def exact(found: Rate) -> ExactBounds:
    assert not isinstance(found.exact, Undefined)
    return found.exact


def test_exact_bounds_count_a_question_once_whatever_its_repeats() -> None:
    """Clopper-Pearson by hand: 1 of 2 has [1 - sqrt(0.975), sqrt(0.975)]; 0 of 2 at most 1 - sqrt(0.025)."""
    scores = scored(QUESTIONS, RUNS)
    bounds = exact(scores.rates["false_answer_rate"])
    assert (bounds.any_run.events, bounds.every_run.events, bounds.questions) == (1, 0, 2)
    assert (bounds.any_run.interval.low, bounds.any_run.interval.high) == pytest.approx((1 - 0.975**0.5, 0.975**0.5))
    assert bounds.every_run.interval.high == pytest.approx(1 - 0.025**0.5)
    assert bounds.never is None
    kind = exact(scores.by_kind["false_premise"])
    assert (kind.any_run.events, kind.questions) == (0, 1)
    assert kind.any_run.interval.high == pytest.approx(0.975)
    assert kind.never is None  # the rule of three says nothing with one question
    refused = exact(scores.rates["correct_refusal_rate"])
    assert (refused.any_run.events, refused.every_run.events) == (2, 1)


def test_the_rule_of_three_is_given_from_thirty_questions_on() -> None:
    known = [question(f"u{n:02}", "unanswerable") for n in range(30)]
    scores = scored(known, [run(q.question_id, "cannot_answer", 0) for q in known])
    never = exact(scores.rates["false_answer_rate"]).never
    assert never is not None
    assert never.high == pytest.approx(2.9957 / 30, rel=1e-4)
    fewer = scored(known[1:], [run(q.question_id, "cannot_answer", 0) for q in known[1:]])
    assert exact(fewer.rates["false_answer_rate"]).never is None


def test_with_one_run_a_question_the_interval_of_the_rate_is_exact() -> None:
    """4 of 16: Clopper and Pearson's interval is [7.3, 52.4]."""
    known = [question(f"u{n:02}", "unanswerable") for n in range(16)]
    runs = [run(q.question_id, "answered" if n < 4 else "cannot_answer", 0) for n, q in enumerate(known)]
    interval = scored(known, runs, intervals=Intervals()).rates["false_answer_rate"].measured.interval
    assert isinstance(interval, Interval)
    assert interval.method == "clopper-pearson"
    assert (interval.low, interval.high) == pytest.approx((0.0727, 0.5238), abs=1e-4)


def test_exact_bounds_are_named_as_shares_of_questions_and_not_as_the_rate() -> None:
    """Ten questions, one of three runs false each: a third of the runs, all of the questions, none in every run."""
    known = [question(f"u{n}", "unanswerable") for n in range(10)]
    said = ("answered", "cannot_answer", "cannot_answer")
    scores = scored(known, [run(q.question_id, outcome, n) for q in known for n, outcome in enumerate(said)])
    table = next(table for table in tables(scores) if table.key == "refusal_rates")
    assert table.columns[2:] == ("questions with any such run", "questions with every run such", "no run such")
    rows = {row[0]: row[2:] for row in table.rows}
    assert rows["false_answer_rate"] == ("10/10 [69.2, 100.0]", "0/10 [0.0, 30.8]", None)
    assert rows["correct_refusal_rate"] == ("10/10 [69.2, 100.0]", "0/10 [0.0, 30.8]", None)
    assert "never_seen" not in scores.as_json()["measures"]["correct_refusal_rate"]["exact"]


def test_rule_of_three_for_what_was_never_seen() -> None:
    questions = [question(f"u{n}", "unanswerable") for n in range(30)]
    runs = [run(q.question_id, "cannot_answer") for q in questions]
    bounds = exact(scored(questions, runs).rates["false_answer_rate"])
    assert bounds.any_run == bounds.every_run
    assert bounds.never is not None
    assert bounds.never.high == pytest.approx(2.9957 / 30, abs=1e-5)
    assert bounds.any_run.interval.high == pytest.approx(1 - 0.025 ** (1 / 30))


@pytest.mark.parametrize("gone", ["failed", "never made"])
def test_runs_that_failed_or_were_never_made_are_lost_and_pass_no_gate(gone: str) -> None:
    known = [question(f"u{n}", "unanswerable") for n in range(10)] + [question(f"a{n}") for n in range(10)]
    runs = [run("u0", "cannot_answer"), run("u1", "cannot_answer"), run("a0", "answered"), run("a1", "answered")]
    there = {row.question_id for row in runs}
    if gone == "failed":
        runs += [run(q.question_id, None) for q in known if q.question_id not in there]
    measures = scored(known, runs).measures
    gates = [
        Gate("false_answer_rate", 0.1, direction="over"),
        Gate("over_refusal_rate", 0.1, direction="over"),
        Gate("failure_rate", 0.5, direction="over"),
        Gate("correct_refusal_rate", 0.9),
        Gate("crag_score_unanswerable", -0.1),
    ]
    assert not any(outcome.passed for outcome in check_gates(measures, gates))
    found = measures["false_answer_rate"]
    assert isinstance(found, Measured)
    assert (found.value, found.lost_units) == (0, 8)
    assert {row.reason for row in found.lost} == {
        "run ended failed" if gone == "failed" else "the question was never asked"
    }


def test_a_question_never_asked_lost_as_many_runs_as_any_other_has() -> None:
    known = [question("u", "unanswerable", unanswerable_kind="near_miss"), question("v", "unanswerable")]
    scores = scored(known, [run("u", "cannot_answer", n) for n in range(3)])
    assert scores.rates["false_answer_rate"].measured.lost_units == 3
    assert scores.rates["over_refusal_rate"].measured.lost_units == 0
    assert scores.by_kind["near_miss"].measured.lost_units == 0
    assert scores.by_kind["unstated"].measured.lost_units == 3


def test_the_unscored_share_that_is_allowed_can_be_chosen() -> None:
    known = [question(f"u{n}", "unanswerable") for n in range(10)]
    runs = [run(f"u{n}", "answered", meta={"assumed": ["answer.outcome"]} if n < 3 else {}) for n in range(10)]
    for name in ("false_answer_rate", "crag_score"):
        assert isinstance(scored(known, runs).measures[name], Undefined)
        assert isinstance(scored(known, runs, max_unscored_share=0.3).measures[name], Measured)


def test_a_run_of_unknown_outcome_is_unscored_in_the_score() -> None:
    known = [question(f"u{n}", "unanswerable") for n in range(10)]
    silent = run("u9", "answered", meta={"assumed": ["answer.outcome"]})
    found = scored(known, [*(run(f"u{n}", "cannot_answer") for n in range(9)), silent]).measures["crag_score"]
    assert isinstance(found, Measured)
    assert (found.value, found.questions) == (0, 9)
    assert [(row.question_id, row.units) for row in found.unscored] == [("u9", 1)]


def test_a_declined_question_scores_zero_a_false_answer_minus_one() -> None:
    """a1/0: 2 of 2 nuggets, 1; a1/1: 1 of 2, 0.5; a2/0 declined, 0; u1: 0 and -1; u2: 0 and 0."""
    marks = [
        verdict("a1/0", "a1_n0"),
        verdict("a1/0", "a1_n1"),
        verdict("a1/1", "a1_n0"),
        verdict("a1/1", "a1_n1", "MISS"),
    ]
    scores = scored(QUESTIONS, RUNS, marks)
    assert value(scores.measures["crag_score_answerable"]) == (0.75 + 0) / 2
    assert value(scores.measures["crag_score_unanswerable"]) == (-0.5 + 0) / 2
    assert value(scores.measures["crag_score"]) == (0.75 + 0 - 0.5 + 0) / 4
    wrong = [verdict("a1/0", "a1_n0", "MISS"), verdict("a1/0", "a1_n1", "MISS"), *marks[2:]]
    assert value(scored(QUESTIONS, RUNS, wrong).measures["crag_score_answerable"]) == (-0.25 + 0) / 2


def test_without_verdicts_nothing_is_known_to_be_right() -> None:
    scores = scored(QUESTIONS, RUNS)
    assert isinstance(scores.measures["crag_score"], Undefined)
    assert isinstance(scores.measures["crag_score_answerable"], Undefined)
    assert value(scores.measures["crag_score_unanswerable"]) == -0.25


@pytest.mark.parametrize("said", [["HIT", "UNSCORED"], ["HIT"]])
def test_an_answer_with_an_open_nugget_has_no_grade(said: list[str]) -> None:
    marks = [verdict("a1/0", f"a1_n{number}", one) for number, one in enumerate(said)]
    rest = [run(f"b{n}", "cannot_answer") for n in range(9)]
    known = [question("a1", nuggets=2), question("b", nuggets=1), *(question(f"b{n}") for n in range(9))]
    scores = scored(known, [run("a1", "answered"), run("b", "answered"), *rest], [*marks, verdict("b/0", "b_n0")])
    found = scores.measures["crag_score"]
    assert isinstance(found, Measured)
    assert found.value == 1 / 10
    assert [(row.question_id, row.reason) for row in found.unscored] == [
        ("a1", "1 of 2 nuggets without a recall verdict")
    ]


def test_shift_nuggets_do_not_decide_who_is_right() -> None:
    only = question("a", nuggets=0, tier="longitudinal").model_copy(
        update={"nuggets": question("x", nuggets=1).nuggets}
    )
    shift = type(only).model_validate({**only.as_json(), "nuggets": [nugget("a", 0, "shift")]})
    found = scored([shift], [run("a", "answered")], [verdict("a/0", "a_n0")]).measures["crag_score"]
    assert isinstance(found, Undefined)


def test_a_score_that_is_zero_for_all_has_no_interval_of_a_share() -> None:
    known = [question(f"u{n}", "unanswerable") for n in range(5)]
    found = scored(known, [run(q.question_id, "cannot_answer") for q in known], intervals=Intervals(resamples=50))
    score = found.measures["crag_score_unanswerable"]
    assert isinstance(score, Measured)
    assert score.value == 0
    assert not isinstance(score.interval, Interval)
    assert score.over(["u0", "u1"]).worst == -1


def test_a_gate_counts_an_ungraded_answer_as_wrong_not_as_declined() -> None:
    known = [question(f"a{n}") for n in range(10)]
    runs = [run(f"a{n}", "answered") for n in range(10)]
    marks = [verdict(f"a{n}/0", f"a{n}_n0") for n in range(9)]
    measures = scored(known, runs, marks).measures
    passed = [check_gates(measures, [Gate("crag_score", least)])[0].passed for least in (0.79, 0.81, 0.91)]
    assert passed == [True, False, False]  # 9 right, 1 unknown: (9 - 1) / 10 at worst


def curve_world(confidences: list[float]) -> tuple[list[Any], list[Any], list[Any]]:
    """Answers 0, 1, ... of answerable questions; every third is wrong."""
    known = [question(f"a{n}") for n in range(len(confidences))]
    runs = [run(f"a{n}", "answered", meta={"confidence": sure}) for n, sure in enumerate(confidences)]
    marks = [verdict(f"a{n}/0", f"a{n}_n0", "MISS" if n % 3 == 2 else "HIT") for n in range(len(confidences))]
    return known, runs, marks


def test_the_area_is_the_mean_risk_over_answers_given_out_one_by_one() -> None:
    """Wrong at ranks 3, 6, 9 of 10. Risks: 0 0 1/3 1/4 1/5 2/6 2/7 2/8 3/9 3/10."""
    known, runs, marks = curve_world([1 - n / 10 for n in range(10)])
    scores = scored(known, runs, marks)
    by_hand = (0 + 0 + 1 / 3 + 1 / 4 + 1 / 5 + 2 / 6 + 2 / 7 + 2 / 8 + 3 / 9 + 3 / 10) / 10
    assert value(scores.measures["risk_coverage_area"]) == pytest.approx(by_hand)
    declined = scored([*known, question("b")], [*runs, run("b", "cannot_answer")], marks).curves["risk_coverage"]
    assert not isinstance(declined, Undefined)
    assert (declined.points[-1].coverage, declined.points[-1].risk) == (10 / 11, 0.3)


def test_a_partly_right_answer_is_no_risk() -> None:
    known = [question(f"a{n}", nuggets=2) for n in range(10)]
    runs = [run(f"a{n}", "answered", meta={"confidence": 1 - n / 10}) for n in range(10)]
    marks = [verdict(f"a{n}/0", f"a{n}_n{unit}", "MISS" if unit else "HIT") for n in range(10) for unit in (0, 1)]
    scores = scored(known, runs, marks)
    assert value(scores.measures["crag_score"]) == 0.5
    assert value(scores.measures["risk_coverage_area"]) == 0


def test_an_area_over_what_is_left_of_failed_runs_is_undefined() -> None:
    known, runs, marks = curve_world([1 - n / 20 for n in range(10)])
    failed = [question(f"b{n}") for n in range(3)]
    for more in ([run(row.question_id, None) for row in failed], []):
        area = scored([*known, *failed], [*runs, *more], marks).measures["risk_coverage_area"]
        assert area == Undefined("3 of 13 runs failed, were never made or are left out: above the 20% allowed")


def test_equal_confidences_move_together() -> None:
    known, runs, marks = curve_world([0.5] * 10)
    curve = scored(known, runs, marks).curves["risk_coverage"]
    assert not isinstance(curve, Undefined)
    assert [(point.threshold, point.covered) for point in curve.points] == [(0.5, 10)]
    assert curve.area == Estimate(0.3)  # one confidence for all orders nothing: the plain risk
    known, runs, marks = curve_world([0.9, 0.9, 0.9, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4])
    assert value(scored(known, runs, marks).measures["risk_coverage_area"]) == pytest.approx((3 / 3 + 7 * 0.3) / 10)


def test_a_confidence_is_never_made_up() -> None:
    known, runs, marks = curve_world([0.5] * 10)
    bare = [row.model_copy(update={"meta": None}) for row in runs]
    assert scored(known, bare, marks).measures["risk_coverage_area"] == Undefined("no run carries a confidence")
    few = scored(*curve_world([0.5] * 9)).measures["risk_coverage_area"]
    assert few == Undefined("9 answers with a confidence; an area needs at least 10")
    mixed = scored(known, [bare[0], *runs[1:]], marks).curves["risk_coverage"]
    assert not isinstance(mixed, Undefined)
    assert mixed.left_out == (("a0/0", "no confidence"),)
    given = scored(known, bare, marks, confidence={row.run_id: 0.1 for row in bare}).curves["risk_coverage"]
    assert not isinstance(given, Undefined)
    for wrong in ({"elsewhere": 0.5}, {"a0/0": float("nan")}, {"a0/0": True}):
        with pytest.raises(InputError):
            scored(known, bare, marks, confidence=wrong)


def test_without_verdicts_the_curve_speaks_of_false_answers_only() -> None:
    """Answerable at .9 and .3; unanswerable answered at .5, declined once."""
    known = [question("a1"), question("a2"), question("u1", "unanswerable"), question("u2", "unanswerable")]
    runs = [
        run("a1", "answered", meta={"confidence": 0.9}),
        run("a2", "answered", meta={"confidence": 0.3}),
        run("u1", "answered", meta={"confidence": 0.5}),
        run("u2", "cannot_answer", meta={"confidence": 0.99}),
    ]
    scores = scored(known, runs)
    assert isinstance(scores.curves["risk_coverage"], Undefined)
    curve = scores.curves["false_answer_curve"]
    assert not isinstance(curve, Undefined)
    assert [point[3:] for point in curve.points] == [(0.5, 0.0), (0.5, 0.5), (1.0, 0.5)]
    assert isinstance(curve.area, Undefined)


def test_runs_of_no_question_and_questions_of_no_run_are_listed() -> None:
    stray = run("zz", "answered")
    scores = scored(QUESTIONS, [*RUNS[:1], stray])
    assert scores.left_out == (("zz/0", "question 'zz' is not in the set"),)
    assert scores.not_asked == ("a2", "u1", "u2", "u3")
    assert "none of the 3 unanswerable questions was asked" in scores.notes


def test_tables_and_json_say_the_same() -> None:
    scores = scored(QUESTIONS, RUNS, intervals=Intervals(resamples=50))
    shown = {table.key: table for table in tables(scores)}
    assert shown["answerability"].rows[-1] == ("all", 5, 1, 2, 4, 2, 0, 9)
    rates = {row[0]: cell_text(row[1]) for row in shown["refusal_rates"].rows}
    assert rates["false_answer_rate"].startswith("25.0 % (1/4)")
    assert shown["refusal_rates"].rows[0][2] == "1/2 [1.3, 98.7]"
    as_json = json.loads(json.dumps(scores.as_json(), allow_nan=False))
    assert as_json["measures"]["false_answer_rate"]["exact"]["any_run"]["events"] == 1
    assert as_json["measures"]["crag_score"] == {
        "undefined": "answers to answerable questions have no recall verdicts, so none is known to be right"
    }
    assert len(shown["strata"].rows) == 10


OUTCOMES = st.sampled_from(["answered", "partly_answered", "cannot_answer", None, "assumed"])
WORLD = st.lists(
    st.tuples(st.sampled_from(["factual", "lookup", "unanswerable"]), st.lists(OUTCOMES, max_size=3)),
    min_size=1,
    max_size=8,
)


def built(world: list[tuple[str, list[str | None]]]) -> tuple[list[Any], list[Any]]:
    known = [question(f"q{n}", tier) for n, (tier, _) in enumerate(world)]
    runs = []
    for n, (_, outcomes) in enumerate(world):
        for repeat, outcome in enumerate(outcomes):
            assumed = outcome == "assumed"
            meta = {"assumed": ["answer.outcome"]} if assumed else {}
            runs.append(run(f"q{n}", "answered" if assumed else outcome, repeat, meta=meta))
    return known, runs


@settings(deadline=None, max_examples=60)
@given(WORLD, st.randoms(use_true_random=False))
def test_any_world_cross_foots_is_bounded_and_forgets_the_order(
    world: list[tuple[str, list[str | None]]], shuffled: random.Random
) -> None:
    known, runs = built(world)
    scores = scored(known, runs)
    assert scores.table.runs == len(runs) == sum(row.total for row in scores.table.strata)
    for answerable in (True, False):
        row = scores.table.row(answerable=answerable)
        assert sum(row.values()) == sum(case.answerable == answerable for case in scores.cases)
    assert sum(row.questions for row in scores.table.strata) == len(known)
    assert sum(row.asked for row in scores.table.strata) == sum(bool(outcomes) for _, outcomes in world)
    for name, found in scores.measures.items():
        if isinstance(found, Measured) and isinstance(found.value, float):
            assert (-1 if name.startswith("crag") else 0) <= found.value <= 1
    false, correct = (scores.rates[name].measured.value for name in ("false_answer_rate", "correct_refusal_rate"))
    if isinstance(false, float) and isinstance(correct, float):
        assert false + correct == pytest.approx(1)
    mixed_known, mixed_runs = list(known), list(runs)
    shuffled.shuffle(mixed_known)
    shuffled.shuffle(mixed_runs)
    again = scored(mixed_known, mixed_runs).as_json()
    first = scores.as_json()
    for one in (again, first):
        one["not_asked"] = sorted(one["not_asked"])
    assert again == first


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=10, max_size=25))
def test_the_area_agrees_with_its_definition_and_lies_between_0_and_1(answers: list[tuple[float, bool]]) -> None:
    known = [question(f"a{n}") for n in range(len(answers))]
    runs = [run(f"a{n}", "answered", meta={"confidence": sure}) for n, (sure, _) in enumerate(answers)]
    marks = [verdict(f"a{n}/0", f"a{n}_n0", "HIT" if hit else "MISS") for n, (_, hit) in enumerate(answers)]
    area = value(scored(known, runs, marks).measures["risk_coverage_area"])
    risks = []
    for sure, _ in answers:
        out = [hit for other, hit in answers if other >= sure]
        risks.append(out.count(False) / len(out))
    assert area == pytest.approx(sum(risks) / len(risks))
    assert 0 <= area <= 1
