"""What users of other tools met with abstention; each test is named after its complaint."""

from __future__ import annotations

from typing import Any

import pytest

from answertrail.metrics.measured import Measured
from answertrail.metrics.refusal.cases import SAID
from answertrail.metrics.values import Undefined
from answertrail.records import Run
from tests.experiments.refusal_worlds import question, run, scored, verdict

REFUSALS = [
    "I'm sorry, I cannot answer that from the transcripts.",
    "Dazu sagt das Material nichts; ich kann die Frage nicht beantworten.",
    "자료에 그 내용이 없어서 답할 수 없습니다.",
    "Not mentioned [1][2].",
]
ANSWERS = [
    "Sorry seems to be the hardest word, they said.",
    "Sie sagten: Das wissen wir nicht.",
    "모른다고 말했습니다.",
]


def number(found: object) -> float:
    assert isinstance(found, Measured)
    assert isinstance(found.value, float)
    return found.value


def test_complaint_12_an_answer_without_any_retrieval_is_not_right_by_default() -> None:
    scores = scored([question("a")], [run("a", "answered", retrieved=[], chunks=[])])
    assert isinstance(scores.measures["crag_score"], Undefined)


@pytest.mark.parametrize("text", REFUSALS)
def test_complaint_13_a_refusal_has_one_value_whatever_its_words(text: str) -> None:
    scores = scored([question("u", "unanswerable")], [run("u", "cannot_answer", text=text)])
    assert number(scores.measures["correct_refusal_rate"]) == 1
    assert number(scores.measures["crag_score_unanswerable"]) == 0


def test_complaint_15_answerable_by_answered_is_one_declared_table() -> None:
    outcomes = ["answered", "partly_answered", "cannot_answer", None]
    known = [question("a"), question("u", "unanswerable")]
    runs = [run(name, outcome, repeat) for name in "au" for repeat, outcome in enumerate(outcomes)]
    table = scored(known, runs).table
    for answerable in (True, False):
        assert table.row(answerable=answerable) == dict(zip(SAID, (1, 1, 1, 1, 0), strict=True))


def test_complaint_17_answerability_is_the_tier_not_something_in_the_id() -> None:
    known = [question("q_abs"), question("plain", "unanswerable")]
    runs = [run("q_abs", "cannot_answer"), run("plain", "cannot_answer")]
    scores = scored(known, runs)
    assert [case.question_id for case in scores.over_refusals] == ["q_abs"]
    assert number(scores.measures["correct_refusal_rate"]) == 1
    # A recall verdict on the refusal, by whatever rubric, changes nothing.
    again = scored(known, runs, [verdict("q_abs/0", "q_abs_n0", "HIT")])
    assert again.table == scores.table
    assert number(again.measures["crag_score_answerable"]) == 0


def test_complaint_18_a_set_without_an_abstention_item_says_so() -> None:
    scores = scored([question("a"), question("b")], [run("a", "answered")])
    counts = {(row.tier, row.kind): row.questions for row in scores.table.strata}
    assert counts["factual", None] == 2
    assert counts["unanswerable", "near_miss"] == 0
    assert len([row for row in counts if row[0] == "unanswerable"]) == 6
    assert "the set has no unanswerable question: nothing here says how the system treats one" in scores.notes
    assert isinstance(scores.rates["false_answer_rate"].measured.value, Undefined)


def test_complaint_19_no_phrase_decides_in_any_language() -> None:
    cited: dict[str, Any] = {
        "citation_checks": [{"attempt": 1, "check": "supported", "passed": True}],
        "retrieved": ["d:00030"],
    }
    known = [question(f"u{n}", "unanswerable") for n in range(7)]
    declined = [run(f"u{n}", "cannot_answer", text=text, **cited) for n, text in enumerate(REFUSALS)]
    answered = [run(f"u{n + 4}", "answered", text=text) for n, text in enumerate(ANSWERS)]
    scores = scored(known, [*declined, *answered])
    assert scores.table.row(answerable=False)["declined"] == 4
    assert [case.question_id for case in scores.false_answers] == ["u4", "u5", "u6"]


