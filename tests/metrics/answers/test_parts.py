"""Groundedness, citations and effort: what is counted, what does not apply, what is unknown."""

from __future__ import annotations

import pytest

from answertrail.errors import InputError
from answertrail.metrics.answers.applicable import Parts
from answertrail.metrics.answers.citations import citation_exists, citation_retrieved, citation_support, support_source
from answertrail.metrics.answers.effort import by_tier, effort
from answertrail.metrics.answers.grounded import groundedness
from answertrail.metrics.answers.statement_units import judged_in_vain
from answertrail.metrics.values import Undefined
from answertrail.records import Run, Verdict
from tests.metrics.answers.worlds import joined, question, run, statements, verdict

Q = question("q", "fact")
TWO = statements(("claim", ["c1", "c9"], "HIT"), ("claim", ["c1"], "MISS"), ("framing", [], None))


def counts(found: Parts) -> list[tuple[int, int, int]]:
    return [(row.hits, row.scored, row.unscored) for row in found.rows]


def grounded(runs: list[Run], verdicts: list[Verdict]) -> Parts:
    rows, _, found = joined([Q], runs, verdicts)
    return groundedness(rows, found)


def test_groundedness_counts_hits_among_scored_assertions() -> None:
    rows = [
        verdict("q.0", "groundedness", "a1"),
        verdict("q.0", "groundedness", "a2", "MISS"),
        verdict("q.0", "groundedness", "a3", "UNSCORED"),
    ]
    assert counts(grounded([run("q")], rows)) == [(1, 2, 1)]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"retrieved": []}, "the run retrieved nothing"),
        ({"outcome": "cannot_answer"}, "the run answers cannot_answer: it states nothing"),
        ({"answer": statements(("framing", [], None))}, "the answer makes no assertion"),
        ({"answer": {"outcome": "answered", "text": " "}}, "the answer makes no assertion"),
    ],
)
def test_groundedness_does_not_apply_where_nothing_is_asserted_or_retrieved(
    more: dict[str, object], reason: str
) -> None:
    found = grounded([run("q", **more)], [])  # type: ignore[arg-type]
    assert found.rows == ()
    assert [row.reason for row in found.not_applicable] == [reason]
    assert [tuple(row) for row in found.ineligible()] == [("q", reason)]


def test_assertions_sent_to_the_judge_and_not_come_back_are_unscored() -> None:
    rows = [verdict("q.0", "groundedness", f"a{n}", meta={"sent": 5}) for n in (1, 2)]
    assert counts(grounded([run("q")], rows)) == [(2, 2, 3)]
    with pytest.raises(InputError, match=r"2 verdicts of run 'q.0', direction groundedness, of 1 units sent"):
        grounded([run("q")], [verdict("q.0", "groundedness", f"a{n}", meta={"sent": 1}) for n in (1, 2)])
    with pytest.raises(InputError, match="of 4 or 5 units sent"):
        grounded([run("q")], [verdict("q.0", "groundedness", f"a{n}", meta={"sent": n}) for n in (4, 5)])


def test_a_run_nobody_judged_is_unscored_with_its_statements() -> None:
    rows = [verdict("q.0", "groundedness", "a1")]
    assert counts(grounded([run("q"), run("q", 1, answer=TWO)], rows)) == [(1, 1, 0), (0, 0, 2)]


CHECKS = [
    {"attempt": 1, "check": "exists", "citation": "c9", "passed": False},
    {"attempt": 2, "check": "exists", "citation": "c1", "passed": True},
    {"attempt": 2, "check": "exists", "citation": "c9", "passed": True},
    {"attempt": 2, "check": "exists", "citation": "site.org", "passed": False},
    {"attempt": 2, "check": "retrieved", "citation": "c9", "passed": False},
]


def test_existence_is_told_by_the_last_attempt_or_by_the_ids_of_the_corpus_or_unknown() -> None:
    rows, _, _ = joined([Q], [run("q", answer=TWO, citation_checks=CHECKS), run("q", 1, answer=TWO)], [])
    assert counts(citation_exists(rows)) == [(2, 2, 0), (0, 0, 2)]
    assert counts(citation_exists(rows, {"c1"})) == [(2, 2, 0), (1, 2, 0)]


def test_retrieved_are_distinct_cited_ids_and_a_silent_run_is_unscored() -> None:
    silent = Run.model_validate(
        {"schema": "run/1", "run_id": "s", "question": "q?", "question_id": "q", "repeat": 1, "status": "completed",
         "answer": TWO}
    )  # fmt: skip
    rows, _, _ = joined([Q], [run("q", answer=TWO), silent], [])
    assert counts(citation_retrieved(rows)) == [(1, 2, 0), (0, 0, 2)]


def test_support_is_the_judges_where_there_is_one_and_else_the_runs_own() -> None:
    rows, _, none = joined([Q], [run("q", answer=TWO)], [])
    assert counts(citation_support(rows, none)) == [(1, 2, 0)]
    assert support_source(none) == "the runs' own support check"
    one = verdict("q.0", "citation", "s0", "MISS", unit={"kind": "statement", "id": "0"})
    rows, _, found = joined([Q], [run("q", answer=TWO)], [one])
    assert counts(citation_support(rows, found)) == [(0, 1, 1)]
    assert support_source(found) == "judge hand"


def test_more_citation_verdicts_than_statements_or_citations_are_refused() -> None:
    many = [verdict("q.0", "citation", f"a{n}") for n in range(4)]
    rows, _, found = joined([Q], [run("q", answer=TWO)], many)
    with pytest.raises(InputError, match=r"4 citation verdicts of run 'q.0', which has 3 statements or citations"):
        citation_support(rows, found)


