"""The coverage of an answer as readers see it."""

from __future__ import annotations

import pytest

from answertrail.agent.coverage_view import covered, in_few_rows, summary
from answertrail.agent.render import markdown
from answertrail.records.run import Answer, CoveragePeriod
from tests.agent.test_render import run


def period(start, end, **more):
    return CoveragePeriod.model_validate({"from": start, "to": end, **more})


@pytest.mark.parametrize(
    ("start", "end", "label"),
    [
        ("2025-01-01", "2026-01-01", "2025"),
        ("2025-01-01", "2025-04-01", "2025-Q1"),
        ("2025-10-01", "2026-01-01", "2025-Q4"),
        ("2025-12-01", "2026-01-01", "2025-12"),
        ("2025-02-01", "2025-05-01", "2025-02-01 to 2025-04-30"),
        ("2025-02-01", "2026-02-01", "2025-02-01 to 2026-01-31"),
        ("2025-02-03", "2025-02-10", "2025-02-03 to 2025-02-09"),
        ("2025-02-01T12:00:00Z", "2025-03-01T12:00:00Z", "2025-02-01 to 2025-03-01"),
        ("2025-02-03", "2025-02-03", "2025-02-03"),
    ],
)
def test_a_period_is_called_as_in_a_calendar_where_it_is_one(start, end, label):
    [shown] = covered(Answer(outcome="answered", coverage=[period(start, end)]))
    assert shown.label == label


@pytest.mark.parametrize(
    ("more", "state"),
    [
        ({"searched": True, "evidence": ["a"]}, "evidence"),
        ({"evidence": ["a"]}, "evidence"),
        ({"searched": True, "evidence": []}, "no evidence"),
        ({"searched": False, "evidence": []}, "not searched"),
        ({"searched": False}, "not searched"),
        ({"searched": True}, "not known"),
        ({}, "not known"),
    ],
)
def test_what_is_not_known_is_never_shown_as_searched_in_vain(more, state):
    [shown] = covered(Answer(outcome="answered", coverage=[period("2025-01-01", "2025-02-01", **more)]))
    assert shown.state == state


def test_the_summary_counts_each_state():
    answer = Answer(outcome="cannot_answer", coverage=[
        period("2025-01-01", "2025-02-01", searched=True, evidence=["a"]),
        period("2025-02-01", "2025-03-01", searched=True, evidence=[]),
        period("2025-03-01", "2025-04-01", searched=False, evidence=[]),
        period("2025-04-01", "2025-05-01"),
    ])  # fmt: skip
    assert summary(covered(answer)) == "4 periods have documents: 2 searched, 1 with evidence, 1 without"


def test_a_period_of_which_passages_were_shown_is_not_called_one_without_evidence():
    made = run(("One.", ["b:00060"], "HIT"))
    dates = {"a:00030": "2025-02-28T23:59:59Z", "b:00060": "2025-01-01"}
    chunks = [c.model_copy(update={"published_at": dates.get(c.id)}) for c in made.chunks]
    coverage = [
        period("2025-01-01", "2025-02-01", searched=True, evidence=["b:00060"]),
        period("2025-02-01", "2025-03-01", searched=True, evidence=[]),
        period("2025-03-01", "2025-04-01", searched=True, evidence=[]),
    ]
    answer = made.answer.model_copy(update={"coverage": coverage})
    text = markdown(made.model_copy(update={"answer": answer, "chunks": chunks}))
    assert "| 2025-01 | [1] |" in text
    assert "| 2025-02 | 1 shown, none cited |" in text
    assert "| 2025-03 | searched, no evidence |" in text


def test_very_many_periods_are_joined_but_for_those_with_evidence():
    def year(n, **more):
        return period(f"{n}-01-01", f"{n + 1}-01-01", **more)

    coverage = [year(n, searched=n < 1950, evidence=["a"] if n in {1910, 1911} else []) for n in range(1900, 1960)]
    periods = covered(Answer(outcome="answered", coverage=coverage))
    assert [(p.label, p.state, p.periods) for p in in_few_rows(periods)] == [
        ("1900 to 1909", "no evidence", 10), ("1910", "evidence", 1), ("1911", "evidence", 1),
        ("1912 to 1949", "no evidence", 38), ("1950 to 1959", "not searched", 10),
    ]  # fmt: skip
    assert in_few_rows(periods[:48]) == periods[:48]
    weeks = [period(f"2025-01-{n:02}T12:00:00Z", f"2025-01-{n + 1:02}T12:00:00Z", searched=False) for n in range(1, 26)]
    joined = in_few_rows(covered(Answer(outcome="answered", coverage=weeks * 2)))
    assert [p.label for p in joined] == ["2025-01-01 to 2025-01-26"]


def test_evidence_is_marked_by_number_and_what_no_statement_cites_is_counted():
    made = run(("One.", ["b:00060"], "HIT"))
    coverage = [
        period("2025-01-01", "2025-02-01", searched=True, evidence=["b:00060", "a:00030", "gone:00000"]),
        period("2025-02-01", "2025-03-01", searched=True, evidence=["a:00030"]),
    ]
    text = markdown(made.model_copy(update={"answer": made.answer.model_copy(update={"coverage": coverage})}))
    assert "| 2025-01 | [1] and 2 not cited above |" in text
    assert "| 2025-02 | 1 not cited above |" in text
    assert text.index("Over time") < text.index("Sources:")
