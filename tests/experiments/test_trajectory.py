"""Trajectories of runs: hand-computed measures, what is listed, what is refused, and the opt-in candidates."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.errors import InputError, NotFoundError
from answertrail.experiments.drift import run_drifts
from answertrail.experiments.gates import Gate, parse_gate
from answertrail.experiments.inputs import question_set, read_questions
from answertrail.experiments.trajectory import TrajectoryScores, score_trajectories
from answertrail.experiments.utility import passage_utility
from answertrail.experiments.view.table import cell_text
from answertrail.experiments.view.trajectory import MEANINGS, tables
from answertrail.metrics.measured import IntervalMethod, Intervals
from answertrail.metrics.trajectory.definitions import CITED_SHARE, INFORMATIONAL
from answertrail.metrics.trajectory.drift import Drift
from answertrail.metrics.trajectory.utility import Utility
from answertrail.metrics.values import Interval, Undefined
from answertrail.models.embedding.base import EmbedderIdentity, Role, Vectors
from answertrail.records import Question, Run
from tests.experiments.trajectory_worlds import asked, ran, worlds

PLAIN = Intervals("none")
QUESTIONS = question_set(
    [
        asked("both", ("a", 40, 50), ("b", 5, 8)),
        asked("half", ("a", 0, 10), ("a", 90, 95)),
        asked("declined", ("c", 0, 10)),
        asked("silent", ("c", 0, 10)),
        asked("u", tier="unanswerable"),
        asked("bare"),
    ]
)
RUNS = [
    ran("both", [["a:00030", "x:00000"], ["b:00000", "a:00030"]], ["a:00030", "b:00000"]),
    ran("half", [["a:00000", "a:00030"], ["a:00030"]], ["a:00000", "a:00030", "a:00300"], repeat=0),
    ran("half", [["a:00000", "a:00090"]], ["a:00090"], repeat=1),
    ran("declined", [["c:00000"]]),
    ran("u", [["a:00000"], []]),
    ran("bare", [[]], ["a:00000"]),
]


def counts(scores: TrajectoryScores) -> dict[str, tuple[float, float]]:
    return {name: (found.ratio.numerator, found.ratio.denominator) for name, found in scores.measures.items()}


def test_each_measure_by_hand() -> None:
    found = counts(score_trajectories(RUNS, QUESTIONS, intervals=PLAIN))
    assert found["needle_recall"] == (2 + 1 + 2 + 1, 2 + 2 + 2 + 1)
    assert found["mean_needle_recall"] == (1 + 3 / 4 + 1, 3)
    assert found["citation_recall"] == (2 + 1 + 1 + 0, 7)
    assert found["supporting_fact_precision"] == (2 + 1 + 1, 2 + 3 + 1)
    # F1: both 1; half: P 1/3, R 1/2 -> 2/5, and P 1, R 1/2 -> 2/3; declined 0.
    assert found["supporting_fact_f1"] == pytest.approx((1 + (2 / 5 + 2 / 3) / 2 + 0, 3))
    assert found["cited_share"] == (2 + 2 + 1 + 0 + 0, 3 + 2 + 2 + 1 + 1)
    assert found["mean_cited_share"] == pytest.approx((2 / 3 + 3 / 4, 4))
    assert found["duplicate_search_rate"] == (1, 2 + 2 + 1 + 1 + 1)
    assert found["chunks_per_search"] == pytest.approx((3 / 2 + 4 / 3 + 1 + 1 / 2 + 0, 5))


def test_by_document_every_id_counts_as_its_document_once() -> None:
    found = counts(score_trajectories(RUNS, QUESTIONS, unit="document", intervals=PLAIN))
    assert found["needle_recall"] == (2 + 1 + 1 + 1, 2 + 1 + 1 + 1)
    assert found["supporting_fact_precision"] == (2 + 1 + 1, 2 + 1 + 1)
    assert found["cited_share"] == (5, 9)  # of what was retrieved, whatever the unit of the gold


def test_what_took_no_part_is_listed_with_its_reason() -> None:
    failed = ran("silent", [["c:00000"]], status="failed", answer=None, error={"kind": "service", "message": "down"})
    found = score_trajectories([*RUNS, failed, ran("stranger", [])], QUESTIONS, intervals=PLAIN)
    assert [(row.run_id, row.status, row.reason) for row in found.errored] == [("run-silent-0", "failed", "down")]
    assert [row.id for row in found.left_out] == ["run-stranger-0"]
    assert {row.question_id for row in found.ineligible} == {"u", "bare"}
    reasons = {(row.measure, row.run_id): row.reason for row in found.not_applicable}
    assert reasons[("cited_share", "run-bare-0")] == "nothing was retrieved"
    assert reasons[("supporting_fact_precision", "run-declined-0")] == "the answer cites nothing"
    assert counts(found)["needle_recall"] == (6, 7)
    unasked = score_trajectories(RUNS, QUESTIONS, intervals=PLAIN)
    assert unasked.missing == ("silent",)
    assert ("silent", "no run") in unasked.measures["needle_recall"].ineligible


def test_made_up_ids_are_reported_run_by_run_and_count_against_precision_only() -> None:
    found = score_trajectories(RUNS, QUESTIONS, intervals=PLAIN)
    assert found.fabricated == (("run-bare-0", "a:00000"), ("run-half-0", "a:00300"))
    assert next(table for table in tables(found) if table.key == "fabricated").rows == (
        ("bare", "run-bare-0", "a:00000"),
        ("half", "run-half-0", "a:00300"),
    )


def test_imported_runs_that_carry_less_are_never_scored_as_0() -> None:
    silent = ran("both", [], searches=None, answer={"outcome": "answered", "text": "So."})
    found = score_trajectories([silent], QUESTIONS, intervals=PLAIN)
    assert all(isinstance(measured.value, Undefined) for measured in found.measures.values())
    reasons = {row.measure: row.reason for row in found.not_applicable}
    assert reasons["needle_recall"] == "the run does not say what it retrieved"
    assert reasons["citation_recall"] == "the run does not carry its statements"
    assert reasons["chunks_per_search"] == "the run does not carry its searches"


def test_without_questions_runs_are_grouped_by_id_else_by_words() -> None:
    nameless = [run.model_copy(update={"question_id": None, "repeat": None}) for run in RUNS]
    found = score_trajectories(nameless, intervals=PLAIN)
    assert set(found.measures) == {"cited_share", "mean_cited_share", "duplicate_search_rate", "chunks_per_search"}
    assert counts(found)["mean_cited_share"] == pytest.approx((2 / 3 + 3 / 4, 4))
    assert found.questions_hash is None
    assert not found.left_out
    runs = next(table for table in tables(found) if table.key == "runs")
    assert {row[0] for row in runs.rows} == {"both?", "half?", "declined?", "u?", "bare?"}
    assert counts(score_trajectories(RUNS, intervals=PLAIN)) == counts(found)


def test_the_definition_stands_beside_the_share_wherever_it_appears() -> None:
    found = score_trajectories(RUNS, QUESTIONS, intervals=PLAIN)
    shown = found.as_json()
    assert shown["definitions"]["cited_share"] == CITED_SHARE
    assert shown["measures"]["cited_share"]["definition"] == CITED_SHARE
    assert "exploration" in shown["measures"]["cited_share"]["informational"]
    for table in tables(found):
        words = [*table.columns, *(cell_text(cell) for row in table.rows for cell in row[:1])]
        assert any("cited_share" in word for word in words) <= (CITED_SHARE in table.notes), table.key
    assert set(found.measures) <= set(MEANINGS)


@pytest.mark.parametrize("name", sorted(INFORMATIONAL))
@pytest.mark.parametrize("form", ["{}=0.1", "{}=0.1:lower", "agent/{}=0.1"])
def test_no_gate_can_be_set_on_an_informational_measure(name: str, form: str) -> None:
    for direction in ("under", "over"):
        with pytest.raises(InputError, match=name):
            parse_gate(form.format(name), direction)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="takes no gate"):
        Gate(name, 0.1)
    assert parse_gate("needle_recall=0.1").measure == "needle_recall"


def test_precision_at_k_is_refused_with_the_reason_and_an_unknown_name_with_the_known_ones() -> None:
    found = score_trajectories(RUNS, QUESTIONS, intervals=PLAIN)
    assert not [name for name in found.measures if "@" in name or name == "precision"]
    with pytest.raises(InputError, match="not offered on trajectories: a trajectory is a sequence of searches"):
        found.measure("precision@5")
    with pytest.raises(NotFoundError, match="no measure 'speed'"):
        found.measure("speed")
    assert found.measure("needle_recall") is found.measures["needle_recall"]


def test_gold_that_contradicts_itself_is_refused_by_question() -> None:
    bad = asked("q", relevant=[{"id": "a", "grade": 1}, {"id": "a", "grade": 2}])
    with pytest.raises(InputError, match="two grades") as caught:
        score_trajectories([ran("q", [])], question_set([bad]))
    assert caught.value.where == "q"


@given(worlds(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_measures_are_bounded_and_forget_order_and_repeats(
    world: tuple[list[Question], list[Run]], random: Any
) -> None:
    questions, runs = world
    found = score_trajectories(runs, question_set(questions), intervals=PLAIN)
    bounded = [name for name in found.measures if name != "chunks_per_search"]
    for name in bounded:
        assert 0 <= found.measures[name].ratio.numerator <= found.measures[name].ratio.denominator + 1e-9
    shuffled = random.sample(questions, len(questions)), random.sample(runs, len(runs))
    assert counts(score_trajectories(shuffled[1], question_set(shuffled[0]), intervals=PLAIN)) == counts(found)
    doubled = [_doubled(run) for run in runs]
    again = counts(score_trajectories(doubled, question_set(questions), intervals=PLAIN))
    assert {name: again[name] for name in bounded} == {name: counts(found)[name] for name in bounded}


@given(worlds())
@settings(deadline=None)
def test_retrieving_more_lowers_no_needle_recall(world: tuple[list[Question], list[Run]]) -> None:
    questions, runs = world
    more = [_with_search(run, ["a:00030", "b:00060"]) for run in runs]
    before, after = (
        counts(score_trajectories(some, question_set(questions), intervals=PLAIN))["needle_recall"]
        for some in (runs, more)
    )
    assert after[0] >= before[0]
    assert after[1] == before[1]


class Letters:
    """Embeds a text as its counts of a, b and c: small enough to do by hand."""

    identity = EmbedderIdentity("letters", "1", 3)
    batch_size = 2

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        assert role == "query"
        self.sent += texts
        return np.array([[text.count(sign) for sign in "abc"] for text in texts], dtype=np.float32)


def test_drift_comes_from_an_embedder_each_text_once() -> None:
    runs = [_queried("q", "aa", ["a", "b", "a"]), _queried("p", "aa", []), ran("bare", [], searches=None)]
    embedder = Letters()
    drifts = asyncio.run(run_drifts(runs, embedder))
    assert sorted(embedder.sent) == ["a", "aa", "b"]
    assert drifts["run-q-0"].distances == (0, 1, 0)
    assert set(drifts) == {"run-q-0", "run-p-0"}
    found = score_trajectories(runs, drifts=drifts, intervals=PLAIN)
    assert counts(found)["retrieval_drift"] == pytest.approx((1 / 3, 1))
    assert counts(found)["retrieval_drift_slope"] == pytest.approx((0, 1))
    reasons = {row.run_id: row.reason for row in found.not_applicable if row.measure == "retrieval_drift"}
    assert reasons == {"run-p-0": "no search", "run-bare-0": "the run does not carry its searches"}
    assert "retrieval_drift" in found.as_json()["definitions"]


class Words:
    """Calls a passage useful when it shares a word with the answer, at a price per passage."""

    name = "words"

    async def utility(self, passage: str, question: str, answer: str) -> Utility:
        return Utility(float(bool(set(passage.split()) & set(answer.split()))), "shared words", 0.25)


def test_passage_utility_needs_a_judge_and_carries_its_price() -> None:
    chunks = [{"id": i, "document_id": "a", "text": text} for i, text in (("a:00000", "So. it"), ("a:00030", "no"))]
    run = ran("q", [["a:00000", "a:00030"]], ["a:00000"], chunks=chunks)
    with pytest.raises(InputError, match="none ships with AnswerTrail"):
        asyncio.run(passage_utility(run))
    found = asyncio.run(passage_utility(run, Words()))
    assert (found.judge, found.mean, found.cost_usd) == ("words", 0.5, 0.5)
    assert [name for name, _ in found.passages] == ["a:00000", "a:00030"]
    for bad in (ran("q", []), ran("q", [], status="failed", answer=None)):
        with pytest.raises(InputError):
            asyncio.run(passage_utility(bad, Words()))


def test_real_gold_against_a_count_made_apart() -> None:
    shared = Path(os.environ.get("ANSWERTRAIL_SHARED", Path(__file__).parents[3] / "shared"))
    path = shared / "data" / "g_gold" / "ergo_questions.jsonl"
    if not path.exists():
        pytest.skip(f"no shared data at {path}; set ANSWERTRAIL_SHARED to the folder that has it")
    questions = read_questions(path)
    # Each run retrieves the window in which every other evidence item begins, and cites the first.
    runs, surfaced, units = [], 0, 0
    for question in questions.questions:
        spans = sorted({(e.document_id, e.start_s, e.end_s) for e in question.evidence or []})
        windows = [f"{document}:{int(start // 30) * 30:05}" for document, start, _ in spans[::2] if start is not None]
        runs.append(ran(question.question_id, [windows], windows[:1], question=question.question))
        if question.tier != "unanswerable":
            units += len(spans)
            surfaced += sum(any(_overlaps(window, span) for window in windows) for span in spans)
    found = counts(score_trajectories(runs, questions, intervals=PLAIN))
    assert found["needle_recall"] == (surfaced, units)
    assert 0 < surfaced < units


@pytest.mark.parametrize("method", ["percentile", "clopper-pearson", "wilson"])
def test_what_is_no_share_takes_no_exact_interval(method: IntervalMethod) -> None:
    runs = [ran(f"q{n}", [["a:00000"]]) for n in range(8)]
    drifts = {run.run_id: Drift((1.0,), 1.0, Undefined("fewer than two searches")) for run in runs}
    found = score_trajectories(runs, drifts=drifts, intervals=Intervals(method, resamples=100))
    for name in ("chunks_per_search", "retrieval_drift"):
        measured = found.measures[name]
        assert measured.value == 1
        assert not isinstance(measured.interval, Interval) or (measured.interval.low, measured.interval.high) == (1, 1)


def test_runs_that_failed_were_never_made_or_do_not_say_are_lost_with_their_gold() -> None:
    gold = question_set([asked(name, ("a", 0, 10), ("b", 0, 10)) for name in "pqrs"])
    silent = ran("r", [], retrieved=None, searches=None, chunks=None, answer={"outcome": "answered", "text": "t"})
    runs = [ran("p", [["a:00000"]], ["a:00000"]), ran("q", [], status="failed", error={"kind": "bug"}), silent]
    found = score_trajectories(runs, gold, intervals=PLAIN).measures
    lost = {name: [(row.question_id, row.units) for row in found[name].lost] for name in found}
    assert lost["needle_recall"] == lost["mean_citation_recall"] == [("q", 2), ("s", 2), ("r", 2)]
    assert lost["supporting_fact_f1"] == [("q", 1), ("s", 1), ("r", 1)]
    assert lost["supporting_fact_precision"] == [("q", None), ("s", None), ("r", None)]
    assert lost["cited_share"] == []
    assert found["needle_recall"].value == 0.5


def _overlaps(window: str, span: tuple[str, float | None, float | None]) -> bool:
    document, _, start = window.rpartition(":")
    low, high = span[1] or 0, span[2] or 0
    return document == span[0] and low < int(start) + 30 and (high > int(start) or low == high >= int(start))


def _queried(name: str, question: str, queries: list[str]) -> Run:
    searches = [{"search_id": str(n), "query": query, "returned": []} for n, query in enumerate(queries)]
    return ran(name, [], searches=searches, question=question)


def _doubled(run: Run) -> Run:
    searches = [s.model_copy(update={"returned": s.returned * 2}) for s in run.searches or []]
    answer = run.answer
    assert answer is not None
    statements = [s.model_copy(update={"citations": s.citations * 2}) for s in answer.statements or []]
    return run.model_copy(update={"searches": searches, "answer": answer.model_copy(update={"statements": statements})})


def _with_search(run: Run, returned: list[str]) -> Run:
    more = [*(run.searches or []), *(ran("x", [returned]).searches or [])]
    return run.model_copy(update={"searches": more})
