"""Rankings scored side by side: what is counted, what is listed, what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from answertrail.errors import InputError
from answertrail.experiments.answer_checks import check_answers
from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.experiments.retrieval import score_retrieval
from answertrail.experiments.retrieval_scores import FailedRanking, MissingRanking, RetrievalScores, StrayRanking
from answertrail.experiments.view import answer_checks as checks_view
from answertrail.experiments.view import retrieval as view
from answertrail.experiments.view.table import cell_text
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.values import Undefined
from answertrail.records import Question, RetrievalRun, Run

NONE = Intervals("none")


def question(name: str, relevant: Sequence[str] = (), **more: Any) -> Question:
    row = {"schema": "question/1", "question_id": name, "question": "?", "tier": "lookup", **more}
    return Question.model_validate(row | ({"relevant": [{"id": unit} for unit in relevant]} if relevant else {}))


def ranking(name: str, ids: Sequence[str], mode: str = "m", **more: Any) -> RetrievalRun:
    scores = more.pop("scores", None)
    entries = [{"id": unit} | ({} if scores is None else {"score": scores[at]}) for at, unit in enumerate(ids)]
    row = {"schema": "retrieval_run/1", "question_id": name, "mode": mode, "ranked": entries, **more}
    return RetrievalRun.model_validate(row)


def score(
    questions: Sequence[Question] | QuestionSet, rankings: Sequence[RetrievalRun], **more: Any
) -> RetrievalScores:
    gold = questions if isinstance(questions, QuestionSet) else question_set(questions)
    return score_retrieval(gold, rankings, intervals=NONE, **more)


def value(scores: RetrievalScores, name: str, mode: str = "m") -> float:
    measured = scores.modes[mode].measures[name]
    assert isinstance(measured, Measured)
    assert not isinstance(measured.value, Undefined)
    return measured.value


def test_modes_stand_side_by_side_over_the_same_questions() -> None:
    gold = [question("q", "A"), question("r", "B")]
    scores = score(gold, [ranking("q", "A", "one"), ranking("r", "xB", "one"), ranking("q", "A", "two")], ks=(1, 2))
    assert list(scores.modes) == ["one", "two"]
    assert value(scores, "recall@1", "one") == 1 / 2
    assert value(scores, "recall@2", "one") == 1
    assert value(scores, "recall@2", "two") == 1 / 2  # the missing question counts 0
    assert scores.modes["two"].missing == (MissingRanking("r", 0),)


def test_important_questions_come_first_then_failures() -> None:
    gold = [question("full", "A"), question("part", "BC"), question("none", "D"), question("key", "E", important=True)]
    scores = score(gold, [ranking("full", "A"), ranking("part", "B"), ranking("none", "x"), ranking("key", "E")])
    assert [row.question_id for row in scores.questions] == ["key", "none", "part", "full"]
    part = scores.questions[2]
    assert (part.found, part.missed, part.first_rank) == (("B",), ("C",), 1)


def test_first_rank_looks_beyond_k_and_found_does_not() -> None:
    scores = score([question("q", "A")], [ranking("q", "xyA")], ks=(2,))
    assert (scores.questions[0].found, scores.questions[0].first_rank) == ((), 3)


def test_repeats_of_a_question_are_nested_and_a_missing_one_counts_0() -> None:
    gold = [question("q", "A"), question("r", "B")]
    rows = [ranking("q", "A", repeat=0), ranking("q", "x", repeat=1), ranking("r", "B", repeat=0)]
    scores = score(gold, rows)
    assert value(scores, "recall@10") == 2 / 4
    assert value(scores, "mrr@10") == (1 / 2 + 1 / 2) / 2
    assert scores.modes["m"].missing == (MissingRanking("r", 1),)


def test_chunks_are_scored_by_document_when_the_gold_names_documents() -> None:
    gold = [question("q", ["a", "b:00030"])]
    scores = score(gold, [ranking("q", ["x:00000", "a:00030", "a:00060", "b:00000"])], ks=(2,))
    assert scores.unit == "document"
    assert value(scores, "recall@2") == 1 / 2
    assert scores.questions[0].missed == ("b",)


@pytest.mark.parametrize(
    ("rows", "unit", "said"),
    [
        ([ranking("q", "A", unit="node"), ranking("r", "B", unit="chunk")], None, "different units: chunk, node"),
        ([ranking("q", "A", unit="document")], "chunk", "a ranking of documents cannot be scored by chunk"),
        ([ranking("q", "A", unit="node")], "document", "a ranking of nodes cannot be scored by document"),
        ([ranking("q", "A")], "page", "no unit 'page'"),
        ([ranking("q", "A"), ranking("q", "B")], None, "two rankings of one question, mode and repeat"),
        ([ranking("q", "AB", scores=[1, 2])], None, "rises from 1 to 2 at rank 2"),
        ([ranking("elsewhere", "A")], None, "none of the 1 rankings is of a question in the file"),
        ([], None, "there is no ranking"),
    ],
)
def test_what_cannot_be_scored_is_refused(rows: list[RetrievalRun], unit: str | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        score([question("q", "A"), question("r", "B")], rows, unit=unit)


def test_two_grades_of_one_id_name_the_question() -> None:
    bad = Question.model_validate(
        {"schema": "question/1", "question_id": "q", "question": "?", "tier": "lookup"}
        | {"relevant": [{"id": "x", "grade": 1}, {"id": "x", "grade": 2}]}
    )
    with pytest.raises(InputError, match="two grades") as caught:
        score([bad], [ranking("q", "x")])
    assert caught.value.where == "question q"


def test_rankings_of_unknown_questions_are_listed() -> None:
    scores = score([question("q", "A")], [ranking("q", "A"), ranking("old", "B")])
    assert scores.unknown == (StrayRanking("old", "m"),)
    assert value(scores, "distinct_yield") == 1
    assert scores.modes["m"].rankings == 1


def test_a_ranking_that_is_an_error_is_unscored() -> None:
    gold = [question(f"q{n}", "A") for n in range(100)]
    rows = [ranking(f"q{n}", "A") for n in range(1, 100)]
    rows.append(ranking("q0", "", meta={"error": {"kind": "service", "message": "timed out"}}))
    mode = score(gold, rows).modes["m"]
    assert mode.errors == (FailedRanking("q0", 0, "timed out"),)
    measured = mode.measures["recall@10"]
    assert isinstance(measured, Measured)
    assert (measured.ratio.numerator, measured.ratio.denominator) == (99, 99)
    assert measured.unscored[0].question_id == "q0"
    assert mode.invalid is None


def test_above_two_percent_of_errors_a_mode_has_no_figures() -> None:
    gold = [question("q", "A"), question("r", "B")]
    scores = score(gold, [ranking("q", "A"), ranking("r", "", meta={"error": "down"})])
    mode = scores.modes["m"]
    assert mode.invalid == "invalid: 1 of 2 rankings are errors (50.0%), more than 2.0%"
    assert set(mode.measures.values()) == {Undefined(mode.invalid)}
    assert mode.slices == {}
    assert {row[1] for row in shown(scores, "retrieval")} == {"invalid"}
    lenient = score(gold, [ranking("q", "A"), ranking("r", "", meta={"error": "down"})], max_error_share=0.5)
    assert value(lenient, "recall@10") == 1


def test_slices_add_up_and_name_the_questions_without_a_group() -> None:
    gold = [question("q", "A", group="en-ko"), question("r", "BC", tier="factual"), question("s", "D", group="en-ko")]
    mode = score(gold, [ranking("q", "A"), ranking("r", "B"), ranking("s", "x")]).modes["m"]
    assert {part: rows["recall@10"].value for part, rows in mode.slices["group"].items()} == {
        "(none)": 1 / 2,
        "en-ko": 1 / 2,
    }
    assert {part: rows["recall@10"].ratio.denominator for part, rows in mode.slices["tier"].items()} == {
        "factual": 2,
        "lookup": 2,
    }


def test_a_budget_needs_chunks() -> None:
    scores = score([question("q", "A")], [ranking("q", "A", unit="document")], budget=5)
    assert scores.modes["m"].measures["evidence_recall@b5"] == Undefined("the rankings are not of chunks")


def test_budget_and_document_ranking_work_on_the_same_chunks() -> None:
    gold = [question("q", evidence=[{"document_id": "a", "start_s": 70, "end_s": 80}])]
    scores = score(gold, [ranking("q", ["b:00000", "a:00030"], unit="chunk")], unit="document", budget=2, ks=(2,))
    assert value(scores, "recall@2") == 1
    assert value(scores, "evidence_recall@b2") == 1  # in the window next to a:00030


def test_passages_for_unanswerable_questions_are_counted_apart() -> None:
    gold = [question("q", "A"), question("u", tier="unanswerable"), question("v", tier="unanswerable")]
    scores = score(gold, [ranking("q", "A"), ranking("u", "AB"), ranking("v", "")])
    mode = scores.modes["m"]
    assert (mode.unsupported_asked, mode.unsupported_returned) == (2, 1)
    assert value(scores, "recall@10") == 1
    assert [row.question_id for row in scores.ineligible] == ["u", "v"]


def test_json_has_the_contracts_keys_and_is_strict() -> None:
    scores = score([question("q", "A"), question("u", tier="unanswerable")], [ranking("q", "A", elapsed_ms=5)])
    shown = json.loads(json.dumps(scores.as_json(), allow_nan=False))
    assert {"modes", "per_question", "ineligible", "corpus", "questions_hash"} <= shown.keys()
    assert shown["modes"]["m"]["recall@10"] == {"value": 1.0, "numerator": 1, "denominator": 1, "interval": None}
    assert shown["modes"]["m"]["latency_p50_ms"]["value"] == 5
    assert {"question_id": "q", "mode": "m", "found": ["A"], "missed": [], "first_rank": 1}.items() <= shown[
        "per_question"
    ][0].items()
    assert shown["ineligible"] == [
        {"question_id": "u", "reason": "unanswerable: it has no supporting unit to find"},
    ]
    assert {"code", "python", "platform"} == shown["runtime"].keys()


def shown(scores: RetrievalScores, key: str) -> list[list[str]]:
    (found,) = [table for table in view.tables(scores) if table.key == key]
    return [[cell_text(cell) for cell in row] for row in found.rows]


def test_a_small_set_says_how_many_before_it_says_which_share_and_always_lists_the_failures() -> None:
    gold = [question("q", "A"), question("r", "BC", important=True)]
    scores = score(gold, [ranking("q", "A"), ranking("r", "xB")], ks=(2,))
    rows = {row[0]: row[1] for row in shown(scores, "retrieval")}
    assert rows["recall@2"] == "2 of 3 (66.7 %)"
    assert rows["all@2"] == "1 of 2 (50.0 %)"
    assert shown(scores, "failures") == [["r (important)", "1 of 2, first at 2", "C"]]


def test_from_thirty_questions_on_shares_come_first() -> None:
    gold = [question(f"q{n}", "A") for n in range(30)]
    scores = score(gold, [ranking(f"q{n}", "A") for n in range(30)])
    assert {row[0]: row[1] for row in shown(scores, "retrieval")}["recall@10"] == "100.0 % (30/30)"


def test_what_was_left_out_is_shown() -> None:
    gold = [question("q", "A"), question("r", "B"), question("u", tier="unanswerable")]
    scores = score(gold, [ranking("q", "AA"), ranking("old", "A")])
    assert shown(scores, "left_out") == [
        ["ineligible: unanswerable: it has no supporting unit to find", "1", "u"],
        ["m: ranking of a question that is not in the file", "1", "old"],
        ["m: no ranking, counted as 0", "1", "r"],
    ]
    notes = next(table.notes for table in view.tables(scores) if table.key == "retrieval")
    assert "m: 1 repeated ids removed; 1 rankings missing, counted as 0." in notes


PMIDS = [f"PMID:{number}" for number in (1234567, 7654321, 1111111)]


def test_documents_whose_ids_look_like_chunk_ids_stay_documents() -> None:
    gold = [question("q", PMIDS[:2])]
    found = score(gold, [ranking("q", [PMIDS[0], PMIDS[2]], unit="document")]).questions[0]
    assert (found.found, found.missed) == ((PMIDS[0],), (PMIDS[1],))
    by_chunk = [ranking("q", [f"{name}:00030" for name in (PMIDS[2], PMIDS[0])], unit="chunk")]
    found = score(gold, by_chunk, unit="document").questions[0]
    assert (found.found, found.missed) == ((PMIDS[0],), (PMIDS[1],))
    mixed = [question("q", [f"{PMIDS[0]}:00060", "talk:00030", PMIDS[1]])]
    found = score(mixed, [ranking("q", [PMIDS[0], "talk"], unit="document")]).questions[0]
    assert (found.found, found.missed) == ((PMIDS[0], "talk"), (PMIDS[1],))


def test_an_id_that_the_corpus_knows_as_a_document_is_one() -> None:
    gold = [question("q", PMIDS[:2])]
    rankings = [ranking("q", ["talk:00030"], unit="chunk")]
    assert score(gold, rankings, unit="document").questions[0].missed == ("PMID",)
    assert score(gold, rankings, unit="document", documents=PMIDS).questions[0].missed == tuple(PMIDS[:2])


def test_chunk_ids_in_the_gold_count_as_their_documents_where_documents_are_ranked() -> None:
    gold = [question("q", ["talk:00030", "talk:00060", "note:0000120"])]
    found = score(gold, [ranking("q", ["talk"], unit="document")]).questions[0]
    assert (found.found, found.missed) == (("talk",), ("note",))


def run(name: str, question_id: str, *cited: str, **more: Any) -> Run:
    answer = {"outcome": "answered", "statements": [{"text": "s", "citations": list(cited)}]}
    row = {"schema": "run/1", "run_id": name, "question_id": question_id, "question": "?", "status": "completed"}
    return Run.model_validate(row | {"answer": answer} | more)


def test_answer_checks_have_four_rates_and_list_what_failed() -> None:
    gold = question_set(
        [question("q", "A"), question("r", "B"), question("u", tier="unanswerable"), question("s", "C")]
    )
    runs = [
        run("1", "q", "A"),
        run("2", "r", "x"),
        run("3", "u", answer={"outcome": "cannot_answer"}),
        run("4", "elsewhere", "A"),
    ]
    scores = check_answers(gold, runs, intervals=NONE)
    assert {name: measured.ratio.numerator for name, measured in scores.measures.items()} == {
        "source_support": 1,
        "scope": 0,
        "freshness": 0,
        "refusal": 1,
    }
    support = scores.measures["source_support"]
    assert support.ratio.denominator == 2
    assert [(row.question_id, row.reason) for row in support.unscored] == [("s", "no run of the question")]
    assert scores.measures["scope"].value == Undefined("no answer it applies to")
    assert scores.unknown_runs == ("4",)
    faults = next(table for table in checks_view.tables(scores) if table.key == "answer_faults")
    assert [(row[0], row[1], row[2]) for row in faults.rows] == [
        ("r", "source_support", "fail"),
        ("s", "source_support", "unscored"),
    ]
    with pytest.raises(InputError, match="both repeat 0 of question 'q'"):
        check_answers(gold, [run("1", "q", "A", repeat=0), run("2", "q", "A", repeat=0)])


def test_answer_checks_join_runs_to_questions_as_all_measures_do() -> None:
    gold = question_set([question("q", "A", question="Where?"), question("r", "B", question="When?")])
    nameless = [
        run(name, "q", cited, question="Where? ").model_copy(update={"question_id": None})
        for name, cited in (("1", "A"), ("2", "x"))
    ]
    scores = check_answers(gold, [*nameless, run("3", "r", "B")], intervals=NONE)
    assert scores.unknown_runs == ()
    support = scores.measures["source_support"]
    assert (support.ratio.numerator, support.ratio.denominator) == (2, 3)
    assert [(row.question_id, row.repeat) for row in support.observations] == [("q", 0), ("q", 1), ("r", 0)]


def test_a_question_is_not_both_observed_and_ineligible_for_an_answer_check() -> None:
    declined = {"outcome": "cannot_answer"}
    runs = [run("1", "q", "A", repeat=0)]
    runs += [run(str(n + 2), "q", answer=declined, repeat=n + 1) for n in range(2)]
    runs += [run(str(n + 4), "r", answer=declined, repeat=n) for n in range(2)]
    support = check_answers(question_set([question("q", "A"), question("r", "B")]), runs, intervals=NONE).measures[
        "source_support"
    ]
    assert [row.question_id for row in support.observations] == ["q"]
    assert [(row.question_id, row.reason) for row in support.ineligible] == [("r", "the answer says it cannot answer")]


def test_an_assumed_outcome_is_unscored_in_the_answer_checks_too() -> None:
    gold = question_set([question("u", tier="unanswerable"), question("q", "A")])
    assumed = {"meta": {"assumed": ["answer.outcome"]}}
    measures = check_answers(gold, [run("1", "u", **assumed), run("2", "q", "A", **assumed)], intervals=NONE).measures
    for name, question_id in (("refusal", "u"), ("source_support", "q")):
        assert measures[name].observations == ()
        assert [(row.question_id, row.units) for row in measures[name].unscored] == [(question_id, 1)]


def test_all_shares_of_a_table_are_written_in_one_form() -> None:
    few = [question(f"f{number}", "A", tier="factual") for number in range(3)]
    many = [question(f"l{number}", "A") for number in range(view.SMALL)]
    gold = [*few, *many]
    scores = score(gold, [ranking(row.question_id, "A") for row in gold], ks=(1,))
    assert [row[3] for row in shown(scores, "by_tier")] == ["3 of 3 (100.0 %)", "30 of 30 (100.0 %)"]
    small = score(few, [ranking(row.question_id, "A") for row in few], ks=(1,))
    found = {row[0]: row[1] for row in shown(small, "retrieval")}
    assert found["recall@1"] == "3 of 3 (100.0 %)"
    assert found["distinct_yield"] == "3 of 3 (100.0 %)"
