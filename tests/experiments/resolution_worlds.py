"""Questions and resolutions for tests, as few words as possible."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.records import Question, Resolution


def asked(name: str, *gold: str, **more: Any) -> Question:
    """Return an answerable question whose gold nodes these are."""
    fields = {"question_id": name, "question": f"{name}?", "tier": "lookup", **more}
    return Question.model_validate({**fields, "relevant": [{"id": node} for node in gold]})


def unanswerable(name: str, kind: str = "missing_topic") -> Question:
    """Return a question that no node answers."""
    fields = {"question_id": name, "question": f"{name}?", "tier": "unanswerable", "unanswerable_kind": kind}
    return Question.model_validate(fields)


def listed(name: str, *nodes: str, to: str | None = None, pool: list[str] | None = None, **more: Any) -> Resolution:
    """Return a resolution that lists nodes in this order: resolved when `to` is given, else choose, or none."""
    status = "resolved" if to is not None else "choose" if nodes else "none"
    fields: dict[str, Any] = {
        "question_id": name,
        "question": f"{name}?",
        "status": status,
        "candidates": [{"id": node, "rank": rank} for rank, node in enumerate(nodes, 1)],
        **more,
    }
    if to is not None:
        fields["node"] = to
    if pool is not None:
        fields["pool"] = pool
    return Resolution.model_validate(fields)


def gold(*questions: Question) -> QuestionSet:
    """Return a question set."""
    return question_set(questions)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Question], list[Resolution]]:
    """Return questions of all kinds and, for some, a resolution that contradicts nothing."""
    questions: list[Question] = []
    resolutions: list[Resolution] = []
    for number in range(draw(st.integers(1, 8))):
        name = f"q{number}"
        if draw(st.booleans()):
            pair = draw(st.sampled_from(["en-en", "ko-en", None]))
            more = {"group": pair, "language": pair[:2]} if pair else {}
            questions.append(asked(name, "g", node_type=draw(st.sampled_from(["Record", "Concept"])), **more))
        else:
            questions.append(unanswerable(name, draw(st.sampled_from(["missing_topic", "missing_fact"]))))
        nodes = draw(st.lists(st.sampled_from(["g", "a", "b", "c", "d", "e"]), unique=True, max_size=5))
        outcome = draw(st.sampled_from(["missing", "listed", "resolved"]))
        if outcome == "missing":
            continue
        to = nodes[0] if nodes and outcome == "resolved" else None
        resolutions.append(listed(name, *nodes, to=to, pool=[*nodes, "z"]))
    return questions, resolutions
