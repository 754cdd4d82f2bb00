"""Two sets of records side by side: which runs and rankings meet, what is left out, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from answertrail.errors import MismatchError
from answertrail.experiments.compare import Comparison
from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.experiments.side_files import read_side
from answertrail.experiments.sides import check_records, compare_records, runs_side
from answertrail.experiments.view.comparison import tables
from answertrail.metrics.measured import Intervals
from answertrail.metrics.values import Estimate, Undefined
from answertrail.records import RetrievalRun, Run, Verdict
from tests.experiments.made import MODELS, question, run, verdict

FEW = Intervals(resamples=200)
OTHER = {"name": "other", "version": "1", "hash": "sha256:bbbb"}
NUGGETS = [{"nugget_id": f"n{n}", "text": f"fact {n}", "kind": "fact"} for n in range(2)]
GOLD = question_set(question(f"q{n:02}", nuggets=NUGGETS, relevant=[{"id": f"q{n:02}"}]) for n in range(20))
HARD = GOLD.ids[10:]


def rankings(names: Iterable[str], mode: str, repeats: Callable[[str], Iterable[int]]) -> list[RetrievalRun]:
    """Rankings that find the gold of every question but the hard ones."""
    rows = []
    for name in names:
        for repeat in repeats(name):
            unit = "nothing" if name in HARD else name
            row = {"schema": "retrieval_run/1", "question_id": name, "mode": mode, "ranked": [{"id": unit}]}
            rows.append(RetrievalRun.model_validate({**row, "repeat": repeat}))
    return rows


def answers(
    repeats: int, lost: Callable[[str, int], bool] = lambda *_: False, gold: QuestionSet = GOLD, **more: object
) -> tuple[list[Run], list[Verdict]]:
    """Runs that state every nugget but those of hard questions; a lost one ended without a valid answer."""
    runs, verdicts = [], []
    for name in gold.ids:
        for repeat in range(repeats):
            failed = {"status": "failed", "error": {"kind": "no_valid_answer"}} if lost(name, repeat) else {}
            runs.append(run(name, repeat, **{**more, **failed}))
            if not failed:
                verdicts += [verdict(runs[-1], n["nugget_id"], "MISS" if name in HARD else "HIT") for n in NUGGETS]
    return runs, verdicts


def difference(found: Comparison, name: str) -> float:
    (row,) = (row for row in found.rows if row.name == name)
    assert isinstance(row.difference, Estimate)
    return row.difference.value


def test_rankings_are_compared_on_the_questions_both_have_and_the_rest_is_listed() -> None:
    half, whole = GOLD.ids[::2], GOLD.ids
    a, b = (rankings(names, mode, lambda _: [0]) for names, mode in ((half, "a"), (whole, "b")))
    found = compare_records(GOLD, a, b, measures=["recall@10"], intervals=FEW)
    assert difference(found, "recall@10") == 0
    assert (found.common, found.only_first, found.only_second) == (10, (), GOLD.ids[1::2])
    assert any("Only B was asked 10 question(s)" in note for note in tables(found)[0].notes)


def test_rankings_with_unequal_repeats_are_refused_and_when_allowed_leave_nothing_but_pairs() -> None:
    a = rankings(GOLD.ids, "a", lambda _: [0, 1])
    b = rankings(GOLD.ids, "b", lambda name: [0] if name in GOLD.ids[3:16] else [0, 1])
    with pytest.raises(MismatchError, match=r"13 question.*2 and 1 times"):
        compare_records(GOLD, a, b, measures=["recall@10"], intervals=FEW)
    found = compare_records(GOLD, a, b, measures=["recall@10"], allow_unequal_repeats=True, intervals=FEW)
    assert difference(found, "recall@10") == 0
    assert found.unequal_repeats == GOLD.ids[3:16]
    shifted = rankings(GOLD.ids, "b", lambda _: [1, 2])
    with pytest.raises(MismatchError, match="repeats 0, 1 and repeats 1, 2"):
        compare_records(GOLD, a, shifted, measures=["recall@10"], intervals=FEW)


def test_a_ranking_that_is_an_error_is_left_out_of_both_sides() -> None:
    a, b = (rankings(GOLD.ids, mode, lambda _: [0]) for mode in ("a", "b"))
    b[0] = b[0].model_copy(update={"ranked": [], "meta": {"error": "timeout"}})
    with pytest.raises(MismatchError, match="1 of 20 rankings are errors"):
        compare_records(GOLD, a, b, measures=["recall@10"], intervals=FEW)
    found = compare_records(GOLD, a, b, measures=["recall@10"], allow_invalid=True, intervals=FEW)
    assert difference(found, "recall@10") == 0
    assert found.failed == (("q00", 0),)
    assert any("1 of 20 rankings are errors" in flag for flag in found.flags)


def test_failed_runs_of_hard_questions_make_no_difference_between_equal_systems() -> None:
    a, a_says = answers(3)
    b, b_says = answers(3, lambda name, repeat: name in HARD and repeat > 0, recipe=OTHER)
    found = compare_records(GOLD, a, b, verdicts=[*a_says, *b_says], measures=["recall", "failure_rate"], intervals=FEW)
    assert difference(found, "recall") == 0
    assert (found.rows[0].better, found.rows[0].same, found.rows[0].worse) == (0, 20, 0)
    assert found.rows[0].unequal == HARD
    assert len(found.failed) == 20
    assert any(note.startswith("20 run(s) failed on a side") for note in tables(found)[0].notes)
    assert difference(found, "failure_rate") == pytest.approx(20 / 60)  # this one has a figure for a failed run
    # Had the 40 units been there: between 60 and 100 of 120, against 60 of 120.
    assert found.rows[0].bounds == pytest.approx((0, 40 / 120))


def test_units_without_a_verdict_give_bounds_beside_the_difference() -> None:
    a, a_says = answers(1)
    b, b_says = answers(1, recipe=OTHER)
    kept = [row for row in b_says if row.verdict == "HIT" or row.question_id not in HARD[:3]]
    found = compare_records(GOLD, a, b, verdicts=[*a_says, *kept], measures=["recall"], intervals=FEW)
    assert found.rows[0].unscored == (0, 6)
    assert found.rows[0].bounds == pytest.approx((0, 6 / 40))
    shown = tables(found)[0]
    assert shown.rows[0][shown.columns.index("B - A between")] == "+0.0 and +15.0"


def test_a_measure_with_half_its_verdicts_missing_on_one_side_is_printed_with_the_reason() -> None:
    a, a_says = answers(1)
    b, b_says = answers(1, recipe=OTHER)
    verdicts = [*a_says, *b_says[::2]]
    for measures in ([], ["recall"], ["factual/recall"]):
        found = compare_records(GOLD, a, b, verdicts=verdicts, measures=measures, intervals=FEW)
        row = next(row for row in found.rows if row.name.endswith("recall"))
        assert isinstance(row.difference, Undefined)
        assert "20 of 40 nuggets are unscored" in row.difference.reason


def test_runs_without_a_question_id_are_joined_by_their_words() -> None:
    a, a_says = answers(1)
    b = [run(name, recipe=OTHER).model_copy(update={"question_id": None}) for name in GOLD.ids]
    side = runs_side("b", GOLD, b)
    assert side.asked == {name: {0} for name in GOLD.ids}
    assert side.done is not None
    assert side.done.repeats == (1,)
    found = compare_records(GOLD, a, b, verdicts=a_says, measures=["over_refusal_rate"], intervals=FEW)
    assert (found.common, difference(found, "over_refusal_rate")) == (20, 0)


def test_more_than_two_in_a_hundred_accidents_are_no_result_to_compare() -> None:
    a, _ = answers(1)
    b = [run(name, recipe=OTHER) for name in GOLD.ids[1:]]
    b.append(run("q00", recipe=OTHER, status="failed", error={"kind": "service", "message": "down"}))
    with pytest.raises(MismatchError, match=r"1 of 20 runs ended by an accident.*--allow-invalid"):
        compare_records(GOLD, a, b, measures=["over_refusal_rate"], intervals=FEW)
    found = compare_records(GOLD, a, b, measures=["over_refusal_rate"], allow_invalid=True, intervals=FEW)
    assert any("1 of 20 runs ended by an accident" in flag for flag in found.flags)


def test_runs_are_not_compared_with_rankings_nor_under_other_models_of_any_role() -> None:
    a, _ = answers(1)
    with pytest.raises(MismatchError, match="rankings with rankings"):
        compare_records(GOLD, a, rankings(GOLD.ids, "m", lambda _: [0]))
    for models in ({**MODELS, "reranker": "one"}, {**MODELS, "agent": "other"}, {"writer": "one"}):
        b, _ = answers(1, models=models)
        with pytest.raises(MismatchError, match="model: reader and "):
            check_records(GOLD, (tuple(a), ()), (tuple(b), ()))
    one, two = (answers(1, models={**MODELS, "reranker": name})[0] for name in ("one", "two"))
    with pytest.raises(MismatchError, match="model: reader; reranker: one and reader; reranker: two"):
        check_records(GOLD, (tuple(one), ()), (tuple(two), ()))


def test_a_trec_run_file_is_a_side(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q00 Q0 q00 1 2.0 bm25\nq01 Q0 x 1 2.0 bm25\nq00 Q0 q00 1 2.0 dense\nq01 Q0 q01 1 2.0 dense\n")
    (_, (_, first)), (label, (_, second)) = read_side(f"{path}#bm25"), read_side(f"{path}#dense")
    assert label == "dense"
    found = compare_records(GOLD, first, second, measures=["recall@10"], intervals=FEW)
    assert difference(found, "recall@10") == pytest.approx(0.5)
    assert found.common == 2
