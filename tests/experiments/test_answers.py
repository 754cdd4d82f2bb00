"""Scores of a whole run file: one system, one judge, tiers and slices that add up, failures first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.experiments import answers as module
from answertrail.experiments.answers import score_answers
from answertrail.experiments.inputs import question_set
from answertrail.experiments.view.answers import tables
from answertrail.experiments.view.table import ReportTable, cell_text
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.values import Interval, Undefined
from answertrail.records import Run, Verdict
from tests.metrics.answers.worlds import FEW, PLAIN, marks, question, run, statements, verdict

GOLD = question_set(
    [
        question("a", "fact", "fact", group="kiln", language="en"),
        question("b", "stance", "stance", tier="longitudinal", group="glaze", language="ko", important=True),
        question("c", "stance", "shift", tier="longitudinal", language="en"),
        question("u", tier="unanswerable", language="en"),
    ]
)
RUNS = [run("a"), run("b"), run("c"), run("u", outcome="cannot_answer")]
VERDICTS = [*marks("a.0", "HH MM"), *marks("b.0", "HH HM"), *marks("c.0", "MH HH")]


def scored(runs: list[Run] = RUNS, verdicts: list[Verdict] = VERDICTS, **more: Any) -> module.AnswerScores:
    return score_answers(GOLD, runs, verdicts, **{"intervals": PLAIN, **more})


def by_key(scores: module.AnswerScores) -> dict[str, ReportTable]:
    return {table.key: table for table in tables(scores)}


def parts(found: Measured | Undefined) -> tuple[float, float]:
    assert isinstance(found, Measured)
    return found.ratio.numerator, found.ratio.denominator


def test_measures_of_the_whole_and_of_each_tier() -> None:
    found = scored()
    assert parts(found.measures["recall"]) == (3, 5)
    assert parts(found.tiers["factual"].measures["recall"]) == (1, 2)
    assert parts(found.tiers["longitudinal"].measures["recall"]) == (2, 3)
    assert found.tiers["unanswerable"].measures["recall"] == Undefined("no fact or stance nugget")
    assert parts(found.by_tier["longitudinal/shift_recall"]) == (1, 1)
    assert found.judge == "hand"


def test_slices_add_up_and_questions_without_the_value_stay_together() -> None:
    found = scored().slices
    groups = found["group"]
    assert not isinstance(groups, Undefined)
    assert {name: parts(rates["recall"].value) for name, rates in groups.items() if rates["recall"].scored} == {
        "(none)": (0, 1),
        "glaze": (2, 2),
        "kiln": (1, 2),
    }
    single = score_answers(question_set([question("a", "fact")]), [run("a")], marks("a.0", "HH"), intervals=PLAIN)
    assert single.slices["group"] == Undefined("all questions are of one: (none)")


def test_slices_that_do_not_add_up_are_not_shown() -> None:
    found = scored()
    groups = found.slices["group"]
    assert not isinstance(groups, Undefined)
    assert module.cross_foot(found.rates, list(groups.values())) is None
    fault = module.cross_foot(found.rates, [groups["kiln"], groups["(none)"]])
    assert fault == "recall: (3, 0, 1) against (5, 0, 3) (scored, unscored, hits)"
    refused = replace(found, slices={"group": Undefined(f"the slices do not add up: {fault}")})
    assert by_key(refused)["by_group"].columns == ("not shown",)


def test_questions_stand_important_first_then_worst_first() -> None:
    found = scored()
    assert [row.question_id for row in found.per_question] == ["b", "c", "a", "u"]
    missed = next(row for row in found.per_question if row.question_id == "a").missed
    assert [item.as_json() for item in missed] == [
        {
            "nugget_id": "a_n2",
            "text": "a nugget 2",
            "kind": "fact",
            "missed": 1,
            "scored": 1,
            "retrieved_when_missed": 0,
        }
    ]
    shown = by_key(found)["failures"]
    assert [row[0] for row in shown.rows] == ["c", "a"]
    assert shown.notes == ("2 of 4 questions; the first 2 are shown.",)


def test_stated_without_evidence_is_listed_with_its_reasons() -> None:
    shown = by_key(scored())["stated_without_evidence"]
    assert shown.rows == (("b", 0, "b_n2", "stance", "b nugget 2", "judged HIT", "judged MISS"),)


def test_a_failed_run_is_listed_and_moves_no_rate() -> None:
    found = scored([*RUNS, run("a", 1, status="over_budget")])
    assert parts(found.measures["recall"]) == (3, 5)
    assert [row.status for row in found.errors] == ["over_budget"]
    headline = by_key(found)["answers"]
    assert headline.rows[0][0] == "recall"
    assert headline.rows[0][-1] == "2 in 1 run (as misses: 42.9 %)"


def test_runs_of_two_systems_are_refused_with_their_names_until_one_is_chosen() -> None:
    other = run("a", 1, recipe={"name": "hybrid", "hash": "sha256:2"})
    with pytest.raises(InputError, match="runs of 2 systems: unnamed, hybrid") as caught:
        scored([*RUNS, other])
    assert caught.value.hint == "choose one with --system NAME"
    found = scored([*RUNS, other], system="unnamed")
    assert found.system == "unnamed"
    assert parts(found.measures["recall"]) == (3, 5)
    with pytest.raises(NotFoundError, match="no run is of system 'x'"):
        scored(system="x")


def test_verdicts_of_two_judges_are_refused_until_one_is_chosen() -> None:
    second = [
        row.model_copy(update={"verdict_id": f"{row.verdict_id}2", "judge": {"name": "lexical"}, "verdict": "MISS"})
        for row in VERDICTS
    ]
    with pytest.raises(InputError, match="verdicts of 2 judges in one score: hand, lexical"):
        scored(verdicts=[*VERDICTS, *second])
    found = scored(verdicts=[*VERDICTS, *second], judge="lexical")
    assert (found.judge, found.rates["recall"].hits) == ("lexical", 0)
    assert {row.reason for row in found.left_out} == {"of judge 'hand'"}
    with pytest.raises(NotFoundError, match="no verdict is of judge 'x'"):
        scored(judge="x")
    changed = VERDICTS[0].model_copy(update={"judge": {"name": "hand", "prompt_hash": "sha256:2"}})
    with pytest.raises(InputError, match="verdicts of 2 judges"):
        scored(verdicts=[changed, *VERDICTS[1:]], judge="hand")


def test_a_verdict_on_other_words_than_the_nugget_is_listed() -> None:
    edited = VERDICTS[0].model_copy(update={"claim": "something else"})
    found = scored(verdicts=[edited, *VERDICTS[1:]])
    assert found.outdated == ("a.0/recall/n1",)
    assert by_key(found)["outdated"].rows == (("a.0/recall/n1",),)


def test_a_run_asked_other_words_than_its_question_is_refused() -> None:
    with pytest.raises(MismatchError, match="the run was asked 'another'"):
        scored([run("a", question="another")])


def test_without_verdicts_what_needs_none_is_there() -> None:
    answer = statements(("claim", ["c1", "c9"], "HIT"), ("claim", ["c2"], "MISS"))
    found = scored([run("a", answer=answer, cost_usd=0.25)], [], corpus_ids={"c1", "c2"})
    assert found.measures["recall"] == Undefined("no verdicts given")
    assert parts(found.measures["citation_exists"]) == (2, 3)
    assert parts(found.measures["citation_retrieved"]) == (2, 3)
    assert parts(found.measures["citation_support"]) == (1, 2)
    assert found.support_source == "the runs' own support check"
    assert found.effort["factual"].quantities["cost_usd"].total == 0.25
    assert "waterfall" not in by_key(found)
    unknown = scored([run("a", answer=answer)], [])
    assert isinstance(unknown.measures["citation_exists"], Undefined)
    assert "neither citation_checks nor the ids of the corpus" in unknown.measures["citation_exists"].reason


def test_citation_verdicts_take_the_place_of_the_runs_own_check() -> None:
    answer = statements(("claim", ["c1"], "MISS"))
    row = verdict("a.0", "citation", "0", unit={"kind": "statement", "id": "0"})
    found = scored([run("a", answer=answer)], [row])
    assert parts(found.measures["citation_support"]) == (1, 1)
    assert found.support_source == "judge hand"


def test_an_interval_resamples_questions_and_the_order_of_records_does_not_move_it() -> None:
    first, second = scored(intervals=FEW), scored(RUNS[::-1], VERDICTS[::-1], intervals=FEW)
    found = first.measures["recall"]
    assert isinstance(found, Measured)
    assert isinstance(found.interval, Interval)
    assert found.interval.low < 0.6 < found.interval.high
    assert first.as_json() == second.as_json()


def test_no_run_is_refused() -> None:
    with pytest.raises(InputError, match="no run to score"):
        scored([])


def test_a_range_names_both_ends_by_tier() -> None:
    found = scored([*RUNS, run("a", 1)], [*VERDICTS, *marks("a.1", "HH HH")])
    row = next(row for row in by_key(found)["ranges"].rows if row[:2] == ("factual", "recall"))
    assert row == ("factual", "recall", "50.0 %", "100.0 %", 2, None)


def test_intervals_of_another_kind_are_passed_on() -> None:
    assert scored(intervals=Intervals("none")).measures["recall"].interval is None  # type: ignore[union-attr]


def test_a_tier_whose_statements_nobody_judged_says_so() -> None:
    answer = statements(*[("claim", ["c1"], None) for _ in range(3)])
    one = verdict("a.0", "groundedness", "0", unit={"kind": "statement", "id": "0"})
    found = scored([run("a", answer=answer), run("b", answer=answer)], [one])
    rate = found.tiers["longitudinal"].rates["groundedness"]
    assert (rate.value, rate.unscored) == (Undefined("no assertion is scored"), 3)


def test_lost_units_of_the_tiers_add_up_to_those_of_the_whole() -> None:
    found = scored([*RUNS[:2], run("a", 1), run("b", 1, status="failed")], max_unscored_share=0.5)
    parts_lost = [tier.measures["recall"] for tier in found.tiers.values()]
    lost = [part.lost_units for part in parts_lost if isinstance(part, Measured)]
    whole = found.measures["recall"]
    assert isinstance(whole, Measured)
    assert whole.lost_units == 2 + 2 * 1  # b failed once; c was never asked, in neither of two repeats
    assert sum(number or 0 for number in lost) == whole.lost_units
    assert "2 of 4 questions were never asked: they are lost, and fail gates." in by_key(found)["answers"].notes
    assert "; 4 lost" in cell_text(by_key(found)["answers"].rows[0][1])


def test_a_verdict_on_framing_is_listed() -> None:
    answer = statements(("framing", [], None), ("claim", ["c1"], None))
    rows = [verdict("a.0", "groundedness", n, unit={"kind": "statement", "id": n}) for n in ("0", "1")]
    found = scored([run("a", answer=answer)], rows)
    assert [(row.kind, row.id) for row in found.left_out] == [("verdict", "a.0/groundedness/0")]
    assert parts(found.measures["groundedness"]) == (1, 1)


def test_retrieved_all_the_same_is_counted_over_the_misses_whose_ceiling_was_judged() -> None:
    runs = [run("a", repeat) for repeat in range(3)]
    verdicts = [
        *marks("a.0", "MH HH"),
        *marks("a.1", "MM HH"),
        *(row for row in marks("a.2", "MH HH") if row.direction == "recall"),
    ]
    found = scored(runs, verdicts)
    (item,) = next(row for row in found.per_question if row.question_id == "a").missed
    assert (item.missed, item.retrieved_when_missed, item.unscored_when_missed) == (3, 1, 1)
    shown = by_key(found)["missed_nuggets"]
    assert shown.rows[0][shown.columns.index("retrieved all the same")] == "1 of 2 (1 not judged)"


def test_the_values_of_a_failing_question_stand_before_its_text() -> None:
    shown = by_key(scored())["failures"]
    assert shown.columns[:4] == ("question", "recall", "ceiling", "nuggets missed")
    assert shown.columns[-1] == "text"