def test_complaint_21_always_not_mentioned_must_not_look_good() -> None:
    known = [question(f"a{n}") for n in range(5)] + [question(f"u{n}", "unanswerable") for n in range(5)]
    silent = scored(known, [run(q.question_id, "cannot_answer") for q in known])
    assert number(silent.measures["correct_refusal_rate"]) == 1
    assert number(silent.measures["over_refusal_rate"]) == 1
    for name in ("crag_score", "crag_score_answerable", "crag_score_unanswerable"):
        assert number(silent.measures[name]) == 0
    honest = [run(q.question_id, "answered" if q.tier == "factual" else "cannot_answer") for q in known]
    marks = [verdict(f"a{n}/0", f"a{n}_n0", "HIT" if n else "MISS") for n in range(5)]
    assert number(scored(known, honest, marks).measures["crag_score"]) == pytest.approx((4 - 1) / 10)


def supported(name: str) -> Run:
    """An answer with all that looks like support: retrieved, cited, every check passed, support HIT."""
    statement = {"text": "They did.", "kind": "claim", "citations": ["d:00030"], "support": "HIT"}
    checks = [{"attempt": 1, "check": c, "passed": True} for c in ("exists", "retrieved", "in_bounds", "supported")]
    answer = {"outcome": "answered", "statements": [statement]}
    chunk = {"id": "d:00030", "document_id": "d", "text": "They did."}
    return run(name, "answered", answer=answer, retrieved=["d:00030"], chunks=[chunk], citation_checks=checks)


def test_a_retrieved_passage_or_a_verified_citation_never_counts_as_support() -> None:
    known = [question("a"), question("u", "unanswerable")]
    marks = [
        verdict("a/0", "a_n0", direction="ceiling"),
        verdict("a/0", "0", direction="citation", kind="statement"),
        verdict("u/0", "0", direction="citation", kind="statement"),
        verdict("u/0", "1", direction="groundedness", kind="assertion"),
    ]
    scores = scored(known, [supported("a"), supported("u")], marks)
    assert number(scores.measures["false_answer_rate"]) == 1
    assert number(scores.measures["crag_score_unanswerable"]) == -1
    assert isinstance(scores.measures["crag_score_answerable"], Undefined)


def test_a_failed_run_is_its_own_class_and_never_an_abstention() -> None:
    for status in ("failed", "cancelled", "interrupted", "over_budget"):
        answer = {"outcome": "cannot_answer", "text": "given up"}
        stopped = run("u", "cannot_answer", status=status, answer=answer)
        scores = scored([question("u", "unanswerable")], [stopped])
        assert scores.table.row(answerable=False)["failed"] == 1
        assert [case.status for case in scores.failed] == [status]
        assert isinstance(scores.rates["correct_refusal_rate"].measured.value, Undefined)
        assert number(scores.measures["failure_rate"]) == 1


def test_a_run_that_does_not_say_is_unknown_listed_and_in_no_rate() -> None:
    known = [question(f"u{n}", "unanswerable") for n in range(10)]
    told = [run(f"u{n}", "cannot_answer") for n in range(9)]
    silent = run("u9", "answered", meta={"assumed": ["answer.outcome"]})
    scores = scored(known, [*told, silent])
    assert [case.run_id for case in scores.unknown] == ["u9/0"]
    found = scores.measures["false_answer_rate"]
    assert isinstance(found, Measured)
    assert (found.value, found.bounds) == (0, (0, 0.1))
    bare = Run.model_validate({"run_id": "u9/0", "question_id": "u9", "question": "?", "status": "completed"})
    assert scored(known, [*told, bare]).table == scores.table
    most = [run(f"u{n}", "answered", meta={"assumed": ["answer.outcome"]}) for n in range(3)]
    assert isinstance(scored(known, [*most, *told[3:]]).measures["false_answer_rate"], Undefined)
