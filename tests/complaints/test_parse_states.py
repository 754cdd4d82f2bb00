"""Complaints about parse failures, NaN and missing verdicts in other tools, each as a test of ours."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.errors import InputError
from answertrail.experiments.answers import score_answers
from answertrail.experiments.gates import check_gates, parse_gate
from answertrail.experiments.inputs import question_set, read_verdicts
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Undefined
from answertrail.records import Run, Verdict, jsonl
from tests.metrics.answers.worlds import PLAIN, marks, question, run, statements, verdict

QUESTIONS = question_set([question("a", "fact", "fact"), question("b", "fact", "fact")])
RUNS = [run("a"), run("b")]


def scored(verdicts: list[Verdict], runs: list[Run] | None = None, share: float = 0.2) -> Any:
    return score_answers(QUESTIONS, runs or RUNS, verdicts, intervals=PLAIN, max_unscored_share=share)


def written(path: Path, rows: list[Verdict]) -> Path:
    jsonl.write(path, rows)
    return path


def test_complaint_1_a_verdict_is_hit_miss_or_unscored_with_a_reason_and_unscored_is_never_averaged() -> None:
    rows = [*marks("a.0", "HH HH"), *marks("b.0", "HH MH")]
    whole = scored(rows)
    asked_again = [row.model_copy(update={"verdict": "UNSCORED"}) if row.verdict == "MISS" else row for row in rows]
    part = scored(asked_again, share=0.5)
    assert whole.rates["recall"].value.value == 3 / 4
    assert part.rates["recall"].value.value == 3 / 3
    assert (part.rates["recall"].scored, part.rates["recall"].unscored) == (3, 1)
    assert [tuple(row) for row in part.rates["recall"].value.unscored] == [("b", 1, "judged MISS")]
    silent = {key: value for key, value in rows[0].as_json().items() if key != "reason"}
    with pytest.raises(InputError, match="UNSCORED needs a reason"):
        jsonl.parse(Verdict, {**silent, "verdict": "UNSCORED"}, where="f:1")


def test_complaint_2_undetermined_is_a_typed_state_and_no_float() -> None:
    found = scored([])
    assert found.measures["recall"] == Undefined("no verdicts given")
    assert found.rates["recall"].as_json()["undefined"] == "no verdicts given"
    assert "value" not in found.rates["recall"].as_json()


def test_complaint_3_verdicts_that_came_are_kept_and_the_missing_ones_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "v.jsonl", [*marks("a.0", "HH HH"), *marks("b.0", "HH")])
    found = scored(list(read_verdicts(path)), share=0.5)
    assert found.rates["recall"].hits == 3
    missing = [(c.run_id, c.nugget_id, c.recall.reason) for c in found.grid.cells if not c.recall.scored]
    assert missing == [("b.0", "b_n2", "no verdict")]
    cut = path.read_text(encoding="utf-8")[:-40]
    path.write_text(cut, encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON") as caught:
        read_verdicts(path)
    assert caught.value.where == f"{path}:6"


def test_complaint_4_one_unit_without_a_verdict_does_not_take_the_others_with_it() -> None:
    found = scored([*marks("a.0", "UU HH"), *marks("b.0", "HH MM")], share=0.5)
    assert found.rates["recall"].value.value == 2 / 3
    assert found.waterfall.total == 3
    assert found.waterfall.unscored == 1
    assert [row.question_id for row in found.per_question] == ["b", "a"]


def test_complaint_5_scored_unscored_and_errored_stand_beside_every_rate_and_bound_it() -> None:
    runs = [run("a"), run("b", status="failed"), run("b", 1)]
    found = scored([*marks("a.0", "HH HH"), *marks("b.1", "HH --")], runs, share=0.3)
    for rate in found.as_json()["measures"].values():
        assert {"scored", "unscored", "errored", "errored_runs"} <= set(rate)
    recall = found.rates["recall"]
    assert (recall.scored, recall.unscored, recall.errored, recall.errored_runs) == (3, 1, 2, 1)
    assert recall.bounds == (3 / 4, 4 / 4)
    refused = scored([*marks("a.0", "HH HH"), *marks("b.1", "HH --")], runs, share=0.2).rates["recall"]
    assert isinstance(refused.value, Undefined)
    assert "1 of 4 nuggets are unscored (no verdict): above the 20% allowed" in refused.value.reason
    assert refused.bounds == (3 / 4, 4 / 4)


@given(st.lists(st.sampled_from(["HH", "HM", "MH", "MM", "UU", "--"]), min_size=4, max_size=4))
@settings(max_examples=40, deadline=None)
def test_complaint_6_what_is_written_as_json_reads_back_as_the_same_measures(pairs: list[str]) -> None:
    rows = [*marks("a.0", " ".join(pairs[:2])), *marks("b.0", " ".join(pairs[2:]))]
    found = scored(rows)
    text = json.dumps(found.as_json(), allow_nan=False)
    assert jsonl.loads(text) == found.as_json()
    again = [jsonl.parse_line(Verdict, jsonl.dumps(row), where="f:1") for row in rows]
    assert scored(again).as_json() == found.as_json()


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_complaint_7_nan_and_infinity_are_refused_when_read(tmp_path: Path, token: str) -> None:
    path = tmp_path / "v.jsonl"
    line = jsonl.dumps(verdict("a.0", "recall", "n1", cost_usd=0.5)).replace("0.5", token)
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON") as caught:
        read_verdicts(path)
    assert caught.value.where == f"{path}:1"


def test_complaint_8_a_failed_judgement_is_neither_a_miss_nor_gone() -> None:
    found = scored([*marks("a.0", "HU UH"), *marks("b.0", "HH HH")], share=0.5)
    recall, ceiling = found.rates["recall"], found.rates["ceiling"]
    assert (recall.hits, recall.scored, recall.unscored) == (3, 3, 1)
    assert (ceiling.hits, ceiling.scored, ceiling.unscored) == (3, 3, 1)


def test_complaint_9_success_and_failure_have_one_type() -> None:
    worlds = [
        scored([*marks("a.0", "HH HH"), *marks("b.0", "HH HH")]),
        scored([]),
        scored(marks("a.0", "UU UU"), [run("a")]),
        scored([], [run("a", status="failed")]),
    ]
    shapes = {
        frozenset(rate.as_json())
        - {"bounds", "value", "numerator", "denominator", "interval", "undefined", "errors_as_misses"}
        for world in worlds
        for rate in world.rates.values()
    }
    assert shapes == {frozenset({"unit", "scored", "unscored", "errored", "errored_runs"})}
    assert len({tuple(world.rates) for world in worlds}) == 1


def test_complaint_10_what_was_skipped_is_listed_with_a_reason() -> None:
    runs = [run("a", status="failed"), run("b", retrieved=[], answer=statements(("claim", ["c1"], "HIT")))]
    found = scored(marks("b.0", "HH HH"), runs)
    assert [(row.run_id, row.status, row.reason) for row in found.errors] == [("a.0", "failed", "the endpoint is down")]
    skipped = {(row.measure, row.run_id): row.reason for row in found.not_applicable}
    assert skipped[("groundedness", "b.0")] == "the run retrieved nothing"
    reasons = {row.question_id: row.reason for row in found.ineligible if "recall" in row.measures}
    assert reasons == {"a": "no run completed"}
    assert found.left_out[0].reason == "overruled: the run retrieved nothing"


def test_complaint_11_a_gate_on_what_could_not_be_measured_fails_closed() -> None:
    gate = [parse_gate("recall=0.1")]
    nothing = check_gates(scored([]).measures, gate)[0]
    assert (nothing.passed, nothing.reason) == (False, "unmeasurable: no verdicts given")
    few = check_gates(scored(marks("a.0", "HH HH")).measures, gate)[0]
    assert not few.passed
    assert few.reason.startswith("unmeasurable: 2 of 4 nuggets are unscored")
    part = scored([*marks("a.0", "MM MM"), *marks("b.0", "HH --")], share=0.5)
    diluted = check_gates(part.measures, [parse_gate("recall=0.3")])[0]
    assert part.rates["recall"].value.value == 1 / 3
    assert (diluted.passed, diluted.reason) == (False, "unmeasurable: 1 unit(s) unscored")


def test_complaint_12_groundedness_without_retrieval_does_not_apply_and_is_never_1() -> None:
    runs = [run("a", retrieved=[]), run("b")]
    rows = [verdict("a.0", "groundedness", "x"), verdict("b.0", "groundedness", "y", "MISS")]
    found = scored(rows, runs)
    assert found.rates["groundedness"].value.value == 0.0
    assert [(r.run_id, r.reason) for r in found.not_applicable if r.measure == "groundedness"] == [
        ("a.0", "the run retrieved nothing")
    ]
    alone = scored([verdict("a.0", "groundedness", "x")], [run("a", retrieved=[])])
    assert alone.measures["groundedness"] == Undefined("no answer makes an assertion from what it retrieved")


def test_complaint_14_verdicts_are_counted_against_the_statements_sent() -> None:
    nothing = scored(marks("a.0", "HH HH"), [run("a")]).measures["groundedness"]
    assert nothing == Undefined("no groundedness verdicts given")
    rows = [verdict("a.0", "groundedness", f"x{n}", meta={"sent": 5}) for n in range(4)]
    found = scored(rows, [run("a")]).rates["groundedness"]
    assert isinstance(found.value, Measured)
    assert (found.hits, found.scored, found.unscored, found.bounds) == (4, 4, 1, (4 / 5, 5 / 5))
    with pytest.raises(InputError, match="of 3 units sent"):
        scored([row.model_copy(update={"meta": {"sent": 3}}) for row in rows], [run("a")])


def test_no_value_of_any_table_is_nan() -> None:
    def numbers(value: Any) -> list[float]:
        if isinstance(value, dict):
            return [n for item in value.values() for n in numbers(item)]
        if isinstance(value, list):
            return [n for item in value for n in numbers(item)]
        return [value] if isinstance(value, float) else []

    assert not [n for n in numbers(scored(marks("a.0", "HU UM")).as_json()) if not math.isfinite(n)]
