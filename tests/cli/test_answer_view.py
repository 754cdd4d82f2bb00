"""The terminal's view of a run: the marks of its Markdown, an honest bill, a trail that says why."""

from __future__ import annotations

import asyncio
import io
import re
from typing import Any

import pytest
from rich.console import Console

from answertrail.agent import events
from answertrail.agent.render import markdown
from answertrail.cli.answer_view import Trail, checks_passed, print_run
from answertrail.records import Run
from answertrail.records.jsonl import parse

CHUNK = {"id": "a:00030", "document_id": "a", "title": "Why we moved", "text": "x", "url": "https://v.example/a"}


def run(**more: Any) -> Run:
    record = {
        "schema": "run/1", "run_id": "r", "question": "Where is the kiln?", "status": "completed",
        "chunks": [CHUNK], "answer": {"outcome": "answered", "statements": []}, **more,
    }  # fmt: skip
    return parse(Run, record, where="t:1")


def answer(*citations: str) -> dict[str, Any]:
    return {"outcome": "answered", "statements": [{"text": "In the barn.", "citations": list(citations)}]}


def shown(made: Run) -> str:
    stream = io.StringIO()
    print_run(made, Console(file=stream, width=200, markup=False, highlight=False))
    return stream.getvalue()


def test_a_citation_whose_text_the_run_does_not_carry_is_shown_by_its_id():
    assert "In the barn. [1]`x:00000`\n" in shown(run(answer=answer("a:00030", "x:00000")))


@pytest.mark.parametrize("citations", [[], ["a:00030"], ["x:00000"], ["x:00000", "a:00030", "y`:1"], ["1"]])
def test_terminal_and_markdown_show_the_same_marks(citations):
    made = run(answer=answer(*citations))
    (line,) = [line for line in markdown(made).splitlines() if line.startswith("- ")]
    (same,) = [line for line in shown(made).splitlines() if line.startswith("  • ")]
    assert same.removeprefix("  • ").rstrip() == line.removeprefix("- ")


@pytest.mark.parametrize("status", ["failed", "cancelled", "interrupted", "over_budget"])
def test_an_answer_of_a_run_that_did_not_complete_is_shown_by_neither_view(status):
    made = run(status=status, answer=answer("a:00030"), error={"kind": "x", "message": "out of luck"})
    for text in (shown(made), markdown(made)):
        assert "barn" not in text
        assert "out of luck" in text


def test_an_imported_answer_of_text_alone_is_shown_by_both_views():
    made = run(answer={"outcome": "answered", "text": "In the barn."})
    assert "In the barn." in shown(made)
    assert "In the barn." in markdown(made)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://v.example/\x1b]8;;https://evil.example\x1b\\", "file:///x"]
)
def test_only_web_addresses_are_shown_as_links(url):
    text = shown(run(answer=answer("a:00030"), chunks=[CHUNK | {"url": url}]))
    assert "[1] Why we moved" in text
    assert url[:12] not in text


def check(attempt: int, passed: bool | None, reason: str | None = None) -> dict[str, Any]:
    return {"attempt": attempt, "check": "exists", "passed": passed, **({"reason": reason} if reason else {})}


@pytest.mark.parametrize(
    ("checks", "words"),
    [
        ([check(1, False), check(1, True), check(2, True), check(2, True)], "2 of 2 checks passed"),
        ([check(1, True), check(1, None, "framing is not a claim")], "1 of 1 checks passed, 1 not scored"),
        ([check(1, True), check(1, True, "not scored: no judge")], "1 of 1 checks passed, 1 not scored"),
        ([check(1, True), check(2, False)], "0 of 1 checks passed"),
        ([{"check": "exists", "passed": True}, {"check": "exists", "passed": False}], "1 of 2 checks passed"),
        ([], "0 of 0 checks passed"),
    ],
)
def test_the_bill_counts_the_scored_checks_of_the_last_attempt(checks, words):
    made = run(citation_checks=checks)
    assert checks_passed(made) == words
    assert re.search(rf" · {words} · ", shown(made))


@pytest.mark.parametrize(
    ("returned", "new", "held_back", "words"),
    [(3, 2, 0, "3 passages, 2 new"), (0, 0, 12, "nothing new (12 shown before)"), (0, 0, 0, "   nothing, ")],
)
def test_the_trail_tells_nothing_found_from_nothing_new(returned, new, held_back, words):
    stream = io.StringIO()
    event = events.SearchFinished("s1", "kiln", "fused", returned, new, held_back, 1.0, "2025-01-01")
    asyncio.run(Trail(Console(file=stream, width=200, markup=False, highlight=False))(event))
    assert words in stream.getvalue()
    assert "kiln [2025-01-01 to …]   " in stream.getvalue()


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (events.SearchFinished("s1", "kiln", "fused", 3, 2, 0, 1.0), "  search kiln   3 passages, 2 new, 1 ms"),
        (events.SearchFinished("s2", "kiln", "timeline", 3, 2, 0, 1.0), "  timeline kiln   3 passages, 2 new, 1 ms"),
        (events.SearchFinished("s3", "a:00030", "read_around", 2, 2, 1, 1.0), "  around a:00030   2 passages, 2 new"),
        (events.TurnStarted(4, "timeline"), "  write  dated table, then check every row"),
        (events.TableRejected(1, ("row 1: bad",)), "  check  table 1 sent back: row 1: bad"),
        (events.TableAccepted(3, 1), "  table  3 dated rows, 1 with nothing found"),
    ],
)
def test_the_trail_tells_each_tool_and_the_table_apart(event, line):
    stream = io.StringIO()
    asyncio.run(Trail(Console(file=stream, width=200, markup=False, highlight=False))(event))
    assert line in stream.getvalue()


COVERAGE = [
    {"from": "2025-01-01", "to": "2025-04-01", "searched": True, "evidence": ["a:00030"]},
    {"from": "2025-04-01", "to": "2025-07-01", "searched": True, "evidence": []},
    {"from": "2025-07-01", "to": "2025-10-01", "searched": False, "evidence": []},
]


def test_the_coverage_of_an_answer_is_shown_by_both_views():
    made = run(answer=answer("a:00030") | {"coverage": COVERAGE})
    counted = "3 periods have documents: 2 searched, 1 with evidence, 1 without"
    assert f"Over time: {counted}" in shown(made)
    assert "2025-Q1  [1]\n" in shown(made)
    assert "2025-Q2  searched, no evidence\n" in shown(made)
    assert "2025-Q3  not searched\n" in shown(made)
    assert f"Over time: {counted}." in markdown(made)
    assert "| 2025-Q2 | searched, no evidence |" in markdown(made)


def test_an_answer_without_coverage_says_nothing_of_time():
    assert "Over time" not in shown(run(answer=answer("a:00030")))
    assert "Over time" not in markdown(run(answer=answer("a:00030")))
