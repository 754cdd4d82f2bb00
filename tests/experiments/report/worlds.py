"""Small worlds for reports: questions, runs and verdicts of a few lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HOSTILE = "<script>alert('x')</script> \u202egnp.exe \x1b[31m & \"q\""


def question(name: str, nuggets: int = 2, **more: Any) -> dict[str, Any]:
    rows = [
        {
            "nugget_id": f"{name}_n{number}",
            "text": f"fact {number} of {name}",
            "kind": "fact",
            "window": {"from": f"2025-0{1 + 3 * number}-01", "to": f"2025-0{2 + 3 * number}-01"},
        }
        for number in range(nuggets)
    ]
    body = {"schema": "question/1", "question_id": name, "question": f"What of {name}?", "tier": "factual", **more}
    return {**body, "nuggets": rows} if nuggets else body


def run(name: str, repeat: int = 0, *, outcome: str | None = "answered", **more: Any) -> dict[str, Any]:
    """A run with two passages and one cited statement; with `outcome` None it failed."""
    chunks = [
        {"id": f"d:{start:05}", "document_id": "d", "title": "A title", "published_at": None,
         "url": f"https://example.org/v?t={start}", "text": "words"}
        for start in (0, 30)
    ]  # fmt: skip
    said = {"text": f"It is said of {name}.", "kind": "claim", "citations": ["d:00000"], "support": "HIT"}
    answer = {"outcome": outcome, "statements": [said] if outcome == "answered" else []}
    return {
        "schema": "run/1",
        "run_id": f"{name}-{repeat}",
        "question_id": name,
        "question": f"What of {name}?",
        "repeat": repeat,
        "status": "completed" if outcome else "failed",
        "recipe": {"name": "default", "hash": "sha256:aaaa"},
        "corpus": {"name": "c", "snapshot": "sha256:cccc"},
        "searches": [{"search_id": "s1", "query": "w", "returned": ["d:00000", "d:00030"]}],
        "retrieved": ["d:00000", "d:00030"],
        "chunks": chunks,
        "answer": answer if outcome else None,
        "cost_usd": 0.05,
        "error": None if outcome else {"kind": "service", "message": "the endpoint is down"},
        "started_at": f"2026-01-0{1 + repeat}T00:00:00Z",
        **more,
    }


def verdict(name: str, nugget: int, direction: str, verdict: str, repeat: int = 0) -> dict[str, Any]:
    unit = f"{name}_n{nugget}"
    return {
        "schema": "verdict/1", "verdict_id": f"{name}-{repeat}-{nugget}-{direction}", "key": "k",
        "run_id": f"{name}-{repeat}", "question_id": name, "repeat": repeat,
        "unit": {"kind": "nugget", "id": unit}, "direction": direction, "claim": f"fact {nugget} of {name}",
        "verdict": verdict, "reason": "because", "judge": {"name": "hand"}, "created_at": "2026-01-03T00:00:00Z",
    }  # fmt: skip


def both(name: str, nugget: int, recall: str, ceiling: str, repeat: int = 0) -> list[dict[str, Any]]:
    return [verdict(name, nugget, "recall", recall, repeat), verdict(name, nugget, "ceiling", ceiling, repeat)]


QUESTIONS = [
    question("q1"),
    question("q2"),
    question("u1", 0, tier="unanswerable", unanswerable_kind="missing_topic"),
]
RUNS = [
    run("q1"),
    run("q1", 1),
    run("q2"),
    run("q2", 1, outcome=None),
    run("u1", outcome="cannot_answer"),
    run("u1", 1),
]
# q1: all four classes over two repeats; q2 n1 has no verdict.
VERDICTS = [
    *both("q1", 0, "HIT", "HIT"), *both("q1", 1, "MISS", "HIT"),
    *both("q1", 0, "HIT", "MISS", 1), *both("q1", 1, "MISS", "MISS", 1),
    *both("q2", 0, "HIT", "HIT"),
]  # fmt: skip


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def files(
    folder: Path,
    questions: list[dict[str, Any]] = QUESTIONS,
    runs: list[dict[str, Any]] = RUNS,
    verdicts: list[dict[str, Any]] = VERDICTS,
) -> tuple[Path, Path, Path]:
    """Write the three files and return their paths."""
    return (
        written(folder / "questions.jsonl", questions),
        written(folder / "runs.jsonl", runs),
        written(folder / "verdicts.jsonl", verdicts),
    )
