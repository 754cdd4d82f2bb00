"""The subject of a question over time, in words as spelt."""

from __future__ import annotations

from .question import Question
from .text import is_content, words


def topic_query(question: Question) -> str:
    """The content words of the question without words of change, of view and of time; the question when it has none."""
    first = {w.stem: w.raw for w in reversed(words(question.text)) if is_content(w)}
    return " ".join(first[s] for s in question.topic().stems if s in first) or question.text