def on_statement(place: int | str, direction: str, mark: str = "HIT") -> Verdict:
    return verdict("q.0", direction, f"s{place}", mark, unit={"kind": "statement", "id": str(place)})


FIVE = statements(*[("claim", [f"c{n}"], None) for n in range(5)])


def test_statements_nobody_judged_are_unscored_without_any_word_of_how_many_were_sent() -> None:
    rows = [on_statement(0, "groundedness"), on_statement(3, "groundedness", "MISS")]
    assert counts(grounded([run("q", answer=FIVE)], rows)) == [(1, 2, 3)]
    ten = statements(*[("claim", ["c1", "c2"], None) for _ in range(10)])
    asked, _, found = joined([Q], [run("q", answer=ten)], [on_statement(n, "citation") for n in range(7)])
    assert counts(citation_support(asked, found)) == [(7, 7, 3)]


@pytest.mark.parametrize("direction", ["groundedness", "citation"])
@pytest.mark.parametrize("place", [5, "s1", "00", "-1"])
def test_a_verdict_on_a_statement_the_answer_does_not_have_is_refused(direction: str, place: int | str) -> None:
    rows = [on_statement(n, direction) for n in range(5)]
    asked, _, found = joined([Q], [run("q", answer=FIVE)], [*rows, on_statement(place, direction)])
    with pytest.raises(InputError, match=r"whose answer has 5 statements \(the id of a statement is its place"):
        (groundedness if direction == "groundedness" else citation_support)(asked, found)


def test_verdicts_on_framing_or_on_what_cites_nothing_are_listed_and_not_counted() -> None:
    answer = statements(("claim", ["c1"], None), ("framing", [], None), ("claim", [], None))
    verdicts = [on_statement(n, direction) for n in range(3) for direction in ("groundedness", "citation")]
    asked, _, found = joined([Q], [run("q", answer=answer)], verdicts)
    assert counts(groundedness(asked, found)) == [(2, 2, 0)]
    assert counts(citation_support(asked, found)) == [(1, 1, 0)]
    assert sorted((row.id, row.reason) for row in judged_in_vain(asked, found)) == [
        ("q.0/citation/s1", "the statement cites nothing"),
        ("q.0/citation/s2", "the statement cites nothing"),
        ("q.0/groundedness/s1", "the statement is framing and asserts nothing"),
    ]


def test_verdicts_on_statements_and_on_assertions_of_one_run_are_refused() -> None:
    rows = [on_statement(0, "groundedness"), verdict("q.0", "groundedness", "a1")]
    with pytest.raises(InputError, match="of units of two kinds, assertion and statement"):
        grounded([run("q", answer=FIVE)], rows)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (statements(("claim", [], None)), "the answer cites nothing"),
        ({"outcome": "answered", "text": "t"}, "the run does not carry its statements"),
        ({"outcome": "cannot_answer"}, "the run answers cannot_answer: it states nothing"),
    ],
)
def test_rates_of_citations_do_not_apply_without_one(answer: dict[str, object], reason: str) -> None:
    rows, _, none = joined([Q], [run("q", answer=answer)], [])
    for found in (citation_exists(rows), citation_retrieved(rows), citation_support(rows, none)):
        assert found.rows == ()
        assert [row.reason for row in found.not_applicable] == [reason]


def test_effort_is_over_the_runs_that_say_it_and_unknown_is_not_zero() -> None:
    usage = [
        {"turn": 1, "input_tokens": 10, "output_tokens": 5},
        {"turn": 2, "input_tokens": 1, "output_tokens": 4},
    ]
    rows, _, _ = joined(
        [Q],
        [
            run("q", cost_usd=0.5, usage=usage, meta={"turns_used": 7}),
            run("q", 1, cost_usd=None, usage=[{"turn": 1, "input_tokens": None, "output_tokens": 1}]),
            run("q", 2, cost_usd=0.1, searches=[{"search_id": "s", "query": "x", "returned": []}]),
        ],
        [],
    )
    found = effort(rows.runs).quantities
    assert (found["cost_usd"].mean, found["cost_usd"].total, found["cost_usd"].unknown) == (0.3, 0.6, 1)
    assert (found["tokens"].total, found["tokens"].known, found["tokens"].unknown) == (20, 1, 2)
    assert (found["turns"].mean, found["turns"].median, found["turns"].unknown) == (4, 4, 1)
    assert (found["searches"].total, found["searches"].unknown) == (1, 2)
    assert (found["chunks"].mean, found["chunks"].unknown) == (2, 0)


def test_runs_that_did_not_complete_have_effort_of_their_own_and_nothing_known_is_undefined() -> None:
    rows, _, _ = joined([Q], [run("q"), run("q", 1, status="failed", cost_usd=9.0)], [])
    found = by_tier(rows.runs)
    assert list(found) == ["factual", "not completed"]
    assert found["factual"].quantities["cost_usd"].mean == Undefined("no run says it")
    assert found["not completed"].quantities["cost_usd"].total == 9.0


def test_a_completed_run_that_lists_no_call_does_not_say_its_tokens() -> None:
    rows, _, _ = joined([Q], [run("q", usage=[]), run("q", 1, status="failed", usage=[])], [])
    found = by_tier(rows.runs)
    assert found["factual"].quantities["tokens"].unknown == 1
    assert found["not completed"].quantities["tokens"].total == 0
