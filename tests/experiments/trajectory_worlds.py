"""Runs and questions for tests of trajectories, as few words as possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from answertrail.records import Question, Run

Spans = Sequence[tuple[str, float | None, float | None]]


def asked(name: str, *spans: tuple[str, float | None, float | None], **more: Any) -> Question:
    """Return a factual question with these evidence spans (document, start, end)."""
    evidence = [
        {"document_id": document, **({} if start is None else {"start_s": start, "end_s": end})}
        for document, start, end in spans
    ]
    fields = {"question_id": name, "question": f"{name}?", "tier": "factual", "evidence": evidence}
    return Question.model_validate({**fields, **more})


def ran(name: str, searches: Sequence[Sequence[str]], cited: Sequence[str] = (), /, **more: Any) -> Run:
    """Return a completed run of question `name`: what each search returned, and the ids cited in one claim each."""
    outcome = "answered" if cited else "cannot_answer"
    fields: dict[str, Any] = {
        "run_id": f"run-{name}-{more.get('repeat', 0)}",
        "question_id": name,
        "question": f"{name}?",
        "status": "completed",
        "searches": [
            {"search_id": str(number), "query": f"query {number}", "returned": list(returned)}
            for number, returned in enumerate(searches)
        ],
        "answer": {"outcome": outcome, "statements": [{"text": "So.", "citations": [one]} for one in cited]},
        **more,
    }
    return Run.model_validate(fields)


chunk_ids = st.builds(lambda d, s: f"{d}:{s * 30:05}", st.sampled_from("ab"), st.integers(0, 3))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Question], list[Run]]:
    """Return questions with and without gold, and runs of them that may cite what they never retrieved."""
    questions: list[Question] = []
    runs: list[Run] = []
    spans = st.tuples(st.sampled_from("ab"), st.integers(0, 60), st.integers(1, 60))
    for number in range(draw(st.integers(1, 5))):
        found = draw(st.lists(spans, max_size=3))
        name = f"q{number}"
        questions.append(asked(name, *((d, float(start), float(start + length)) for d, start, length in found)))
        for repeat in range(draw(st.integers(0, 2))):
            searches = draw(st.lists(st.lists(chunk_ids, max_size=4), max_size=3))
            runs.append(ran(name, searches, draw(st.lists(chunk_ids, max_size=4)), repeat=repeat))
    return questions, runs
