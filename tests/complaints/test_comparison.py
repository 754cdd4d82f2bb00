"""Complaints made in public about comparing and running evaluations, each as a test of ours.

The numbers are those of the project's list of complaints; the docstring says what went wrong elsewhere.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from answertrail.agent.ask import Limits
from answertrail.agent.recipe import load
from answertrail.errors import InputError, MismatchError
from answertrail.experiments import attempts
from answertrail.experiments.asker import AgentAsker
from answertrail.experiments.ceilings import doubts
from answertrail.experiments.compare import compare
from answertrail.experiments.inputs import question_set, read_runs
from answertrail.experiments.judges import family_note
from answertrail.experiments.run_file import RunFile
from answertrail.experiments.runner import run_plan
from answertrail.experiments.side import Side
from answertrail.experiments.sides import rankings_side, runs_side, with_tiers
from answertrail.experiments.view.comparison import tables
from answertrail.experiments.view.table import cell_text
from answertrail.metrics.measured import Intervals
from answertrail.metrics.values import Interval
from answertrail.models.chat.base import ChatModel, ChatReply, ChatRequest
from answertrail.models.chat.load import load_chat_model
from answertrail.records import Question, RetrievalRun
from answertrail.store.connection import Database
from tests.agent.world import open_corpus
from tests.experiments.made import RECIPE, question, questions, run, verdict
from tests.experiments.test_runner import Answers, Quiet, keys, make, plan

FEW = Intervals(resamples=200)
NUGGETS = [{"nugget_id": "n1", "text": "one", "kind": "fact"}, {"nugget_id": "n2", "text": "two", "kind": "fact"}]
OTHER = {"name": "other", "version": "1", "hash": "sha256:bbbb"}


def test_complaint_34_two_systems_get_a_paired_delta_with_an_interval_that_two_readers_share() -> None:
    """sieval: no clustered error, no paired delta, and two readers got two intervals."""
    gold = question_set(question(f"q{n}", nuggets=NUGGETS) for n in range(8))
    sides = []
    for recipe, hits in ((RECIPE, 3), (OTHER, 6)):
        runs = [run(name, recipe=recipe) for name in gold.ids]
        says = [
            verdict(row, nugget, "HIT" if number < hits else "MISS")
            for number, row in enumerate(runs)
            for nugget in ("n1", "n2")
        ]
        sides.append(runs_side("x", gold, runs, says))
    found = compare(sides[0], sides[1], ["recall"])
    again = compare(sides[0], sides[1], ["recall"])
    row = found.rows[0]
    assert row.difference.value == pytest.approx(3 / 8)  # type: ignore[union-attr]
    assert isinstance(row.difference.interval, Interval)  # type: ignore[union-attr]
    assert row.difference.interval.seed is not None  # type: ignore[union-attr]
    assert (row.difference, row.test) == (again.rows[0].difference, again.rows[0].test)


def test_complaint_36_a_question_missing_on_one_side_is_listed_and_never_a_zero() -> None:
    """nuggetizer: means divided by the union of the questions, so a missing one counted 0."""
    gold = questions("a", "b", "c", nuggets=NUGGETS)
    first = [run(name) for name in ("a", "b", "c")]
    second = [run("a", recipe=OTHER)]
    hits = [verdict(row, nugget, "HIT") for row in [*first, *second] for nugget in ("n1", "n2")]
    found = compare(runs_side("A", gold, first, hits), runs_side("B", gold, second, hits), ["recall"], intervals=FEW)
    assert (found.rows[0].first.value, found.rows[0].second.value) == (1, 1)
    assert (found.common, found.only_first) == (1, ("b", "c"))
    assert "b, c" in " ".join(tables(found)[0].notes)


def test_complaint_36_a_ranking_missing_on_one_side_is_listed_and_never_a_zero() -> None:
    gold = question_set(question(name, relevant=[{"id": name}]) for name in ("a", "b", "c"))
    sides = []
    for mode, names in (("first", "abc"), ("second", "a")):
        rows = [
            RetrievalRun.model_validate(
                {"schema": "retrieval_run/1", "question_id": name, "mode": mode, "ranked": [{"id": name}]}
            )
            for name in names
        ]
        sides.append(rankings_side(mode, gold, rows))
    found = compare(sides[0], sides[1], ["recall@10"], intervals=FEW)
    assert (found.rows[0].first.value, found.rows[0].second.value) == (1, 1)
    assert (found.common, found.only_first) == (1, ("b", "c"))


def test_complaint_36_a_run_that_failed_on_one_side_is_left_out_of_both() -> None:
    gold = questions("easy", "hard", nuggets=NUGGETS)
    sides = []
    for recipe, kept in ((RECIPE, 3), (OTHER, 1)):
        runs = [run(name, repeat, recipe=recipe) for name in gold.ids for repeat in range(3)]
        runs = [
            row.model_copy(update={"status": "failed", "answer": None, "error": {"kind": "no_valid_answer"}})
            if row.question_id == "hard" and (row.repeat or 0) >= kept
            else row
            for row in runs
        ]
        says = [
            verdict(row, nugget, "HIT" if row.question_id == "easy" else "MISS")
            for row in runs
            if row.status == "completed"
            for nugget in ("n1", "n2")
        ]
        sides.append(runs_side("x", gold, runs, says))
    found = compare(sides[0], sides[1], ["recall"], intervals=FEW)
    assert found.rows[0].difference.value == 0  # type: ignore[union-attr]  # and not 3/4 - 1/2
    assert found.failed == (("hard", 1), ("hard", 2))


def test_complaint_37_scores_of_two_judges_are_not_compared_whatever_is_allowed() -> None:
    """BrowseComp-Plus: the paper's judge and the repository's were six points apart."""
    gold = questions("a", nuggets=NUGGETS)
    first, second = run("a"), run("a", recipe=OTHER)
    a = runs_side("A", gold, [first], [verdict(first, n, "HIT", judge={"name": "gpt"}) for n in ("n1", "n2")])
    b = runs_side("B", gold, [second], [verdict(second, n, "HIT", judge={"name": "qwen"}) for n in ("n1", "n2")])
    assert a.conditions.get("judge").shown == "gpt"
    for allowed in ((), ("judge",)):
        with pytest.raises(MismatchError, match="judge: gpt and qwen"):
            compare(a, b, ["recall"], allow_different=allowed, under_test=("recipe", *allowed))


def test_complaint_38_a_score_above_its_ceiling_raises_a_flag() -> None:
    """LoCoMo: scores above what its partly wrong key allows, by lenient judges."""
    gold = question_set(
        [
            question("a", nuggets=NUGGETS),
            question("b", nuggets=NUGGETS, meta={"erratum": "the key names the wrong year"}),
        ]
    )
    runs = [run(name) for name in ("a", "b")]
    stated = [verdict(row, nugget, "HIT") for row in runs for nugget in ("n1", "n2")]
    retrieved = [
        verdict(row, nugget, "HIT" if nugget == "n1" else "MISS", direction="ceiling")
        for row in runs
        for nugget in ("n1", "n2")
    ]
    side = runs_side("A", gold, runs, [*stated, *retrieved])
    assert any("recall 100.0% is above the retrieval ceiling 50.0%" in flag for flag in side.flags)
    assert any("above 50.0%, the most a right answer can have" in flag for flag in side.flags)
    honest = runs_side("A", gold, runs, [v for v in stated if v.question_id == "a"] + retrieved)
    assert not any("most a right answer" in flag for flag in doubts(honest.measures, questions("a", "b"), runs, []))
    other = runs_side("B", gold, [run("a", recipe=OTHER), run("b", recipe=OTHER)], [])
    shown = tables(compare(side, other, ["over_refusal_rate"], intervals=FEW))
    assert any(note.startswith("FLAG, A: recall") for note in shown[0].notes)


def test_complaint_39_tiers_have_names_and_a_number_is_refused() -> None:
    """memobase, uteke: category 2 was another category in each project."""
    with pytest.raises(ValidationError):
        Question.model_validate({"schema": "question/1", "question_id": "a", "question": "?", "tier": 2})
    gold = question_set([question("a", nuggets=NUGGETS), question("b", nuggets=NUGGETS, tier="longitudinal")])
    runs = [run("a"), run("b")]
    says = [verdict(row, n, "HIT" if row is runs[0] else "MISS") for row in runs for n in ("n1", "n2")]
    side = with_tiers(runs_side("A", gold, runs, says), gold, ["factual/recall", "2/recall"])
    assert side.measure("factual/recall").value == 1  # type: ignore[union-attr]
    with pytest.raises(InputError, match="no measure '2/recall'"):
        compare(side, replace(side, label="B"), ["2/recall"], intervals=FEW)


class Recording:
    """Passes requests on to the reader and keeps them."""

    name = family = "reader"
    price_known = True

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        return await self._model.complete(request)


@pytest.mark.asyncio
async def test_complaint_40_no_word_of_the_gold_reaches_the_agent(database: Database, tmp_path: Path) -> None:
    """animaworks: aliases of the gold and category labels were in what the agent was given."""
    secret = question(
        "SECRET-ID", question="Where was the kiln moved in January?", tier="comparative", group="SECRET-GROUP",
        note="SECRET-NOTE", node_type="SECRET-NODE", language="sv", important=True, split="dev",
        evidence=[{"document_id": "SECRET-DOC", "start_s": 31, "end_s": 37, "quote": "SECRET-QUOTE"}],
        relevant=[{"id": "SECRET-UNIT"}], meta={"alias": "SECRET-ALIAS"},
        nuggets=[{"nugget_id": "SECRET-N", "text": "SECRET-NUGGET", "kind": "fact"}],
    )  # fmt: skip
    corpus = await asyncio.to_thread(open_corpus)
    model = Recording(load_chat_model("reader", embedder=corpus.index.embedder))
    asker = AgentAsker(database, corpus, load("answertrail-2026"), model, Limits())
    made = await run_plan(plan(question_set([secret]), repeats=2), RunFile(tmp_path / "runs.jsonl"), asker, Quiet())
    assert [row.status for row in made.runs] == ["completed", "completed"]
    assert made.runs[0].tier == "comparative"  # a label of the record
    assert len(model.requests) >= 4
    for request in model.requests:
        seen = f"{request.messages!r} {request.tools!r} {request.schema!r}"
        assert "kiln moved in January" in seen
        assert "SECRET" not in seen
        assert "comparative" not in seen


def test_complaint_40_judge_and_agent_of_one_family_are_noted_and_failures_are_errors() -> None:
    """animaworks: the judge was the answerer, and failures were F1 = 0."""
    one = run("a", models={"agent": "x", "family": "qwen"})
    assert family_note([one], [verdict(one, "n1", "HIT", judge={"name": "j", "family": "qwen"})])
    down = run("b", models=one.models, status="failed", error={"kind": "service", "message": "down"})
    gold = questions("a", "b", nuggets=NUGGETS)
    side = runs_side("A", gold, [one, down], [verdict(one, n, "HIT") for n in ("n1", "n2")])
    assert side.measure("recall").value == 1  # type: ignore[union-attr]  # and not 1/2
    assert attempts.too_many_accidents([*[run("a")] * 48, down, down])  # 2 of 50
    assert not attempts.too_many_accidents([*[run("a")] * 49, down])  # 1 of 50 is not more than 2 %


def test_complaint_50_errors_are_never_kept_and_failed_ones_are_asked_again_alone(tmp_path: Path) -> None:
    """promptfoo: asking for the failed ones asked all."""
    path = tmp_path / "runs.jsonl"
    make(path, Answers({"a": ["service"], "c": ["no answer"]}))
    again, failed = Answers(), Answers()
    make(path, again)
    assert again.asked == [("a", 0)]
    make(path, failed, plan(failed_again=True))
    assert failed.asked == [("c", 0)]


def test_complaint_51_one_record_a_question_and_repeat_whatever_was_tried_before(tmp_path: Path) -> None:
    """openai/evals: a retried sample was logged twice and changed the accuracy."""
    path = tmp_path / "runs.jsonl"
    make(path, Answers({"a": ["service", "service"]}))
    make(path, Answers({"a": ["service"]}))
    made = make(path, Answers())
    assert set(Counter(keys(path)).values()) == {1}
    first = made.runs[0]
    assert [row["error"] for row in attempts.earlier(first)] == ["service", "service"]


def test_complaint_52_accidents_are_a_class_of_their_own(tmp_path: Path) -> None:
    """SWE-bench Pro: rate-limited runs were scored as failures of the system."""
    made = make(tmp_path / "runs.jsonl", Answers({"a": ["service"], "b": ["no answer"]}))
    assert [attempts.is_infrastructure(row) for row in made.runs] == [True, False, False, False, False, False]
    assert not made.valid


def test_complaint_55_a_second_call_resumes_without_being_told(tmp_path: Path) -> None:
    """alpaca_eval, rrlmgraph-bench: partial results were lost, everything was asked again."""
    path = tmp_path / "runs.jsonl"

    async def stopped() -> None:
        asker = Answers()
        work = asyncio.create_task(run_plan(plan(), RunFile(path), asker, Quiet()))
        while len(asker.asked) < 4:  # noqa: ASYNC110  # the runner has no event for "was asked"
            await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(stopped())
    assert not path.exists()
    rest = Answers()
    assert make(path, rest).complete
    assert rest.asked == [("b", 1), ("c", 0), ("c", 1)]


def test_complaint_56_a_cap_is_not_new_money_on_resume(tmp_path: Path) -> None:
    """inspect_ai: resuming reset what had been spent."""
    path = tmp_path / "runs.jsonl"
    for _ in range(3):
        made = make(path, Answers(cost=0.4), plan(max_cost_usd=1.0))
        assert made.spent.cost_usd == pytest.approx(0.8)
        assert len(read_runs(path)) == 2


def test_complaint_63_no_rank_is_shown_where_noise_could_have_made_it() -> None:
    """EuroEval: ranks were shown without their noise."""
    gold = question_set(question(f"q{n}", nuggets=NUGGETS) for n in range(6))
    sides: list[Side] = []
    for recipe, hits in ((RECIPE, 3), (OTHER, 4)):
        runs = [run(name, recipe=recipe) for name in gold.ids]
        says = [verdict(row, n, "HIT" if at < hits else "MISS") for at, row in enumerate(runs) for n in ("n1", "n2")]
        sides.append(runs_side("AB"[len(sides)], gold, runs, says))
    for first, second in (sides, sides[::-1]):
        found = compare(first, second, ["recall"], intervals=FEW)
        row = found.rows[0]
        assert row.difference.interval.low <= 0 <= row.difference.interval.high  # type: ignore[union-attr]
        assert (found.first, found.second) == (first, second)  # the order is the caller's, not that of the scores
        shown = tables(found)
        words = " ".join(
            [*(part for t in shown for part in (t.title, *t.columns, *t.notes))]
            + [cell_text(cell) for t in shown for cells in t.rows for cell in cells]
        )
        assert not re.search(r"\b(rank(ed|s)?|best|winner|wins|leads|1st|first place)\b", words, re.IGNORECASE)
        assert "[" in cell_text(shown[0].rows[0][3])  # the difference is never without its interval
