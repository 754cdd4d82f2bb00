"""Two systems: paired on common questions, refused when more differs than is meant, counted by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.errors import InputError, MismatchError
from answertrail.experiments.compare import compare
from answertrail.experiments.compare_measures import MeasureComparison, compare_measures
from answertrail.experiments.conditions import Condition, Conditions
from answertrail.experiments.registration import Done, register
from answertrail.experiments.side import Side
from answertrail.experiments.sides import names_to_compare, read_side, runs_side, with_tiers
from answertrail.experiments.view.comparison import tables
from answertrail.experiments.view.table import cell_text
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals, Lost, Measured, Unscored, measure
from answertrail.metrics.paired import Statistic
from answertrail.metrics.permutation import TestResult
from answertrail.metrics.trajectory.definitions import CITED_SHARE
from answertrail.metrics.values import Estimate, Interval, Undefined
from tests.experiments.made import questions, run
from tests.experiments.test_registration import BODY

FEW = Intervals(resamples=300)


def measured(
    values: Mapping[str, tuple[float, float]], name: str = "recall", statistic: Statistic = "totals"
) -> Measured:
    rows = [Observation(key, x, y) for key, (x, y) in values.items()]
    return measure(name, rows, statistic=statistic, intervals=Intervals("none"))


A = {"q1": (1, 2), "q2": (0, 2), "q3": (2, 2), "q4": (1, 4), "only_a": (5, 5)}
B = {"q1": (2, 2), "q2": (1, 2), "q3": (1, 2), "q4": (1, 4), "only_b": (0, 9)}


def compared(
    a: Mapping[str, tuple[float, float]], b: Mapping[str, tuple[float, float]], **more: Any
) -> MeasureComparison:
    name, statistic = more.pop("name", "recall"), more.pop("statistic", "totals")
    return compare_measures(measured(a, name, statistic), measured(b, name, statistic), intervals=FEW, **more)


def test_both_values_are_over_the_common_questions_and_the_rest_is_listed() -> None:
    found = compared(A, B)
    assert (found.first.numerator, found.first.denominator) == (4, 10)
    assert (found.second.numerator, found.second.denominator) == (5, 10)
    assert isinstance(found.difference, Estimate)
    assert found.difference.value == pytest.approx(0.1)
    assert isinstance(found.difference.interval, Interval)
    assert (found.only_first, found.only_second) == (("only_a",), ("only_b",))
    assert (found.better, found.same, found.worse) == (2, 1, 1)
    assert found.questions == 4


def test_the_p_value_is_the_share_of_sign_flips_by_hand() -> None:
    found = compared(A, B, statistic="means")  # differences +1/2, +1/2, -1/2, 0: mean 1/8
    # Flips of three halves and a zero: |sum| is 1/2 or 3/2, all at least the observed 1/2.
    assert isinstance(found.test, TestResult)
    assert found.test.p == 1
    assert found.test.smallest == pytest.approx(2 / 2**4)
    better = {key: (y, y) for key, (_, y) in A.items()}
    worse = {key: (0, y) for key, (_, y) in A.items()}
    test = compared(worse, better, statistic="means").test
    assert isinstance(test, TestResult)
    assert test.p == pytest.approx(2 / 2**5)  # only all or none of five flips reach it


def test_where_low_is_good_fewer_is_better() -> None:
    assert compared(A, B, name="false_answer_rate").better == 1
    assert compared(A, B, name="factual/false_answer_rate").better == 1


def test_a_repeat_that_one_side_has_no_figure_for_is_left_out_of_both() -> None:
    a, b = measured(A), measured(B)
    twice = replace(b, observations=(*b.observations, Observation("q1", 1, 2, 1)))
    found = compare_measures(a, twice, intervals=FEW)
    assert found.unequal == ("q1",)
    assert (found.difference, found.test) == (compared(A, B).difference, compared(A, B).test)
    with pytest.raises(MismatchError, match="means"):
        compare_measures(a, measured(B, statistic="means"))


def test_bounds_of_the_difference_take_every_missing_unit_for_and_against() -> None:
    a, b = measured({"q1": (1, 2), "q2": (1, 2)}), measured({"q1": (2, 2)})
    missing = replace(b, unscored=(Unscored("q1", 1, "no reply"),), lost=(Lost("q2", 2, "timeout"),))
    assert compare_measures(a, b, intervals=FEW).bounds is None
    # A has 2 of 4; B has 2 of 2, and 3 units more that may all be misses or all be hits.
    assert compare_measures(a, missing, intervals=FEW).bounds == pytest.approx((2 / 5 - 1 / 2, 1 - 1 / 2))
    swapped = compare_measures(missing, a, intervals=FEW).bounds
    assert swapped == pytest.approx((1 / 2 - 1, 1 / 2 - 2 / 5))
    means = [replace(side, statistic="means") for side in (a, missing)]
    # By question: A 1/2 and 1/2; B from 2/3 and 0 to 1 and 1.
    assert compare_measures(*means, intervals=FEW).bounds == pytest.approx((1 / 3 - 1 / 2, 1 - 1 / 2))
    unknown = replace(b, lost=(Lost("q2", None, "timeout"),))
    assert isinstance(compare_measures(a, unknown, intervals=FEW).bounds, Undefined)


def test_a_difference_that_missing_units_could_undo_is_flagged() -> None:
    values = {f"q{n}": (1.0, 2.0) for n in range(6)}
    better = measured({**values, **{f"q{n}": (2, 2) for n in range(4)}})
    b = replace(better, unscored=tuple(Unscored(f"q{n}", 2, "no verdict") for n in range(4, 6)))
    found = compare(side("a", values), replace(side("b", values), measures={"recall": b}), ["recall"], intervals=FEW)
    (row,) = found.rows
    assert isinstance(row.difference, Estimate)
    assert isinstance(row.difference.interval, Interval)
    assert row.difference.interval.low > 0
    assert not row.undecided  # 10 of 16 at least is above 6 of 12
    worse = replace(b, unscored=tuple(Unscored(f"q{n}", 9, "no verdict") for n in range(4, 6)))
    doubtful = compare(
        side("a", values), replace(side("b", values), measures={"recall": worse}), ["recall"], intervals=FEW
    )
    assert doubtful.rows[0].undecided
    shown = tables(doubtful)[0]
    assert "B - A between" in shown.columns
    assert any(note.startswith("FLAG, recall") for note in shown.notes)
    assert doubtful.as_json()["flags"]
    assert doubtful.as_json()["measures"]["recall"]["bounds"] == doubtful.rows[0].bounds


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_swapping_the_sides_turns_the_signs_and_order_changes_nothing(pairs: Any, chance: Any) -> None:
    a = {f"q{n}": (x, 3) for n, (x, _) in enumerate(pairs)}
    b = {f"q{n}": (y, 3) for n, (_, y) in enumerate(pairs)}
    quick = Intervals(resamples=20)
    one = compare_measures(measured(a), measured(b), intervals=quick)
    other = compare_measures(measured(b), measured(a), intervals=quick)
    assert (one.better, one.same, one.worse) == (other.worse, other.same, other.better)
    assert one.better + one.same + one.worse == one.questions == len(pairs)
    assert isinstance(one.difference, Estimate)
    assert isinstance(other.difference, Estimate)
    assert one.difference.value == pytest.approx(-other.difference.value)
    assert isinstance(one.test, TestResult)
    assert isinstance(other.test, TestResult)
    assert one.test.p == pytest.approx(other.test.p)
    keys = list(a)
    chance.shuffle(keys)
    again = compare_measures(measured({key: a[key] for key in keys}), measured(b), intervals=quick)
    assert again == replace(one)


def side(label: str, values: Mapping[str, tuple[float, float]], *names: str, **conditions: str | None) -> Side:
    found: dict[str, str | None] = {"recipe": f"sha256:{label}", "model": "reader", "corpus": "sha256:c", **conditions}
    return Side(
        label,
        {name: measured(values, name) for name in names or ("recall",)},
        Conditions(label, tuple(Condition(k, v, str(v)) for k, v in found.items())),  # type: ignore[arg-type]
        dict.fromkeys(values, frozenset({0})),
    )


def test_only_what_is_under_test_may_differ() -> None:
    a, b = side("a", A), side("b", B, model="openai:x")
    with pytest.raises(MismatchError, match=r"model: reader and openai:x.*--under-test model"):
        compare(a, b, ["recall"], intervals=FEW)
    allowed = compare(a, b, ["recall"], allow_different=["model"], intervals=FEW)
    assert allowed.allowed == ("model",)
    assert {d.name: row[3] for d, row in zip(allowed.differing, tables(allowed)[2].rows, strict=True)} == {
        "recipe": "under test",
        "model": "allowed by the caller",
    }
    unknown = compare(a, side("b", B, corpus=None), ["recall"], intervals=FEW)
    assert "cannot be checked" in str(tables(unknown)[2].rows[1][3])


def test_questions_asked_of_one_side_only_are_listed_in_the_table() -> None:
    found = compare(side("a", A), side("b", B), ["recall"], intervals=FEW)
    assert (found.only_first, found.only_second, found.common) == (("only_a",), ("only_b",), 4)
    notes = " ".join(tables(found)[0].notes)
    assert "only_a" in notes
    assert "only_b" in notes
    with pytest.raises(MismatchError, match="no question in common"):
        compare(side("a", {"x": (1, 1)}), side("b", {"y": (1, 1)}), ["recall"], intervals=FEW)


def test_unequal_numbers_of_runs_are_refused_and_said_when_allowed() -> None:
    a, b = side("a", A), replace(side("b", B), asked={**side("b", B).asked, "q2": frozenset(range(3))})
    with pytest.raises(MismatchError, match="'q2': 1 and 3 times"):
        compare(a, b, ["recall"], intervals=FEW)
    allowed = compare(a, b, ["recall"], allow_unequal_repeats=True, intervals=FEW)
    assert allowed.unequal_repeats == ("q2",)
    assert any("Not asked equally often" in note for note in tables(allowed)[0].notes)


def test_holm_runs_over_all_measures_or_over_the_registered_ones() -> None:
    names = ("recall", "needle_recall", "groundedness")
    a = side("a", {f"q{n}": (0, 1) for n in range(6)}, *names)
    b = side("b", {f"q{n}": (1, 1) for n in range(6)}, *names)
    smallest = 2 / 2**6
    found = compare(a, b, names, intervals=FEW)
    assert [row.adjusted_p for row in found.rows] == pytest.approx([3 * smallest] * 3)
    registered = register({**BODY, "alpha": 0.1})
    found = compare(a, b, names, registration=registered, intervals=FEW)
    assert [row.adjusted_p for row in found.rows] == [pytest.approx(2 * smallest)] * 2 + [None]
    assert {row.family for row in found.rows} == {2}
    assert "Holm over the 2 registered test(s), 2 measure(s) of 1 comparison(s)" in tables(found)[0].notes[0]
    assert found.alpha == 0.1
    assert [row[0] for row in tables(found)[0].rows] == ["recall", "needle_recall", "groundedness (exploratory)"]


def test_parts_of_one_measure_keep_their_own_names() -> None:
    names = ("false_answer_rate/near_miss", "false_answer_rate/missing_topic")
    a, b = (
        replace(side(label, A), measures={name: measured(values, "false_answer_rate") for name in names})
        for label, values in (("a", A), ("b", {**B, "q1": (0, 2)}))
    )
    found = compare(a, replace(b, asked=side("b", A).asked), names, intervals=FEW)
    assert tuple(found.as_json()["measures"]) == names
    assert found.rows[0].family == 2
    assert (found.rows[0].better, found.rows[0].worse) == (2, 1)  # low is good


def test_deviations_are_part_of_the_comparison() -> None:
    a = replace(side("a", A), done=Done("a", "sha256:a", "reader", "s", "g", (1,), None, frozenset({None})))
    found = compare(a, side("b", B), ["recall"], registration=register(BODY), intervals=FEW)
    kinds = {row.kind for row in found.deviations}
    assert {"recipe", "corpus snapshot", "gold", "repeats", "measure missing"} <= kinds
    assert found.as_json()["registration"]["deviations"]


def test_unscored_units_and_unknown_measures_are_told() -> None:
    a = side("a", A)
    lacking = replace(measured(A), unscored=(Unscored("q1", 3, "no reply"),))
    found = compare(replace(a, measures={"recall": lacking}), side("b", B), ["recall"], intervals=FEW)
    assert any("3 unit(s) of A" in note for note in tables(found)[0].notes)
    with pytest.raises(InputError, match="known: recall"):
        compare(a, side("b", B), ["recal"], intervals=FEW)


def test_the_family_is_all_that_was_registered_whatever_the_data_leave_of_it() -> None:
    names = ("recall", "needle_recall", "citation_recall", "groundedness")
    zeros, ones = {f"q{n}": (0, 1) for n in range(6)}, {f"q{n}": (1, 1) for n in range(6)}
    a, b = side("a", zeros, *names), side("b", ones, "recall")
    missing = {name: Undefined("no verdicts") for name in names[1:]}
    b = replace(b, measures={**b.measures, **missing})
    (p,) = (row.test.p for row in compare(a, b, ["recall"], intervals=FEW).rows if isinstance(row.test, TestResult))
    found = compare(a, b, names, intervals=FEW)  # undefined tests are tests that were asked for
    assert [(row.adjusted_p, row.family) for row in found.rows] == [(pytest.approx(4 * p), 4)] + [(None, 4)] * 3
    three = [*BODY["systems"], {"name": "third", "hash": "sha256:cccc", "model": "reader"}]
    made = register({**BODY, "measures": [{"name": name} for name in names], "systems": three})
    found = compare(a, b, names, registration=made, intervals=FEW)
    assert found.rows[0].adjusted_p == pytest.approx(8 * p)
    assert {row.family for row in found.rows} == {8}
    assert compare(a, b, ["recall"], registration=made, intervals=FEW).rows[0].family == 8


def test_a_measure_that_one_side_does_not_have_is_a_row_with_the_reason() -> None:
    a, b = side("a", A), replace(side("b", B), measures={"recall": Undefined("25 of 50 nuggets are unscored")})
    assert names_to_compare(a, b, []) == names_to_compare(a, b, ["all"]) == ["recall"]
    found = compare(a, b, ["recall"], intervals=FEW)
    (row,) = found.rows
    assert row.first.value == pytest.approx(4 / 10)
    for undefined in (row.second.value, row.difference, row.test):
        assert isinstance(undefined, Undefined)
        assert "25 of 50 nuggets are unscored" in undefined.reason
    shown = " ".join(cell_text(cell) for table in tables(found) for cells in table.rows for cell in cells)
    assert "25 of 50 nuggets are unscored" in shown
    assert "recall" in found.as_json()["measures"]
    registered = compare(a, b, ["recall"], registration=register({**BODY, "measures": [BODY["measures"][0]]}))
    assert not {"measure missing", "statistic"} & {row.kind for row in registered.deviations}


def test_two_sides_of_one_name_are_told_apart() -> None:
    found = compare(side("x", A), side("x", B), ["recall"], intervals=FEW)
    assert tables(found)[0].title == "A = x (A), B = x (B)"


def test_a_side_with_too_many_accidents_is_refused_and_flagged_when_allowed() -> None:
    a, b = side("a", A), replace(side("b", B), invalid="3 of 9 runs ended by an accident")
    with pytest.raises(MismatchError, match="3 of 9 runs ended by an accident"):
        compare(a, b, ["recall"], intervals=FEW)
    allowed = compare(a, b, ["recall"], allow_invalid=True, intervals=FEW)
    assert any("3 of 9 runs" in note for note in tables(allowed)[0].notes if note.startswith("FLAG, b"))


@pytest.mark.parametrize("name", ["cited_share", "mean_cited_share", "factual/cited_share"])
def test_the_definition_of_cited_share_stands_beside_it(name: str) -> None:
    found = compare(side("a", A, name), side("b", B, name), [name], intervals=FEW)
    assert CITED_SHARE in tables(found)[0].notes
    assert found.as_json()["definitions"] == {"cited_share": CITED_SHARE}
    other = compare(side("a", A), side("b", B), ["recall"], intervals=FEW)
    assert other.as_json()["definitions"] == {}


def test_a_side_of_runs_has_answers_refusals_trajectories_and_one_tier() -> None:
    gold = questions("a", "b")
    first = runs_side("base", gold, [run("a"), run("b")])
    assert first.asked == {"a": {0}, "b": {0}}
    assert "over_refusal_rate" in first.measures
    name = "factual/over_refusal_rate"
    tiered = with_tiers(first, gold, [name])
    tier = tiered.measure(name)
    assert isinstance(tier, Measured)
    assert tier.questions == 2
    assert "over_refusal_rate" in names_to_compare(first, first, ["all"])
    assert not any(first.has(name) for name in ("cited_share", "recall", "nothing"))
    assert "recall" not in names_to_compare(first, first, [])  # no verdict on either side
    assert "confidence_auroc" not in names_to_compare(first, first, ["all"])


def test_a_file_with_two_systems_or_two_modes_wants_a_name(tmp_path: Any) -> None:
    from answertrail.records import RetrievalRun, jsonl

    rows = [
        RetrievalRun.model_validate({"schema": "retrieval_run/1", "question_id": "a", "mode": mode, "ranked": []})
        for mode in ("dense", "lexical")
    ]
    path = tmp_path / "rankings.jsonl"
    jsonl.write(path, rows)
    with pytest.raises(InputError, match="dense, lexical"):
        read_side(str(path))
    label, (_, rankings) = read_side(f"{path}#lexical")
    assert (label, len(rankings)) == ("lexical", 1)
    with pytest.raises(InputError, match="no mode 'fused'"):
        read_side(f"{path}#fused")
    two = tmp_path / "runs.jsonl"
    jsonl.write(two, [run("a"), run("a", recipe={"name": "other", "hash": "sha256:o"})])
    with pytest.raises(InputError, match="2 systems"):
        read_side(str(two))
    assert read_side(f"{two}#other")[0] == "other"


def test_every_cell_of_the_tables_can_be_written() -> None:
    found = compare(side("a", {"q": (1, 1)}), side("b", {"q": (1, 1)}), ["recall"], intervals=FEW)
    for shown in tables(found):
        assert all(cell_text(cell) for row in shown.rows for cell in row)
