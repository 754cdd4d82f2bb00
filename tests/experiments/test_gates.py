"""Gates compare what was asked for and fail closed."""

from __future__ import annotations

import pytest

from answertrail.errors import InputError
from answertrail.experiments.gates import check_gates, parse_gate
from answertrail.experiments.view.gates import gate_table
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals, Lost, Measured, Unscored, measure
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined

FEW = Intervals(resamples=200)


def recall(hits: int, of: int, *, missing: int = 0, intervals: Intervals = FEW) -> Measured:
    """One unit a question."""
    rows = [Observation(f"q{number}", int(number < hits), 1) for number in range(of)]
    unscored = [Unscored("q0", missing, "no verdict")] if missing else []
    return measure("recall", rows, statistic="totals", unscored=unscored, intervals=intervals)


def passes(found: object, text: str, direction: str = "under") -> bool:
    gate = parse_gate(f"recall={text}", "over" if direction == "over" else "under")
    (outcome,) = check_gates({"recall": found}, [gate])  # type: ignore[dict-item]
    return outcome.passed


def test_the_value_the_lower_end_and_the_upper_end() -> None:
    found = Ratio(8, 10, Interval(0.5, 0.9, 0.95, "percentile"))
    assert passes(found, "0.8")
    assert passes(found, "0.8:value")
    assert not passes(found, "0.81")
    assert passes(found, "0.5:lower")
    assert not passes(found, "0.51:lower")
    assert passes(found, "0.8", "over")
    assert not passes(found, "0.79", "over")
    assert passes(found, "0.9:upper", "over")
    assert not passes(found, "0.89:upper", "over")


def test_rounding_of_a_sum_does_not_fail_a_gate() -> None:
    assert 0.1 + 0.2 != 0.3
    assert passes(Estimate(0.1 + 0.2), "0.3", "over")
    assert 0.7 + 0.1 < 0.8
    assert passes(Estimate(0.7 + 0.1), "0.8")


@pytest.mark.parametrize(
    ("found", "text", "why"),
    [
        (Undefined("no verdict was given"), "0", "unmeasurable: no verdict was given"),
        (Ratio(0, 0, None, "no question"), "0", "unmeasurable: no question"),
        (Ratio(9, 10), "0.1:lower", "unmeasurable: it has no interval to compare an end of"),
        (Estimate(0.9, Undefined("one question")), "0.1:lower", "unmeasurable: it has no interval: one question"),
        (recall(9, 10, missing=4), "0.8", "unmeasurable: 4 unit(s) unscored"),
        (recall(9, 10, intervals=Intervals("none")), "0.1:lower", "unmeasurable: it has no interval"),
    ],
)
def test_what_cannot_be_measured_fails(found: object, text: str, why: str) -> None:
    (outcome,) = check_gates({"recall": found}, [parse_gate(f"recall={text}")])  # type: ignore[dict-item]
    assert not outcome.passed
    assert why in outcome.reason
    assert outcome.as_json()["passed"] is False


def test_unscored_units_are_forgiven_where_the_worst_case_passes() -> None:
    found = recall(9, 10, missing=4)  # 9/14 = 0.643 at worst, 13/14 = 0.929 at best
    assert passes(found, "0.64")
    assert not passes(found, "0.65")
    assert passes(found, "0.93", "over")
    assert not passes(found, "0.92", "over")
    (outcome,) = check_gates({"recall": found}, [parse_gate("recall=0.6")])
    assert outcome.value == pytest.approx(9 / 14)
    assert "4 unscored counted against it" in outcome.reason


def test_a_mean_is_worst_with_the_missing_units_in_their_question() -> None:
    rows = [Observation("a", 2, 2), Observation("b", 1, 1)]
    found = measure(
        "recall", rows, statistic="means", unscored=[Unscored("b", 1, "no verdict")], intervals=Intervals("none")
    )
    assert passes(found, "0.75")  # a 2/2, b 1/2
    assert not passes(found, "0.76")


@pytest.mark.parametrize("text", ["recall", "=0.8", "recall=", "recall=high", "recall=0.8:middle", "recall=nan"])
def test_what_is_not_a_gate_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_gate(text)
    assert text in str(caught.value.where)


def test_an_unknown_measure_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"known: recall, dense/recall@10\)"):
        check_gates(
            {"recall": Ratio(1, 2), "dense/recall@10": Ratio(1, 2), "cited_share": Ratio(1, 2)},
            [parse_gate("recal=0.8")],
        )


@pytest.mark.parametrize("name", ["cited_share", "run-a/cited_share", "duplicate_search_rate", "retrieval_drift"])
def test_no_gate_on_what_is_informational(name: str) -> None:
    with pytest.raises(InputError, match="ADR 0019"):
        parse_gate(f"{name}=0.5")
    with pytest.raises(InputError, match="takes no gate"):
        parse_gate(f"{name}=0.5", "over")


def test_the_table_says_how_many_failed() -> None:
    outcomes = check_gates({"recall": Ratio(1, 2)}, [parse_gate("recall=0.4"), parse_gate("recall=0.6")])
    shown = gate_table(outcomes)
    assert shown.title == "Gates: 1 of 2 failed"
    assert [row[1] for row in shown.rows] == ["passed", "FAILED"]
    assert shown.rows[1][3] == "the value 0.5 falls short of 0.6"


def test_every_entry_of_unscored_units_counts_against_the_gate() -> None:
    rows = [Observation(f"q{number}", 1, 1) for number in range(8)]
    several = [Unscored("q0", 1, "no verdict"), Unscored("q1", 1, "no verdict"), Unscored("q1", 2, "too long")]
    found = measure("recall", rows, statistic="totals", unscored=several, intervals=FEW)
    assert passes(found, "0.66")  # 8/12
    assert not passes(found, "0.67")


def lossy(*lost: Lost) -> Measured:
    rows = [Observation(f"q{number}", 1, 1) for number in range(8)]
    unscored = [Unscored("q0", 1, "no verdict")]
    return measure("recall", rows, statistic="totals", unscored=unscored, lost=lost, intervals=FEW)


def test_lost_units_count_against_the_gate_as_unscored_ones_do() -> None:
    found = lossy(Lost("q1", 2, "run ended failed"), Lost("q9", 1, "the question was never asked"))
    assert passes(found, "0.66")  # 8/12
    assert not passes(found, "0.67")
    assert not passes(found, "0.99", "over")  # 12/12
    (outcome,) = check_gates({"recall": found}, [parse_gate("recall=0.6")])
    assert "with 1 unscored and 3 lost counted against it" in outcome.reason
    (outcome,) = check_gates({"recall": found}, [parse_gate("recall=0.9")])
    assert outcome.value == 1
    assert outcome.reason == (
        "unmeasurable: 1 unit(s) unscored and 3 unit(s) lost: "
        "run ended failed (1 question(s)), the question was never asked (1 question(s))"
    )


def test_an_unknown_number_of_lost_units_is_unmeasurable_whatever_the_threshold() -> None:
    found = lossy(Lost("q1", None, "run ended failed"))
    assert not passes(found, "0")
    assert not passes(found, "1", "over")
    (outcome,) = check_gates({"recall": found}, [parse_gate("recall=0")])
    assert "an unknown number of unit(s) lost: run ended failed" in outcome.reason


def test_a_measure_without_a_value_fails_even_where_the_lost_units_would_pass() -> None:
    found = measure("recall", [], statistic="totals", lost=[Lost("q", 3, "run ended failed")], if_empty="no run")
    assert not passes(found, "0")
    assert not passes(found, "1", "over")


def test_what_is_no_share_is_unmeasurable_with_anything_missing() -> None:
    rows = [Observation("a", 1, 1), Observation("b", 1, 1)]
    found = measure("amount", rows, statistic="means", lost=[Lost("c", 1, "run ended failed")], share=False)
    assert not check_gates({"amount": found}, [parse_gate("amount=0")])[0].passed


def test_runs_that_are_no_result_fail_every_gate() -> None:
    gates = [parse_gate("recall=0"), parse_gate("recall=1", "over")]
    for outcome in check_gates({"recall": recall(9, 10)}, gates, no_result="3 of 10 runs ended by an accident"):
        assert not outcome.passed
        assert outcome.reason == "unmeasurable: 3 of 10 runs ended by an accident"
        assert outcome.value == 0.9
